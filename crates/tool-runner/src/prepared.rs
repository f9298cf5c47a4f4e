//! A call before it is judged.

use std::sync::Arc;

use toolglot_policy::Effect;
use toolglot_tool_files::ReturnContract;
use toolglot_value::{Map, Value};

use crate::resolve::Chain;

/// A tool that was found, verified and read, with arguments that fit: what is judged here is what then runs.
#[derive(Debug)]
pub struct Prepared {
    /// The tool and what runs it, with their texts.
    pub chain: Chain,
    /// The action, if one is called.
    pub action: Option<String>,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// The calls of builtin tools that this is, one for each file that is written: whoever judges calls judges it as those
    /// as well.
    pub builtins: Vec<Builtin>,
    /// What the tool requires, and whatever runs it.
    pub requires: Vec<String>,
    /// What of it nobody granted: it runs only once that is [approved](Prepared::approve).
    pub missing: Vec<String>,
    pub(crate) approved: Vec<String>,
    pub(crate) contract: Arc<ReturnContract>,
}

impl Prepared {
    /// Grants what is missing, for this call only.
    pub fn approve(&mut self) {
        self.approved.append(&mut self.missing);
    }

    /// Whether a builtin tool carries it out, and no program.
    pub fn is_builtin(&self) -> bool {
        self.chain.primitive() == "filesystem"
    }
}

/// The call of a builtin tool that a call of a tool that is a file is.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builtin {
    /// The builtin tool.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// What it does.
    pub effect: Effect,
}

impl Builtin {
    pub(crate) fn new(tool: &'static str, effect: Effect, arguments: Value) -> Builtin {
        let Value::Object(arguments) = arguments else {
            unreachable!("every caller gives an object")
        };
        Builtin {
            tool,
            arguments,
            effect,
        }
    }
}
