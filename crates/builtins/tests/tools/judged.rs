//! Plans with policy decisions: rules apply to the resolved path, not to its spelling.

use toolglot_builtins::plan;
use toolglot_engine::End;
use toolglot_policy::{Decision, Effect, Grants, Request, judge};
use toolglot_value::json;

use crate::world::World;

fn world() -> World {
    let world = World::with(&[
        ("src/main.rs", "fn main() {}"),
        (".git/config", "[remote]"),
        (".env", "KEY=1"),
    ]);
    world.link("harmless", ".git");
    world.link("notes.txt", ".env");
    world.link("out", world.out());
    world
}

/// The decision about a read or a write of `path`, with the grant to write.
fn verdict(world: &World, effect: Effect, path: &str) -> (Decision, String) {
    let (tool, arguments) = match effect {
        Effect::Read => ("read_file", json!({"path": path})),
        _ => ("write_file", json!({"path": path, "content": "x"})),
    };
    let plan = plan(&world.root, tool, arguments.as_object().expect("an object")).expect("planned");
    let grants: Grants = "write".parse().expect("known");
    let verdict = judge(
        &Request::new(tool, effect, End::Closed, plan.paths()),
        &grants,
    );
    (verdict.decision, verdict.rule.into_owned())
}

#[test]
fn no_spelling_hides_where_a_path_leads() {
    let world = world();
    let absolute = world.at(".git/hooks/pre-commit");
    for path in [
        ".git/hooks/pre-commit",
        "harmless/hooks/pre-commit",
        "src/../.git/hooks/pre-commit",
        "src/../harmless/hooks/pre-commit",
        ".GIT/hooks/pre-commit",
        "sub/.git",
        absolute.to_str().expect("UTF-8"),
    ] {
        assert_eq!(
            verdict(&world, Effect::Write, path),
            (Decision::Deny, "guarded-path".to_owned()),
            "{path}"
        );
    }
    for path in [
        ".env",
        "notes.txt",
        "src/../notes.txt",
        ".ENV",
        ".env ",
        ".git/config",
        "harmless/config",
    ] {
        for effect in [Effect::Read, Effect::Write] {
            assert_eq!(
                verdict(&world, effect, path),
                (Decision::Deny, "secret-path".to_owned()),
                "{path}"
            );
        }
    }
    for path in ["out/secret.txt", "../out/secret.txt", "/etc/passwd"] {
        assert_eq!(
            verdict(&world, Effect::Read, path),
            (Decision::Deny, "path-outside-root".to_owned()),
            "{path}"
        );
    }
    assert_eq!(
        verdict(&world, Effect::Read, "file:///etc/passwd"),
        (Decision::Deny, "path-unusable".to_owned())
    );
}

#[test]
fn ordinary_work_goes_through() {
    let world = world();
    for path in [
        "src/main.rs",
        "src/../src/main.rs",
        "not/yet/there",
        "harmless/HEAD",
    ] {
        assert_eq!(
            verdict(&world, Effect::Read, path),
            (Decision::Allow, "read-inside-root".to_owned()),
            "{path}"
        );
    }
    for path in ["src/main.rs", "not/yet/there", "we ird \u{e9}\u{65e5}.txt"] {
        assert_eq!(
            verdict(&world, Effect::Write, path),
            (Decision::Allow, "write-granted".to_owned()),
            "{path}"
        );
    }
}
