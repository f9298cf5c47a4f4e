//! Caches compiled dialects and tools for later messages that use the same ones.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, PoisonError, RwLock};

use toolglot_engine::{Dialect, Program, ToolSet};
use toolglot_toolset::Toolbox;
use toolglot_wire::ToolChoice;

use crate::argument_spans::ArgumentSpans;
use crate::digest::{Digest, DigestContext};
use crate::error::ChatError;
use crate::lookalike::{LookalikeCache, LookalikeContext, lookalike_notes};
use crate::reader::{Reader, Reading, compile, tool_set};

/// The most cached combinations of dialects and tools, and of dialects alone.
const HELD: usize = 256;

/// Compiled combinations of dialects and tools.
///
/// Messages with equal dialects and tools share a program. Messages with equal dialects only share its rules. Threads
/// may share one cache.
#[derive(Debug, Default)]
pub struct ProgramCache {
    /// Keyed by the names of the dialects and the text of the tools.
    compiled: RwLock<HashMap<(String, String), CompiledDialects>>,
    /// Keyed by the names of the dialects, in order.
    rules: RwLock<HashMap<Vec<String>, CompiledRules>>,
}

/// The rules of dialects, compiled once for all tools, and their program for some tools. A clone shares both.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompiledRules {
    /// The program for these tools.
    pub program: Arc<Program>,
    /// The cached data of the look-alike search for the dialects.
    pub lookalikes: Arc<LookalikeCache>,
}

impl CompiledRules {
    /// The rules of `dialects`, and their program for the tools of `toolbox`, or for no tools.
    ///
    /// # Errors
    /// [`ChatError::Program`] for dialects that do not compile together.
    pub fn new(dialects: &[Dialect], toolbox: Option<&Toolbox>) -> Result<Self, ChatError> {
        Ok(CompiledRules {
            program: compile(dialects, toolbox)?,
            lookalikes: Arc::default(),
        })
    }

    /// The same rules for other tools: only names and types are compiled.
    #[must_use]
    pub fn for_tools(&self, tools: &ToolSet) -> CompiledRules {
        CompiledRules {
            program: Arc::new(self.program.for_tools(tools)),
            lookalikes: Arc::new(self.lookalikes.for_other_tools()),
        }
    }
}

/// Dialects and tools, and their program. A clone shares the program.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CompiledDialects {
    /// The program.
    pub program: Arc<Program>,
    /// The dialects, in order.
    pub dialects: Arc<[Dialect]>,
    /// The tools, if there are any.
    pub toolbox: Option<Arc<Toolbox>>,
    /// The cached data of the look-alike search.
    pub lookalikes: Arc<LookalikeCache>,
}

impl ProgramCache {
    /// The program for a list of dialects and the text of a tool list. `find` resolves both if they are not cached.
    ///
    /// # Errors
    /// The errors of `find`, and [`ChatError::Program`] for dialects that do not compile together.
    pub fn get<E: From<ChatError>>(
        &self,
        list: &str,
        tools: &str,
        find: impl FnOnce() -> Result<(Vec<Dialect>, Option<Arc<Toolbox>>), E>,
    ) -> Result<CompiledDialects, E> {
        let key = (list.to_owned(), tools.to_owned());
        if let Some(compiled) = held(&self.compiled, &key) {
            return Ok(compiled);
        }
        let (dialects, toolbox) = find()?;
        let CompiledRules {
            program,
            lookalikes,
        } = self.rules(&dialects, toolbox.as_deref())?;
        let compiled = CompiledDialects {
            program,
            dialects: dialects.into(),
            toolbox,
            lookalikes,
        };
        hold(&self.compiled, key, compiled.clone());
        Ok(compiled)
    }

    fn rules(
        &self,
        dialects: &[Dialect],
        toolbox: Option<&Toolbox>,
    ) -> Result<CompiledRules, ChatError> {
        let names: Vec<String> = dialects.iter().map(|one| one.name().to_owned()).collect();
        if let Some(rules) = held(&self.rules, &names) {
            return Ok(rules.for_tools(&tool_set(dialects, toolbox)));
        }
        let rules = CompiledRules::new(dialects, toolbox)?;
        hold(&self.rules, names, rules.clone());
        Ok(rules)
    }
}

fn held<K: Eq + Hash, V: Clone>(map: &RwLock<HashMap<K, V>>, key: &K) -> Option<V> {
    let map = map.read().unwrap_or_else(PoisonError::into_inner);
    map.get(key).cloned()
}

/// Adds a value, and drops all others if there are too many. No thread waits while another compiles: two threads may
/// compile the same.
fn hold<K: Eq + Hash, V>(map: &RwLock<HashMap<K, V>>, key: K, value: V) {
    let mut map = map.write().unwrap_or_else(PoisonError::into_inner);
    if map.len() >= HELD {
        map.clear();
    }
    map.insert(key, value);
}

impl CompiledDialects {
    /// Verifies what `reader` read against the tools and the choice, and searches for look-alikes.
    ///
    /// `reader` has the program of these dialects. The message is moved out of the reading; its text and pieces remain.
    pub fn digest(
        &self,
        reader: &Reader,
        reading: &mut Reading,
        choice: &ToolChoice,
        normalize: bool,
    ) -> Digest {
        let toolbox = self.toolbox.as_deref();
        choice.apply(&mut reading.trace.message, toolbox);
        let context = LookalikeContext {
            dialects: &self.dialects,
            toolbox,
            reader,
            cache: &self.lookalikes,
        };
        let lookalikes = lookalike_notes(context, reading);
        let spans = ArgumentSpans::new(reader, &reading.text);
        let context = DigestContext {
            dialects: &self.dialects,
            toolbox,
            normalize,
            spans: Some(&spans),
        };
        // Arguments may be large: they are moved, not copied.
        let mut digest = Digest::new(std::mem::take(&mut reading.trace.message), context);
        digest.add_lookalikes(lookalikes);
        digest
    }
}
