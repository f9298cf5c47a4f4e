//! The code after `fork`: the warden, and the program before its `exec`.
//!
//! Both are copies of a process that may have many threads, so nothing here allocates, locks or panics. The warden
//! holds the read end of the leash: when the other end closes, the warden kills everything. The end closes because time
//! is up or the host is dead. In a namespace the warden is process 1; without one it is the subreaper of orphans.

use std::os::fd::RawFd;

use super::filter::Sockets;
use super::landlock;
use super::plan::{Mounts, Plan};

use super::step::{Failed, Report, Step};
use super::sys::{self, Ended, Process, Sys};
use crate::Isolation;

/// Descriptors of a warden.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ends {
    /// Standard input, output and error of the program.
    pub(super) standard: [RawFd; 3],
    pub(super) leash: RawFd,
    pub(super) status: RawFd,
}

/// The maximum number of descriptors of a warden.
const MOST_KEPT: usize = 16;

/// The covered directory that commands may share.
const TEMPORARY: &std::ffi::CStr = c"/tmp";

/// The maximum number of rounds that kill leftover processes without a namespace.
const ROUNDS: u32 = 10_000;

/// Runs a warden until it exits.
pub(super) fn guard(plan: &mut Plan, ends: Ends) -> ! {
    let failed = match start(plan, ends) {
        Ok(program) => watch(plan.isolation, &program, ends),
        Err(failed) => failed,
    };
    tell(ends.status, Report::Failed(failed));
    sys::exit(1)
}

fn tell(status: RawFd, report: Report) {
    // The write fails if the host is gone; then there is no reader.
    let _ = sys::write(status, &report.bytes());
}

/// A failed step, with the index of its path.
fn at(step: Step, about: usize) -> impl Fn(i32) -> Failed {
    move |error| Failed {
        step,
        about: u8::try_from(about).unwrap_or(u8::MAX),
        error,
    }
}

fn start(plan: &mut Plan, ends: Ends) -> Result<Process, Failed> {
    sys::setsid();
    sys::reset_signals();
    // A program that inspects its parent finds nothing: neither the host's environment nor its memory.
    let _ = sys::prctl(libc::PR_SET_DUMPABLE, 0);
    keep_only(plan, ends);
    if let Some(group) = &plan.group {
        for entrance in group.descriptors() {
            use std::os::fd::AsRawFd;
            sys::write(entrance.as_raw_fd(), b"0").map_err(at(Step::Cgroup, 0))?;
        }
    }
    if let Some([users, groups]) = &plan.id_maps {
        // The files in `/proc` of a process that is not dumpable belong to root.
        let _ = sys::prctl(libc::PR_SET_DUMPABLE, 1);
        let mapped = write_file(c"/proc/self/uid_map", users)
            .and_then(|()| write_file(c"/proc/self/setgroups", b"deny"))
            .and_then(|()| write_file(c"/proc/self/gid_map", groups));
        let _ = sys::prctl(libc::PR_SET_DUMPABLE, 0);
        mapped.map_err(at(Step::IdMap, 0))?;
    }
    if plan.sockets == Sockets::Loopback {
        sys::raise_loopback().map_err(at(Step::Loopback, 0))?;
    }
    if let Some(mounts) = &mut plan.mounts {
        mount(mounts)?;
    }
    if plan.isolation != Isolation::Namespaces {
        sys::prctl(libc::PR_SET_CHILD_SUBREAPER, 1).map_err(at(Step::Subreaper, 0))?;
    }
    // SAFETY: the copy runs `become_program`, which calls functions of `sys` only.
    #[expect(unsafe_code, reason = "a process is copied")]
    let forked = unsafe { sys::fork(0) };
    if let Some(program) = forked.map_err(at(Step::Fork, 0))? {
        return Ok(program);
    }
    tell(ends.status, Report::Failed(become_program(plan, ends)));
    sys::exit(127)
}

