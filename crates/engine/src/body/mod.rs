//! Bodies: sub-machines that know of their caller only what may follow them, and the shape of what they read.

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
