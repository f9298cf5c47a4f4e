//! JSON as language models write it: a push transducer that repairs while it streams, and a reader of its output.
//!
//! The crate knows nothing of calls, tools or dialects. It builds no values and reads no JSON Schema.
//! A caller passes the part of a schema that the crate needs as a [`Shape`].
//!
//! ```
//! use toolglot_json::{Output, Root, Step, Transducer};
//!
//! let mut out = Output::default();
//! let mut json = Transducer::new(Root::Object);
//! let text = "{'path': \"a.rs\", lines: [1, 2,],}";
//! for (at, piece) in text.char_indices() {
//!     json.feed(piece.encode_utf8(&mut [0; 4]), at as u64, &mut out);
//! }
//! assert_eq!(out.text, r#"{"path": "a.rs", "lines": [1, 2]}"#);
//! assert_eq!(out.repairs.len(), 4);
//! ```
#![no_std]
extern crate alloc;

mod coerce;
mod document;
mod doubles;
mod escape;
mod fit;
mod keys;
mod pointer;
mod reader;
mod repair;
mod scan;
mod shape;
mod thresholds;
mod transducer;
mod word;

pub use coerce::{CoercedText, Coercion, coerce};
pub use document::{HeldDocument, RepairEdit, RepairedText, repair};
pub use repair::{Repair, RepairSpan};
pub use shape::{Fields, Scalars, Shape};
pub use transducer::{Completeness, Output, Root, Step, Transducer};

/// Items that the crates of this workspace share. Semantic versioning does not cover them: any release may change them.
#[doc(hidden)]
pub mod internal {
    pub use crate::document::{Quotes, Writer, is_valid, string_end, value_end};
    pub use crate::doubles::last_members;
    pub use crate::escape::{escape_byte_into, escape_into, is_plain, quoted, unescape};
    pub use crate::fit::{
        Fit, FitKind, Fitted, Target, fitted, float, from_text, integer, is_wrapper, scalar_of,
    };
    pub use crate::keys::Keys;
    pub use crate::pointer::{locate, place};
    pub use crate::reader::{Kind, elements, kind, members, string};
    pub use crate::scan::{blanks_end, odd_blank};
    pub use crate::transducer::StringRun;
    pub use crate::word::{is_number, is_scalar, overflows};
}

/// Compiles and runs the example of the README with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
