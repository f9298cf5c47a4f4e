//! Checks the behavior of a dialect; its author writes no Rust.
//!
//! - [`cases()`] reads Markdown documents: inputs, and the expected events. [`Case::events`] gives the events that the
//!   parser emits, the same for every cut of the input; [`bless`] writes them into the document.
//! - [`dialect_report`] writes sample calls in a dialect and parses them back, to report which calls it carries.
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
