//! The dialects that ship with toolglot: the text of `dialects/*/dialect`, embedded, and a registry over it.
//!
//! - [`get`] finds a dialect by its name, by a model family (`qwen3`), or by another parser's name for it
//!   ([`ALIASES`]).
//! - [`auto`] is the program that reads any of them at once, compiled at its first use and shared from then on.
//! - [`all`] and [`union`] are the dialects themselves, to choose from.
//! - [`System`] describes how the system that taught a dialect treats its calls and results.
//!
//! A server that knows its model compiles that dialect, and one that does not takes [`auto`]; for the tools of a request
//! [`Program::for_tools`] shares the rules of either.
//!
//! ```
//! use std::sync::Arc;
//! use toolglot_engine::{Calls, Finish, Input, Limits, Parser, Program, Tool, ToolSet};
//!
//! let read = |program: &Arc<Program>| {
//!     let mut message = Calls::default();
//!     let mut parser = Parser::new(Arc::clone(program));
//!     parser.push(Input::Text("<function=ls>{\"path\": \".\"}</function>"), &mut message);
//!     parser.finish(Finish::Stop, &mut message);
//!     message.calls
//! };
//!
//! let hermes = toolglot_dialects::get("qwen3").expect("an alias of `hermes`");
//! let program = Program::compile([hermes], &ToolSet::default(), Limits::default())?;
//! assert!(read(&Arc::new(program)).is_empty());
//!
//! let tools = ToolSet::new([Tool { name: "ls".to_owned(), parameters: Default::default() }]);
//! let program = Arc::new(toolglot_dialects::auto().for_tools(&tools));
//! assert_eq!(read(&program)[0].dialect, "functionary_v31");
//! # Ok::<(), toolglot_engine::GrammarError>(())
//! ```
//!
//! A custom dialect is a file: [`parse`] reads it, and it may build on the dialects of [`all`].

mod fix;
mod system;

use std::sync::{Arc, OnceLock};

use toolglot_engine::{Dialect, GrammarError, Limits, Program, ToolSet};

pub use fix::{FixedFile, Replacement, fix};
pub use system::{CountedCall, OneCall, ResultShape, System};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Other spellings of dialect names, and names of formats that another dialect reads.
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
    ("cogito", "deepseek_v3"),
    ("deepseek_v3_ascii", "deepseek_v3"),
    ("minicpmv", "qwen3_coder"),
    ("nanbeige", "qwen3_coder"),
    ("nemotron_v3", "qwen3_coder"),
    ("granite_thinking", "qwen3_coder"),
    ("qwen3_xml", "qwen3_coder"),
    ("step3p5", "qwen3_coder"),
    ("step5", "qwen3_coder"),
    ("nemotron_deci", "nemotron_v2"),
    ("phi4", "phi4_mini"),
    ("firefunction_v2", "phi4_mini"),
    ("muse_glimmer", "muse"),
    ("muse_spark", "muse"),
    ("cohere2moe", "cohere"),
    ("cohere_command4", "cohere"),
    ("bare_json", "json"),
    ("bare_json_list", "json"),
    ("default_json", "json"),
    ("hf_response_template", "gemma4"),
    ("glm46", "glm45"),
    ("laguna", "poolside_v1"),
    ("intern_s1", "internlm2"),
    ("llama4_json", "llama3_json"),
    ("llama3", "llama3_json"),
    ("deepseekv3", "deepseek_v3"),
    ("deepseekv31", "deepseek_v31"),
    ("deepseekv32", "deepseek_v32"),
    ("deepseekv4", "deepseek_v4"),
    ("deepseekv41", "deepseek_v41"),
    ("gpt_oss", "harmony"),
    ("glm", "glm45"),
    ("qwen", "hermes"),
    ("qwen3", "hermes"),
    ("trinity", "hermes"),
    ("qwen3.5", "qwen3_coder"),
    ("nemotron_3_nano", "qwen3_coder"),
    ("berrylm", "qwen3_coder"),
    ("kolibri1", "qwen3_coder"),
    ("interns1", "internlm2"),
    ("internlm", "internlm2"),
    ("minimax", "minimax_m1"),
    ("ministral", "mistral_args"),
    ("hy3", "hy_v4"),
    ("hy4", "hy_v4"),
    ("cohere_command3", "cohere"),
    ("phi4_mini_json", "phi4_mini"),
    ("longcat_flash", "longcat"),
    ("solar_open", "solar"),
];

/// All embedded dialects, in order of name. Parsed once.
///
/// # Panics
/// Never in a released build: a test parses every file.
pub fn all() -> &'static [Dialect] {
    static ALL: OnceLock<Vec<Dialect>> = OnceLock::new();
    ALL.get_or_init(|| load().expect("the embedded dialects are checked by a test"))
}

