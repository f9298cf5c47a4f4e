//! The cost of a call compared with `/bin/true`, `python3 -c pass` and an empty chain of checks. Minima of many runs.
//!
//! `cargo run --release -p toolglot-tool-runner --example calls`
#![expect(clippy::print_stdout, reason = "an example talks")]

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toolglot_tool_files::ItemId;
use toolglot_tool_registry::Registry;
use toolglot_tool_runner::{SharedTrust, ToolRunner};
use toolglot_tool_trust::{Spaces, Trust};
use toolglot_value::{Map, Value, json};

fn minimum(runs: u32, run: impl FnMut()) -> Duration {
    minimum_after(Duration::ZERO, runs, run)
}

/// The minimum duration of runs, each after a pause.
fn minimum_after(pause: Duration, runs: u32, mut run: impl FnMut()) -> Duration {
    (0..runs)
        .map(|_| {
            std::thread::sleep(pause);
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .min()
        .expect("there are runs")
}

const HEAD: &str = "__version__ = \"1.0.0\"\n__tool_type__ = \"python\"\n__category__ = \"t\"\n__tool_description__ = \"A tool\"\nCONFIG_SCHEMA = {\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\", \"description\": \"A number\"}}, \"required\": [\"a\"]}\n";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let whole = fs::canonicalize(folder.path())?;
    let (project, home) = (whole.join("project"), whole.join("home"));
    let tools = project.join(".ai/tools/t");
    fs::create_dir_all(&tools)?;
    fs::create_dir_all(&home)?;
    let function = "def execute(params, project_path):\n    return {'success': True, 'output': params['a'] + 1}\n";
    let files = [
        (
            "add-one.py",
            format!("{HEAD}__executor_id__ = \"python/function\"\n{function}"),
        ),
        (
            "add-one-script.py",
            format!(
                "{HEAD}__executor_id__ = \"python/script\"\nimport json, sys\n{function}print(json.dumps(execute(json.loads(sys.argv[2]), '')))\n"
            ),
        ),
        (
            "add-one-node.mjs",
            "export const __version__ = \"1.0.0\";\nexport const __tool_type__ = \"script\";\nexport const __executor_id__ = \"node/node\";\nexport const __category__ = \"t\";\nexport const __tool_description__ = \"A tool\";\nexport default (params) => ({ success: true, output: 1 });\n".to_owned(),
        ),
        (
            "run-true.yaml",
            "tool_id: run-true\ntool_type: script\nversion: \"1.0.0\"\nexecutor_id: bash\ncategory: t\ndescription: A tool\nconfig:\n  command: 'true'\n".to_owned(),
        ),
    ];
    let spaces = Spaces {
        project: Some(project.clone()),
        user: Some(home),
    };
    for (name, text) in &files {
        fs::write(tools.join(name), text)?;
    }
    let registry = Arc::new(Registry::open(&spaces)?);
    let registries: Result<Vec<Arc<Registry>>, _> = (0..100)
        .map(|_| Registry::open(&spaces).map(Arc::new))
        .collect();
    let registries = registries?;
    let mut fresh = registries.iter();
    let trust = SharedTrust::new(Trust::open(&spaces)?);
    for (name, _) in &files {
        let id = ItemId::new(&format!(
            "t/{}",
            name.rsplit_once('.').expect("it has one").0
        ))?;
        trust.write().trust(&[(&registry.find(&id)?, "1.0.0")])?;
    }
    let variables: BTreeMap<String, String> = [("PATH".to_owned(), std::env::var("PATH")?)].into();
    let runner_of = |registry: &Arc<Registry>| {
        ToolRunner::new(Arc::clone(registry), trust.clone(), &project)
            .with_variables(variables.clone())
    };
    let runner = runner_of(&registry);
    let arguments: Map<String, Value> = toolglot_value::from_value(&json!({"a": 1}))?;
    let bare = minimum(100, || {
        assert!(
            Command::new("/bin/true")
                .output()
                .is_ok_and(|output| output.status.success())
        );
    });
    let python = runner
        .interpreters()
        .python(&project)
        .ok_or("no Python here")?;
    let show = |what: &str, time: Duration| {
        let ratio = time.as_secs_f64() / bare.as_secs_f64();
        println!("{what:38} {time:>12.1?} {ratio:7.2}x");
    };
    show("/bin/true, bare", bare);
    show(
        "python3 -I -c pass, bare",
        minimum(10, || {
            let output = Command::new(&python.program)
                .args(["-I", "-c", "pass"])
                .output();
            assert!(output.is_ok_and(|output| output.status.success()));
        }),
    );
    show(
        "find, read, verify, validate: no run",
        minimum(1000, || {
            assert!(runner.prepare("t/add-one", arguments.clone()).is_ok());
        }),
    );
    show(
        "the same, nothing of it known yet",
        minimum(100, || {
            let runner = runner_of(fresh.next().expect("there are enough"));
            assert!(runner.prepare("t/add-one", arguments.clone()).is_ok());
        }),
    );
    show(
        "Python function, first call",
        minimum(20, || {
            runner.warm().end();
            assert!(runner.call_unjudged("t/add-one", arguments.clone()).is_ok());
        }),
    );
    let call = || {
        let called = runner.call_unjudged("t/add-one", arguments.clone());
        assert!(called.is_ok_and(|called| called.returned.success));
    };
    show("Python function, warm, at once", minimum(200, call));
    let pause = Duration::from_millis(20);
    show(
        "Python function, warm, after 20 ms",
        minimum_after(pause, 200, call),
    );
    show(
        "Python script",
        minimum(20, || {
            assert!(
                runner
                    .call_unjudged("t/add-one-script", arguments.clone())
                    .is_ok()
            );
        }),
    );
    show(
        "Node function",
        minimum(10, || {
            assert!(runner.call_unjudged("t/add-one-node", Map::new()).is_ok());
        }),
    );
    show(
        "bash -c true",
        minimum(50, || {
            assert!(runner.call_unjudged("t/run-true", Map::new()).is_ok());
        }),
    );
    Ok(())
}
