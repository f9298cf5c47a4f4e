//! The filter of system calls: a classic BPF program for the kernel.
//!
//! The filter lists the refused calls. A list of allowed calls would break programs with the next C library. Files,
//! processes and the network have their own layers. The filter closes the ways around those, and refuses calls that
//! builds and tests do not need. A refused call returns `EPERM`, so that a program can report the failure.
//!
//! Set-user-id and set-group-id bits are refused at every level. A file with such bits acts for its owner long after
//! the program that made it is gone.

use libc::{
    BPF_ABS, BPF_ALU, BPF_AND, BPF_JEQ, BPF_JGE, BPF_JMP, BPF_JSET, BPF_K, BPF_LD, BPF_RET, BPF_W,
    c_long, sock_filter,
};

use crate::{Command, Isolation, Network};

/// System calls that are refused whatever their arguments.
const REFUSED: &[c_long] = &[
    // Other processes' memory and descriptors.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_process_madvise,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    // Files by handles, which bypass directories.
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    // The kernel itself.
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_reboot,
    libc::SYS_nfsservctl,
    libc::SYS_lookup_dcookie,
    // The machine's name and clock, its terminals.
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_uselib,
];

/// `ioctl` requests that write into a terminal's input.
const TERMINAL_INPUT: [u32; 2] = [0x5412 /* TIOCSTI */, 0x541C /* TIOCLINUX */];

/// All flags of `clone` that make a namespace.
const NEW_NAMESPACES: u32 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP
    | 0x80/* CLONE_NEWTIME */) as u32;

/// Which sockets a program may make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sockets {
    /// No sockets: the program shares the network of the host and must not reach it.
    None,
    /// TCP in a private network namespace with only a loopback: only addresses of this machine have a route. Not UDP: a
    /// datagram would seem to be sent although nobody receives it, and its sender would not notice.
    Loopback,
    /// The sockets of the host.
    Host,
}

impl Sockets {
    pub(super) fn of(command: &Command) -> Sockets {
        match (command.network, command.isolation) {
            (Network::Host, _) => Sockets::Host,
            (Network::None, Isolation::Namespaces) => Sockets::Loopback,
            (Network::None, Isolation::Plain | Isolation::Landlock) => Sockets::None,
        }
    }

    /// The allowed families of sockets. A private network has no unix sockets. A path leads to the host's sockets in
    /// any namespace and with any mounts, and the filter cannot read the address. Pairs (`socketpair`) do not lead out
    /// and are allowed.
    fn families(self) -> &'static [i32] {
        match self {
            Sockets::None => &[],
            Sockets::Loopback => &[libc::AF_INET, libc::AF_INET6],
            Sockets::Host => &[
                libc::AF_UNIX,
                libc::AF_INET,
                libc::AF_INET6,
                libc::AF_NETLINK,
            ],
        }
    }
}

#[cfg(target_arch = "x86_64")]
const ARCHITECTURE: u32 = 0xC000_003E;
#[cfg(target_arch = "aarch64")]
const ARCHITECTURE: u32 = 0xC000_00B7;

/// System calls of x86-64 with this bit have 32-bit pointers, and numbers that a list does not contain.
const X32: u32 = 0x4000_0000;

/// System calls that set a file's mode, with the index of the mode's argument (from 0).
const SET_MODE: &[(c_long, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_chmod, 1),
    (libc::SYS_fchmod, 1),
    (libc::SYS_fchmodat, 2),
    (SYS_FCHMODAT2, 2),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_mknod, 1),
    (libc::SYS_mknodat, 2),
];

