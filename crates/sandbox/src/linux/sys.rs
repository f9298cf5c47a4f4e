//! System calls, one function each. No function allocates, locks or panics: all may run between `fork` and `exec`.

use std::ffi::{CStr, c_char, c_int, c_long, c_uint};
use std::mem::{size_of, size_of_val};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::ptr::{null, null_mut};

/// A result of a system call; the error is the kernel's number.
pub(super) type Sys<T> = Result<T, c_int>;

/// Constants of `linux/mount.h`.
const OPEN_TREE_CLONE: c_uint = 1;
const OPEN_TREE_CLOEXEC: c_uint = libc::O_CLOEXEC as c_uint;
const AT_RECURSIVE: c_uint = 0x8000;
pub(super) const AT_EMPTY_PATH: c_uint = 0x1000;
const MOVE_MOUNT_F_EMPTY_PATH: c_uint = 4;
const MOVE_MOUNT_T_EMPTY_PATH: c_uint = 0x40;
pub(super) const MOUNT_ATTR_RDONLY: u64 = 1;
pub(super) const MOUNT_ATTR_NOSUID: u64 = 2;
pub(super) const MOUNT_ATTR_NODEV: u64 = 4;
pub(super) const MOUNT_ATTR_NOEXEC: u64 = 8;

/// `struct mount_attr`.
#[repr(C)]
struct MountAttr {
    attr_set: u64,
    attr_clr: u64,
    propagation: u64,
    userns_fd: u64,
}

/// `struct landlock_ruleset_attr`; older kernels know only its start.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Ruleset {
    pub(super) handled_fs: u64,
    pub(super) handled_net: u64,
    pub(super) scoped: u64,
}

/// `struct landlock_path_beneath_attr`.
#[repr(C, packed)]
struct PathBeneath {
    allowed: u64,
    parent: c_int,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    Code(c_int),
    Signal(c_int),
}

fn errno() -> c_int {
    // SAFETY: the pointer is to this thread's own `errno` and always valid.
    unsafe { *libc::__errno_location() }
}

fn check(answer: c_long) -> Sys<c_long> {
    if answer < 0 { Err(errno()) } else { Ok(answer) }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the kernel's descriptors and process numbers are 32 bits wide"
)]
fn small(answer: c_long) -> c_int {
    answer as c_int
}

/// A new process: its number and its handle.
#[derive(Debug)]
pub(super) struct Process {
    pub(super) pid: c_int,
    pub(super) handle: RawFd,
}

/// Copies this process, into new namespaces with their `flags`. Returns `None` in the copy.
///
/// # Safety
/// The copy has one thread, and locks of other threads stay locked. Until the copy calls [`execve`] or [`exit`], it may
/// call only functions of this module, which neither allocate nor lock.
pub(super) unsafe fn fork(flags: c_int) -> Sys<Option<Process>> {
    let mut handle: c_int = -1;
    let flags = c_long::from(flags | libc::CLONE_PIDFD | libc::SIGCHLD);
    // SAFETY: without a new stack the copy continues here, on a copy of this stack. The one pointer is valid.
    let pid = check(unsafe {
        libc::syscall(
            libc::SYS_clone,
            flags,
            null_mut::<u8>(),
            &raw mut handle,
            null_mut::<u8>(),
            null_mut::<u8>(),
        )
    })?;
    Ok((pid != 0).then(|| Process {
        pid: small(pid),
        handle,
    }))
}

/// Ends this process at once.
pub(super) fn exit(code: c_int) -> ! {
    // SAFETY: the call takes no pointer and runs nothing of this process.
    unsafe { libc::_exit(code) }
}

/// Replaces this process by another program; returns only after a failure. Both lists end in a null pointer.
///
/// # Safety
/// Each pointer of both lists, up to the null pointer, points to a C string.
pub(super) unsafe fn execve(
    program: &CStr,
    argv: &[*const c_char],
    envp: &[*const c_char],
) -> c_int {
    // SAFETY: the caller guarantees valid pointers.
    unsafe { libc::execve(program.as_ptr(), argv.as_ptr(), envp.as_ptr()) };
    errno()
}

