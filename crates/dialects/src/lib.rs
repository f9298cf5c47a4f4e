//! The dialects that ship with toolglot: the text of `dialects/*/dialect`, embedded, and a registry over it.
//!
//! ```
//! let hermes = toolglot_dialects::get("hermes").expect("it ships");
//! assert_eq!(hermes.name(), "hermes");
//! assert_eq!(toolglot_dialects::get("forge-xml").map(|d| d.name().to_owned()), Some("forge".to_owned()));
//! ```

use std::sync::OnceLock;

use toolglot::{Dialect, GrammarError};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Other spellings of dialect names, and names whose reading is that of another dialect.
pub const ALIASES: &[(&str, &str)] = &[
    ("forge-xml", "forge"),
    ("forge-hybrid", "forge_hybrid"),
    ("axe-bash", "axe"),
    ("axe-fence", "axe"),
    ("axe-native", "axe"),
    ("axe-simple", "axe"),
    ("tool-call-json", "tool_call"),
    ("tool-call-bracket", "tool_call"),
    ("tool_call_colon", "tool_call"),
    ("tool-call-xml", "tool_call_xml"),
    ("qwen25", "hermes"),
    ("granite4", "hermes"),
    ("minicpmv", "qwen3_coder"),
    ("nemotron_v3", "qwen3_coder"),
    ("granite_thinking", "qwen3_coder"),
    ("step3p5", "qwen3_coder"),
    ("bare_json", "json"),
    ("bare_json_list", "json"),
    ("default_json", "json"),
];

/// All embedded dialects, in order of name. Parsed once.
///
/// # Panics
/// Never in a released build: a test parses every file.
pub fn all() -> &'static [Dialect] {
    static ALL: OnceLock<Vec<Dialect>> = OnceLock::new();
    ALL.get_or_init(|| load().expect("the embedded dialects are checked by a test"))
}

/// The dialect of that name or alias.
pub fn get(name: &str) -> Option<&'static Dialect> {
    let name = canonical(name);
    all().iter().find(|dialect| dialect.name() == name)
}

/// The canonical spelling of a dialect's name; unknown names come back as they are.
pub fn canonical(name: &str) -> &str {
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, name)| name)
}

fn load() -> Result<Vec<Dialect>, GrammarError> {
    // Those that build on none come first.
    let builds = |text: &str| {
        text.lines().next().is_some_and(|line| {
            line.split('#')
                .next()
                .is_some_and(|head| head.contains(':'))
        })
    };
    let (built, plain): (Vec<_>, Vec<_>) = FILES
        .iter()
        .map(|(_, text)| *text)
        .partition(|text| builds(text));
    let mut all = Vec::new();
    for text in plain.into_iter().chain(built) {
        let more = Dialect::parse(text, &all)?;
        all.extend(more);
    }
    all.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(all)
}
