//! Resident interpreters: calls share no state, and no call does lasting damage.

use std::sync::Arc;

use toolglot_tool_runner::{Cancel, Progress, ToolRunner, Watch};
use toolglot_value::{Map, Value, json};

use crate::world::{World, can_run, python};

/// A function that checks for every trace of an earlier call, and then leaves all of them.
const LOOKS: &str = "
import builtins, ctypes, os, resource, signal, sys
seen = getattr(builtins, 'left_here', 0)
def execute(params, project_path):
    found = {
        'seen': seen,
        'modules': 'left_module' in sys.modules,
        'environment': sorted(os.environ),
        'cwd': os.getcwd() == project_path,
        'mask': os.umask(0o022),
        'descriptors': sorted(int(fd) for fd in os.listdir('/proc/self/fd'))[:4] if os.path.isdir('/proc/self/fd') else None,
        'open': [fd for fd in range(4, 64) if is_open(fd)],
        'handler': signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL,
        'files': resource.getrlimit(resource.RLIMIT_NOFILE)[0],
        'places': [sorted(os.listdir(place)) for place in ('/var/tmp', '/dev/shm', '/run', os.environ.get('HOME', '/tmp/home'))],
        'shared': ctypes.CDLL(None).shmget(77, 4096, 0),
        'session': os.getsid(0) == os.getpid(),
        'parent': os.getppid(),
    }
    builtins.left_here = 1
    sys.modules['left_module'] = sys
    os.environ['LEFT'] = '1'
    os.chdir('/')
    os.umask(0)
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    os.dup2(1, 9)
    if params.get('leave'):
        leave(params['leave'])
    return {'success': True, 'data': found}
def is_open(fd):
    try:
        os.fstat(fd)
        return True
    except OSError:
        return False
def leave(what):
    if what == 'file':
        open('/var/tmp/left', 'w').close()
    elif what == 'passing file':
        open('/dev/shm/left', 'w').close()
        os.unlink('/dev/shm/left')
    elif what == 'home':
        open(os.path.join(os.environ.get('HOME', '/tmp/home'), 'left'), 'w').close()
    elif what == 'memory':
        assert ctypes.CDLL(None).shmget(77, 4096, 0o1666) >= 0
    elif what == 'limit':
        resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (64, 64))
    elif what == 'priority':
        os.setpriority(os.PRIO_PROCESS, os.getppid(), 19)
    elif what == 'kill':
        os.kill(os.getppid(), signal.SIGKILL)
    elif what == 'stop':
        os.kill(os.getppid(), signal.SIGSTOP)
    elif what == 'interrupt':
        os.kill(os.getppid(), signal.SIGINT)
    elif what == 'child':
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                signal.pause()
            os._exit(0)
    elif what == 'all':
        if os.fork() == 0:
            while True:
                try:
                    os.fork()
                except OSError:
                    signal.pause()
";

fn call(runner: &ToolRunner, id: &str, args: &Value) -> Value {
    let args: Map<String, Value> = toolglot_value::from_value(args).expect("an object");
    match runner.call_unjudged(id, args) {
        Ok(called) => Value::Object(called.returned.value),
        Err(error) => panic!("{id} was not run: {error}"),
    }
}

#[test]
fn nothing_of_a_call_is_there_in_the_next() {
    if !can_run("warm interpreters", &["python3"]) {
        return;
    }
    let world = World::new();
    world.tool("t/look-it.py", &python("python/function", LOOKS));
    // The trace that a call leaves, and whether the interpreter takes another call after it.
    for (what, stays) in [
        ("nothing", true),
        ("child", true),
        ("file", false),
        ("passing file", false),
        ("home", false),
        ("memory", false),
        ("limit", false),
        ("priority", false),
        ("kill", false),
        ("stop", false),
        ("interrupt", false),
        ("all", true),
    ] {
        world.with(|runner| {
            let first = call(runner, "t/look-it", &json!({"leave": what}));
            assert!(first.is_object(), "{what}: {first}");
            assert_eq!(
                runner.warm().n_waiting(),
                usize::from(stays),
                "{what}: {first}"
            );
            let second = call(runner, "t/look-it", &json!({"leave": "nothing"}));
            assert_eq!(second["data"]["seen"], json!(0), "{what}: {second}");
            // A call that kills the interpreter kills itself.
            if what != "kill" && what != "stop" && what != "interrupt" {
                assert_eq!(first["data"], second["data"], "{what}");
            }
            assert_eq!(runner.warm().n_waiting(), 1, "{what}: {second}");
            let third = call(runner, "t/look-it", &json!({}));
            assert_eq!(second["data"], third["data"], "{what}");
        });
    }
}

