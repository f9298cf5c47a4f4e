//! What was read of a file: its fields with their places, and facts about its code.

use std::ops::Range;

use super::code::Code;
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

/// How much of a file is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadScope {
    /// What it says about itself, what keeps it from being called, and what it imports: all that is to be known before it runs.
    ToRun,
    /// What it says, and what it could do better.
    All,
}
