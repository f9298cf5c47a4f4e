//! A cache of the look-alike search for many messages.

use std::collections::BTreeSet;
use std::slice;
use std::sync::{Arc, OnceLock};

use toolglot_engine::{Dialect, Program};
use toolglot_toolset::Toolbox;

use crate::reader::compile;

/// The lazily computed data of the look-alike search. It serves all messages of one set of dialects and tools.
#[derive(Debug, Default)]
pub struct LookalikeCache {
    /// The literals that may end reasoning in the dialects of the messages. They do not depend on the tools.
    reasoning_literals: Arc<OnceLock<Vec<String>>>,
    others: OnceLock<OtherDialects>,
    /// The program of all `auto` dialects.
    marked: OnceLock<Arc<Program>>,
}

/// The dialects that messages are not read with.
#[derive(Debug)]
struct OtherDialects {
    /// Whether `auto` contains any of them.
    has_marked: bool,
    fenced: Vec<FencedDialect>,
}

/// A dialect whose system reads plain fences as commands; `auto` leaves it out. Each is read separately: together they
/// would claim each other's blocks.
#[derive(Debug)]
pub(super) struct FencedDialect {
    pub(super) dialect: &'static Dialect,
    /// Literals of the dialect that contain a word.
    openers: Vec<&'static str>,
    program: OnceLock<Option<Arc<Program>>>,
}

impl LookalikeCache {
    /// A cache for the same dialects and other tools. Data that depends only on the dialects is shared.
    pub(crate) fn for_other_tools(&self) -> LookalikeCache {
        LookalikeCache {
            reasoning_literals: Arc::clone(&self.reasoning_literals),
            ..LookalikeCache::default()
        }
    }

    /// Whether `text` contains a literal that may end reasoning in one of `dialects`.
    pub(super) fn may_end_reasoning(&self, dialects: &[Dialect], text: &str) -> bool {
        let literals = self.reasoning_literals.get_or_init(|| {
            let all = dialects.iter().flat_map(Dialect::reasoning_literals);
            let all: BTreeSet<&str> = all.collect();
            all.into_iter().map(str::to_owned).collect()
        });
        literals.iter().any(|literal| text.contains(literal))
    }

    /// Whether `auto` contains a dialect that `used` lacks.
    pub(super) fn has_marked(&self, used: &[Dialect]) -> bool {
        self.others(used).has_marked
    }

    /// All dialects of `auto`, compiled for these tools.
    pub(super) fn marked(&self, tools: &Toolbox) -> &Arc<Program> {
        self.marked
            .get_or_init(|| Arc::new(toolglot_dialects::auto().for_tools(&tools.tool_set())))
    }

    /// The dialects that neither `auto` nor `used` contains.
    pub(super) fn fenced(&self, used: &[Dialect]) -> &[FencedDialect] {
        &self.others(used).fenced
    }

    fn others(&self, used: &[Dialect]) -> &OtherDialects {
        self.others.get_or_init(|| {
            let is_used = |dialect: &&Dialect| used.iter().any(|one| one.name() == dialect.name());
            let unused = toolglot_dialects::all().iter().filter(|one| !is_used(one));
            let (fenced, marked): (Vec<&Dialect>, Vec<&Dialect>) =
                unused.partition(|dialect| dialect.split().is_some());
            let fenced = fenced.into_iter();
            OtherDialects {
                has_marked: !marked.is_empty(),
                fenced: fenced
                    .filter(|dialect| Toolbox::taught(dialect.name()).is_some())
                    .map(FencedDialect::new)
                    .collect(),
            }
        })
    }
}

impl FencedDialect {
    fn new(dialect: &'static Dialect) -> FencedDialect {
        let has_word = |literal: &&str| literal.contains(|one: char| one.is_ascii_alphabetic());
        FencedDialect {
            dialect,
            openers: dialect.literals().into_iter().filter(has_word).collect(),
            program: OnceLock::new(),
        }
    }

    /// Whether one of the texts contains one of the dialect's literals with a word.
    pub(super) fn opens_in<'t>(&self, mut texts: impl Iterator<Item = &'t str>) -> bool {
        texts.any(|text| self.openers.iter().any(|opener| text.contains(opener)))
    }

    /// `None` if the dialect cannot be compiled for these tools.
    pub(super) fn program(&self, tools: &Toolbox) -> Option<&Arc<Program>> {
        let make = || compile(slice::from_ref(self.dialect), Some(tools)).ok();
        self.program.get_or_init(make).as_ref()
    }
}
