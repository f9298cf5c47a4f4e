//! Attacks on the sandbox. Each attack first runs without a sandbox, to show that it works there, and then at each
//! level.
//!
//! As root, the whole file runs once more as an ordinary user.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "a skipped test is reported loudly")]

use std::ffi::OsString;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use toolglot_sandbox::{
    Command, Exit, Inspection, Isolation, Network, ProcessOutcome, ResourceLimits, SandboxError,
    Start, layers, run_pipeline,
};

/// A workspace beside a directory that no command may touch.
struct Place {
    directory: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        let directory = tempfile::tempdir().expect("a directory");
        for name in ["ws", "out"] {
            std::fs::create_dir(directory.path().join(name)).expect("made");
        }
        std::fs::write(directory.path().join("out/secret"), "TOPSECRET").expect("written");
        Place { directory }
    }

    fn path(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    /// The script with `$OUT` and `$WS` in it, run by a shell.
    fn shell(&self, script: &str, isolation: Isolation) -> Command {
        let mut command = Command::new(["bash", "-c", script], self.path("ws"));
        command.write = vec![self.path("ws")];
        command.isolation = isolation;
        if isolation == Isolation::Plain {
            command.network = Network::Host;
        }
        command.limits.time = Duration::from_secs(10);
        let path: OsString = "/usr/local/bin:/usr/bin:/bin".into();
        command.env = vec![
            ("PATH".into(), path),
            ("OUT".into(), self.path("out").into()),
            ("WS".into(), self.path("ws").into()),
        ];
        command
    }

    fn run(&self, script: &str, isolation: Isolation) -> ProcessOutcome {
        self.shell(script, isolation).run().expect("it is started")
    }
}

/// The levels that this machine supports; missing levels are reported.
fn levels() -> Vec<Isolation> {
    let all = [Isolation::Landlock, Isolation::Namespaces];
    let (held, missing): (Vec<_>, Vec<_>) = all
        .into_iter()
        .partition(|level| layers().missing(*level).is_none());
    for level in missing {
        eprintln!(
            "SKIPPED: this machine cannot hold the level {}: {:?}",
            level.word(),
            layers().missing(level)
        );
    }
    held
}

/// Scripts that succeed without a sandbox and fail at each level.
const ATTACKS: &[(&str, &str)] = &[
    ("writes a file outside", "echo x > $OUT/pwned"),
    ("reads a file outside", "grep -q TOPSECRET $OUT/secret"),
    ("truncates a file outside", "truncate -s 0 $OUT/secret"),
    ("removes a file outside", "rm $OUT/secret"),
    ("renames a file outside", "mv $OUT/secret $OUT/other"),
    (
        "links to a file outside and reads it",
        "ln $OUT/secret hard && grep -q TOPSECRET hard",
    ),
    (
        "follows a link outside",
        "ln -s $OUT link && echo x > link/pwned",
    ),
    ("makes a directory outside", "mkdir $OUT/made"),
    ("lists a directory outside", "ls $OUT"),
    (
        "opens a unix socket",
        "exec python3 -c \"import socket;socket.socket(1,1)\"",
    ),
    (
        "opens a netlink socket",
        "exec python3 -c \"import socket;socket.socket(16,3,0)\"",
    ),
    (
        "reads the host's environment",
        "grep -aq CARGO /proc/$HOST/environ",
    ),
    ("signals the host", "kill -0 $HOST"),
    ("makes a namespace", "unshare -Ur true"),
    (
        "has a ring for system calls",
        "exec python3 -c \"import ctypes,sys;sys.exit(ctypes.CDLL(None).syscall(425,1,ctypes.create_string_buffer(256))<0)\"",
    ),
    (
        "looks into another process",
        "sleep 5 & exec python3 -c \"import ctypes,sys,os;sys.exit(ctypes.CDLL(None,use_errno=True).ptrace(16,$!,0,0)<0)\"",
    ),
    (
        "opens a file by its handle or maps a page for faults",
        "exec python3 -c \"import ctypes,sys;sys.exit(ctypes.CDLL(None).syscall(323,1)<0)\"",
    ),
];

/// Attacks that need root, or rights of root, to work without a sandbox.
const ROOT_ATTACKS: &[(&str, &str)] = &[
    ("reads the passwords", "cat /etc/shadow"),
    (
        "opens a raw socket",
        "exec python3 -c \"import socket;socket.socket(17,3,3)\"",
    ),
    ("makes a device", "mknod null c 1 3"),
    ("mounts", "mkdir m && mount -t tmpfs none m"),
    ("changes the machine's name", "hostname \"$(hostname)\""),
];