/// System calls that set a file's mode if their flags make a file, with the arguments of flags and mode.
const OPEN: &[(c_long, u32, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (libc::SYS_open, 1, 2),
    (libc::SYS_openat, 2, 3),
];

/// Linux 6.6; one number on all architectures.
const SYS_FCHMODAT2: c_long = 452;

/// Bits of a mode that make a program run as the owner of its file.
const SET_ID: u32 = libc::S_ISUID | libc::S_ISGID;

/// Flags of `open` with which it reads a mode: `O_CREAT`, and the bit of `O_TMPFILE` that is not `O_DIRECTORY`.
const MAKES_FILE: u32 = (libc::O_CREAT | (libc::O_TMPFILE & !libc::O_DIRECTORY)) as u32;

/// The bits of a socket's type without its flags (`SOCK_TYPE_MASK`).
const SOCKET_TYPE: u32 = 0xf;

/// Types and protocols of sockets in a private network: others (SCTP, MPTCP, ..) are kernel code that nothing here
/// needs.
const LOOPBACK_TYPES: [i32; 1] = [libc::SOCK_STREAM];
const LOOPBACK_PROTOCOLS: [i32; 2] = [0, libc::IPPROTO_TCP];

/// Offsets in `struct seccomp_data`; the machines of [`ARCHITECTURE`] have the low half of an argument first.
const AT_NUMBER: u32 = 0;
const AT_ARCHITECTURE: u32 = 4;
const AT_ARGUMENTS: u32 = 16;
const ARGUMENT_BYTES: u32 = 8;

const KILL: u32 = 0x8000_0000;
const ALLOW: u32 = 0x7FFF_0000;
const ERRNO: u32 = 0x0005_0000;
const REFUSE: u32 = ERRNO | libc::EPERM as u32;
const NO_SOCKET: u32 = ERRNO | libc::EACCES as u32;
const NO_PROTOCOL: u32 = ERRNO | libc::EPROTONOSUPPORT as u32;
const ABSENT: u32 = ERRNO | libc::ENOSYS as u32;

/// The filter for a program in a sandbox.
pub(super) fn filter(sockets: Sockets) -> Vec<sock_filter> {
    let mut program = start();
    // The flags of `clone3` are in memory, where a filter cannot look: C libraries then fall back to `clone`.
    when(&mut program, libc::SYS_clone3, &[answer(ABSENT)]);
    let namespaces = [
        load_argument(0),
        jump(BPF_JSET, NEW_NAMESPACES, 0, 1),
        answer(REFUSE),
        answer(ALLOW),
    ];
    when(&mut program, libc::SYS_clone, &namespaces);
    let mut terminal = vec![load_argument(1)];
    for request in TERMINAL_INPUT {
        terminal.extend([jump(BPF_JEQ, request, 0, 1), answer(REFUSE)]);
    }
    terminal.push(answer(ALLOW));
    when(&mut program, libc::SYS_ioctl, &terminal);
    let mut socket = vec![load_argument(0)];
    socket.extend(unless_one_of(sockets.families(), NO_SOCKET));
    if sockets == Sockets::Loopback {
        socket.push(load_argument(2));
        socket.extend(unless_one_of(&LOOPBACK_PROTOCOLS, NO_PROTOCOL));
        socket.push(load_argument(1));
        socket.push(instruction(BPF_ALU | BPF_AND | BPF_K, SOCKET_TYPE, 0, 0));
        socket.extend(unless_one_of(&LOOPBACK_TYPES, NO_SOCKET));
    }
    socket.push(answer(ALLOW));
    when(&mut program, libc::SYS_socket, &socket);
    for &number in REFUSED {
        when(&mut program, number, &[answer(REFUSE)]);
    }
    refuse_set_id(&mut program);
    program.push(answer(ALLOW));
    program
}

/// The filter for a program at level `plain`.
pub(super) fn set_id_filter() -> Vec<sock_filter> {
    let mut program = start();
    refuse_set_id(&mut program);
    program.push(answer(ALLOW));
    program
}

/// Kills programs of another architecture, whose numbers mean other calls, and loads the number.
fn start() -> Vec<sock_filter> {
    let mut program = vec![
        load(AT_ARCHITECTURE),
        jump(BPF_JEQ, ARCHITECTURE, 1, 0),
        answer(KILL),
        load(AT_NUMBER),
    ];
    if cfg!(target_arch = "x86_64") {
        program.extend([jump(BPF_JGE, X32, 0, 1), answer(ABSENT)]);
    }
    program
}

/// Refuses modes with [`SET_ID`] wherever a call sets one.
fn refuse_set_id(program: &mut Vec<sock_filter>) {
    let check = |mode| {
        [
            load_argument(mode),
            jump(BPF_JSET, SET_ID, 0, 1),
            answer(REFUSE),
            answer(ALLOW),
        ]
    };
    for &(number, mode) in SET_MODE {
        when(program, number, &check(mode));
    }
    for &(number, flags, mode) in OPEN {
        let mut then = vec![
            load_argument(flags),
            jump(BPF_JSET, MAKES_FILE, 1, 0),
            answer(ALLOW),
        ];
        then.extend(check(mode));
        when(program, number, &then);
    }
    // A ring makes files as well, and the filter does not see the requests in it.
    for number in [
        libc::SYS_io_uring_setup,
        libc::SYS_io_uring_enter,
        libc::SYS_io_uring_register,
    ] {
        when(program, number, &[answer(REFUSE)]);
    }
    // The mode of `openat2` is in memory: C libraries and runtimes fall back to `openat`.
    when(program, libc::SYS_openat2, &[answer(ABSENT)]);
}

/// Adds `then` for the call with this number. `then` always returns.
fn when(program: &mut Vec<sock_filter>, number: c_long, then: &[sock_filter]) {
    let number = u32::try_from(number).expect("numbers of system calls are small");
    let skip = u8::try_from(then.len()).expect("each part is short");
    program.push(jump(BPF_JEQ, number, 0, skip));
    program.extend(then);
}

/// Continues after this part if the loaded value is one of `known`; otherwise returns `refusal`.
fn unless_one_of(known: &[i32], refusal: u32) -> Vec<sock_filter> {
    let left = (1..=known.len()).rev();
    let mut part: Vec<sock_filter> = known
        .iter()
        .zip(left)
        .map(|(value, left)| {
            let left = u8::try_from(left).expect("each list is short");
            jump(BPF_JEQ, value.cast_unsigned(), left, 0)
        })
        .collect();
    part.push(answer(refusal));
    part
}

fn load(at: u32) -> sock_filter {
    instruction(BPF_LD | BPF_W | BPF_ABS, at, 0, 0)
}

/// Loads the low half of an argument, counted from 0.
fn load_argument(index: u32) -> sock_filter {
    load(AT_ARGUMENTS + index * ARGUMENT_BYTES)
}

/// Skips `yes` instructions if the comparison holds, otherwise `no`.
fn jump(comparison: u32, with: u32, yes: u8, no: u8) -> sock_filter {
    instruction(BPF_JMP | comparison | BPF_K, with, yes, no)
}

fn answer(value: u32) -> sock_filter {
    instruction(BPF_RET | BPF_K, value, 0, 0)
}

fn instruction(code: u32, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter {
        code: u16::try_from(code).expect("codes are small"),
        jt,
        jf,
        k,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a filter as the kernel does, on one system call.
    fn verdict(program: &[sock_filter], architecture: u32, number: u32, arguments: &[u32]) -> u32 {
        let mut loaded = 0;
        let mut at = 0;
        loop {
            let sock_filter { code, jt, jf, k } = program[at];
            at += 1;
            let holds = match u32::from(code) {
                code if code == BPF_LD | BPF_W | BPF_ABS => {
                    loaded = match k {
                        AT_NUMBER => number,
                        AT_ARCHITECTURE => architecture,
                        k => {
                            let index = (k - AT_ARGUMENTS) / ARGUMENT_BYTES;
                            *arguments.get(index as usize).unwrap_or(&0)
                        }
                    };
                    continue;
                }
                code if code == BPF_ALU | BPF_AND | BPF_K => {
                    loaded &= k;
                    continue;
                }
                code if code == BPF_RET | BPF_K => return k,
                code if code == BPF_JMP | BPF_JEQ | BPF_K => loaded == k,
                code if code == BPF_JMP | BPF_JGE | BPF_K => loaded >= k,
                code if code == BPF_JMP | BPF_JSET | BPF_K => loaded & k != 0,
                other => panic!("no such instruction: {other:#x}"),
            };
            at += usize::from(if holds { jt } else { jf });
        }
    }

    fn number(call: c_long) -> u32 {
        u32::try_from(call).expect("numbers of system calls are small")
    }

    fn errno(error: i32) -> u32 {
        0x0005_0000 | error.cast_unsigned()
    }

    #[test]
    fn calls_are_refused_by_their_numbers_and_arguments() {
        const PASSES: i32 = 0;
        let (perm, none, socket) = (libc::EPERM, libc::ENOSYS, libc::SYS_socket);
        let (stream, datagram) = (libc::SOCK_STREAM, libc::SOCK_DGRAM);
        let cloexec = stream | libc::SOCK_CLOEXEC;
        let creates = libc::O_CREAT | libc::O_WRONLY;
        // The results of four filters: without sockets, with a private network, with the host's network, and at
        // `plain`.
        let rows: &[(c_long, &[i32], [i32; 4])] = &[
            (libc::SYS_read, &[0], [PASSES; 4]),
            (libc::SYS_ptrace, &[16], [perm, perm, perm, PASSES]),
            (libc::SYS_mount, &[], [perm, perm, perm, PASSES]),
            (libc::SYS_unshare, &[], [perm, perm, perm, PASSES]),
            (libc::SYS_clone3, &[], [none, none, none, PASSES]),
            (libc::SYS_clone, &[libc::SIGCHLD], [PASSES; 4]),
            (libc::SYS_ioctl, &[0, 0x5401], [PASSES; 4]),
            (libc::SYS_ioctl, &[0, 0x5412], [perm, perm, perm, PASSES]),
            (libc::SYS_ioctl, &[0, 0x541C], [perm, perm, perm, PASSES]),
            (socket, &[libc::AF_INET, stream, 0], [libc::EACCES, 0, 0, 0]),
            (
                socket,
                &[libc::AF_INET6, cloexec, 6],
                [libc::EACCES, 0, 0, 0],
            ),
            (
                socket,
                &[libc::AF_INET, datagram, 0],
                [libc::EACCES, libc::EACCES, 0, 0],
            ),
            (
                socket,
                &[libc::AF_INET, stream, 132],
                [libc::EACCES, libc::EPROTONOSUPPORT, 0, 0],
            ),
            (
                socket,
                &[libc::AF_UNIX, stream, 0],
                [libc::EACCES, libc::EACCES, 0, 0],
            ),
            (
                socket,
                &[libc::AF_NETLINK, 3, 0],
                [libc::EACCES, libc::EACCES, 0, 0],
            ),
            (
                socket,
                &[libc::AF_PACKET, 3, 0],
                [libc::EACCES, libc::EACCES, libc::EACCES, 0],
            ),
            (libc::SYS_fchmod, &[3, 0o755], [PASSES; 4]),
            (libc::SYS_fchmod, &[3, 0o4755], [perm; 4]),
            (libc::SYS_fchmod, &[3, 0o2755], [perm; 4]),
            (libc::SYS_fchmod, &[3, 0o1777], [PASSES; 4]),
            (libc::SYS_fchmodat, &[3, 0, 0o4755], [perm; 4]),
            (libc::SYS_mknodat, &[3, 0, 0o104_755], [perm; 4]),
            (452, &[3, 0, 0o4755], [perm; 4]),
            (libc::SYS_openat, &[3, 0, creates, 0o644], [PASSES; 4]),
            (libc::SYS_openat, &[3, 0, creates, 0o4755], [perm; 4]),
            (
                libc::SYS_openat,
                &[3, 0, libc::O_TMPFILE, 0o4755],
                [perm; 4],
            ),
            // Without these flags no mode is read.
            (
                libc::SYS_openat,
                &[3, 0, libc::O_RDONLY, 0o4755],
                [PASSES; 4],
            ),
            (
                libc::SYS_openat,
                &[3, 0, libc::O_DIRECTORY, 0o4755],
                [PASSES; 4],
            ),
            (libc::SYS_openat2, &[], [none; 4]),
            (libc::SYS_io_uring_setup, &[], [perm; 4]),
        ];
        let filters = [
            filter(Sockets::None),
            filter(Sockets::Loopback),
            filter(Sockets::Host),
            set_id_filter(),
        ];
        for (call, arguments, expected) in rows {
            let arguments: Vec<u32> = arguments
                .iter()
                .map(|value| value.cast_unsigned())
                .collect();
            for (filter, expected) in filters.iter().zip(expected) {
                let found = verdict(filter, ARCHITECTURE, number(*call), &arguments);
                let expected = if *expected == PASSES {
                    0x7FFF_0000
                } else {
                    errno(*expected)
                };
                assert_eq!(found, expected, "call {call} with {arguments:?}");
            }
        }
    }

    #[test]
    fn every_flag_of_a_namespace_is_refused() {
        for flag in [
            libc::CLONE_NEWUSER,
            libc::CLONE_NEWPID,
            libc::CLONE_NEWNS,
            libc::CLONE_NEWNET,
            libc::CLONE_NEWIPC,
            libc::CLONE_NEWUTS,
            libc::CLONE_NEWCGROUP,
            0x80,
        ] {
            let flags = (flag | libc::SIGCHLD).cast_unsigned();
            let found = verdict(
                &filter(Sockets::Host),
                ARCHITECTURE,
                number(libc::SYS_clone),
                &[flags],
            );
            assert_eq!(found, errno(libc::EPERM), "{flag:#x}");
        }
    }

    #[test]
    fn numbers_of_other_architectures_end_the_program() {
        for filter in [filter(Sockets::Host), set_id_filter()] {
            assert_eq!(verdict(&filter, 0x4000_0003, 0, &[]), 0x8000_0000);
            if cfg!(target_arch = "x86_64") {
                for number in [0x4000_0000, 0x4000_0001, 0xFFFF_FFFF] {
                    assert_eq!(
                        verdict(&filter, ARCHITECTURE, number, &[]),
                        errno(libc::ENOSYS)
                    );
                }
            }
        }
    }
}
