//! The stamp of a file, which shows whether the file changed.

use std::time::{Duration, SystemTime};

/// Shows whether a file changed: its device, number, size and times.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileStamp {
    device: u64,
    number: u64,
    bytes: u64,
    /// Times of the content and of the file's metadata, in nanoseconds since 1970; until the year 2262.
    times: [i64; 2],
}

impl FileStamp {
    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "other systems have no stamp")]
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

    /// Whether the last change of the file is at least `age` before `now`: a later change has another time.
    pub fn is_older(&self, now: SystemTime, age: Duration) -> bool {
        let Ok(now) = now.duration_since(SystemTime::UNIX_EPOCH) else {
            return false;
        };
        let before = now.saturating_sub(age).as_nanos();
        self.times
            .iter()
            .all(|time| i128::try_from(before).is_ok_and(|before| i128::from(*time) < before))
    }

    /// Writes the stamp in a fixed number of digits. A listing does this for every file.
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
