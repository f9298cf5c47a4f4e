//! The result of reading a file: its fields with their places, and facts about its code.

use std::ops::Range;

use super::code::Code;
use crate::literal::Literal;

/// The result of reading a file.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    /// The fields in the order of the file, each once.
    pub(crate) fields: Vec<Field>,
    /// Facts about the code; none for configuration.
    pub(crate) code: Code,
    /// Its imports, each once: in Python the first part of a module's name, in JavaScript the path of a file.
    pub(crate) imports: Vec<String>,
    /// Whether a script's header has the fields of YAML.
    pub(crate) is_yaml: bool,
}

/// A field of a tool.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// Its name in the YAML form.
    pub(crate) name: &'static str,
    /// The place of its name.
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

    /// Sets a field. A later value replaces an earlier one, as it does when the file runs.
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

/// How much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadScope {
    /// All that must be known before the file runs: metadata, the errors that prevent a call, and imports.
    ToRun,
    /// The metadata and all diagnostics.
    All,
}