/// A pipe. `exec` closes both ends, and neither has the number 0, 1 or 2.
pub(super) fn pipe() -> Sys<(OwnedFd, OwnedFd)> {
    let mut ends = [-1; 2];
    // SAFETY: the array has room for two numbers.
    check(c_long::from(unsafe {
        libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC)
    }))?;
    // SAFETY: the kernel has just returned both, and they have no other owner.
    let [read, write] = ends.map(|fd| unsafe { OwnedFd::from_raw_fd(fd) });
    Ok((above_standard(read)?, above_standard(write)?))
}

/// The same descriptor, with a number above standard input, output and error.
pub(super) fn above_standard(fd: OwnedFd) -> Sys<OwnedFd> {
    use std::os::fd::AsRawFd;
    if fd.as_raw_fd() > 2 {
        return Ok(fd);
    }
    // SAFETY: the call takes no pointer.
    let copy = check(c_long::from(unsafe {
        libc::fcntl(fd.as_raw_fd(), libc::F_DUPFD_CLOEXEC, 3)
    }))?;
    // SAFETY: the kernel has just returned the descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(small(copy)) })
}

/// Makes reads and writes return at once.
pub(super) fn set_nonblocking(fd: RawFd) -> Sys<()> {
    // SAFETY: no pointers.
    let flags = check(c_long::from(unsafe { libc::fcntl(fd, libc::F_GETFL) }))?;
    // SAFETY: no pointers.
    check(c_long::from(unsafe {
        libc::fcntl(fd, libc::F_SETFL, small(flags) | libc::O_NONBLOCK)
    }))
    .map(drop)
}

pub(super) fn read(fd: RawFd, buffer: &mut [u8]) -> Sys<usize> {
    // SAFETY: the buffer has the stated length.
    let n = check(unsafe { libc::read(fd, buffer.as_mut_ptr().cast(), buffer.len()) } as c_long)?;
    Ok(usize::try_from(n).unwrap_or(0))
}

pub(super) fn write(fd: RawFd, bytes: &[u8]) -> Sys<usize> {
    // SAFETY: the bytes have the stated length.
    let n = check(unsafe { libc::write(fd, bytes.as_ptr().cast(), bytes.len()) } as c_long)?;
    Ok(usize::try_from(n).unwrap_or(0))
}

