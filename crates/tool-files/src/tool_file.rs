//! A tool file, read.

use std::ops::Range;

use toolglot_schema::{SchemaError, Validator};
use toolglot_toolset::{Effect, ToolSpec};
use toolglot_value::Value;

use crate::diagnostic::{self, Diagnostic};
use crate::literal::Literal;
use crate::read::Field;
use crate::{Action, ItemId, Language, Metadata, ReturnContract, Schema, Severity, rule};

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
    pub(crate) imports: Vec<String>,
    /// What it is where nobody calls it: `runtime`, `library`, `primitive`, `mcp_server`, `module`, or the type of data.
    pub(crate) part: Option<String>,
    /// The fields as they are in the file.
    pub(crate) fields: Vec<Field>,
}

impl ToolFile {
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

    /// The first of the reasons why it cannot be called: what could not be read explains the rest.
    pub fn worst(&self) -> Option<&Diagnostic> {
        self.errors()
            .find(|error| error.rule == rule::SYNTAX)
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

    /// As a model sees it: the tool, and each of its actions. A deprecated tool is left out.
    pub fn specs(&self) -> Vec<ToolSpec> {
        if self.metadata.is_deprecated() {
            return Vec::new();
        }
        let mut specs = self.callable_specs();
        // A tool with actions is listed by them.
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