#[test]
fn attacks_fire_without_walls_and_fail_behind_each() {
    let host = std::process::id().to_string();
    let is_root = is_root();
    let attacks = ATTACKS
        .iter()
        .chain(if is_root { ROOT_ATTACKS } else { &[] });
    for (what, script) in attacks {
        let script = script.replace("$HOST", &host);
        let place = Place::new();
        let bare = std::process::Command::new("bash")
            .args(["-c", &script])
            .current_dir(place.path("ws"))
            .env("OUT", place.path("out"))
            .stderr(Stdio::null())
            .stdout(Stdio::null())
            .status()
            .expect("bash runs");
        if !bare.success() {
            // The kernel or the test's own environment forbids the attack: then the attack proves nothing here.
            eprintln!("NOT LIVE here: {what}");
            assert!(
                MAY_BE_DEAD.contains(what),
                "{what} does not fire without walls"
            );
            continue;
        }
        for level in levels() {
            let place = Place::new();
            let outcome = place.run(&script, level);
            assert!(
                !outcome.is_success(),
                "{what} succeeded behind {}",
                level.word()
            );
            assert!(
                !matches!(outcome.exit, Exit::Code(127)),
                "{what} was not tried: {}",
                outcome.stderr.text()
            );
            assert_eq!(
                std::fs::read(place.path("out/secret")).expect("still there"),
                b"TOPSECRET",
                "{what}"
            );
            assert!(
                !place.path("out/pwned").exists() && !place.path("out/made").exists(),
                "{what}"
            );
        }
    }
}

/// Scripts that reach a service of this machine on `$PORT` of the loopback address.
const NETWORK_ATTACKS: &[&str] = &[
    "exec 3<>/dev/tcp/127.0.0.1/$PORT",
    "exec python3 -c \"import socket;socket.create_connection(('127.0.0.1',$PORT),2)\"",
    "exec python3 -c \"import socket;socket.create_connection(('::ffff:127.0.0.1',$PORT),2)\"",
    "exec python3 -c \"import socket;s=socket.socket(2,2);s.sendto(b'x',('127.0.0.1',$PORT));s.settimeout(1);s.recv(1)\"",
    "exec python3 -c \"import socket;s=socket.socket(10,2);s.sendto(b'x',('::ffff:127.0.0.1',$PORT));s.settimeout(1);s.recv(1)\"",
    "exec python3 -c \"import socket;s=socket.socket(2,2);s.connect(('0.0.0.0',$PORT));s.send(b'x');s.settimeout(1);s.recv(1)\"",
    "exec python3 -c \"import socket;s=socket.socket(2,2);s.setsockopt(1,6,1);s.sendto(b'x',('255.255.255.255',$PORT))\"",
    "exec python3 -c \"import socket;s=socket.socket(2,2);s.sendto(b'x',('224.0.0.1',$PORT))\"",
    "exec python3 -c \"import socket;s=socket.socket(2,2);s.sendto(b'x',('192.0.2.1',$PORT))\"",
    // Protocols and kinds that no test needs: ICMP, SCTP, MPTCP, raw.
    "exec python3 -c \"import socket;socket.socket(2,2,1)\"",
    "exec python3 -c \"import socket;socket.socket(2,1,132)\"",
    "exec python3 -c \"import socket;socket.socket(2,1,262)\"",
    "exec python3 -c \"import socket;socket.socket(2,3,255)\"",
    "exec python3 -c \"import socket;socket.socket(10,5)\"",
];

/// Services of this machine that are reached by a path or an abstract name.
#[test]
fn unix_sockets_of_this_machine_are_out_of_reach() {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
    let place = Place::new();
    let name = format!("toolglot-{}-{}", std::process::id(), unique());
    let address = SocketAddr::from_abstract_name(&name).expect("a name");
    let hidden = UnixListener::bind_addr(&address).expect("bound");
    let stream = UnixListener::bind(place.path("ws/stream")).expect("bound");
    let datagram = UnixDatagram::bind(place.path("ws/datagram")).expect("bound");
    hidden.set_nonblocking(true).expect("set");
    stream.set_nonblocking(true).expect("set");
    datagram.set_nonblocking(true).expect("set");
    for address in [
        format!("b'\\0{name}'"),
        "'stream'".into(),
        "'datagram'".into(),
    ] {
        let script = format!(
            "exec python3 -c \"import socket;s=socket.socket(1,{});s.connect({address});s.send(b'x')\"",
            if address == "'datagram'" { 2 } else { 1 }
        );
        for level in levels() {
            let outcome = place.run(&script, level);
            assert!(!outcome.is_success(), "{script} behind {}", level.word());
        }
        let is_reached = || {
            hidden.accept().is_ok() || stream.accept().is_ok() || datagram.recv(&mut [0]).is_ok()
        };
        assert!(!is_reached(), "{script}");
        assert!(
            place.run(&script, Isolation::Plain).is_success(),
            "{script}"
        );
        assert!(is_reached(), "{script}");
    }
}

#[test]
fn services_of_this_machine_are_out_of_reach() {
    use std::net::{TcpListener, UdpSocket};
    let tcp = TcpListener::bind("127.0.0.1:0").expect("a port");
    tcp.set_nonblocking(true).expect("set");
    let port = tcp.local_addr().expect("bound").port();
    let udp = UdpSocket::bind(("127.0.0.1", port)).expect("the port of the other kind");
    udp.set_nonblocking(true).expect("set");
    for script in NETWORK_ATTACKS {
        let script = script.replace("$PORT", &port.to_string());
        for level in levels() {
            let outcome = Place::new().run(&script, level);
            assert!(!outcome.is_success(), "{script} behind {}", level.word());
        }
        let reached = tcp.accept().is_ok() || udp.recv(&mut [0; 8]).is_ok();
        assert!(!reached, "{script}");
    }
    // The attacks work without a sandbox.
    let script = NETWORK_ATTACKS[1].replace("$PORT", &port.to_string());
    assert!(Place::new().run(&script, Isolation::Plain).is_success());
    assert!(tcp.accept().is_ok());
}