/// Waits until a descriptor has an event, or for `timeout_ms` milliseconds; -1 waits for ever.
pub(super) fn poll(fds: &mut [libc::pollfd], timeout_ms: c_int) -> Sys<()> {
    // SAFETY: the list has the stated length.
    let answer = unsafe { libc::poll(fds.as_mut_ptr(), fds.len() as libc::nfds_t, timeout_ms) };
    match check(c_long::from(answer)) {
        Err(libc::EINTR) | Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

pub(super) fn open(path: &CStr, flags: c_int, mode: c_uint) -> Sys<RawFd> {
    // SAFETY: a C string, and the mode that some flags require.
    check(c_long::from(unsafe {
        libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, mode)
    }))
    .map(small)
}

pub(super) fn close(fd: RawFd) {
    // SAFETY: no pointers. The caller owns the number.
    unsafe { libc::close(fd) };
}

/// Closes all descriptors from `first` to `last`; with `at_exec` only at the next `exec`.
pub(super) fn close_range(first: c_uint, last: c_uint, at_exec: bool) -> Sys<()> {
    const CLOSE_RANGE_CLOEXEC: c_uint = 4;
    let flags = if at_exec { CLOSE_RANGE_CLOEXEC } else { 0 };
    // SAFETY: no pointers.
    check(unsafe { libc::syscall(libc::SYS_close_range, first, last, flags) }).map(drop)
}

pub(super) fn dup2(from: RawFd, to: RawFd) -> Sys<()> {
    // SAFETY: no pointers.
    check(c_long::from(unsafe { libc::dup2(from, to) })).map(drop)
}

pub(super) fn chdir(path: &CStr) -> Sys<()> {
    // SAFETY: a C string.
    check(c_long::from(unsafe { libc::chdir(path.as_ptr()) })).map(drop)
}

pub(super) fn mkdir(path: &CStr, mode: libc::mode_t) -> Sys<()> {
    // SAFETY: a C string.
    check(c_long::from(unsafe { libc::mkdir(path.as_ptr(), mode) })).map(drop)
}

pub(super) fn setsid() {
    // SAFETY: no pointers. The call fails only for the leader of a group, which a fresh copy is not.
    unsafe { libc::setsid() };
}

pub(super) fn umask(mask: libc::mode_t) {
    // SAFETY: no pointers, and the call cannot fail.
    unsafe { libc::umask(mask) };
}

/// `prctl` with numbers only.
pub(super) fn prctl(option: c_int, argument: c_long) -> Sys<()> {
    let zero: c_long = 0;
    // SAFETY: the options in use take no pointers.
    check(c_long::from(unsafe {
        libc::prctl(option, argument, zero, zero, zero)
    }))
    .map(drop)
}

/// The version of `capget` and `capset` with two triples of 32 bits: effective, permitted, inheritable.
const VERSION_3: u32 = 0x2008_0522;

/// Drops the capability to give files capabilities, which act like set-user-id bits. A process without it drops
/// nothing.
pub(super) fn drop_file_capabilities() -> Sys<()> {
    const SETFCAP: u32 = 31;
    let _ = prctl(libc::PR_CAPBSET_DROP, c_long::from(SETFCAP));
    let header: [u32; 2] = [VERSION_3, 0];
    let mut sets = [0_u32; 6];
    // SAFETY: a version and a process number, and room for two triples.
    check(unsafe { libc::syscall(libc::SYS_capget, header.as_ptr(), sets.as_mut_ptr()) })?;
    for set in &mut sets[..3] {
        *set &= !(1 << SETFCAP);
    }
    // SAFETY: the same.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), sets.as_ptr()) }).map(drop)
}

/// Drops all capabilities for good: no program brings them back.
pub(super) fn drop_capabilities() -> Sys<()> {
    /// No root, no fix-up after a change of the user, no ambient capabilities; each bit is locked.
    const SECUREBITS: c_long = 0b1110_1111;
    // An ordinary user without a namespace may do neither, and has nothing to drop.
    let _ = prctl(libc::PR_SET_SECUREBITS, SECUREBITS);
    for capability in 0..64 {
        if prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
    let header: [u32; 2] = [VERSION_3, 0];
    let none = [0_u32; 6];
    // SAFETY: the structures of version 3: a version and a process number, two triples of 32 bits.
    check(unsafe { libc::syscall(libc::SYS_capset, header.as_ptr(), none.as_ptr()) }).map(drop)
}

/// Brings up the loopback interface of this network namespace: in a new namespace it is down.
pub(super) fn raise_loopback() -> Sys<()> {
    // SAFETY: no pointers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    check(c_long::from(socket))?;
    // SAFETY: all zeros is a valid request without a name.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (at, byte) in request.ifr_name.iter_mut().zip(*b"lo") {
        // The sign of `c_char` differs between architectures.
        *at = c_char::from_ne_bytes([byte]);
    }
    request.ifr_ifru.ifru_flags =
        libc::c_short::try_from(libc::IFF_UP | libc::IFF_RUNNING).unwrap_or(0);
    // SAFETY: the request is a whole `ifreq`, and its name ends in zero.
    let raised = check(c_long::from(unsafe {
        libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &raw const request)
    }));
    close(socket);
    raised.map(drop)
}

/// Unblocks and resets all signals, as a program expects them.
pub(super) fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: the default action of a signal is not a function of this program. The call fails for signals that
        // cannot be changed.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: all zeros is a valid set, the empty one of the kernel.
    let none: libc::sigset_t = unsafe { std::mem::zeroed() };
    // SAFETY: the set is valid, and the old set is not requested.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const none, null_mut()) };
}

