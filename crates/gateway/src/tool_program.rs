//! Tools with the program that parses their calls: compiled for a request, and shared by requests with the same tools.
//!
//! There are two caches: a list of dialects compiled without tools ([`DialectProgram`]), which takes milliseconds, and
//! the same with a set of tools ([`ToolProgram`]).

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use sha2::{Digest, Sha256};
use toolglot_chat::{
    ChatError, DEFAULT_DIALECT, LookalikeCache, LookalikeContext, Reader, default_server,
    dialect_named, instructions, shared_dialects, unopened_reasoning_note,
};
use toolglot_engine::{
    Dialect, Event, Finish, Input, Limits, Note, Parser, Program, Span, ToolSet,
};
use toolglot_toolset::Toolbox;
use toolglot_wire::Emulation;

use crate::constraint::Grammars;

/// The dialects of a model whose settings name none.
const ALL_DIALECTS: &str = "auto";

/// The most cached programs. Each takes some hundred KiB.
const MOST: usize = 256;

/// A compiled list of dialects, without tools.
#[derive(Debug)]
struct DialectProgram {
    /// The program without tools. Programs with tools share its rules.
    program: Program,
    dialects: Vec<Dialect>,
    /// The literals that may be special tokens of a model.
    markers: Vec<&'static str>,
    /// The cached data of the search for the end of reasoning.
    lookalikes: LookalikeCache,
    /// The dialect that the model is taught, and in which examples are written.
    taught: &'static Dialect,
}

/// A list of dialects compiled for a set of tools.
#[derive(Debug)]
pub(crate) struct ToolProgram {
    pub(crate) toolbox: Toolbox,
    pub(crate) program: Arc<Program>,
    dialects: Arc<DialectProgram>,
    /// The writer of the history and the tools as text, created when first needed; or why the tools cannot be taught.
    emulation: OnceLock<Result<Emulation<'static>, String>>,
    /// The grammars that were needed so far.
    pub(crate) grammars: Grammars,
}

impl DialectProgram {
    fn new(dialects: &[&'static Dialect], taught: &'static Dialect) -> Result<Self, ChatError> {
        let no_tools = ToolSet::default();
        let compiled = Program::compile(dialects.iter().copied(), &no_tools, Limits::default());
        let program = compiled.map_err(|error| ChatError::Program(Box::new(error)))?;
        Ok(DialectProgram {
            dialects: dialects.iter().copied().cloned().collect(),
            markers: markers(dialects),
            lookalikes: LookalikeCache::default(),
            program,
            taught,
        })
    }
}

impl ToolProgram {
    fn new(toolbox: &Toolbox, dialects: Arc<DialectProgram>) -> ToolProgram {
        ToolProgram {
            toolbox: toolbox.clone(),
            program: Arc::new(dialects.program.for_tools(&toolbox.tool_set())),
            dialects,
            emulation: OnceLock::new(),
            grammars: Grammars::default(),
        }
    }

    /// The literals of the dialects that may be special tokens of a model.
    pub(crate) fn markers(&self) -> &[&'static str] {
        &self.dialects.markers
    }

    /// The dialect that the model is taught, and in which examples are written.
    pub(crate) fn taught(&self) -> &'static Dialect {
        self.dialects.taught
    }

    /// A note on the end of reasoning without an opener, in a text that was read to its end.
    pub(crate) fn unopened_reasoning(&self, text: &str) -> Option<Note> {
        let reader = Reader::new(Arc::clone(&self.program));
        let context = LookalikeContext {
            dialects: &self.dialects.dialects,
            toolbox: Some(&self.toolbox),
            reader: &reader,
            cache: &self.dialects.lookalikes,
        };
        unopened_reasoning_note(context, text)
    }

    /// Whether a model's text after this prompt is reasoning.
    pub(crate) fn starts_in_reasoning(&self, prompt: &str) -> bool {
        let mut parser = Parser::after_prompt(Arc::clone(&self.program), prompt);
        let mut is_reasoning = false;
        let mut sink = |_: Span, event: Event<'_>| {
            is_reasoning |= matches!(event, Event::Reasoning(text) if !text.trim().is_empty());
        };
        parser.push(Input::Text("I look. "), &mut sink);
        parser.finish(Finish::Stop, &mut sink);
        is_reasoning
    }

    /// The writer of the history and the tools as text.
    pub(crate) fn emulation(&self) -> Result<&Emulation<'static>, &str> {
        let make = || emulation(self.taught(), &self.toolbox);
        self.emulation
            .get_or_init(make)
            .as_ref()
            .map_err(String::as_str)
    }
}