#[test]
fn a_private_network_has_a_loopback_of_its_own() {
    if !levels().contains(&Isolation::Namespaces) {
        return;
    }
    for (family, address) in [("AF_INET", "127.0.0.1"), ("AF_INET6", "::1")] {
        let script = format!(
            "exec python3 -c \"
import socket
server = socket.socket(socket.{family})
server.bind(('{address}', 0))
server.listen()
client = socket.socket(socket.{family})
client.connect(server.getsockname())
client.send(b'x')
assert server.accept()[0].recv(1) == b'x'\""
        );
        let outcome = Place::new().run(&script, Isolation::Namespaces);
        assert!(outcome.is_success(), "{}", outcome.stderr.text());
        // A datagram has no receiver, and its sender must see that.
        let script = format!(
            "exec python3 -c \"
import socket
client = socket.socket(socket.{family}, socket.SOCK_DGRAM)
client.sendto(b'x', ('{address}', 53))\""
        );
        let outcome = Place::new().run(&script, Isolation::Namespaces);
        assert!(!outcome.is_success(), "{address}");
    }
}

/// Ways to leave a file that runs as its owner.
const SET_ID_ATTACKS: &[&str] = &[
    "chmod 4755 a",
    "chmod 2755 a",
    "install -m 4755 a b",
    "exec python3 -c \"import os;os.fchmod(os.open('a',os.O_RDWR),0o4755)\"",
    "exec python3 -c \"import os;os.chmod('a',0o4755,follow_symlinks=True)\"",
    "exec python3 -c \"import os;os.chmod('a',0o4755,dir_fd=os.open('.',os.O_RDONLY))\"",
    "exec python3 -c \"import os;os.open('b',os.O_CREAT|os.O_WRONLY,0o4755)\"",
    "exec python3 -c \"import os;os.open('.',os.O_TMPFILE|os.O_WRONLY,0o4755)\"",
    "exec python3 -c \"import os;os.mknod('b',0o104755)\"",
    // `fchmodat2`, and `openat2` with `O_CREAT`: the C library may use these next.
    "exec python3 -c \"import ctypes,sys;sys.exit(ctypes.CDLL(None).syscall(452,-100,b'a',0o4755,0)<0)\"",
    "exec python3 -c \"import ctypes,struct,sys;h=struct.pack('QQQ',0o101,0o4755,0);sys.exit(ctypes.CDLL(None).syscall(437,-100,b'b',h,24)<0)\"",
    // A mode from a copy or an archive.
    "cp -p --preserve=mode $OUT/set_id b",
    "tar -C $OUT -cf - set_id | tar -xpf - --transform s/set_id/b/",
    // Capabilities of a file act like these bits.
    "exec python3 -c \"import os,struct;os.setxattr('a','security.capability',struct.pack('<5I',0x02000001,1<<13,0,0,0))\"",
];

/// `chmod` by the numbers of 32-bit programs, from a 64-bit one.
#[cfg(target_arch = "x86_64")]
const SET_ID_BY_OTHER_NUMBERS: &str = "exec python3 -c \"
import ctypes
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
page = libc.mmap(None, 4096, 7, 0x62, -1, 0)
name = page + 2048
ctypes.memmove(name, b'a', 2)
code = b'\\x53\\xb8\\x0f\\0\\0\\0\\xbb' + name.to_bytes(4, 'little') + b'\\xb9' + (0o4755).to_bytes(4, 'little') + b'\\xcd\\x80\\x5b\\xc3'
ctypes.memmove(page, code, len(code))
exit(ctypes.CFUNCTYPE(ctypes.c_int)(page)() != 0)\"";

#[test]
#[cfg(target_arch = "x86_64")]
fn numbers_of_other_architectures_end_the_program() {
    use std::os::unix::fs::PermissionsExt;
    for level in levels().into_iter().chain([Isolation::Plain]) {
        let place = Place::new();
        std::fs::write(place.path("ws/a"), "x").expect("written");
        let outcome = place.run(SET_ID_BY_OTHER_NUMBERS, level);
        // The filter kills with a signal of its own; a kernel without these numbers ends the program by another signal.
        assert!(
            matches!(outcome.exit, Exit::Signal(_)),
            "{}: {:?} {}",
            level.word(),
            outcome.exit,
            outcome.stderr.text()
        );
        let mode = std::fs::metadata(place.path("ws/a")).expect("there");
        assert_eq!(mode.permissions().mode() & 0o6000, 0, "{}", level.word());
    }
}

