//! A call before the policy decision.

use std::sync::Arc;

use toolglot_policy::Effect;
use toolglot_tool_files::ReturnContract;
use toolglot_value::{Map, Value};

use crate::resolve::Chain;

/// A tool that was found, verified and read, with valid arguments. Exactly the call that the policy decides about runs
/// later.
#[derive(Debug)]
pub struct Prepared {
    /// The tool and its executors, with their texts.
    pub chain: Chain,
    /// The action, if one is called.
    pub action: Option<String>,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// The calls of builtin tools that this call stands for, one for each written file. The policy has to decide about
    /// them as well.
    pub builtins: Vec<Builtin>,
    /// The capabilities that the tool and its executors require.
    pub requires: Vec<String>,
    /// The capabilities that are not granted: the call runs only after they are [approved](Prepared::approve).
    pub missing: Vec<String>,
    pub(crate) approved: Vec<String>,
    pub(crate) contract: Arc<ReturnContract>,
}

impl Prepared {
    /// Grants the missing capabilities for this call only.
    pub fn approve(&mut self) {
        self.approved.append(&mut self.missing);
    }

    /// Whether a builtin tool executes the call, without a program.
    pub fn is_builtin(&self) -> bool {
        self.chain.primitive() == "filesystem"
    }
}

/// A call of a builtin tool that a call of a file tool stands for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Builtin {
    /// The builtin tool.
    pub tool: &'static str,
    /// Its arguments.
    pub arguments: Map<String, Value>,
    /// The kind of effect.
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
