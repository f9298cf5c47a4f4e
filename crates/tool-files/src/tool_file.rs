//! A tool file, read.

use std::ops::Range;

use toolglot_schema::{SchemaError, Validator};
use toolglot_toolset::{Effect, ToolSpec};
use toolglot_value::Value;

use crate::diagnostic::{self, Diagnostic, Diagnostics, Severity};
use crate::literal::Literal;
use crate::read::{Asked, Field, read};
use crate::rules::{self, Subject};
use crate::{Action, ItemId, Language, Metadata, ReturnContract, Schema};

/// A larger file is not a tool.
pub const MAX_BYTES: usize = 1 << 20;

/// A tool file: what it says about itself, and what is to be said about that.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFile {
    /// What it is called by.
    pub id: ItemId,
    /// What it is written in.
    pub language: Language,
    /// What it says about itself.
    pub metadata: Metadata,
    /// What it takes and gives.
    pub schema: Schema,
    /// Its parts that are called by themselves.
    pub actions: Vec<Action>,
    /// Whether it has the function that its runtime calls; a script may do without.
    pub has_entry: bool,
    /// What is to be said about it, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// What it imports, where that was asked for.
    imports: Vec<String>,
    /// What it is where nobody calls it: `runtime`, `library`, `primitive`, `mcp_server`, `module`, or the type of data.
    part: Option<String>,
    /// The fields as they are in the file.
    fields: Vec<Field>,
}

impl ToolFile {
    /// Reads a file. Nothing of it is run. Linear in its length.
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
        ToolFile::of((id, language), text, Asked::All)
    }

    /// The same, [checked](ToolFile::checked), with its errors only, and what it [imports](ToolFile::imports): what could be
    /// better takes as long to find as the rest.
    pub fn read_to_run(id: &ItemId, language: Language, text: &str) -> ToolFile {
        let mut tool = ToolFile::of((id, language), text, Asked::ToRun).checked();
        tool.diagnostics
            .retain(|diagnostic| diagnostic.severity == Severity::Error);
        tool
    }

    fn of((id, language): (&ItemId, Language), text: &str, asked: Asked) -> ToolFile {
        let mut diagnostics = Diagnostics::default();
        let text_is_read = text.len() <= MAX_BYTES;
        let reading = if text_is_read {
            read((language, asked), text, &mut diagnostics)
        } else {
            diagnostics.add(
                rules::SYNTAX,
                0..0,
                format!(
                    "the file has {} bytes; {MAX_BYTES} are the most",
                    text.len()
                ),
            );
            crate::read::Reading::default()
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
            rules::apply(subject, asked, &mut diagnostics);
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

    /// Looks at what reading does not: whether it could ever run, and compiles the schemas. Rules F06 and F08.
    #[must_use]
    pub fn checked(&self) -> ToolFile {
        let mut checked = self.clone();
        let more = &mut checked.diagnostics;
        more.extend(rules::unrunnable(self));
        let is_told = self
            .errors()
            .any(|error| matches!(error.rule.code, "F02" | "R07" | "R09" | "R10"));
        if !is_told {
            more.extend(rules::uncompiled(self));
        }
        diagnostic::sort(more);
        checked
    }

    /// What is to be said about it, and this too, in the order of the file.
    pub fn tell(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        diagnostic::sort(&mut self.diagnostics);
    }

    /// The bytes of a field's value, or of that of its member; of what is not there, those of what it would be a part of, and
    /// in the end the start of the file.
    pub fn place(&self, field: &str, member: Option<&str>) -> Range<usize> {
        let whole = self.field(field);
        let part = member.and_then(|member| whole?.get(member));
        part.or(whole).map_or(0..0, |value| value.span.clone())
    }

    /// The names or paths that it imports from beside it; empty unless it was read [to run](ToolFile::read_to_run).
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// The value of a field, as it stands.
    pub(crate) fn field(&self, name: &str) -> Option<&Literal> {
        let field = self.fields.iter().find(|field| field.name == name);
        field.map(|field| &field.value)
    }

    /// The schemas, ready to check arguments: the tool's own, or those of one of its actions.
    ///
    /// # Errors
    /// If they are none.
    pub fn compile(&self) -> Result<(Validator, ReturnContract), SchemaError> {
        Ok((
            Validator::new(&self.schema.input)?,
            ReturnContract::new(self.schema.output.as_ref())?,
        ))
    }

    /// The action of that name.
    pub fn action(&self, name: &str) -> Option<&Action> {
        self.actions.iter().find(|action| action.name == name)
    }

    /// What is to be told first of what keeps it from being called: what could not be read explains the rest.
    pub fn worst(&self) -> Option<&Diagnostic> {
        self.errors()
            .find(|error| error.rule == rules::SYNTAX)
            .or_else(|| self.errors().next())
    }

    /// What keeps it from being called.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// What the file is where nobody calls it: a runtime, library, primitive or server; a module, which others import; or
    /// data. `None` for a tool.
    pub fn part(&self) -> Option<&str> {
        self.part.as_deref()
    }

    /// Whether a model may call it: it is no [part](ToolFile::part) of others.
    pub fn is_callable(&self) -> bool {
        self.part.is_none()
    }

    /// As a model is told of it: the tool, and each of its actions. A deprecated tool is left out.
    pub fn specs(&self) -> Vec<ToolSpec> {
        if self.metadata.is_deprecated() {
            return Vec::new();
        }
        let mut specs = self.callable_specs();
        // A tool with actions is told of by them.
        if !self.actions.is_empty() {
            specs.retain(|spec| spec.name != self.id.as_str());
        }
        specs
    }

    /// Everything that may be called: the tool, and each of its actions; a deprecated tool too.
    pub fn callable_specs(&self) -> Vec<ToolSpec> {
        if !self.is_callable() {
            return Vec::new();
        }
        let spec = |name: String, description: String, parameters: &Value| ToolSpec {
            name,
            description,
            parameters: parameters.clone(),
            effect: Effect::Unknown,
        };
        let own = self.metadata.description.clone().unwrap_or_default();
        let description = format!("{own}{}", self.examples());
        let whole = spec(self.id.to_string(), description, &self.schema.input);
        let actions = self.actions.iter().map(|action| {
            let description = action.description.clone().unwrap_or_else(|| own.clone());
            spec(
                format!("{}.{}", self.id, action.name),
                description,
                &action.input,
            )
        });
        std::iter::once(whole).chain(actions).collect()
    }

    /// What the author wrote for a reader, as a model reads it.
    fn examples(&self) -> String {
        let mut out = String::new();
        if self.metadata.is_experimental() {
            out.push_str(" (experimental)");
        }
        let documentation = self.metadata.documentation.as_ref();
        let examples = documentation.and_then(|documentation| documentation.get("examples"));
        let examples: Vec<&str> = examples
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        if !examples.is_empty() {
            out.push_str(" Examples: ");
            out.push_str(&examples.join("; "));
            out.push('.');
        }
        if let Some(url) =
            documentation.and_then(|documentation| documentation.get("url")?.as_str())
        {
            out.push_str(" See ");
            out.push_str(url);
        }
        out
    }
}
