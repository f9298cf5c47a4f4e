//! Chat templates and response templates of checkpoints, read as dialects.
//!
//! A checkpoint has a chat template, a Jinja program that writes calls as its model was taught them: [`detect`] finds
//! the dialects of these calls. Some have a `response_template`, which specifies how the model's text becomes a
//! message: [`from_response_template`] writes the dialect file for it.
//!
//! Where no dialect fits, [`draft`] writes a dialect file for the call that a chat template renders.
//!
//! What this crate deliberately does not do: it reads no file and fetches none.
//! A template is never trusted: it runs without any function of the system, within limits of steps, bytes and time.
//!
//! ```
//! let template = "{% for call in messages[-1].tool_calls %}[TOOL_CALLS]{{ call.function.name }}[ARGS]\
//!     {{ call.function.arguments | tojson }}{% endfor %}";
//! let detection = toolglot_import::detect(template)?;
//! let names: Vec<&str> = detection.candidates.iter().map(|one| one.dialect.name()).collect();
//! assert_eq!(names[0], "mistral_args");
//! # Ok::<(), toolglot_import::ImportError>(())
//! ```

mod detect;
mod dialect_file;
mod draft;
mod error;
mod probe;
mod response_template;

pub use detect::{Candidate, Detection, FoundLiteral, Rank, TemplateMatch, detect, match_template};
pub use dialect_file::from_response_template;
pub use draft::draft;
pub use error::ImportError;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