#[test]
fn no_file_that_acts_for_its_owner_is_left_at_any_level() {
    use std::os::unix::fs::PermissionsExt;
    let place_with_carrier = || {
        let place = Place::new();
        std::fs::write(place.path("ws/a"), "x").expect("written");
        let carrier = place.path("out/set_id");
        std::fs::write(&carrier, "x").expect("written");
        std::fs::set_permissions(&carrier, std::fs::Permissions::from_mode(0o4755))
            .expect("it is ours");
        (place, carrier)
    };
    for script in SET_ID_ATTACKS {
        let (place, _) = place_with_carrier();
        let bare = std::process::Command::new("bash")
            .args(["-c", script])
            .current_dir(place.path("ws"))
            .env("OUT", place.path("out"))
            .status();
        let is_of_root = script.contains("security.capability");
        assert_eq!(
            bare.expect("bash runs").success(),
            is_root() || !is_of_root,
            "{script}"
        );
        for level in levels().into_iter().chain([Isolation::Plain]) {
            let (place, carrier) = place_with_carrier();
            let mut command = place.shell(script, level);
            command.read = vec![carrier];
            let outcome = command.run().expect("it is started");
            assert!(!outcome.is_success(), "{script} behind {}", level.word());
            assert_eq!(capabilities(&place.path("ws/a")), None, "{script}");
            for name in ["ws/a", "ws/b"] {
                let mode =
                    std::fs::metadata(place.path(name)).map_or(0, |file| file.permissions().mode());
                assert_eq!(mode & 0o6000, 0, "{script} behind {}", level.word());
            }
        }
    }
}

/// Attacks that other systems may forbid to everyone, so that they prove nothing there.
const MAY_BE_DEAD: &[&str] = &[
    "has a ring for system calls",
    "reads the host's environment",
    "opens a file by its handle or maps a page for faults",
    "makes a namespace",
    "looks into another process",
    "makes a device",
    "changes the machine's name",
];

/// Scripts that must work at each level.
const CONTROLS: &[(&str, &str)] = &[
    (
        "writes in the workspace",
        "echo x > a && mkdir d && mv a d/b && ln -s d/b c && grep -q x c && rm -r d c",
    ),
    (
        "uses pipes and processes",
        "seq 100 | sort -n | tail -1 | grep -q 100",
    ),
    (
        "uses a temporary file",
        "f=$(mktemp) && echo x > $f && grep -q x $f",
    ),
    (
        "sets ordinary modes",
        "echo x > a && chmod 755 a && mkdir -m 1777 d && install -m 644 a b && test -x a",
    ),
    ("has a home", "echo x > ~/file && grep -q x ~/file"),
    (
        "writes to devices",
        "echo x > /dev/null && head -c 4 /dev/urandom > /dev/null",
    ),
    ("substitutes processes", "diff <(echo a) <(echo a)"),
    (
        "runs python",
        "python3 -c 'import json,subprocess; print(subprocess.check_output([\"echo\",\"x\"]))'",
    ),
    ("knows its user", "test $(id -u) = $USER_ID"),
    (
        "signals its own",
        "sleep 60 & kill $!; wait $!; test $? = 143",
    ),
    (
        "looks at itself",
        "test -r /proc/self/status && test -d /proc/$$",
    ),
    (
        "talks to its own by pairs of sockets",
        "exec python3 -c \"import socket;a,b=socket.socketpair();a.send(b'x');assert b.recv(1)==b'x'\"",
    ),
];

#[test]
fn controls_work_behind_each_wall() {
    for (what, script) in CONTROLS {
        let script = script.replace("$USER_ID", &user_id());
        for level in levels().into_iter().chain([Isolation::Plain]) {
            let outcome = Place::new().run(&script, level);
            assert!(
                outcome.is_success(),
                "{what} behind {}: {:?} {}",
                level.word(),
                outcome.exit,
                outcome.stderr.text()
            );
        }
    }
}

#[test]
fn a_private_file_is_replaced_in_its_own_home_only() {
    for level in levels().into_iter().chain([Isolation::Plain]) {
        let script = "test -f $CONF && ! test -s $CONF && test $(dirname $CONF) = $HOME && echo x > $CONF.lock && mv $CONF.lock $CONF && cat $CONF && echo $CONF >> $WS/places";
        let place = Place::new();
        for _ in 0..2 {
            let mut command = place.shell(script, level);
            command.env.push(("CONF".into(), "/dev/null".into()));
            command.private_files = vec![("CONF".into(), ".conf")];
            let outcome = command.run().expect("it is started");
            assert_eq!(outcome.stdout.text(), "x\n", "{}", level.word());
        }
        let places = std::fs::read_to_string(place.path("ws/places")).expect("written");
        for line in places.lines() {
            assert!(!std::path::Path::new(line).exists(), "{line}");
        }
    }
}

#[test]
fn nothing_that_was_started_stays() {
    let scripts = [
        ("a background process", "sleep 1000 & exit 0"),
        ("another session", "setsid sleep 1000 & exit 0"),
        (
            "a daemon",
            "(setsid sh -c 'setsid sleep 1000 & sleep 1000 &' &) ; exit 0",
        ),
        (
            "a daemon that holds the pipes",
            "nohup setsid sleep 1000 & exit 3",
        ),
    ];
    for (what, script) in scripts {
        for level in levels().into_iter().chain([Isolation::Plain]) {
            // A unique duration distinguishes the processes.
            let seconds = 1_000_000 + unique();
            let outcome = Place::new().run(&script.replace("1000", &seconds.to_string()), level);
            assert!(
                outcome.n_left > 0,
                "{what} behind {}: nobody was left",
                level.word()
            );
            assert!(
                !is_running(&format!("sleep\0{seconds}")),
                "{what} behind {}",
                level.word()
            );
        }
    }
}

