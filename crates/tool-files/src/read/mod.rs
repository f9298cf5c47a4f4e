//! Reads the metadata of a tool file without running any of it.
//!
//! A parser for each language gives the same [`Reading`]: fields with their places, and facts about the code for the
//! rules. A value that is not a literal is an error that says so.

mod code;
mod flow;
mod javascript;
mod literals;
mod python;
mod reading;
mod return_paths;
mod shape;
mod shell;
mod toml;
mod tree;
mod yaml;

pub(crate) use code::{Gives, Success, WorksOn};
pub use javascript::javascript_of;
pub(crate) use reading::{Field, ReadScope, Reading};
pub(crate) use shell::{is_fetcher, words as shell_words};
pub(crate) use tree::shortened;

use crate::Language;
use crate::diagnostic::Diagnostics;

/// Reads the text of a file.
pub(crate) fn read(
    (language, scope): (Language, ReadScope),
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Reading {
    match language {
        Language::Python => python::read(scope, text, diagnostics),
        Language::JavaScript | Language::TypeScript => {
            javascript::read((language, scope), text, diagnostics)
        }
        Language::Yaml => yaml::read(text, diagnostics),
        Language::Toml => toml::read(text, diagnostics),
        Language::Bash => shell::read(text, diagnostics),
    }
}
