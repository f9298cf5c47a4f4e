//! A tool file after reading.

use std::ops::Range;

use toolglot_schema::{SchemaError, Validator};
use toolglot_toolset::{Effect, ToolSpec};
use toolglot_value::Value;

use crate::diagnostic::{self, Diagnostic};
use crate::literal::Literal;
use crate::read::Field;
use crate::{Action, ItemId, Language, Metadata, ReturnContract, Schema, Severity, rule};

/// A tool file: its metadata and its diagnostics.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolFile {
    /// The id that it is called by.
    pub id: ItemId,
    /// Its language.
    pub language: Language,
    /// Its metadata.
    pub metadata: Metadata,
    /// The schemas of its arguments and result.
    pub schema: Schema,
    /// Its parts that are called on their own.
    pub actions: Vec<Action>,
    /// Whether it has the function that its runtime calls; a script needs none.
    pub has_entry: bool,
    /// The diagnostics, in file order.
    pub diagnostics: Vec<Diagnostic>,
    /// Its imports, if they were read.
    pub(crate) imports: Vec<String>,
    /// The kind of a file that is not called: `runtime`, `library`, `primitive`, `mcp_server`, `module`, or the type of
    /// data.
    pub(crate) part: Option<String>,
    /// The fields as they are in the file.
    pub(crate) fields: Vec<Field>,
}

impl ToolFile {
    /// Adds a diagnostic, in file order.
    pub fn tell(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
        diagnostic::sort(&mut self.diagnostics);
    }

    /// The bytes of a field's value, or of a member of it. For a missing member they are those of the field, and for a
    /// missing field the start of the file.
    pub fn place(&self, field: &str, member: Option<&str>) -> Range<usize> {
        let whole = self.field(field);
        let part = member.and_then(|member| whole?.get(member));
        part.or(whole).map_or(0..0, |value| value.span.clone())
    }

    /// The names or paths beside it that it imports; empty unless it was read [to run](ToolFile::read_to_run).
    pub fn imports(&self) -> &[String] {
        &self.imports
    }

    /// The value of a field, as written.
    pub(crate) fn field(&self, name: &str) -> Option<&Literal> {
        let field = self.fields.iter().find(|field| field.name == name);
        field.map(|field| &field.value)
    }

    /// Compiles the tool's own schemas, to check arguments and results.
    ///
    /// # Errors
    /// If they are invalid.
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

    /// The first reason why it cannot be called. A syntax error comes first, as it explains the rest.
    pub fn worst(&self) -> Option<&Diagnostic> {
        self.errors()
            .find(|error| error.rule == rule::SYNTAX)
            .or_else(|| self.errors().next())
    }

    /// The errors, each of which prevents a call.
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// The kind of a file that is not called: a runtime, library, primitive or server; a module, which others import;
    /// or data. `None` for a tool.
    pub fn part(&self) -> Option<&str> {
        self.part.as_deref()
    }

    /// Whether a model may call it: it is not a [part](ToolFile::part) of other tools.
    pub fn is_callable(&self) -> bool {
        self.part.is_none()
    }

    /// The specifications for a model: the tool, or each of its actions. A deprecated tool has none.
    pub fn specs(&self) -> Vec<ToolSpec> {
        if self.metadata.is_deprecated() {
            return Vec::new();
        }
        let mut specs = self.callable_specs();
        // A tool with actions is listed as its actions.
        if !self.actions.is_empty() {
            specs.retain(|spec| spec.name != self.id.as_str());
        }
        specs
    }

    /// The specifications of all that may be called: the tool, and each of its actions; also of a deprecated tool.
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

    /// The author's remarks and examples, as text for a model.
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
