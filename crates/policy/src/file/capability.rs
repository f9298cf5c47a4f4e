//! Names of capabilities: which exist, and which mean the same.

/// The capabilities of builtin tools, each with the names of tool files for the same.
const KIN: &[(&str, &[&str])] = &[
    ("read", &["fs.read"]),
    ("write", &["fs.write"]),
    ("delete", &["fs.delete"]),
    (
        "exec",
        &["shell.execute", "process.execute", "process.spawn"],
    ),
    ("shell", &["shell.execute"]),
    (
        "network",
        &[
            "net.http",
            "net.https",
            "net.tcp",
            "net.websocket",
            "net.connect",
        ],
    ),
];

/// Capabilities of builtin tools.
const BUILTIN: &[&str] = &["read", "write", "delete", "exec", "shell", "network", "ask"];

/// The problem with a capability that no call can need, if there is one.
pub(super) fn problem_of_capability(name: &str) -> Option<String> {
    let is_part = |part: &str| {
        let is_word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "_-".contains(c);
        !part.is_empty() && part.chars().all(is_word)
    };
    let whole = name.strip_suffix(".*").unwrap_or(name);
    if !whole.split('.').all(is_part) {
        return Some(
            "a capability is written in lower case, such as `read`, `shell.execute` or `net.*`"
                .to_owned(),
        );
    }
    (!name.contains('.') && !BUILTIN.contains(&name)).then(|| {
        format!(
            "no call needs it: there are `{}`, and what tools declare, with a dot, such as `net.http`",
            BUILTIN.join("`, `")
        )
    })
}

/// Whether two capabilities mean the same: they are equal, or one is of builtin tools and the other of tool files.
pub(super) fn is_kin(name: &str, wanted: &str) -> bool {
    let is_one = |own: &str, theirs: &str| {
        KIN.iter().any(|(builtin, declared)| {
            *builtin == own
                && (declared.contains(&theirs)
                    || (*builtin == "network" && theirs.starts_with("net."))
                    || declared.iter().any(|declared| covers(theirs, declared)))
        })
    };
    name == wanted || is_one(name, wanted) || is_one(wanted, name)
}

/// Whether a capability of a rule is `wanted` or its whole family: `net.*` covers `net.http`.
pub(super) fn covers(name: &str, wanted: &str) -> bool {
    name == wanted
        || name
            .strip_suffix(".*")
            .and_then(|family| wanted.strip_prefix(family))
            .is_some_and(|rest| rest.starts_with('.'))
}
