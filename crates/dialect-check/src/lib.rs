//! What a dialect reads, checked without Rust of its author.
//!
//! - [`cases()`] reads Markdown documents: inputs, and the events that are expected. [`Case::events`] gives those that the
//!   parser emits, the same however the input is cut; [`bless`] writes them into the document.
//! - [`dialect_report`] writes sample calls in a dialect and parses them back: what the dialect carries, and what it does not.
//!
//! It opens no file and prints nothing: `toolglot dialects check` and `dialects test` do.
//!
//! ~~~
//! use toolglot_dialect_check::{ProgramError, cases};
//!
//! let document = "\
//! ## One call
//!
//! The arguments are one object.
//!
//! ```input
//! <tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>
//! ```
//!
//! ```events
//! call ping
//! args {}
//! end closed
//! markup \"</tool_call>\"
//! ```
//! ";
//! let case = &cases(document, Some("hermes"))?[0];
//! let find = |name: &str| Ok::<_, ProgramError>(toolglot_chat::dialect_named(name)?.clone());
//! assert_eq!(case.events(&case.program(find)?)?, "call ping\nargs {}\nend closed\nmarkup \"</tool_call>\"");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ~~~

mod bless;
mod case;
pub mod markdown;
mod reading;
mod sample;

pub use bless::{bless, difference};
pub use case::{
    Case, CaseError, CaseErrorKind, CaseOptions, Part, ProgramError, ReadingError, cases,
};
pub use reading::{Cut, Reading};
pub use sample::{DialectReport, Misread, Sample, dialect_report};
