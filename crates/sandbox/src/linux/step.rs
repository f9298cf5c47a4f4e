//! Reports of the warden and the future program to the host: eight bytes each, written in one piece.

use std::io;
use std::path::Path;

use super::sys::Ended;
use crate::SandboxError;

/// A step of the preparation that may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Step {
    IdMap,
    Cgroup,
    Loopback,
    PrivateMounts,
    CopyTree,
    ReadOnly,
    Temporary,
    PlaceTree,
    Mask,
    Protect,
    Subreaper,
    Fork,
    Limit,
    Directory,
    Privileges,
    Rules,
    Filter,
    Exec,
}

const STEPS: [(Step, &str); 18] = [
    (Step::IdMap, "mapping the user into its namespace"),
    (Step::Cgroup, "entering the control group"),
    (Step::Loopback, "bringing the private network's loopback up"),
    (Step::PrivateMounts, "making mounts private"),
    (Step::CopyTree, "opening a directory that was granted"),
    (Step::ReadOnly, "making the file system read-only"),
    (Step::Temporary, "mounting a private directory"),
    (Step::PlaceTree, "mounting a directory that was granted"),
    (Step::Mask, "hiding a file"),
    (Step::Protect, "protecting a file"),
    (Step::Subreaper, "becoming the one to whom orphans fall"),
    (Step::Fork, "making a process"),
    (Step::Limit, "setting a limit"),
    (Step::Directory, "going to the working directory"),
    (Step::Privileges, "giving up privileges"),
    (Step::Rules, "applying the Landlock rules"),
    (Step::Filter, "applying the filter of system calls"),
    (Step::Exec, "starting the program"),
];

impl Step {
    /// The step in words, for people.
    pub(super) fn words(self) -> &'static str {
        STEPS[self as usize].1
    }
}

/// A failed step, with the index of its path, and the kernel's error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) step: Step,
    pub(super) about: u8,
    pub(super) error: i32,
}

/// One report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Failed(Failed),
    Ended(Ended),
    /// The number of processes that were left and killed.
    Left(i32),
}

impl Report {
    pub(super) const SIZE: usize = 8;

    pub(super) fn bytes(self) -> [u8; Report::SIZE] {
        let (kind, step, about, value) = match self {
            Report::Failed(failed) => (0, failed.step as u8, failed.about, failed.error),
            Report::Ended(Ended::Code(code)) => (1, 0, 0, code),
            Report::Ended(Ended::Signal(signal)) => (2, 0, 0, signal),
            Report::Left(n) => (3, 0, 0, n),
        };
        let [a, b, c, d] = value.to_ne_bytes();
        [kind, step, about, 0, a, b, c, d]
    }

    pub(super) fn read(bytes: [u8; Report::SIZE]) -> Option<Report> {
        let [kind, step, about, _, a, b, c, d] = bytes;
        let value = i32::from_ne_bytes([a, b, c, d]);
        Some(match kind {
            0 => Report::Failed(Failed {
                step: STEPS.get(usize::from(step))?.0,
                about,
                error: value,
            }),
            1 => Report::Ended(Ended::Code(value)),
            2 => Report::Ended(Ended::Signal(value)),
            3 => Report::Left(value),
            _ => return None,
        })
    }
}

/// The error of a step of the preparation that failed.
pub(super) fn setup(step: Step, path: Option<&Path>, source: io::Error) -> SandboxError {
    SandboxError::Setup {
        step: step.words(),
        path: path.map(Path::to_path_buf),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::{Failed, Report, STEPS};
    use crate::platform::sys::Ended;

    #[test]
    fn what_is_written_is_read() {
        for (index, (step, _)) in STEPS.into_iter().enumerate() {
            assert_eq!(index, step as usize);
            let report = Report::Failed(Failed {
                step,
                about: 7,
                error: -3,
            });
            assert_eq!(Report::read(report.bytes()), Some(report));
        }
        for report in [
            Report::Ended(Ended::Code(300)),
            Report::Ended(Ended::Signal(9)),
            Report::Left(12),
        ] {
            assert_eq!(Report::read(report.bytes()), Some(report));
        }
        assert_eq!(Report::read([9; 8]), None);
    }
}