#[test]
fn time_is_up_for_all_of_them() {
    for level in levels().into_iter().chain([Isolation::Plain]) {
        let seconds = 1_000_000 + unique();
        let place = Place::new();
        let mut command = place.shell(&format!("setsid sleep {seconds} & sleep {seconds}"), level);
        command.limits.time = Duration::from_millis(300);
        let outcome = command.run().expect("it starts");
        assert_eq!(outcome.exit, Exit::TimedOut, "{}", level.word());
        assert!(
            !is_running(&format!("sleep\0{seconds}")),
            "{}",
            level.word()
        );
    }
}

#[test]
fn floods_are_cut_and_both_ends_stay() {
    for level in levels() {
        let place = Place::new();
        let mut command = place.shell(
            "echo begin; head -c 20M /dev/zero | tr '\\0' a; echo end; head -c 1M /dev/zero >&2",
            level,
        );
        command.limits.output_bytes = 1000;
        let outcome = command.run().expect("it starts");
        assert_eq!(outcome.exit, Exit::Code(0));
        let (head, tail) = outcome.stdout.parts();
        assert!(head.starts_with(b"begin\naaa") && head.len() == 500);
        assert!(tail.expect("cut").ends_with(b"aaaend\n"));
        assert_eq!(outcome.stdout.n_total(), 10 + (20 << 20));
        assert_eq!(outcome.stderr.n_total(), 1 << 20);
    }
}