/// Closes all descriptors of the host except the warden's own: the pipes of other calls must not stay open here.
fn keep_only(plan: &Plan, ends: Ends) {
    let mut open = [0; MOST_KEPT];
    let mut n = 0;
    let own = ends
        .standard
        .into_iter()
        .chain([ends.leash, ends.status])
        .chain(plan.descriptors());
    for fd in own {
        if n < MOST_KEPT {
            open[n] = fd.cast_unsigned();
            n += 1;
        }
    }
    let open = &mut open[..n];
    open.sort_unstable();
    let mut first = 3;
    for &fd in &*open {
        if fd > first {
            let _ = sys::close_range(first, fd - 1, false);
        }
        first = first.max(fd + 1);
    }
    let _ = sys::close_range(first, u32::MAX, false);
}

fn write_file(path: &std::ffi::CStr, text: &[u8]) -> Sys<()> {
    let fd = sys::open(path, libc::O_WRONLY, 0)?;
    let written = sys::write(fd, text);
    sys::close(fd);
    written.map(drop)
}

/// Builds the mounts of the namespace. The whole file system is read-only except for what was granted.
fn mount(mounts: &mut Mounts) -> Result<(), Failed> {
    let private = libc::MS_REC | libc::MS_PRIVATE;
    sys::mount(None, c"/", None, private, None).map_err(at(Step::PrivateMounts, 0))?;
    let mut attributes = sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV;
    if mounts.is_inert {
        attributes |= sys::MOUNT_ATTR_NOEXEC;
    }
    if let Some(shared) = &mut mounts.shared {
        let mut copy = || {
            shared.copy = sys::open_tree(&shared.path)?;
            sys::mount_attributes(shared.copy, c"", attributes, 0)
        };
        copy().map_err(at(Step::Temporary, usize::MAX))?;
    }
    for (index, tree) in mounts.trees.iter_mut().enumerate() {
        tree.copy = sys::open_tree(&tree.path).map_err(at(Step::CopyTree, index))?;
        let attributes = if tree.is_writable {
            attributes
        } else {
            attributes | sys::MOUNT_ATTR_RDONLY
        };
        sys::mount_attributes(tree.copy, c"", attributes, 0).map_err(at(Step::CopyTree, index))?;
    }
    let read_only = sys::MOUNT_ATTR_RDONLY | sys::MOUNT_ATTR_NOSUID;
    sys::mount_attributes(libc::AT_FDCWD, c"/", read_only, 0).map_err(at(Step::ReadOnly, 0))?;
    for (index, cover) in mounts.covered.iter().enumerate() {
        if let Some(shared) = mounts.shared.as_ref().filter(|_| **cover == *TEMPORARY) {
            sys::move_mount(shared.copy, cover).map_err(at(Step::Temporary, index))?;
            sys::close(shared.copy);
            continue;
        }
        temporary(cover, &mounts.temporary).map_err(at(Step::Temporary, index))?;
        if mounts.is_inert {
            sys::mount_attributes(libc::AT_FDCWD, cover, sys::MOUNT_ATTR_NOEXEC, 0)
                .map_err(at(Step::Temporary, index))?;
        }
    }
    for made in &mounts.made {
        match sys::mkdir(made, 0o700) {
            Ok(()) => {}
            // Another command that shares the directory may have made it.
            Err(libc::EEXIST) if mounts.shared.is_some() => {}
            Err(error) => return Err(at(Step::Temporary, 0)(error)),
        }
    }
    for file in &mounts.files {
        match sys::open(file, libc::O_CREAT | libc::O_EXCL | libc::O_WRONLY, 0o600) {
            Ok(opened) => sys::close(opened),
            Err(libc::EEXIST) if mounts.shared.is_some() => {}
            Err(error) => return Err(at(Step::Temporary, 0)(error)),
        }
    }
    for (index, tree) in mounts.trees.iter().enumerate() {
        place(tree).map_err(at(Step::PlaceTree, index))?;
    }
    for (index, (path, is_read_only)) in mounts.pins.iter().enumerate() {
        let pin = || {
            sys::mount(Some(path), path, None, libc::MS_BIND | libc::MS_REC, None)?;
            if *is_read_only {
                sys::mount_attributes(libc::AT_FDCWD, path, sys::MOUNT_ATTR_RDONLY, 0)?;
            }
            Ok(())
        };
        pin().map_err(at(Step::Protect, index))?;
    }
    for (index, path) in mounts.reopened.iter().enumerate() {
        // A path that has become a link stays as it is.
        let Ok(directory) = sys::open_plain_directory(path) else {
            continue;
        };
        let reopen = || {
            let tree = sys::open_tree_at(directory, c"", sys::AT_EMPTY_PATH)?;
            let attributes = sys::MOUNT_ATTR_NOSUID | sys::MOUNT_ATTR_NODEV;
            sys::mount_attributes(tree, c"", attributes, sys::MOUNT_ATTR_RDONLY)?;
            sys::move_mount_onto(tree, directory)?;
            sys::close(tree);
            Ok(())
        };
        reopen().map_err(at(Step::Protect, index))?;
        sys::close(directory);
    }
    for (index, (path, is_directory)) in mounts.masks.iter().enumerate() {
        let masked = if *is_directory {
            let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV;
            sys::mount(
                Some(c"tmpfs"),
                path,
                Some(c"tmpfs"),
                flags,
                Some(c"size=4k,mode=0500"),
            )
        } else {
            sys::mount(Some(c"/dev/null"), path, None, libc::MS_BIND, None)
        };
        masked.map_err(at(Step::Mask, index))?;
    }
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    if sys::mount(Some(c"proc"), c"/proc", Some(c"proc"), flags, None).is_err() {
        // Where parts of `/proc` are hidden, as in many containers, a new one is refused. The host's own would show its
        // processes, so `/proc` is empty then.
        temporary(c"/proc", c"size=4k,mode=0500").map_err(at(Step::Temporary, usize::MAX))?;
    }
    Ok(())
}

