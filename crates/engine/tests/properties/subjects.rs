//! Programs under test: each dialect alone, and all as one; without tools, and with tools of every shape.

use std::sync::{Arc, OnceLock};

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};
use toolglot_engine::{Dialect, Fields, Limits, Program, Renderer, Scalars, Shape, Tool, ToolSet};

use super::support::hostile::literals;

/// One program, and what its texts can be made of.
pub(crate) struct Subject {
    pub(crate) name: String,
    pub(crate) dialects: Vec<&'static Dialect>,
    pub(crate) tools: ToolSet,
    pub(crate) program: Arc<Program>,
    pub(crate) literals: Vec<String>,
}

impl Subject {
    fn new(name: &str, dialects: Vec<&'static Dialect>, tools: ToolSet) -> Subject {
        let owned: Vec<Dialect> = dialects.iter().map(|dialect| (*dialect).clone()).collect();
        let program =
            Program::compile(&owned, &tools, Limits::default()).expect("the dialects compile");
        let literals = dialects
            .iter()
            .flat_map(|dialect| literals(dialect))
            .collect();
        let with = if tools.is_empty() {
            "without tools"
        } else {
            "with tools"
        };
        Subject {
            name: format!("{name} {with}"),
            dialects,
            tools,
            program: Arc::new(program),
            literals,
        }
    }

    pub(crate) fn renderer(&self, index: usize) -> Renderer<'static> {
        Renderer::new(self.dialects[index % self.dialects.len()], &self.tools)
            .expect("the dialect compiles")
    }

    /// Runs a property over as many values as `TOOLGLOT_CASES` says, or its share of `cases` for each of 28 subjects: with
    /// more dialects each gets fewer, and the whole costs the same.
    ///
    /// # Errors
    /// The smallest value found that breaks it.
    pub(crate) fn holds<S: Strategy>(
        &self,
        cases: u32,
        strategy: &S,
        property: impl Fn(S::Value) -> Result<(), String>,
    ) -> Result<(), String> {
        let config = Config {
            cases: number("TOOLGLOT_CASES").unwrap_or(share(cases)),
            failure_persistence: None,
            max_shrink_iters: 20_000,
            ..Config::default()
        };
        let mut seed = [7; 32];
        seed[..4].copy_from_slice(&number("TOOLGLOT_SEED").unwrap_or(7).to_le_bytes());
        let mut runner =
            TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
        runner
            .run(strategy, |value| {
                property(value).map_err(TestCaseError::fail)
            })
            .map_err(|error| format!("{}: {error}", self.name))
    }
}

fn share(cases: u32) -> u32 {
    (cases * 28 / subjects().len() as u32).clamp(8, cases)
}

/// Whether something is tried here that takes turns with others: one in `share`, or everything by `TOOLGLOT_ROWS=all`.
pub(crate) fn is_due(turn: usize, share: usize) -> bool {
    turn.is_multiple_of(share) || std::env::var("TOOLGLOT_ROWS").is_ok_and(|rows| rows == "all")
}

fn number(variable: &str) -> Option<u32> {
    std::env::var(variable).ok()?.parse().ok()
}

/// Asks every subject, and says all that are wrong.
///
/// # Panics
/// If one is.
pub(crate) fn each_subject(holds: impl Fn(&'static Subject) -> Result<(), String>) {
    let faults: Vec<String> = subjects()
        .iter()
        .filter_map(|subject| holds(subject).err())
        .collect();
    assert!(
        faults.is_empty(),
        "{} of {} programs:\n\n{}",
        faults.len(),
        subjects().len(),
        faults.join("\n\n")
    );
}

/// All programs under test.
pub(crate) fn subjects() -> &'static [Subject] {
    static ALL: OnceLock<Vec<Subject>> = OnceLock::new();
    ALL.get_or_init(|| {
        let dialects = toolglot_dialects::all();
        let mut all = Vec::new();
        for with in [ToolSet::default(), tools()] {
            for dialect in dialects {
                all.push(Subject::new(dialect.name(), vec![dialect], with.clone()));
            }
            all.push(Subject::new(
                "all dialects",
                dialects.iter().collect(),
                with,
            ));
        }
        all
    })
}

/// Tools with parameters of every shape. Some of their names are ones that dialects fix.
pub(crate) fn tools() -> ToolSet {
    let scalar = |integer, number, boolean, null| {
        Shape::Scalar(Scalars {
            integer,
            number,
            boolean,
            null,
        })
    };
    let property = |name: &str, shape: Shape| (name.to_owned(), shape);
    let tool = |name: &str, properties: Vec<(String, Shape)>, others: Option<Shape>| Tool {
        name: name.into(),
        parameters: Fields {
            properties,
            others: others.map(Box::new),
        },
    };
    let edit = Shape::Object(Fields {
        properties: vec![
            property("search", Shape::Text),
            property("line", scalar(true, false, false, false)),
        ],
        others: None,
    });
    ToolSet::new([
        tool(
            "search",
            vec![
                property("text", Shape::Text),
                property("limit", scalar(true, false, false, false)),
                property("deep", scalar(false, false, true, false)),
                property("ratio", scalar(false, true, false, true)),
                property("edits", Shape::Array(Box::new(edit.clone()))),
                property("options", edit),
                property("tags", Shape::Array(Box::new(Shape::Text))),
                property(
                    "either",
                    Shape::OneOf(vec![Shape::Text, scalar(true, false, false, true)]),
                ),
                property("free", Shape::Any),
            ],
            None,
        ),
        tool(
            "write_file",
            vec![
                property("path", Shape::Text),
                property("content", Shape::Text),
            ],
            None,
        ),
        tool(
            "read_file",
            vec![property("path", Shape::Text)],
            Some(Shape::Any),
        ),
        tool(
            "execute_command",
            vec![
                property("command", Shape::Text),
                property("commands", Shape::Text),
            ],
            Some(Shape::Any),
        ),
        tool("now", Vec::new(), None),
    ])
}