/// All dialects in the order of the union: a dialect whose `auto_prefers` names another dialect comes after the rest.
/// The union includes dialects that read plain shell blocks (`split`); with prose they belong in no union.
pub fn union() -> Vec<&'static Dialect> {
    let follows = |dialect: &&Dialect| {
        let family = dialect.setting("auto_prefers");
        family.is_some_and(|family| family != dialect.name())
    };
    let (followers, mut heads): (Vec<&Dialect>, Vec<&Dialect>) = all().iter().partition(follows);
    heads.extend(followers);
    heads
}

/// All dialects as one program without tools, for `--dialect auto`. It is compiled at its first use, which takes some
/// milliseconds, and then shared; [`Program::for_tools`] makes the program for a request.
///
/// Dialects that read plain shell blocks (`split`) are left out: with prose, each block would be a command.
///
/// # Panics
/// Never in a released build: a test compiles it.
pub fn auto() -> &'static Arc<Program> {
    static AUTO: OnceLock<Arc<Program>> = OnceLock::new();
    AUTO.get_or_init(|| {
        let dialects = union().into_iter();
        let dialects = dialects.filter(|dialect| dialect.split().is_none());
        let program = Program::compile(dialects, &ToolSet::default(), Limits::default());
        Arc::new(program.expect("a test compiles the dialects that ship, all as one"))
    })
}

/// The dialect with that name or alias; `-` is read as `_` if no alias has it.
pub fn get(name: &str) -> Option<&'static Dialect> {
    let find = |name: &str| {
        all()
            .iter()
            .find(|dialect| dialect.name() == canonical(name))
    };
    find(name).or_else(|| find(&name.replace('-', "_")))
}

/// The dialects of a file, each of which must compile alone. They may build on the embedded dialects.
///
/// # Errors
/// The error in the file, and its place.
pub fn parse(file: &str) -> Result<Vec<Dialect>, GrammarError> {
    let dialects = Dialect::parse(file, all())?;
    if dialects.is_empty() {
        return Err(GrammarError {
            message: "the file holds no dialect".to_owned(),
            help: Some(
                "start with `dialect NAME`, as `toolglot dialects new NAME` does".to_owned(),
            ),
            span: 0..0,
            dialect: None,
            replacement: None,
        });
    }
    for dialect in &dialects {
        // Each dialect compiles alone, so an error is in this file.
        Program::compile([dialect], &ToolSet::default(), Limits::default())?;
    }
    Ok(dialects)
}

/// The canonical spelling of a dialect's name; an unknown name is returned unchanged.
pub fn canonical(name: &str) -> &str {
    ALIASES
        .iter()
        .find(|(alias, _)| *alias == name)
        .map_or(name, |(_, name)| name)
}

fn load() -> Result<Vec<Dialect>, GrammarError> {
    // A dialect is loaded after its base.
    let base = |text: &str| {
        let head = text.lines().next().unwrap_or("");
        let head = head.split('#').next().unwrap_or("");
        head.split_once(':').map(|(_, base)| base.trim().to_owned())
    };
    let mut waiting: Vec<(&str, Option<String>)> =
        FILES.iter().map(|(_, text)| (*text, base(text))).collect();
    let mut all: Vec<Dialect> = Vec::new();
    while !waiting.is_empty() {
        let n_before = all.len();
        let mut later = Vec::new();
        for (text, base) in waiting {
            let is_there = |base: &String| all.iter().any(|dialect| dialect.name() == base);
            if base.as_ref().is_none_or(is_there) {
                let more = Dialect::parse(text, &all)?;
                all.extend(more);
            } else {
                later.push((text, base));
            }
        }
        if all.len() == n_before {
            // The remaining dialects build on unknown ones; the error of the first one names its base.
            Dialect::parse(later[0].0, &all)?;
            break;
        }
        waiting = later;
    }
    all.sort_by(|a, b| a.name().cmp(b.name()));
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::{auto, get};

    #[test]
    fn names_of_parsers_and_models_find_their_dialect() {
        for (name, dialect) in [
            ("qwen3_coder", "qwen3_coder"),
            ("granite-20b-fc", "granite_20b_fc"),
            ("gpt-oss", "harmony"),
            ("hy3", "hy_v4"),
        ] {
            assert_eq!(
                get(name).map(toolglot_engine::Dialect::name),
                Some(dialect),
                "{name}"
            );
        }
        assert!(get("qwen3__coder").is_none());
    }

    #[test]
    fn all_dialects_compile_as_one_and_that_is_shared() {
        assert!(std::sync::Arc::ptr_eq(auto(), auto()));
    }
}

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
