//! Bodies: sub-machines that know the shape of their values and the text that may follow them, but not their caller.

mod envelope;
mod escaped;
mod escapes;
mod json;
mod python;
mod skipped_call;
mod tree;
mod xml;

pub(crate) use envelope::{Action, Envelope};
pub(crate) use escaped::Escaped;
pub(crate) use escapes::{EscapeDecoder, decoded};
pub(crate) use json::JsonBody;
pub(crate) use python::{Python, PythonStep, space};
pub(crate) use skipped_call::{Brackets, SkipStep, SkippedCall};
pub(crate) use tree::type_mismatch;
pub(crate) use xml::{Xml, XmlOut, elements_to_json};
