//! The packages that the crates of this workspace add to a program that depends on them.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// The answer of `cargo tree` for the workspace.
fn tree(arguments: &[&str]) -> String {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let tree = Command::new(env!("CARGO"))
        .current_dir(workspace)
        .args(["tree", "--offline", "--locked"])
        .args(arguments)
        .output()
        .expect("cargo runs");
    let why = String::from_utf8_lossy(&tree.stderr);
    assert!(tree.status.success(), "{why}");
    String::from_utf8_lossy(&tree.stdout).into_owned()
}

/// These features change types for all users of `serde_json` in the same program.
#[test]
fn no_crate_changes_serde_json_for_others() {
    let features = tree(&["--workspace", "-e", "features,normal", "-i", "serde_json"]);
    assert!(
        features.contains("serde_json feature \"std\""),
        "{features}"
    );
    for feature in ["arbitrary_precision", "preserve_order"] {
        let entry = format!("serde_json feature \"{feature}\"");
        assert!(!features.contains(&entry), "{features}");
    }
}

/// The names of a package and of its dependencies, in a program that enables these features.
fn crates(package: &str, features: &[&str]) -> BTreeSet<String> {
    let mut arguments = vec!["-p", package, "-e", "normal", "--prefix", "none"];
    arguments.extend(features);
    let tree = tree(&arguments);
    let names = tree.lines().filter_map(|line| line.split(' ').next());
    names.map(str::to_owned).collect()
}

/// The number of packages in a program that only reads, repairs and writes calls. The commit that raises a number
/// explains the reason.
#[test]
fn small_libraries_stay_small() {
    let none: &[&str] = &[];
    for (package, features, most) in [
        ("toolglot-json", none, 2),
        ("toolglot-engine", none, 3),
        ("toolglot-dialects", none, 4),
        ("toolglot-value", none, 9),
        ("toolglot-schema", none, 12),
        ("toolglot-toolset", none, 13),
        ("toolglot", &["--no-default-features"], 15),
        ("toolglot-wire", none, 22),
        ("toolglot-import", none, 24),
    ] {
        let crates = crates(package, features);
        assert!(crates.len() <= most, "{package}: {crates:?}");
    }
}
