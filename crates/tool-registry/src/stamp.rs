//! What tells that a file was not changed since it was last looked at.

use std::time::{Duration, SystemTime};

/// What tells whether a file was changed: its number, its size, its times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    device: u64,
    number: u64,
    bytes: u64,
    /// Of the contents and of the file itself, in nanoseconds since 1970; until the year 2262.
    times: [i64; 2],
}

impl FileStamp {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "not available on this system")]
    pub(crate) fn of(metadata: &cap_std::fs::Metadata) -> Option<FileStamp> {
        use cap_std::fs::MetadataExt;
        let time =
            |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
        Some(FileStamp {
            device: metadata.dev(),
            number: metadata.ino(),
            bytes: metadata.size(),
            times: [
                time(metadata.mtime(), metadata.mtime_nsec()),
                time(metadata.ctime(), metadata.ctime_nsec()),
            ],
        })
    }

    #[cfg(not(unix))]
    pub(crate) fn of(_: &cap_std::fs::Metadata) -> Option<FileStamp> {
        None
    }

    /// Whether the file had its last change at least so long before `now`: one that comes later has another time.
    pub fn is_older(&self, now: SystemTime, age: Duration) -> bool {
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let before = now.saturating_sub(age).as_nanos();
        self.times
            .iter()
            .all(|time| i128::try_from(before).is_ok_and(|before| i128::from(*time) < before))
    }

    /// Writes it out, in as many letters for each. A listing does that for every file.
    pub fn write(&self, out: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let [contents, itself] = self.times.map(i64::cast_unsigned);
        let numbers = [self.device, self.number, self.bytes, contents, itself];
        let mut written = [0_u8; 80];
        let bytes = numbers.iter().flat_map(|number| number.to_be_bytes());
        for (pair, byte) in written.chunks_exact_mut(2).zip(bytes) {
            pair[0] = DIGITS[usize::from(byte >> 4)];
            pair[1] = DIGITS[usize::from(byte & 15)];
        }
        out.push_str(std::str::from_utf8(&written).expect("they are digits"));
    }
}