/// The answer does not wait for the check for traces; the next call does.
#[test]
fn a_call_does_not_follow_one_that_left_a_trace() {
    if !can_run("warm interpreters", &["python3"]) {
        return;
    }
    let world = World::new();
    world.tool("t/look-it.py", &python("python/function", LOOKS));
    world.tool("t/which-it.py", &python("python/function", "def execute(params, project_path):\n    return {'success': True, 'output': str(hash('a text'))}"));
    world.with(|runner| {
        let which = || call(runner, "t/which-it", &json!({}))["output"].clone();
        let mut known = Vec::new();
        for what in ["file", "memory", "limit", "child"] {
            let before = which();
            assert!(!known.contains(&before), "{what}");
            call(runner, "t/look-it", &json!({"leave": what}));
            let is_same = which() == before;
            assert_eq!(is_same, what == "child", "{what}");
            known.push(before);
        }
    });
}

#[test]
fn the_interpreter_that_stays_is_out_of_reach() {
    if !can_run("warm interpreters", &["python3"]) {
        return;
    }
    let world = World::new();
    world.tool("t/reach-it.py", &python("python/function", "
import ctypes, os, socket
def execute(params, project_path):
    found = {}
    for name in ('mem', 'environ', 'maps', 'fd/0', 'root', 'cwd'):
        path = f'/proc/{os.getppid()}/{name}'
        try:
            found[name] = len(os.listdir(path)) if name in ('root', 'cwd') else len(open(path, 'rb').read(1))
        except OSError as error:
            found[name] = 'refused'
    library = ctypes.CDLL(None, use_errno=True)
    found['ptrace'] = library.ptrace(16, os.getppid(), 0, 0)
    found['pidfd_getfd'] = library.syscall(438, library.syscall(434, os.getppid(), 0), 0, 0)
    return {'success': True, 'data': found}"));
    let found = world.returned("t/reach-it", json!({}));
    for (name, answer) in found["data"].as_object().expect("a map") {
        assert!(
            *answer == json!("refused") || *answer == json!(-1),
            "{name}: {found}"
        );
    }
}

#[test]
fn one_interpreter_serves_call_after_call_and_is_not_poisoned() {
    if !can_run("warm interpreters", &["python3"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    // The hash of a string differs between interpreters, and is equal in forks of one.
    world.tool("t/which-it.py", &python("python/function", "def execute(params, project_path):\n    return {'success': True, 'output': str(hash('a text'))}"));
    world.tool("t/slow-it.py", &python("python/function", "__timeout__ = 1\nimport os\ndef execute(params, project_path):\n    if os.fork() == 0:\n        os.setsid()\n    while True:\n        pass\n    return make()"));
    world.tool("t/twice-it.py", &python("python/function", "import os\ndef execute(params, project_path):\n    os.fork()\n    return {'success': True, 'output': 'once'}"));
    world.tool("t/forge-it.py", &python("python/function", "import os\ndef execute(params, project_path):\n    os.write(3, b'1 0 1')\n    return {'success': True, 'output': 'x'}"));
    world.tool("t/close-it.py", &python("python/function", "import os\ndef execute(params, project_path):\n    os.closerange(0, 64)\n    return {'success': True, 'output': 'x'}"));
    world.tool(
        "t/exit-it.py",
        &python(
            "python/function",
            "import os\ndef execute(params, project_path):\n    os._exit(3)\n    return make()",
        ),
    );
    world.tool("t/flood-it.py", &python("python/function", "import sys\ndef execute(params, project_path):\n    for i in range(2000):\n        sys.stdout.write('o' * 5000)\n        sys.stderr.write('e' * 5000)\n    return {'success': True, 'output': 'x' * 3_000_000}"));
    world.tool("t/stdin-it.py", &python("python/function", "import sys\ndef execute(params, project_path):\n    return {'success': True, 'output': sys.stdin.read() + '|' + open('/dev/stdin').read()}"));
    world.tool("t/where-it.py", &python("python/function", "import os\ndef execute(params, project_path):\n    return {'success': True, 'output': os.environ.get('SECRET', 'none')}"));
    world.with(|runner| {
        let which = || call(runner, "t/which-it", &json!({}))["output"].clone();
        let first = which();
        assert_eq!(first, which());
        let text = |id: &str, key: &str| {
            call(runner, id, &json!({}))[key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        assert_eq!(text("t/twice-it", "output"), "once");
        assert_eq!(
            text("t/exit-it", "error"),
            "it ended with exit code 3 and without an answer"
        );
        assert_eq!(
            text("t/forge-it", "error"),
            "it ended with exit code 0 and without an answer"
        );
        assert!(text("t/close-it", "error").contains("without an answer"));
        assert_eq!(text("t/stdin-it", "output"), "|");
        assert_eq!(text("t/where-it", "output"), "none");
        let flood = call(runner, "t/flood-it", &json!({}));
        assert_eq!(flood["output"].as_str().map(str::len), Some(3_000_000));
        for stream in ["stdout", "stderr"] {
            let kept = flood[stream].as_str().expect("a text");
            assert!(
                kept.ends_with("[9737856 more bytes]"),
                "{stream}: {}",
                kept.len()
            );
        }
        assert_eq!(first, which(), "all that came from one interpreter");
        assert!(text("t/slow-it", "error").starts_with("it took longer than 1 seconds"));
        assert_ne!(first, which(), "what was late is killed with all of it");
    });
}

/// Kills the fork that waits for the next call in a project. Neither the waiting fork nor the interpreter runs a tool.
fn kill_waiting(project: &std::path::Path) -> usize {
    let processes = std::fs::read_dir("/proc").expect("a system with /proc");
    let mut n_killed = 0;
    for process in processes.flatten() {
        let place = process.path();
        let is_here = std::fs::read_link(place.join("cwd")).is_ok_and(|cwd| cwd == project);
        let status = std::fs::read_to_string(place.join("status")).unwrap_or_default();
        let inner = status
            .lines()
            .find_map(|line| line.strip_prefix("NSpid:")?.split_whitespace().nth(1));
        let inner = inner.and_then(|pid| pid.parse::<u32>().ok());
        if is_here && inner.is_some_and(|pid| pid > 2) {
            let pid = process.file_name();
            let killed = std::process::Command::new("kill")
                .arg("-9")
                .arg(pid)
                .status();
            n_killed += usize::from(killed.is_ok_and(|status| status.success()));
        }
    }
    n_killed
}

#[test]
fn a_copy_that_dies_while_it_waits_takes_no_call_with_it() {
    if !can_run("warm interpreters", &["python3", "kill"]) {
        return;
    }
    let world = World::new();
    world.tool("t/add-it.py", &python("python/function", "def execute(params, project_path):\n    return {'success': True, 'output': params['a']}"));
    world.with(|runner| {
        for a in 0..20 {
            let first = call(runner, "t/add-it", &json!({"a": a}));
            assert_eq!(first["output"], json!(a), "{first}");
            assert_eq!(runner.warm().n_waiting(), 1);
            // The fork may not wait yet.
            let n_killed = kill_waiting(&world.project);
            let second = call(runner, "t/add-it", &json!({"a": a + 100}));
            let died = json!("it was ended by signal 9");
            assert!(
                second["output"] == json!(a + 100) || n_killed > 0 && second["error"] == died,
                "{second}"
            );
        }
    });
}

#[test]
fn other_rights_are_other_walls() {
    if !can_run("warm interpreters", &["python3"]) {
        return;
    }
    let mut world = World::new();
    world.tool("t/write-it.py", &python("python/function", "def execute(params, project_path):\n    try:\n        open('x.txt', 'w').close()\n        return {'success': True, 'output': 'written'}\n    except OSError as error:\n        return {'success': True, 'output': 'refused'}"));
    world.with(|runner| {
        let said = || call(runner, "t/write-it", &json!({}))["output"].clone();
        assert_eq!(said(), json!("refused"));
        assert_eq!(runner.warm().n_waiting(), 1);
    });
    world.granted.push("fs.write".into());
    world.tool("t/git-it.py", &python("python/function", "def execute(params, project_path):\n    open('.git/config', 'w').close()\n    return {'success': True, 'output': 'written'}"));
    world.with(|runner| {
        assert_eq!(
            call(runner, "t/write-it", &json!({}))["output"],
            json!("written")
        );
        // A new `.git` is protected: the next call gets a new sandbox.
        std::fs::create_dir(world.project.join(".git")).expect("a folder");
        let returned = call(runner, "t/git-it", &json!({}));
        assert_eq!(returned["success"], json!(false), "{returned}");
    });
}

#[test]
fn a_call_can_be_cancelled() {
    if !can_run("cancelling", &["python3", "bash"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    world.tool("t/hang-it.py", &python("python/function", "import subprocess, sys\ndef execute(params, project_path):\n    subprocess.Popen(['sh', '-c', 'sleep 2; echo late > late.txt'], start_new_session=True)\n    print('begun', file=sys.stderr, flush=True)\n    while True:\n        pass\n    return make()"));
    world.tool(
        "t/hang-too.yaml",
        &crate::world::yaml("hang-too", "bash", "retry_policy: {max_attempts: 5, initial_delay: 30}\nconfig:\n  command: (setsid sleep 2; echo late > late.txt) & echo begun >&2; sleep 1000\n"),
    );
    for id in ["t/hang-it", "t/hang-too"] {
        let cancel = Cancel::new().expect("a pipe");
        let stop = cancel.clone();
        // The call is cancelled at its first output, independent of the clock.
        world.watch = Watch {
            cancel: Some(cancel.clone()),
            progress: Some(Arc::new(move |progress| {
                if matches!(progress, Progress::Said(said) if said.contains("begun")) {
                    stop.cancel();
                }
            })),
        };
        let called = world.call(id, json!({})).expect("it was begun");
        assert_eq!(called.attempts.len(), 1);
        let error = called.returned.value["error"].as_str().expect("a text");
        assert_eq!(
            error, "it was cancelled and ended, with all that it had started",
            "{id}"
        );
        assert_eq!(world.refused(id, json!({})).0, "cancelled");
        world.watch = Watch::default();
    }
    world.tool(
        "t/wait-it.yaml",
        &crate::world::yaml(
            "wait-it",
            "bash",
            "timeout: 10\nconfig:\n  command: sleep 3; test ! -e late.txt\n",
        ),
    );
    assert_eq!(
        world.returned("t/wait-it", json!({}))["success"],
        json!(true)
    );
}

#[test]
fn calls_on_one_runner_do_not_wait_for_each_other() {
    if !can_run("calls at once", &["python3"]) {
        return;
    }
    let mut world = World::new();
    world.granted.push("fs.write".into());
    // Each call waits for the others' files: in sequence none of them would end.
    let body = "
def execute(params, project_path):
    import os, time
    open(os.path.join(project_path, params['own']), 'w').close()
    until = time.monotonic() + 30
    while not all(os.path.exists(os.path.join(project_path, name)) for name in ('a', 'b', 'c')):
        if time.monotonic() > until:
            return {'success': False, 'error': 'nobody came'}
        time.sleep(0.01)
    return {'success': True}
";
    world.tool("t/meet-it.py", &python("python/function", body));
    world.with(|runner| {
        let call = |own: &str| {
            let arguments = Map::from_iter([("own".to_owned(), json!(own))]);
            let called = runner.call_unjudged("t/meet-it", arguments);
            called.expect("it runs").returned.success
        };
        let met: Vec<bool> = std::thread::scope(|scope| {
            let started = ["a", "b", "c"].map(|own| scope.spawn(move || call(own)));
            started.map(|call| call.join().expect("no panic")).to_vec()
        });
        assert_eq!(met, [true; 3]);
        assert_eq!(
            runner.warm().n_waiting(),
            3,
            "each has an interpreter, which stays"
        );
    });
}
