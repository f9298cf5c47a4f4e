//! A control group for one command, where this process may make one: as root, or as a user with a delegated group.
//!
//! The group is used where it is available, and nothing depends on it: an ordinary user has the other limits without
//! it.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::ResourceLimits;

/// The directories of the hierarchies of control groups, in the first and the second version.
const HIERARCHIES: [&str; 3] = [
    "/sys/fs/cgroup/pids",
    "/sys/fs/cgroup/memory",
    "/sys/fs/cgroup",
];

/// A control group, in one hierarchy or several; removed when dropped.
#[derive(Debug)]
pub(super) struct Group {
    directories: Vec<PathBuf>,
    /// A process that writes `0` into one of these enters the group.
    entrances: Vec<OwnedFd>,
}

impl Group {
    /// A new group with these limits, or `None` if none can be made.
    pub(super) fn new(limits: &ResourceLimits) -> Option<Group> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let parents = parents();
        if parents.is_empty() {
            return None;
        }
        let name = format!(
            "toolglot-{}-{}",
            std::process::id(),
            NEXT.fetch_add(1, Ordering::Relaxed)
        );
        let mut group = Group {
            directories: Vec::new(),
            entrances: Vec::new(),
        };
        for parent in parents {
            let directory = parent.join(&name);
            fs::create_dir(&directory).ok()?;
            group.directories.push(directory.clone());
            // The warden is one of the processes.
            let processes = u64::from(limits.processes) + 1;
            let settings = [
                ("pids.max", processes),
                ("memory.max", limits.memory_bytes),
                ("memory.swap.max", 0),
                ("memory.limit_in_bytes", limits.memory_bytes),
            ];
            for (file, value) in settings {
                let path = directory.join(file);
                if path.exists()
                    && write(&path, &value.to_string()).is_err()
                    && file != "memory.swap.max"
                {
                    return None;
                }
            }
            let entrance = OpenOptions::new()
                .write(true)
                .open(directory.join("cgroup.procs"))
                .ok()?;
            group
                .entrances
                .push(super::sys::above_standard(entrance.into()).ok()?);
        }
        Some(group)
    }

    pub(super) fn descriptors(&self) -> &[OwnedFd] {
        &self.entrances
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for directory in &self.directories {
            // The last process is dead but may not be reaped.
            for _ in 0..50 {
                match fs::remove_dir(directory) {
                    Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// The groups that this process is in and may make subgroups in, with a limit for processes or memory.
pub(super) fn parents() -> &'static [PathBuf] {
    static PARENTS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    PARENTS.get_or_init(|| {
        let Ok(own) = fs::read_to_string("/proc/self/cgroup") else {
            return Vec::new();
        };
        let mut parents = Vec::new();
        for line in own.lines() {
            let mut fields = line.splitn(3, ':').skip(1);
            let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else {
                continue;
            };
            for hierarchy in HIERARCHIES {
                let is_it = match controllers {
                    "" => hierarchy == "/sys/fs/cgroup",
                    _ => controllers
                        .split(',')
                        .any(|name| Path::new(hierarchy).ends_with(name)),
                };
                let parent = Path::new(hierarchy).join(path.trim_start_matches('/'));
                if is_it && can_limit(&parent) {
                    parents.push(parent);
                }
            }
        }
        parents
    })
}

/// Whether a group made in `parent` would have limits. A probe group finds out.
fn can_limit(parent: &Path) -> bool {
    let probe = parent.join(format!("toolglot-{}-probe", std::process::id()));
    if fs::create_dir(&probe).is_err() {
        return false;
    }
    let has_limit = ["pids.max", "memory.max", "memory.limit_in_bytes"]
        .iter()
        .any(|file| probe.join(file).exists());
    let _ = fs::remove_dir(&probe);
    has_limit
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    File::options()
        .write(true)
        .open(path)?
        .write_all(text.as_bytes())
}