/// Makes a write beyond the limit of a file's size an error that ends nothing.
pub(super) fn ignore_file_size() {
    // SAFETY: ignoring a signal calls no function of this program.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

pub(super) fn kill(pid: c_int, signal: c_int) -> Sys<()> {
    // SAFETY: no pointers.
    check(c_long::from(unsafe { libc::kill(pid, signal) })).map(drop)
}

/// Sends a signal to exactly the process of the handle.
pub(super) fn kill_handle(handle: RawFd, signal: c_int) -> Sys<()> {
    // SAFETY: the null pointer means the default information.
    check(unsafe { libc::syscall(libc::SYS_pidfd_send_signal, handle, signal, null::<u8>(), 0) })
        .map(drop)
}

/// Reaps a child that has ended. Returns `None` if all live and `is_waiting` is not set, and an error if there is no
/// child.
pub(super) fn reap(pid: c_int, is_waiting: bool) -> Sys<Option<(c_int, Ended)>> {
    let mut status = 0;
    let flags = if is_waiting { 0 } else { libc::WNOHANG };
    loop {
        // SAFETY: the pointer is to a number of the right size.
        match check(c_long::from(unsafe {
            libc::waitpid(pid, &raw mut status, flags)
        })) {
            Err(libc::EINTR) => {}
            Err(error) => return Err(error),
            Ok(0) => return Ok(None),
            Ok(pid) => {
                let ended = if libc::WIFSIGNALED(status) {
                    Ended::Signal(libc::WTERMSIG(status))
                } else {
                    Ended::Code(libc::WEXITSTATUS(status))
                };
                return Ok(Some((small(pid), ended)));
            }
        }
    }
}

/// A resource of `setrlimit`; the type of its number differs between C libraries.
pub(super) type Resource = u32;

pub(super) fn hard_limit(resource: Resource) -> u64 {
    let mut limit = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structure is valid.
    match unsafe { libc::getrlimit(resource as _, &raw mut limit) } {
        0 => limit.rlim_max,
        _ => u64::MAX,
    }
}

pub(super) fn set_limit(resource: Resource, value: u64) -> Sys<()> {
    let limit = libc::rlimit {
        rlim_cur: value,
        rlim_max: value,
    };
    // SAFETY: the structure is valid.
    check(c_long::from(unsafe {
        libc::setrlimit(resource as _, &raw const limit)
    }))
    .map(drop)
}

pub(super) fn mount(
    source: Option<&CStr>,
    target: &CStr,
    kind: Option<&CStr>,
    flags: libc::c_ulong,
    data: Option<&CStr>,
) -> Sys<()> {
    let pointer = |text: Option<&CStr>| text.map_or(null(), CStr::as_ptr);
    // SAFETY: C strings or null pointers, each where the call takes one.
    check(c_long::from(unsafe {
        libc::mount(
            pointer(source),
            target.as_ptr(),
            pointer(kind),
            flags,
            pointer(data).cast(),
        )
    }))
    .map(drop)
}

/// A copy of the mounts at `path` and below, which is not placed so far.
pub(super) fn open_tree(path: &CStr) -> Sys<RawFd> {
    open_tree_at(libc::AT_FDCWD, path, 0)
}

/// The same for a path relative to a directory; for the directory itself if the path is empty and `flags` allow it.
pub(super) fn open_tree_at(dir: RawFd, path: &CStr, flags: c_uint) -> Sys<RawFd> {
    let flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | flags;
    // SAFETY: a C string.
    check(unsafe { libc::syscall(libc::SYS_open_tree, dir, path.as_ptr(), flags) }).map(small)
}

/// Opens a directory without a link anywhere in its path.
pub(super) fn open_plain_directory(path: &CStr) -> Sys<RawFd> {
    /// `struct open_how`.
    #[repr(C)]
    struct OpenHow {
        flags: u64,
        mode: u64,
        resolve: u64,
    }
    /// `RESOLVE_NO_SYMLINKS`, which covers links of `/proc` too.
    const NO_SYMLINKS: u64 = 4;
    let how = OpenHow {
        flags: u64::try_from(libc::O_PATH | libc::O_DIRECTORY | libc::O_CLOEXEC)
            .unwrap_or_default(),
        mode: 0,
        resolve: NO_SYMLINKS,
    };
    // SAFETY: a C string, and a structure of the stated size.
    check(unsafe {
        libc::syscall(
            libc::SYS_openat2,
            libc::AT_FDCWD,
            path.as_ptr(),
            &raw const how,
            size_of_val(&how),
        )
    })
    .map(small)
}

/// Mounts a copy of [`open_tree`] over an open directory.
pub(super) fn move_mount_onto(tree: RawFd, directory: RawFd) -> Sys<()> {
    // SAFETY: C strings.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            directory,
            c"".as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// Mounts a copy of [`open_tree`] at `path`.
pub(super) fn move_mount(tree: RawFd, path: &CStr) -> Sys<()> {
    // SAFETY: C strings.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            tree,
            c"".as_ptr(),
            libc::AT_FDCWD,
            path.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })
    .map(drop)
}

