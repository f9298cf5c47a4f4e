//! Tools with the program that reads calls of them: made for a request, and shared with the requests that have the same.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest, Sha256};
use toolglot_chat::{
    ChatError, DEFAULT_DIALECT, compile, default_server, dialect_named, dialects_named,
    instructions,
};
use toolglot_engine::{Dialect, Program};
use toolglot_toolset::Toolbox;
use toolglot_wire::Emulation;

/// The dialects that are read where a model's settings name none.
const ALL_DIALECTS: &str = "auto";

/// So many programs are kept. Each takes some hundred KiB.
const MOST: usize = 256;

/// What a set of tools and a dialect come to.
#[derive(Debug)]
pub(crate) struct ToolProgram {
    pub(crate) toolbox: Toolbox,
    pub(crate) program: Arc<Program>,
    /// The dialects that are read.
    dialects: Vec<Dialect>,
    /// The dialect that the model is taught, and that examples are written in.
    pub(crate) taught: &'static Dialect,
    /// Why the tools cannot be taught, where they cannot.
    emulation: Result<Emulation<'static>, String>,
}

impl ToolProgram {
    pub(crate) fn new(toolbox: &Toolbox, dialect: Option<&str>) -> Result<ToolProgram, ChatError> {
        let dialects = dialects_named(dialect.unwrap_or(ALL_DIALECTS), Some(toolbox))?;
        let program = compile(&dialects, Some(toolbox))?;
        let taught = taught(dialect)?;
        Ok(ToolProgram {
            toolbox: toolbox.clone(),
            program,
            dialects,
            taught,
            emulation: emulation(taught, toolbox),
        })
    }

    /// The literals of the dialects that may be special tokens of a model.
    pub(crate) fn markers(&self) -> Vec<&str> {
        let all = self.dialects.iter().flat_map(Dialect::literals);
        let may_be_token = |text: &&str| {
            let ends = [("<", ">"), ("[", "]")];
            let has = |(start, end): &(&str, &str)| text.starts_with(start) && text.ends_with(end);
            ends.iter().any(has)
        };
        let markers: BTreeSet<&str> = all.map(str::trim).filter(may_be_token).collect();
        markers.into_iter().collect()
    }

    /// What writes the history and the tools as text.
    pub(crate) fn emulation(&self) -> Result<&Emulation<'static>, &str> {
        self.emulation.as_ref().map_err(String::as_str)
    }
}

fn emulation(taught: &'static Dialect, toolbox: &Toolbox) -> Result<Emulation<'static>, String> {
    let instructions = if toolbox.is_empty() {
        String::new()
    } else {
        instructions(taught, toolbox)
            .map_err(|error| error.to_string())?
            .text
    };
    let server = default_server(taught.name());
    Emulation::new(taught, &toolbox.tool_set(), instructions, server)
        .map_err(|error| error.to_string())
}

/// The dialect that a model is taught where its settings name this list.
fn taught(dialect: Option<&str>) -> Result<&'static Dialect, ChatError> {
    let mut names = dialect.unwrap_or(ALL_DIALECTS).split(',').map(str::trim);
    let first = names.find(|name| *name != ALL_DIALECTS && !name.is_empty());
    dialect_named(first.unwrap_or(DEFAULT_DIALECT))
}

/// Whether a list of dialects can be read and taught.
pub(crate) fn check(dialect: &str) -> Result<(), ChatError> {
    dialects_named(dialect, None)?;
    taught(Some(dialect)).map(|_| ())
}

/// The programs that were used last.
#[derive(Debug, Default)]
pub(crate) struct ToolPrograms(Mutex<KeptPrograms>);

#[derive(Debug, Default)]
struct KeptPrograms {
    /// Each with the time of its last use.
    programs: HashMap<[u8; 32], (Arc<ToolProgram>, u64)>,
    time: u64,
}

impl ToolPrograms {
    /// The program for these tools.
    pub(crate) fn get(
        &self,
        toolbox: &Toolbox,
        dialect: Option<&str>,
    ) -> Result<Arc<ToolProgram>, ChatError> {
        let key = key(toolbox, dialect);
        {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.time += 1;
            let time = kept.time;
            if let Some((program, last_use)) = kept.programs.get_mut(&key) {
                *last_use = time;
                return Ok(Arc::clone(program));
            }
        }
        // Others continue meanwhile; two that need the same make it twice.
        let program = Arc::new(ToolProgram::new(toolbox, dialect)?);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.programs.len() >= MOST {
            let oldest = kept
                .programs
                .iter()
                .min_by_key(|(_, (_, last_use))| *last_use);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                kept.programs.remove(&oldest);
            }
        }
        let time = kept.time;
        kept.programs.insert(key, (Arc::clone(&program), time));
        Ok(program)
    }
}

/// All that a program depends on, in 32 bytes.
fn key(toolbox: &Toolbox, dialect: Option<&str>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    // Lengths keep fields apart.
    let mut add = |text: &str| {
        hasher.update(text.len().to_le_bytes());
        hasher.update(text.as_bytes());
    };
    add(dialect.unwrap_or_default());
    for spec in toolbox.iter() {
        add(&spec.name);
        add(&spec.description);
        add(&spec.parameters.to_string());
        add(&spec.effect.to_string());
        add(if toolbox.is_freeform(&spec.name) {
            "freeform"
        } else {
            ""
        });
    }
    hasher.finalize().into()
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn the_same_tools_share_a_program() {
        let programs = ToolPrograms::default();
        let toolbox = |name: &str| Toolbox::from_json(&json!({name: {}})).expect("a list of tools");
        let get = |name: &str, dialect| programs.get(&toolbox(name), dialect).expect("a program");
        let first = get("a", Some("hermes"));
        assert!(Arc::ptr_eq(&first, &get("a", Some("hermes"))));
        assert!(!Arc::ptr_eq(&first, &get("b", Some("hermes"))));
        assert!(!Arc::ptr_eq(&first, &get("a", Some("roo"))));
        for n in 0..MOST {
            get(&format!("t{n}"), Some("hermes"));
        }
        assert_eq!(programs.0.lock().expect("no panic").programs.len(), MOST);
        assert!(!Arc::ptr_eq(&first, &get("a", Some("hermes"))));
    }
}