#[test]
fn a_pipeline_ends_when_its_reader_does() {
    for level in levels() {
        let place = Place::new();
        let base = place.shell("", level);
        let stage = |words: &[&str]| {
            let mut command = base.clone();
            command.argv = words.iter().map(Into::into).collect();
            command
        };
        let outcomes =
            run_pipeline(&[stage(&["yes"]), stage(&["head", "-c", "5"])]).expect("both start");
        assert_eq!(
            outcomes[0].exit,
            Exit::Signal(13),
            "the writer got a broken pipe"
        );
        assert_eq!(outcomes[1].stdout.text(), "y\ny\ny");

        let mut first = stage(&["cat"]);
        first.stdin = vec![b'x'; 3 << 20];
        let outcomes =
            run_pipeline(&[first, stage(&["cat"]), stage(&["wc", "-c"])]).expect("all start");
        assert_eq!(outcomes[2].stdout.text().trim(), "3145728");

        let refused = run_pipeline(&[stage(&["sleep", "1000"]), stage(&["no-such-program"])]);
        assert!(
            matches!(refused, Err(SandboxError::NotFound { .. })),
            "{refused:?}"
        );

        // The remarks of an inspection are reported with an error too, if a program may have run.
        let mut looked = stage(&["sleep", "1000"]);
        looked.inspection = Some(Inspection::new(|_| vec!["was moved".to_owned()]));
        let refused = run_pipeline(&[looked.clone(), stage(&["no-such-program"])]);
        let refusal = refused.expect_err("there is no such program");
        assert!(matches!(refusal.cause(), SandboxError::NotFound { .. }));
        assert!(refusal.to_string().ends_with("\n[was moved]"), "{refusal}");
        looked.argv = vec!["no-such-program".into()];
        let refused = looked.run();
        assert!(
            matches!(refused, Err(SandboxError::NotFound { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn limits_hold() {
    for level in levels() {
        let place = Place::new();
        let limited = |script: &str, set: fn(&mut ResourceLimits)| {
            let mut command = place.shell(script, level);
            set(&mut command.limits);
            command.run().expect("it starts")
        };
        let outcome = limited("exec python3 -c 'x=bytearray(1<<30)'", |limits| {
            limits.memory_bytes = 256 << 20;
        });
        assert!(!outcome.is_success(), "memory: {outcome:?}");
        let outcome = limited("exec dd if=/dev/zero of=fill bs=1M count=10", |limits| {
            limits.file_bytes = 1 << 20;
        });
        assert!(!outcome.is_success());
        assert_eq!(
            std::fs::metadata(place.path("ws/fill"))
                .expect("there")
                .len(),
            1 << 20
        );
        let outcome = limited("ulimit -c unlimited; exec bash -c 'kill -SEGV $$'", |_| ());
        assert!(!outcome.is_success());
        assert_eq!(
            std::fs::read_dir(place.path("ws")).expect("there").count(),
            1,
            "no core file"
        );
        let bomb = "import os,time\nn=0\ntry:\n  while n<400:\n    if os.fork()==0: time.sleep(60)\n    n+=1\nexcept OSError: pass\nprint(n)";
        std::fs::write(place.path("ws/bomb.py"), bomb).expect("written");
        let outcome = limited("exec python3 bomb.py", |limits| limits.processes = 20);
        let forked: u32 = outcome.stdout.text().trim().parse().expect("a number");
        let has_group = layers()
            .layers
            .iter()
            .any(|layer| layer.name == "control group" && layer.found.is_ok());
        // Elsewhere the user's other processes count too, and each of them that ends leaves room for one more.
        let is_counted_alone = level == Isolation::Namespaces || has_group;
        let bound = if is_counted_alone { 25 } else { 250 };
        if !is_root() || has_group {
            assert!(
                forked < bound,
                "processes isolated by {}: {forked}",
                level.word()
            );
        } else {
            eprintln!("SKIPPED: root without a control group has no limit of processes");
        }
    }
}

#[test]
fn what_is_protected_stays_and_what_is_masked_is_empty() {
    if !levels().contains(&Isolation::Namespaces) {
        return;
    }
    let place = Place::new();
    for directory in ["ws/.git/hooks", "ws/keys"] {
        std::fs::create_dir_all(place.path(directory)).expect("made");
    }
    for file in ["ws/.git/config", "ws/.env", "ws/keys/id", "ws/plain"] {
        std::fs::write(place.path(file), "TOPSECRET").expect("written");
    }
    let script = "cat .env keys/id; echo x > .git/config; echo x > .git/hooks/pre-commit; mv .git .other; rm -rf .git/hooks; \
        rm -f .env; echo new > .git/HEAD; echo new > plain";
    let mut command = place.shell(script, Isolation::Namespaces);
    command.protect = vec![place.path("ws/.git/config"), place.path("ws/.git/hooks")];
    command.mask = vec![place.path("ws/.env"), place.path("ws/keys")];
    let outcome = command.run().expect("it starts");
    assert!(!outcome.stdout.text().contains("TOPSECRET"));
    let read = |file: &str| std::fs::read_to_string(place.path(file)).ok();
    for file in ["ws/.git/config", "ws/.env", "ws/keys/id"] {
        assert_eq!(
            read(file).as_deref(),
            Some("TOPSECRET"),
            "{file}: {}",
            outcome.stderr.text()
        );
    }
    assert_eq!(read("ws/.git/hooks/pre-commit"), None);
    assert_eq!(read("ws/.git/HEAD").as_deref(), Some("new\n"));
    assert_eq!(read("ws/plain").as_deref(), Some("new\n"));
}

#[test]
fn what_is_opened_again_may_be_changed_and_nothing_beside_it() {
    if !levels().contains(&Isolation::Namespaces) {
        return;
    }
    let place = Place::new();
    for directory in ["ws/.ai/cache/own", "ws/.ai/keys", "ws/.ai/cache/other"] {
        std::fs::create_dir_all(place.path(directory)).expect("made");
    }
    std::os::unix::fs::symlink("../keys", place.path("ws/.ai/cache/link")).expect("linked");
    let script = "for folder in own other link; do echo x > .ai/cache/$folder/made; done; echo x > .ai/made; \
        echo x > .ai/keys/new; mv .ai/cache/own .ai/cache/gone; mv .ai .gone; ln -s ../../keys .ai/cache/own/way; echo x > .ai/cache/own/way/made";
    let mut command = place.shell(script, Isolation::Namespaces);
    command.protect = vec![place.path("ws/.ai")];
    command.reopen = vec![
        place.path("ws/.ai/cache/own"),
        place.path("ws/.ai/cache/link"),
        place.path("ws/.ai/none"),
    ];
    let outcome = command.run().expect("it starts");
    let text = outcome.stderr.text();
    assert!(place.path("ws/.ai/cache/own/made").is_file(), "{text}");
    for path in ["cache/other/made", "made", "keys/made", "keys/new"] {
        assert!(!place.path("ws/.ai").join(path).exists(), "{path}: {text}");
    }
    assert!(place.path("ws/.ai/cache/own").is_dir(), "{text}");
}

/// The mounts and the rules for files forbid the same: each must hold alone.
#[test]
fn mounts_have_the_options_that_keep_them_harmless() {
    if !levels().contains(&Isolation::Namespaces) {
        return;
    }
    for start in [Start::Any, Start::Itself] {
        let place = Place::new();
        let mut command = place.shell("", Isolation::Namespaces);
        command.argv = ["/bin/cat", "/proc/self/mountinfo"]
            .map(OsString::from)
            .to_vec();
        command.read.push(place.path("out"));
        command.start = start;
        let outcome = command.run().expect("it starts");
        let text = outcome.stdout.text();
        if text.is_empty() {
            eprintln!(
                "SKIPPED: no `/proc` of its own here: {}",
                outcome.stderr.text()
            );
            return;
        }
        // The fifth word is the path, the sixth the options.
        let options: Vec<(String, Vec<&str>)> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split(' ').skip(4);
                Some((words.next()?.to_owned(), words.next()?.split(',').collect()))
            })
            .collect();
        let inert: &[&str] = if start == Start::Itself {
            &["noexec"]
        } else {
            &[]
        };
        let own = |name: &str| place.path(name).display().to_string();
        for (path, wanted, more) in [
            ("/".to_owned(), &["ro", "nosuid"][..], &[][..]),
            (
                "/proc".to_owned(),
                &["ro", "nosuid", "nodev", "noexec"],
                &[],
            ),
            ("/tmp".to_owned(), &["rw", "nosuid", "nodev"], inert),
            ("/dev/shm".to_owned(), &["rw", "nosuid", "nodev"], inert),
            (own("ws"), &["rw", "nosuid"], inert),
            (own("out"), &["ro", "nosuid"], &[]),
        ] {
            // A program sees the last mount of a path.
            let Some((_, found)) = options.iter().rev().find(|(name, _)| *name == path) else {
                panic!("{path} is not a mount: {text}");
            };
            for option in wanted.iter().chain(more) {
                assert!(
                    found.contains(option),
                    "{start:?}, {path}, {option}: {text}"
                );
            }
        }
    }
}

#[test]
fn nothing_stays_in_shared_directories() {
    for level in levels() {
        for shared in ["/tmp", "/var/tmp", "/dev/shm"] {
            let canary = format!(
                "{shared}/toolglot-canary-{}-{}",
                std::process::id(),
                unique()
            );
            Place::new().run(&format!("echo x > {canary}"), level);
            assert!(
                !Path::new(&canary).exists(),
                "{canary} behind {}",
                level.word()
            );
        }
    }
}

/// A readable place cannot be changed, at any level with rules for files.
#[test]
fn what_may_be_read_stays_as_it_is() {
    let script = "cat $OUT/secret || exit 9; echo x > $OUT/secret; echo x > $OUT/made; rm -f $OUT/secret; mkdir $OUT/made; \
        mv $OUT/secret $OUT/other; ln -s x $OUT/link; truncate -s 0 $OUT/secret; exit 0";
    for level in levels() {
        let place = Place::new();
        let mut command = place.shell(script, level);
        command.read.push(place.path("out"));
        let outcome = command.run().expect("it starts");
        assert_eq!(outcome.stdout.text(), "TOPSECRET", "{}", level.word());
        let left: Vec<_> = std::fs::read_dir(place.path("out"))
            .expect("still there")
            .map(|entry| entry.expect("readable").file_name())
            .collect();
        assert_eq!(left, ["secret"], "{}", level.word());
        assert_eq!(
            std::fs::read(place.path("out/secret")).expect("still there"),
            b"TOPSECRET",
            "{}",
            level.word()
        );
    }
}

/// A program that may start only itself starts neither the system's programs nor its own files, wherever these are.
#[test]
fn a_program_that_starts_none_but_itself_starts_no_other() {
    let script = "import os, sys
def starts(path):
    child = os.fork()
    if child == 0:
        try: os.execv(path, [path, '-c', 'pass'])
        finally: os._exit(99)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 99
print('itself', starts(sys.argv[1]))
print('another', starts('/bin/true'))
binary = open('/bin/true', 'rb').read()
for folder in [os.environ['WS'], os.environ['HOME'], '/tmp', '/dev/shm']:
    path = folder + '/made-by-a-test'
    try:
        with open(path, 'wb') as file: file.write(binary)
        os.chmod(path, 0o755)
    except OSError: continue
    print('made', starts(path))
    os.unlink(path)
";
    let python = ["/usr/bin/python3", "/usr/local/bin/python3"]
        .iter()
        .find_map(|path| std::fs::canonicalize(path).ok());
    let Some(python) = python else {
        eprintln!("SKIPPED: there is no Python of the system");
        return;
    };
    for level in levels() {
        for start in [Start::Any, Start::Itself] {
            let place = Place::new();
            let mut command = place.shell("", level);
            command.argv = [
                python.as_os_str(),
                "-c".as_ref(),
                script.as_ref(),
                python.as_os_str(),
            ]
            .map(OsString::from)
            .to_vec();
            command.start = start;
            let outcome = command.run().expect("it starts");
            let text = outcome.stdout.text();
            let expected = if start == Start::Any { "True" } else { "False" };
            assert!(text.contains("itself True"), "{}: {text}", level.word());
            assert!(text.contains("made"), "{}: {text}", level.word());
            for line in text.lines().filter(|line| !line.starts_with("itself")) {
                assert!(
                    line.ends_with(expected),
                    "{start:?}, {}: {text}",
                    level.word()
                );
            }
        }
    }
}

/// A host with a limit of file sizes survives it, and its programs do not.
#[test]
fn a_write_beyond_the_limit_is_an_error_of_the_host() {
    if !is_alone("a_write_beyond_the_limit_is_an_error_of_the_host", "1") {
        return;
    }
    toolglot_sandbox::outlive_file_limits();
    let place = Place::new();
    let error = std::fs::write(place.path("out/large"), [0; 10_000]).expect_err("too large");
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge, "{error}");
    let mut command = place.shell("", Isolation::Plain);
    command.argv = ["cat", "/proc/self/status"].map(OsString::from).to_vec();
    let outcome = command.run().expect("it starts");
    let text = outcome.stdout.text();
    let ignored = text
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .map(|bits| u64::from_str_radix(bits.trim(), 16).expect("bits"));
    assert_eq!(ignored.map(|bits| bits >> 24 & 1), Some(0), "{text}");
}

/// Whether this process runs only the test of that name; otherwise it starts such a process, with a limit of file
/// sizes.
fn is_alone(name: &str, file_size: &str) -> bool {
    const ALONE: &str = "TOOLGLOT_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let output = std::process::Command::new("bash")
        .args([
            "-c",
            "ulimit -f $1 && exec \"$2\" --exact \"$3\" --test-threads 1",
            "bash",
            file_size,
        ])
        .arg(std::env::current_exe().expect("this test"))
        .arg(name)
        .env(ALONE, "1")
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat();
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    false
}

/// A host that runs commands for days holds no process of theirs and no descriptor.
#[test]
fn a_host_keeps_nothing_of_what_it_ran() {
    // Other tests of this process would count.
    if !is_alone("a_host_keeps_nothing_of_what_it_ran", "unlimited") {
        return;
    }
    let held = || {
        let descriptors = std::fs::read_dir("/proc/self/fd").expect("there").count();
        let threads = std::fs::read_dir("/proc/self/task").expect("there");
        let children: usize = threads
            .filter_map(|thread| std::fs::read_to_string(thread.ok()?.path().join("children")).ok())
            .map(|children| children.split_whitespace().count())
            .sum();
        (descriptors, children)
    };
    for level in levels().into_iter().chain([Isolation::Plain]) {
        let run = || {
            let place = Place::new();
            assert_eq!(place.run("sleep 100 & exit 3", level).exit, Exit::Code(3));
            let mut command = place.shell("", level);
            command.argv = vec!["no-such-program".into()];
            command.run().expect_err("there is none");
            let mut command = place.shell("sleep 100", level);
            command.limits.time = Duration::from_millis(50);
            assert_eq!(command.run().expect("it starts").exit, Exit::TimedOut);
        };
        // Facts that are found out once are cached.
        run();
        let before = held();
        for _ in 0..3 {
            run();
        }
        assert_eq!(held(), before, "{}", level.word());
    }
}

#[test]
fn the_environment_is_what_was_given() {
    for level in levels() {
        let outcome = Place::new().run(
            "env; cat /proc/self/environ /proc/1/environ /proc/$PPID/environ | tr '\\0' '\\n'",
            level,
        );
        let text = outcome.stdout.text();
        assert!(text.contains("OUT="), "{text}");
        assert!(!text.contains("CARGO"), "{}: {text}", level.word());
    }
}

#[test]
fn what_a_level_cannot_do_is_refused() {
    let place = Place::new();
    let mut command = place.shell("true", Isolation::Landlock);
    command.mask = vec![place.path("ws")];
    assert!(matches!(
        command.run(),
        Err(SandboxError::NeedsLevel {
            needs: Isolation::Namespaces,
            ..
        } | SandboxError::Missing { .. })
    ));
    let mut command = place.shell("true", Isolation::Plain);
    command.network = Network::None;
    assert!(matches!(
        command.run(),
        Err(SandboxError::NeedsLevel {
            needs: Isolation::Landlock,
            ..
        })
    ));
    let mut command = place.shell("true", Isolation::Plain);
    command.argv = vec!["echo".into(), "x".repeat(200_000).into()];
    assert!(matches!(
        command.run(),
        Err(SandboxError::ArgumentTooLong { bytes: 200_000 })
    ));
    command.argv = vec!["echo".into(), "a\0b".into()];
    assert!(matches!(command.run(), Err(SandboxError::ZeroByte { .. })));
}

#[test]
fn many_at_once_do_not_hold_each_other() {
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for level in levels().into_iter().chain([Isolation::Plain]) {
                    let place = Place::new();
                    let mut command = place.shell("", level);
                    command.argv = vec!["cat".into()];
                    command.stdin = vec![b'x'; 300_000];
                    command.limits.output_bytes = 1 << 20;
                    let outcome = command.run().expect("it starts");
                    assert_eq!(
                        (outcome.exit, outcome.stdout.n_total()),
                        (Exit::Code(0), 300_000)
                    );
                }
            });
        }
    });
}

