//! What the crates of this workspace bring into the program of whoever depends on them.

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

/// These features change the types of all who use `serde_json` in the same program.
#[test]
fn no_crate_changes_serde_json_for_others() {
    let features = tree(&["--workspace", "-e", "features,normal", "-i", "serde_json"]);
    assert!(
        features.contains("serde_json feature \"std\""),
        "{features}"
    );
    for feature in ["arbitrary_precision", "preserve_order"] {
        let asked = format!("serde_json feature \"{feature}\"");
        assert!(!features.contains(&asked), "{features}");
    }
}

#[test]
fn schemas_and_tool_sets_without_validation_are_below_20_crates() {
    for package in ["toolglot-schema", "toolglot-toolset"] {
        let tree = tree(&[
            "-p",
            package,
            "-e",
            "normal",
            "--prefix",
            "none",
            "--no-dedupe",
        ]);
        let mut crates: Vec<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        crates.sort_unstable();
        crates.dedup();
        assert!(crates.len() < 20, "{package}: {crates:?}");
    }
}
