//! Ten thousand parallel calls on a few files: each read returns one complete write, and the log has every line.

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use toolglot_builtins::audit::{Log, verify};
use toolglot_builtins::execute_unjudged;
use toolglot_value::{Map, Value, json};

use crate::world::World;

const CALLS: usize = 10_000;
const THREADS: usize = 64;
const FILES: usize = 20;
/// Bytes of a file: a write takes more than one step.
const SIZE: usize = 20_000;

fn content(n: usize) -> String {
    char::from(b'a' + u8::try_from(n % 26).expect("below 26"))
        .to_string()
        .repeat(SIZE)
}

fn is_whole(text: &str) -> bool {
    text.len() == SIZE && text.bytes().all(|byte| byte == text.as_bytes()[0])
}

#[test]
fn ten_thousand_calls_at_once_mix_nothing() {
    let world = World::new();
    for file in 0..FILES {
        world.put(&format!("f{file}"), content(file));
    }
    let log_file = world.root.path().parent().expect("it has one").join("log");
    let log = Log::new(&log_file);
    let next = AtomicUsize::new(0);
    let n_done = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    if n >= CALLS {
                        break;
                    }
                    let path = format!("f{}", n * 7 % FILES);
                    let (tool, arguments) = match n % 4 {
                        0 => ("write_file", json!({"path": path, "content": content(n)})),
                        1 => ("search_files", json!({"path": path, "pattern": "^a{100}"})),
                        2 => (
                            "write_file",
                            json!({"path": format!("own/{n}"), "content": "x"}),
                        ),
                        _ => ("read_file", json!({"path": path})),
                    };
                    let Value::Object(arguments) = arguments else {
                        unreachable!("it is written as one")
                    };
                    let outcome = execute_unjudged(&world.root, tool, &arguments);
                    assert!(outcome.ok, "{tool}: {}", outcome.text);
                    if tool == "read_file" {
                        let text = outcome.output["content"].as_str().expect("text");
                        assert!(is_whole(text), "{} bytes of {path}", text.len());
                    }
                    if n.is_multiple_of(8) {
                        log.append(Map::from_iter([("n".to_owned(), n.into())]))
                            .expect("appended");
                    }
                    n_done.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
    });
    assert_eq!(n_done.load(Ordering::Relaxed), CALLS);
    for file in 0..FILES {
        let text = fs::read_to_string(world.at(&format!("f{file}"))).expect("there");
        assert!(is_whole(&text), "f{file}");
    }
    assert_eq!(
        fs::read_dir(world.at("own")).expect("there").count(),
        CALLS / 4
    );
    let leftover = fs::read_dir(world.at("")).expect("there").flatten();
    let leftover = leftover.filter(|entry| entry.file_name().to_string_lossy().ends_with(".tmp"));
    assert_eq!(leftover.count(), 0);
    let whole = verify(&fs::read_to_string(log_file).expect("there")).expect("it is whole");
    assert_eq!((whole.lines, whole.torn), (CALLS / 8, 0));
}