fn markers(dialects: &[&'static Dialect]) -> Vec<&'static str> {
    let all = dialects.iter().copied().flat_map(Dialect::literals);
    let may_be_token = |text: &&str| {
        let ends = [("<", ">"), ("[", "]")];
        let has = |(start, end): &(&str, &str)| text.starts_with(start) && text.ends_with(end);
        ends.iter().any(has)
    };
    let markers: BTreeSet<&str> = all.map(str::trim).filter(may_be_token).collect();
    markers.into_iter().collect()
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

/// The dialect that a model is taught if its settings contain this list.
fn taught(dialect: Option<&str>) -> Result<&'static Dialect, ChatError> {
    let mut names = dialect.unwrap_or(ALL_DIALECTS).split(',').map(str::trim);
    let first = names.find(|name| *name != ALL_DIALECTS && !name.is_empty());
    dialect_named(first.unwrap_or(DEFAULT_DIALECT))
}

/// Whether a list of dialects can be read and taught.
pub(crate) fn check(dialect: &str) -> Result<(), ChatError> {
    shared_dialects(dialect, None)?;
    taught(Some(dialect)).map(|_| ())
}

/// The most recently used programs.
#[derive(Debug, Default)]
pub(crate) struct ToolPrograms {
    programs: Mutex<KeptPrograms>,
    /// Keyed by the names of the dialects, in order, and of the taught one. There are only as many as lists in the
    /// settings and tool sets of dialects.
    dialects: Mutex<HashMap<Vec<&'static str>, Arc<DialectProgram>>>,
}

#[derive(Debug, Default)]
struct KeptPrograms {
    /// Each program with the time of its last use.
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
            let mut cache = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
            cache.time += 1;
            let time = cache.time;
            if let Some((program, last_use)) = cache.programs.get_mut(&key) {
                *last_use = time;
                return Ok(Arc::clone(program));
            }
        }
        // The lock is not held meanwhile; two threads may compile the same program.
        let program = Arc::new(self.make(toolbox, dialect)?);
        let mut cache = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.programs.len() >= MOST {
            let oldest = cache
                .programs
                .iter()
                .min_by_key(|(_, (_, last_use))| *last_use);
            if let Some(oldest) = oldest.map(|(key, _)| *key) {
                cache.programs.remove(&oldest);
            }
        }
        let time = cache.time;
        cache.programs.insert(key, (Arc::clone(&program), time));
        Ok(program)
    }

    /// A program for these tools, not shared with other requests.
    pub(crate) fn make(
        &self,
        toolbox: &Toolbox,
        dialect: Option<&str>,
    ) -> Result<ToolProgram, ChatError> {
        let taught = taught(dialect)?;
        let dialects = shared_dialects(dialect.unwrap_or(ALL_DIALECTS), Some(toolbox))?;
        let names = dialects.iter().copied().chain([taught]);
        let names: Vec<&'static str> = names.map(Dialect::name).collect();
        let cache = || self.dialects.lock().unwrap_or_else(PoisonError::into_inner);
        let found = cache().get(&names).cloned();
        let dialects = if let Some(dialects) = found {
            dialects
        } else {
            let made = Arc::new(DialectProgram::new(&dialects, taught)?);
            Arc::clone(cache().entry(names).or_insert(made))
        };
        Ok(ToolProgram::new(toolbox, dialects))
    }
}

/// The hash of all inputs of a program.
fn key(toolbox: &Toolbox, dialect: Option<&str>) -> [u8; 32] {
    let mut hasher = Sha256::new();
    // The lengths separate the fields.
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
    use allocation_counter::measure;
    use toolglot_value::json;

    use super::*;
    use crate::constraint::{Constrain, Wanted};
    use toolglot_wire::ToolChoice;

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
        let n_kept = programs.programs.lock().expect("no panic").programs.len();
        assert_eq!(n_kept, MOST);
        assert!(!Arc::ptr_eq(&first, &get("a", Some("hermes"))));
    }

    fn tools(request: usize) -> Toolbox {
        let tools = (0..10).map(|n| {
            let name = format!("tool_{request}_{n}");
            let string = json!({"type": "string", "description": "A path below the root."});
            let schema = json!({"type": "object", "properties": {"path": string, "limit": {"type": "integer"}}, "required": ["path"]});
            json!({"type": "function", "function": {"name": name, "description": "Reads.", "parameters": schema}})
        });
        Toolbox::from_json(&tools.collect()).expect("a list of tools")
    }

    /// Counted, not timed: the counter is per thread.
    #[test]
    fn new_tools_cost_little_beside_the_engine() {
        let count = |work: &mut dyn FnMut()| measure(work).count_total;
        let programs = ToolPrograms::default();
        let base = toolglot_dialects::auto();
        let get = |toolbox: &Toolbox| drop(programs.get(toolbox, None).expect("a program"));
        get(&tools(0));
        let (known, new) = (tools(0), tools(1));
        let again = count(&mut || get(&known));
        let made = count(&mut || get(&new));
        let of_engine = count(&mut || drop(base.for_tools(&new.tool_set())));
        // Ten tools: their schemas as text for the key, and one copy.
        assert!(again <= 200, "{again}");
        assert!(made <= of_engine + 1000, "{made} {of_engine}");
    }

    #[test]
    fn the_grammar_of_known_tools_costs_nothing() {
        let count = |work: &mut dyn FnMut()| measure(work).count_total;
        let programs = ToolPrograms::default();
        let wanted = Wanted {
            constrain: Constrain::Gbnf,
            choice: &ToolChoice::Required,
            is_parallel: true,
            has_strict_tool: false,
            is_reasoning_open: false,
        };
        let program = programs.get(&tools(0), None).expect("a program");
        let get = || {
            let made = program
                .grammars
                .get(program.taught(), &program.toolbox, &wanted);
            assert!(made.expect("a grammar").1.is_some());
        };
        let made = count(&mut || get());
        let again = count(&mut || get());
        assert!(made > 1_000 && again <= 2, "{made} {again}");
    }
}
