//! Landlock: the parts of the file system that a program may access.

use std::ffi::{CStr, CString};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use super::filter::Sockets;
use super::sys::{self, Ruleset, Sys};

/// Starting a program.
pub(super) const EXECUTE: u64 = 1;
const WRITE_FILE: u64 = 1 << 1;
const READ_FILE: u64 = 1 << 2;
const READ_DIR: u64 = 1 << 3;
/// Removing and making directories, files, sockets, pipes and links, but no devices.
const CHANGE_DIRECTORY: u64 =
    (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 9) | (1 << 10) | (1 << 12);
const MAKE_DEVICES: u64 = (1 << 6) | (1 << 11);
const REFER: u64 = 1 << 13;
const TRUNCATE: u64 = 1 << 14;
const IOCTL_DEVICE: u64 = 1 << 15;
/// Rights that apply to something other than a directory.
const OF_FILES: u64 = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEVICE;
/// TCP, both ways.
const TCP: u64 = 3;
/// Abstract sockets and signals of processes outside.
const SCOPED: u64 = 3;

/// Reading and running.
pub(super) const READ: u64 = EXECUTE | READ_FILE | READ_DIR;
/// Reading, running and changing.
pub(super) const CHANGE: u64 = READ | WRITE_FILE | CHANGE_DIRECTORY | REFER | TRUNCATE;
/// A device that produces or accepts bytes.
pub(super) const DEVICE: u64 = READ_FILE | WRITE_FILE | TRUNCATE | IOCTL_DEVICE;

/// The oldest version that is sufficient: the third covers `truncate`.
pub(super) const OLDEST: i32 = 3;

/// A ruleset that is being built.
#[derive(Debug)]
pub(super) struct Rules {
    pub(super) ruleset: OwnedFd,
    handled: u64,
}

impl Rules {
    /// Rules that forbid all that the kernel's version can forbid.
    pub(super) fn new(sockets: Sockets) -> Sys<Rules> {
        let version = sys::landlock_version()?;
        let handled = match version {
            ..=1 => (1 << 13) - 1,
            2 => (1 << 14) - 1,
            3 | 4 => (1 << 15) - 1,
            _ => (1 << 16) - 1,
        };
        debug_assert!(handled & MAKE_DEVICES != 0);
        let ruleset = Ruleset {
            handled_fs: handled,
            handled_net: if version >= 4 && sockets == Sockets::None {
                TCP
            } else {
                0
            },
            scoped: if version >= 6 { SCOPED } else { 0 },
        };
        let size = match version {
            ..=3 => 8,
            4 | 5 => 16,
            _ => 24,
        };
        let fd = sys::landlock_ruleset(&ruleset, size)?;
        // SAFETY: the kernel has just handed it out.
        #[expect(unsafe_code, reason = "a descriptor gets its owner")]
        let ruleset = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(Rules {
            ruleset: sys::above_standard(ruleset)?,
            handled,
        })
    }

    /// Allows `rights` at `path` and below. A missing path needs no rule.
    pub(super) fn allow(&self, path: &CStr, rights: u64) -> Sys<()> {
        allow(self.ruleset.as_raw_fd(), path, rights & self.handled)
    }

    /// A rule about a place that does not exist so far.
    pub(super) fn later(&self, path: CString, rights: u64) -> (CString, u64) {
        (path, rights & self.handled)
    }
}

/// Allows `rights` at `path` and below; may run between `fork` and `exec`.
pub(super) fn allow(ruleset: RawFd, path: &CStr, rights: u64) -> Sys<()> {
    let place = match sys::open(path, libc::O_PATH, 0) {
        Err(libc::ENOENT | libc::ENOTDIR | libc::EACCES) => return Ok(()),
        place => place?,
    };
    let rights = if sys::is_directory(place) {
        rights
    } else {
        rights & OF_FILES
    };
    let allowed = sys::landlock_allow(ruleset, place, rights);
    sys::close(place);
    allowed
}
