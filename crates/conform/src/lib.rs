//! A conformance kit for parsers of tool calls.
//!
//! [`cases`] are messages in a dialect, with the calls and the text in them. A [`Program`] reads them, and [`run`]
//! checks its answers by the promises ([`Promise`]): right calls, the same calls at every cut, nothing lost or
//! invented, arguments that only grow, hostile values, linear time. [`Report`] is text, JSON or JUnit.
//!
//! The crate starts no process and reads no clock: the implementation of [`Program`] does. The lines to and from a
//! program are [`Question::line`] and [`Answer::read`].
//!
//! ```
//! use std::time::Duration;
//! use toolglot_conform::{AskError, Options, Program, Reply, cases, run};
//!
//! /// A parser that finds no call in any text.
//! struct Nothing;
//!
//! impl Program for Nothing {
//!     fn ask(&mut self, line: &str) -> Result<Reply, AskError> {
//!         let question = toolglot_value::from_str(line).expect("a line is JSON");
//!         let line = format!(r#"{{"id":{},"calls":[]}}"#, question["id"]);
//!         Ok(Reply { line, elapsed: Duration::from_micros(1) })
//!     }
//! }
//!
//! let dialect = toolglot_dialects::get("hermes").expect("a dialect");
//! let report = run(&[(dialect, cases(dialect))], &mut Nothing, &Options::default());
//! assert!(report.n_failed() > 0);
//! ```

mod answer;
mod case;
mod equal;
mod judge;
mod promise;
mod rendered;
mod report;
mod run;
mod written;

use toolglot_engine::Dialect;

pub use answer::{Answer, AnswerError, AnsweredCall};
pub use case::{Case, ExpectedCall, Question};
pub use promise::Promise;
pub use report::Report;
pub use run::{AskError, Options, Outcome, Program, Reply, Row, run};

/// The cases of a dialect: cases that its renderer writes, and cases written by hand.
pub fn cases(dialect: &Dialect) -> Vec<Case> {
    let mut cases = rendered::cases(dialect);
    cases.extend(written::cases(dialect.name()));
    cases
}

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
