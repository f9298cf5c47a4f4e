//! Names of capabilities: which there are, and which mean the same.

/// What calls do, as builtin tools have it, and what tools that are files call the same.
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

/// What is wrong with a capability that no call needs.
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

/// Whether two capabilities are of the same thing, one of them as builtin tools have it and one as a tool that is a file declares it.
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

/// Whether a capability of a rule is this one, or all of its family: `net.*` is `net.http`.
pub(super) fn covers(name: &str, wanted: &str) -> bool {
    name == wanted
        || name
            .strip_suffix(".*")
            .and_then(|family| wanted.strip_prefix(family))
            .is_some_and(|rest| rest.starts_with('.'))
}
