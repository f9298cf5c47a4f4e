//! Objects that name a tool but do not call it: definitions of its parameters, or data under its name as a key.
//!
//! ```text
//!   {"name": "f", "parameters": {"type": "object", ..}}      a definition
//!   {"f": {"description": "..", ..}}                         a definition under the tool's name
//!   {"f": {"mean": 0.9}}                                     data: no parameter has this name
//! ```
//!
//! Without a marker they are text, which is decided before the call starts. After a marker the call has started: it is
//! `recovered`.

use toolglot_json::internal::unescape;

use super::Envelope;
use super::arguments::closing_quote;
use crate::machine::takes_key;
use crate::program::Program;
use crate::vocabulary::SCHEMA_OPENERS;

impl Envelope {
    /// Whether only the check of its arguments keeps the call from starting.
    pub(super) fn waits_for_arguments(&self) -> bool {
        (self.args.waits_for_schema || self.args.needs_object)
            && !self.committed
            && self.head.name.is_some()
    }

    /// Checks the arguments from `from` on for the start of a schema.
    pub(super) fn read_schema(&mut self, program: &Program, from: usize) {
        if !self.args.may_define {
            return;
        }
        let solid = self.args.text[from..].chars();
        let solid = solid.filter(|c| !c.is_ascii_whitespace());
        let lengths = SCHEMA_OPENERS.iter().map(|schema| schema.len());
        let room = lengths
            .max()
            .unwrap_or(0)
            .saturating_sub(self.args.start.len());
        self.args.start.extend(solid.take(room));
        if !self.committed {
            return;
        }
        let Some(defines) = self.is_schema(program) else {
            return;
        };
        self.args.may_define = false;
        if defines {
            self.args.defines_at = self.args.at;
        }
    }

    /// Whether the parameters are a schema, so that a tool is defined and not called. `None`: more bytes are needed.
    pub(super) fn is_schema(&self, program: &Program) -> Option<bool> {
        if !self.args.may_define {
            return Some(false);
        }
        let start = self.args.start.as_str();
        let mut schemas = SCHEMA_OPENERS.iter();
        let Some(schema) = schemas.find(|schema| start.starts_with(**schema)) else {
            let mut schemas = SCHEMA_OPENERS.iter();
            let may_start = schemas.any(|schema| schema.starts_with(start));
            return (!may_start || !self.in_args()).then_some(false);
        };
        // A tool may have a parameter with the name of the schema's key.
        let key = schema[2..].split('"').next().unwrap_or_default();
        Some(self.declares(program, key) != Some(true))
    }

    /// Whether the object under a tool's name is something else than its arguments, by its first key. `None`: that key
    /// was not read yet.
    pub(super) fn is_data(&self, program: &Program) -> Option<bool> {
        let (tool, _) = self.head.meant?;
        let members = self.args.text.trim_ascii_start().strip_prefix('{')?;
        let members = members.trim_ascii_start();
        if members.is_empty() {
            return None;
        }
        let Some(key) = members.strip_prefix('"') else {
            return Some(false);
        };
        let key = unescape(&key[..closing_quote(key)?]);
        let parameters = &program.tools.tool(tool).parameters;
        Some(!takes_key(parameters, &key) && parameters.nearest(&key).is_none())
    }
}