fn temporary(path: &std::ffi::CStr, options: &std::ffi::CStr) -> Sys<()> {
    sys::mount(
        Some(c"tmpfs"),
        path,
        Some(c"tmpfs"),
        libc::MS_NOSUID | libc::MS_NODEV,
        Some(options),
    )
}

/// Mounts a copy of a granted tree at its old path, after the covers.
fn place(tree: &super::plan::Tree) -> Sys<()> {
    for (index, (made, is_pinned)) in tree.makes.iter().enumerate() {
        let is_last = index + 1 == tree.makes.len();
        let done = if is_last && !tree.is_directory {
            sys::open(made, libc::O_CREAT | libc::O_WRONLY, 0o600).map(sys::close)
        } else {
            sys::mkdir(made, 0o700)
        };
        match done {
            Err(libc::EEXIST | libc::EROFS) | Ok(()) => {}
            Err(error) => return Err(error),
        }
        if *is_pinned {
            sys::mount(Some(made), made, None, libc::MS_BIND | libc::MS_REC, None)?;
        }
    }
    let placed = sys::move_mount(tree.copy, &tree.path);
    sys::close(tree.copy);
    placed
}

/// Turns this copy of the warden into the program; returns only the failure.
fn become_program(plan: &Plan, ends: Ends) -> Failed {
    if let Err(failed) = prepare_program(plan, ends) {
        return failed;
    }
    // SAFETY: the lists are of `Words`, which holds the strings, and end in null.
    #[expect(unsafe_code, reason = "pointers to strings go to the kernel")]
    let error = unsafe { sys::execve(&plan.program, &plan.argv.pointers, &plan.env.pointers) };
    at(Step::Exec, 0)(error)
}