/// All tests above once more without root.
#[test]
fn the_same_holds_for_an_ordinary_user() {
    if !is_root() {
        return;
    }
    let own = std::env::current_exe().expect("this test");
    let output = std::process::Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(own)
        .args(["--skip", "the_same_holds_for_an_ordinary_user"])
        .env("TMPDIR", "/tmp")
        .output();
    match output {
        Err(error) => eprintln!("SKIPPED: there is no `setpriv`: {error}"),
        Ok(output) => {
            let text = [output.stdout, output.stderr]
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .concat();
            assert!(output.status.success(), "{text}");
        }
    }
}

/// The capabilities of a file, as bytes.
fn capabilities(path: &Path) -> Option<Vec<u8>> {
    let script =
        "import os,sys;sys.stdout.buffer.write(os.getxattr(sys.argv[1],'security.capability'))";
    let output = std::process::Command::new("python3")
        .args(["-c", script])
        .arg(path)
        .output()
        .expect("python runs");
    output.status.success().then_some(output.stdout)
}

fn user_id() -> String {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    let line = status
        .lines()
        .find(|line| line.starts_with("Uid:"))
        .expect("there");
    line.split_whitespace()
        .nth(2)
        .expect("effective")
        .to_owned()
}

fn is_root() -> bool {
    user_id() == "0"
}

fn unique() -> u32 {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NEXT: AtomicU32 = AtomicU32::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed) * 40_000 + std::process::id() % 40_000
}

/// Whether a process with these words runs.
fn is_running(words: &str) -> bool {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return false;
    };
    entries.flatten().any(|entry| {
        std::fs::read(Path::new(&entry.path()).join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(words))
    })
}
