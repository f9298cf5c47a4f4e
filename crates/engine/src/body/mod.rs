//! Bodies: sub-machines that know the shape of their values and the text that may follow them, but not their caller.

mod envelope;
mod escaped;
mod escapes;
mod json;
mod passing;
mod python;
mod tree;
mod xml;

pub(crate) use envelope::{Asked, Envelope, LeftOut};
pub(crate) use escaped::Escaped;
pub(crate) use escapes::{EscapeDecoder, decoded};
pub(crate) use json::JsonBody;
pub(crate) use passing::{Brackets, Passing, PassingStep};
pub(crate) use python::{Python, PythonStep, space};
pub(crate) use tree::left_a_string;
pub(crate) use xml::{Xml, XmlOut, elements_to_json};
