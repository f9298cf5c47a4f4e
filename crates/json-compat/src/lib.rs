//! Repairs broken JSON to the results of two libraries: [`jsonrepair`] (JavaScript, 3.14) and [`json_repair`] (Python, 0.64).
//!
//! Both rule sets come from the documentation and the tests of the libraries; no code is shared. They read no tool
//! calls: `toolglot-json` has the rules for calls.
//!
//! ```
//! let text = "{'a': 1}{'a': 2}";
//! assert!(toolglot_json_compat::jsonrepair(text).is_err());
//! let repaired = toolglot_json_compat::json_repair(text, &toolglot_json::Shape::Any)?;
//! assert_eq!(repaired.text, r#"{"a": 2}"#);
//! # Ok::<(), toolglot_json_compat::RepairFailure>(())
//! ```

mod coercion;
mod failure;
mod json_repair;
mod jsonrepair;

use toolglot_json::internal::{Writer, is_valid};
use toolglot_json::{RepairedText, Shape};

pub use coercion::{CoercionError, CoercionRules, fit};
pub use failure::{Expected, RepairFailure};

/// Repairs a document to the result of the JavaScript library `jsonrepair` 3.14. Linear in the text.
///
/// # Errors
/// If the library refuses the text: the place, and what was expected there.
pub fn jsonrepair(text: &str) -> Result<RepairedText, RepairFailure> {
    repaired(text, || jsonrepair::Reader::new(text).run())
}

/// Repairs a document to the result of the Python library `json_repair` 0.64. `shape` is the known shape of its value.
/// Linear in the text.
///
/// # Errors
/// If brackets nest deeper than the library reads.
pub fn json_repair(text: &str, shape: &Shape) -> Result<RepairedText, RepairFailure> {
    repaired(text, || json_repair::Reader::new(text, shape).run())
}

/// The output of a reader, and the number of bytes that the reader looked at.
type Read = Result<(Writer, u64), RepairFailure>;

/// A valid text stays as it is. The libraries leave numbers to the reader of the JSON.
fn repaired(text: &str, read: impl FnOnce() -> Read) -> Result<RepairedText, RepairFailure> {
    let length = text.len();
    if is_valid(text, false) {
        let mut writer = Writer::new(text);
        writer.put(text);
        return Ok(writer.finish(length as u64));
    }
    let (writer, work) = read()?;
    Ok(writer.finish(length as u64 + work))
}

/// Compiles and runs the example of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