fn prepare_program(plan: &Plan, ends: Ends) -> Result<(), Failed> {
    // If the warden is killed, the program dies too, and with a namespace everything inside.
    let _ = sys::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL.into());
    sys::setsid();
    for (standard, number) in ends.standard.into_iter().zip(0..) {
        sys::dup2(standard, number).map_err(at(Step::Exec, 0))?;
    }
    // `exec` closes all other descriptors, and not earlier: one of them reports a failure.
    sys::close_range(3, u32::MAX, true).map_err(at(Step::Exec, 0))?;
    sys::umask(0o022);
    sys::chdir(&plan.cwd).map_err(at(Step::Directory, 0))?;
    for (index, &(resource, value)) in plan.limits.iter().enumerate() {
        sys::set_limit(resource, value).map_err(at(Step::Limit, index))?;
    }
    sys::prctl(libc::PR_SET_NO_NEW_PRIVS, 1).map_err(at(Step::Privileges, 0))?;
    if plan.isolation >= Isolation::Landlock {
        sys::drop_capabilities().map_err(at(Step::Privileges, 1))?;
    } else {
        sys::drop_file_capabilities().map_err(at(Step::Privileges, 2))?;
    }
    if let Some(rules) = &plan.rules {
        use std::os::fd::AsRawFd;
        let rules = rules.as_raw_fd();
        for (index, (path, rights)) in plan.late_rules.iter().enumerate() {
            landlock::allow(rules, path, *rights).map_err(at(Step::Rules, index))?;
        }
        sys::landlock_restrict(rules).map_err(at(Step::Rules, usize::MAX))?;
    }
    sys::set_filter(&plan.filter).map_err(at(Step::Filter, 0))
}

/// Waits for the program or the end of the leash, then kills the leftover processes, and exits.
fn watch(isolation: Isolation, program: &Process, ends: Ends) -> ! {
    for fd in ends.standard {
        sys::close(fd);
    }
    let mut ended = None;
    let mut fds = [ends.leash, program.handle].map(|fd| libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    });
    while ended.is_none() {
        let _ = sys::poll(&mut fds, 100);
        if fds[0].revents != 0 {
            break;
        }
        // Orphans are reaped as they come.
        while let Ok(Some((pid, how))) = sys::reap(-1, false) {
            if pid == program.pid {
                ended = Some(how);
            }
        }
    }
    if ended.is_none() {
        let _ = sys::kill_handle(program.handle, libc::SIGKILL);
        if let Ok(Some((_, how))) = sys::reap(program.pid, true) {
            ended = Some(how);
        }
    }
    let n_left = if isolation == Isolation::Namespaces {
        sweep_namespace()
    } else {
        sweep_children()
    };
    tell(ends.status, Report::Left(n_left));
    tell(
        ends.status,
        Report::Ended(ended.unwrap_or(Ended::Signal(libc::SIGKILL))),
    );
    sys::exit(0)
}

/// Kills everything in the namespace. Returns the number of processes.
fn sweep_namespace() -> i32 {
    let mut n_left = 0;
    let _ = sys::kill(-1, libc::SIGKILL);
    while let Ok(Some(_)) = sys::reap(-1, true) {
        n_left += 1;
    }
    n_left
}

/// Kills the children, and the orphans that become children, until there are none. Returns the number of processes.
fn sweep_children() -> i32 {
    let mut n_left = 0;
    for _ in 0..ROUNDS {
        let mut list = [0; 4096];
        let n = match sys::open(c"/proc/thread-self/children", libc::O_RDONLY, 0) {
            Ok(fd) => {
                let n = sys::read(fd, &mut list).unwrap_or(0);
                sys::close(fd);
                n
            }
            Err(_) => 0,
        };
        // A number that is cut off at the end of the list is read in the next round.
        let mut pid: i32 = 0;
        for &byte in &list[..n] {
            if byte.is_ascii_digit() {
                pid = pid.wrapping_mul(10).wrapping_add(i32::from(byte - b'0'));
            } else {
                if pid > 1 {
                    let _ = sys::kill(pid, libc::SIGKILL);
                }
                pid = 0;
            }
        }
        match sys::reap(-1, n > 0) {
            Ok(Some(_)) => n_left += 1,
            Ok(None) => {}
            // There is no child left.
            Err(_) => break,
        }
        while let Ok(Some(_)) = sys::reap(-1, false) {
            n_left += 1;
        }
    }
    n_left
}

#[cfg(test)]
mod tests {
    #[test]
    fn home_and_temporary_files_are_inside_a_cover() {
        use crate::platform::places::{COVERED, HOME, TEMPORARY};
        assert!(COVERED.contains(&TEMPORARY) && HOME.starts_with(TEMPORARY));
        assert_eq!(super::TEMPORARY.to_bytes(), TEMPORARY.as_bytes());
    }
}
