//! What a listing tells of a tool file.

use crate::diagnostic::{Diagnostics, Severity};
use crate::read::{Asked, read};
use crate::rules::{self, Subject};
use crate::tool_file::MAX_BYTES;
use crate::{Action, ItemId, Language, Metadata, Schema, ToolFile};

/// What a listing tells of a tool file: what it says about itself, and how much of that is wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// What it says about itself.
    pub metadata: Metadata,
    /// The names of its parts that are called by themselves.
    pub actions: Vec<String>,
    /// How many mistakes there are.
    pub n_errors: usize,
}

impl Outline {
    /// Reads a file. Nothing of it is run. Linear in its length.
    ///
    /// Mistakes are those of its fields. What is wrong with its code is found by [`ToolFile::read`]; here it is counted only
    /// where a program's fields can be told by its grammar alone, and the grammar stumbles over it.
    ///
    /// ```
    /// use toolglot_toolfiles::{ItemId, Language, Outline};
    ///
    /// let text = "__version__ = '1.0.0'\n\ndef execute(params, project):\n    return 1\n";
    /// let outline = Outline::read(&ItemId::new("notes/add-note")?, Language::Python, text);
    /// assert_eq!(outline.metadata.version.as_deref(), Some("1.0.0"));
    /// // Four variables are missing; that it returns no map is nothing that a listing looks for.
    /// assert_eq!(outline.n_errors, 4);
    /// # Ok::<(), toolglot_toolfiles::BadId>(())
    /// ```
    pub fn read(id: &ItemId, language: Language, text: &str) -> Outline {
        if text.len() > MAX_BYTES {
            return Outline {
                metadata: Metadata::default(),
                actions: Vec::new(),
                n_errors: 1,
            };
        }
        let mut diagnostics = Diagnostics::default();
        let reading = read((language, Asked::Outline), text, &mut diagnostics);
        let subject = Subject {
            id,
            language,
            text,
            reading: &reading,
        };
        rules::apply(subject, Asked::Outline, &mut diagnostics);
        let is_error = |severity| severity == Severity::Error;
        Outline {
            metadata: Metadata::of(&reading),
            actions: Schema::actions(&reading).map(str::to_owned).collect(),
            n_errors: diagnostics
                .into_iter()
                .filter(|diagnostic| is_error(diagnostic.severity))
                .count(),
        }
    }
}

impl From<&ToolFile> for Outline {
    fn from(tool: &ToolFile) -> Outline {
        let name = |action: &Action| action.name.clone();
        Outline {
            metadata: tool.metadata.clone(),
            actions: tool.actions.iter().map(name).collect(),
            n_errors: tool.errors().count(),
        }
    }
}
