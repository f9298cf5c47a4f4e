//! The rows of `rows/*.toml`.

use serde::Deserialize;
use toolglot_value::{Map, Value};

/// An attack, or a control that must work.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) area: String,
    pub(crate) must: Must,
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    /// A whole message in place of a call.
    pub(crate) message: Option<String>,
    pub(crate) dialect: String,
    /// The name of a shipped policy, or a policy file's text.
    pub(crate) policy: String,
    /// A shell script that makes the workspace.
    pub(crate) setup: String,
    /// A shell condition that holds if the attack failed, or the control worked.
    pub(crate) check: String,
    /// What a system without protection would do, if that is more than the tool's own effect.
    pub(crate) unprotected: Option<String>,
    /// Why the attack does nothing even without protection.
    pub(crate) inert: Option<String>,
    /// `root` if only root can be attacked this way.
    pub(crate) only: Option<String>,
    /// A script that cleans up outside of the workspace.
    pub(crate) after: Option<String>,
    /// The first directory in `PATH`.
    pub(crate) path_first: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Must {
    /// The call is refused, or fails.
    Deny,
    /// The call may run, without effect on its target.
    Contain,
    /// The call runs and succeeds.
    Allow,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    area: String,
    #[serde(default)]
    policy: Option<String>,
    #[serde(default)]
    setup: String,
    #[serde(default)]
    check: Option<String>,
    row: Vec<Written>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    must: Must,
    call: Option<Map<String, Value>>,
    /// Short for a call of `execute_command`.
    command: Option<String>,
    message: Option<String>,
    dialect: Option<String>,
    policy: Option<String>,
    #[serde(default)]
    setup: String,
    check: Option<String>,
    unprotected: Option<String>,
    inert: Option<String>,
    only: Option<String>,
    after: Option<String>,
    path_first: Option<String>,
}

const FILES: &[&str] = &[
    include_str!("rows/built.toml"),
    include_str!("rows/commands.toml"),
    include_str!("rows/git.toml"),
    include_str!("rows/hidden.toml"),
    include_str!("rows/injection.toml"),
    include_str!("rows/moved.toml"),
    include_str!("rows/network.toml"),
    include_str!("rows/own.toml"),
    include_str!("rows/paths.toml"),
    include_str!("rows/policy.toml"),
    include_str!("rows/refusals.toml"),
    include_str!("rows/programs.toml"),
    include_str!("rows/resources.toml"),
    include_str!("rows/secrets.toml"),
    include_str!("rows/writes.toml"),
];

/// All rows. Two rows with one name, or a row without a call, are an error.
pub(crate) fn all() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for text in FILES {
        let file: File = toml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
        for written in file.row {
            rows.push(row(
                &file.area,
                file.policy.as_deref(),
                &file.setup,
                file.check.as_deref(),
                written,
            ));
        }
    }
    for (index, row) in rows.iter().enumerate() {
        assert!(
            !rows[..index]
                .iter()
                .any(|other| other.id == row.id && other.area == row.area),
            "two rows {}",
            row.id
        );
    }
    rows
}

fn row(
    area: &str,
    policy: Option<&str>,
    setup: &str,
    check: Option<&str>,
    written: Written,
) -> Row {
    let mut arguments = written.call.unwrap_or_default();
    let tool = match arguments.remove("tool") {
        Some(Value::String(tool)) => tool,
        _ => "execute_command".to_owned(),
    };
    if let Some(command) = written.command {
        arguments.insert("command".to_owned(), command.into());
    }
    assert!(
        !arguments.is_empty() || written.message.is_some() || tool.starts_with("git"),
        "{}: no call",
        written.id
    );
    Row {
        id: format!("{area}/{}", written.id),
        area: area.to_owned(),
        must: written.must,
        tool,
        arguments,
        dialect: written.dialect.unwrap_or_else(|| {
            if written.message.is_some() {
                "auto"
            } else {
                "tool_call"
            }
            .to_owned()
        }),
        message: written.message,
        policy: written
            .policy
            .or_else(|| policy.map(str::to_owned))
            .unwrap_or_else(|| "default".to_owned()),
        setup: [setup, &written.setup].join("\n"),
        check: written
            .check
            .or_else(|| check.map(str::to_owned))
            .unwrap_or_else(|| "true".to_owned()),
        unprotected: written.unprotected,
        inert: written.inert,
        only: written.only,
        after: written.after,
        path_first: written.path_first,
    }
}