/// Adds and removes attributes of the mount at `path`, or of the tree `dir` if `path` is empty, and of all mounts
/// below.
pub(super) fn mount_attributes(dir: RawFd, path: &CStr, add: u64, take: u64) -> Sys<()> {
    let attributes = MountAttr {
        attr_set: add,
        attr_clr: take,
        propagation: 0,
        userns_fd: 0,
    };
    let mut flags = AT_RECURSIVE;
    if path.is_empty() {
        flags |= AT_EMPTY_PATH;
    }
    // SAFETY: a C string, and a structure of the stated length.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            dir,
            path.as_ptr(),
            flags,
            &raw const attributes,
            size_of_val(&attributes),
        )
    })
    .map(drop)
}

/// The version of Landlock that the kernel has.
pub(super) fn landlock_version() -> Sys<c_int> {
    let version_flag: c_uint = 1;
    // SAFETY: with this flag the call takes no structure.
    check(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            null::<u8>(),
            0_usize,
            version_flag,
        )
    })
    .map(small)
}

/// A new ruleset; `size` is the part of the structure that the kernel's version knows.
pub(super) fn landlock_ruleset(ruleset: &Ruleset, size: usize) -> Sys<RawFd> {
    debug_assert!(size <= size_of::<Ruleset>());
    let flags: c_uint = 0;
    // SAFETY: the structure is at least as long as `size`.
    check(unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            &raw const *ruleset,
            size,
            flags,
        )
    })
    .map(small)
}

/// Allows `rights` on the file of the descriptor `place`, and on all below it.
pub(super) fn landlock_allow(ruleset: RawFd, place: RawFd, rights: u64) -> Sys<()> {
    const RULE_PATH_BENEATH: c_uint = 1;
    let rule = PathBeneath {
        allowed: rights,
        parent: place,
    };
    let flags: c_uint = 0;
    // SAFETY: the structure is of this kind of rule.
    check(unsafe {
        libc::syscall(
            libc::SYS_landlock_add_rule,
            ruleset,
            RULE_PATH_BENEATH,
            &raw const rule,
            flags,
        )
    })
    .map(drop)
}

/// Restricts this thread by the rules, for good.
pub(super) fn landlock_restrict(ruleset: RawFd) -> Sys<()> {
    let flags: c_uint = 0;
    // SAFETY: no pointers.
    check(unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset, flags) }).map(drop)
}

/// Restricts this process by a filter of system calls, for good.
pub(super) fn set_filter(program: &[libc::sock_filter]) -> Sys<()> {
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| libc::E2BIG)?,
        filter: program.as_ptr().cast_mut(),
    };
    // SAFETY: the kernel copies the program, which has the stated length, and changes nothing.
    check(c_long::from(unsafe {
        libc::prctl(
            libc::PR_SET_SECCOMP,
            libc::SECCOMP_MODE_FILTER,
            &raw const program,
        )
    }))
    .map(drop)
}

/// Whether the file of this descriptor is a directory.
pub(super) fn is_directory(fd: RawFd) -> bool {
    // SAFETY: all zeros is a valid value of the structure, and `fstat` fills it.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the structure is valid.
    unsafe { libc::fstat(fd, &raw mut stat) == 0 && stat.st_mode & libc::S_IFMT == libc::S_IFDIR }
}

/// The user and the group that this process acts as.
pub(super) fn ids() -> (u32, u32) {
    // SAFETY: no pointers, and the calls cannot fail.
    unsafe { (libc::geteuid(), libc::getegid()) }
}

/// Makes reads and writes wait.
pub(super) fn set_blocking(fd: RawFd) -> Sys<()> {
    // SAFETY: no pointers.
    let flags = check(c_long::from(unsafe { libc::fcntl(fd, libc::F_GETFL) }))?;
    // SAFETY: no pointers.
    check(c_long::from(unsafe {
        libc::fcntl(fd, libc::F_SETFL, small(flags) & !libc::O_NONBLOCK)
    }))
    .map(drop)
}
