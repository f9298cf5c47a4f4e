//! Reads a tool file, and checks its executor and schemas.

use crate::diagnostic::{self, Diagnostics};
use crate::read::{ReadScope, Reading, read};
use crate::rules::{self, Subject};
use crate::{ItemId, Language, Metadata, Schema, Severity, ToolFile, rule};

/// The largest tool file, in bytes.
pub const MAX_BYTES: usize = 1 << 20;

impl ToolFile {
    /// Reads a file without running it. Linear in its length.
    ///
    /// ```
    /// use toolglot_tool_files::{ItemId, Language, ToolFile};
    ///
    /// let text = "__version__ = \"1\" \".0.0\"\n";
    /// let id = ItemId::new("notes/add-note")?;
    /// let tool = ToolFile::read(&id, Language::Python, text);
    /// assert_eq!(tool.metadata.version.as_deref(), Some("1.0.0"));
    /// assert_eq!(tool.part(), Some("module"), "it names no executor, and there is nothing to call");
    /// # Ok::<(), toolglot_tool_files::IdError>(())
    /// ```
    pub fn read(id: &ItemId, language: Language, text: &str) -> ToolFile {
        ToolFile::of((id, language), text, ReadScope::All)
    }

    /// The same, [checked](ToolFile::checked), with errors only and with its [imports](ToolFile::imports). It skips the
    /// search for warnings, which takes as long as the rest.
    pub fn read_to_run(id: &ItemId, language: Language, text: &str) -> ToolFile {
        let mut tool = ToolFile::of((id, language), text, ReadScope::ToRun).checked();
        tool.diagnostics
            .retain(|diagnostic| diagnostic.severity == Severity::Error);
        tool
    }

    fn of((id, language): (&ItemId, Language), text: &str, scope: ReadScope) -> ToolFile {
        let mut diagnostics = Diagnostics::default();
        let text_is_read = text.len() <= MAX_BYTES;
        let reading = if text_is_read {
            read((language, scope), text, &mut diagnostics)
        } else {
            diagnostics.add(
                rule::SYNTAX,
                0..0,
                format!(
                    "the file has {} bytes; {MAX_BYTES} are the most",
                    text.len()
                ),
            );
            Reading::default()
        };
        let subject = Subject {
            id,
            language,
            text,
            reading: &reading,
        };
        let part = subject.part().filter(|_| text_is_read);
        let part = part.map(str::to_owned);
        if text_is_read {
            rules::apply(subject, scope, &mut diagnostics);
        }
        let (schema, actions) = Schema::of(&reading);
        let diagnostics = diagnostics.sorted();
        ToolFile {
            id: id.clone(),
            language,
            metadata: Metadata::of(&reading),
            schema,
            actions,
            has_entry: reading.code.entry.is_some(),
            diagnostics,
            imports: reading.imports,
            part,
            fields: reading.fields,
        }
    }

    /// Adds the checks that reading skips: whether the executor can run the tool, and whether the schemas compile.
    /// Rules F06, F08.
    #[must_use]
    pub fn checked(&self) -> ToolFile {
        let mut checked = self.clone();
        let more = &mut checked.diagnostics;
        more.extend(rules::unrunnable(self));
        let is_reported = self
            .errors()
            .any(|error| matches!(error.rule.code, "F02" | "R07" | "R09" | "R10"));
        if !is_reported {
            more.extend(rules::uncompiled(self));
        }
        diagnostic::sort(more);
        checked
    }
}
