//! Reading a tool file: what it says about itself, without running any of it.
//!
//! Each language has a real parser and hands out the same [`Reading`]: fields with their places, and facts about the
//! code that rules ask for. What is not a literal is an error that says so.

mod code;
mod flow;
mod javascript;
mod literals;
mod python;
mod return_paths;
mod shape;
mod shell;
mod toml;
mod tree;
mod yaml;

use std::ops::Range;

pub(crate) use code::{Code, Gives, Success, WorksOn};
pub use javascript::javascript_of;
pub(crate) use shell::{is_fetcher, words as shell_words};
pub(crate) use tree::shortened;

use crate::Language;
use crate::diagnostic::Diagnostics;
use crate::literal::Literal;

/// What was read of a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The fields in the order of the file, each once.
    pub(crate) fields: Vec<Field>,
    /// What the code looks like; of configuration nothing.
    pub(crate) code: Code,
    /// What it imports, each once: modules by the first part of their names in Python, files by their paths in JavaScript.
    pub(crate) imports: Vec<String>,
    /// Whether a script's header has the fields of YAML.
    pub(crate) is_yaml: bool,
}

/// A field of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// Its name in the YAML form.
    pub(crate) name: &'static str,
    /// Where its name stands.
    pub(crate) name_span: Range<usize>,
    pub(crate) value: Literal,
}

impl Reading {
    pub(crate) fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Literal> {
        self.field(name).map(|field| &field.value)
    }

    /// Sets a field; a later value replaces an earlier one, as running the file would.
    pub(crate) fn set(&mut self, field: Field) {
        match self
            .fields
            .iter_mut()
            .find(|known| known.name == field.name)
        {
            Some(known) => *known = field,
            None => self.fields.push(field),
        }
    }
}

/// What is asked about a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Asked {
    /// What it says about itself, what keeps it from being called, and what it imports: all that is to be known before it runs.
    ToRun,
    /// What it says, and what it could do better.
    All,
}

/// Reads the text of a file.
pub(crate) fn read(
    (language, asked): (Language, Asked),
    text: &str,
    diagnostics: &mut Diagnostics,
) -> Reading {
    match language {
        Language::Python => python::read(asked, text, diagnostics),
        Language::JavaScript | Language::TypeScript => {
            javascript::read((language, asked), text, diagnostics)
        }
        Language::Yaml => yaml::read(text, diagnostics),
        Language::Toml => toml::read(text, diagnostics),
        Language::Bash => shell::read(text, diagnostics),
    }
}
