//! Coerces JSON arguments to the shapes of the tool's parameters, if those are known, before the arguments are emitted.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::internal::{Fit, FitKind, Fitted, Target, place};
use toolglot_json::{Fields, Shape};

use super::Parser;
use super::emitter::Emitter;
use crate::program::Program;
use crate::{Code, End, Span};

/// Coerces the open call's arguments.
#[derive(Debug, Default)]
pub(super) struct Fitting {
    fit: Fit,
    /// The tool whose parameters the arguments must fit; without a tool nothing is changed.
    tool: Option<usize>,
    /// Where notes point: the start of the arguments, or of the name in an envelope.
    at: u64,
}

impl Fitting {
    /// Whether the content of a string passes unchanged.
    pub(super) fn is_passing(&self) -> bool {
        self.tool.is_none() || self.fit.is_passing()
    }

    /// Whether arguments may be changed at all.
    pub(super) fn is_on(&self) -> bool {
        self.tool.is_some()
    }
}

impl Parser {
    /// Starts the coercion of the open call's JSON arguments; notes point at `at`.
    pub(super) fn start_fitting(&mut self, program: &Program, at: u64) {
        let tool = self.emitter.tool();
        let has_shapes = |tool: &usize| {
            let Fields { properties, others } = &program.tools.tool(*tool).parameters;
            !properties.is_empty()
                || others
                    .as_deref()
                    .is_some_and(|others| *others != Shape::Any)
        };
        self.fitting.tool = tool.filter(has_shapes);
        if self.fitting.tool.is_some() {
            self.fitting.fit.restart(program.limits.undecided);
            self.fitting.at = at;
        }
    }

    /// Coerces JSON text of the arguments. The part that is certain goes to the emitter.
    pub(super) fn fit_args(&mut self, program: &Program, json: &str) {
        let (args, fitting) = (self.emitter.args(), &mut self.fitting);
        let Some(tool) = fitting.tool else {
            return args.push_str(json);
        };
        let target = Target::Fields(&program.tools.tool(tool).parameters);
        fitting.fit.feed(target, json, args);
        self.remark_changes();
    }

    /// Notes each change of the arguments, and clears the changes.
    fn remark_changes(&mut self) {
        let Fitting { fit, at, .. } = &mut self.fitting;
        remark(&mut self.emitter, &mut fit.changes, None, *at);
    }

    /// Ends the arguments, whole or cut off, and emits what was held.
    pub(super) fn end_fitting(&mut self, program: &Program, whole: bool) {
        let (args, fitting) = (self.emitter.args(), &mut self.fitting);
        let Some(tool) = fitting.tool.take() else {
            return;
        };
        let target = Target::Fields(&program.tools.tool(tool).parameters);
        fitting.fit.finish(target, whole, args);
        self.remark_changes();
    }
}

/// How many characters of a value a note shows at most.
const SHOWN: usize = 40;

/// Notes each change, and clears `changes`. `key` is the parameter that contains the changes.
pub(super) fn remark(emitter: &mut Emitter, changes: &mut Vec<Fitted>, key: Option<&str>, at: u64) {
    for change in changes.drain(..) {
        if change.change == FitKind::Doubled {
            emitter.worsen(End::Recovered);
        }
        let (code, message) = changed(&change, key);
        emitter.note_at_end(code, Span::empty(at), message);
    }
}

/// The code and the message of a change. `key` is the parameter that contains the change.
pub(crate) fn changed(change: &Fitted, key: Option<&str>) -> (Code, String) {
    let key = key.map(|key| format!("/{}", key.replace('~', "~0").replace('/', "~1")));
    let path = place(&format!("{}{}", key.unwrap_or_default(), change.path));
    let short = |text: &str| text.chars().take(SHOWN).collect::<String>();
    let (before, after) = (short(&change.before), short(&change.after));
    match change.change {
        FitKind::Unpacked => (
            Code::SchemaCoercion,
            format!("`{path}` was a string that holds what is wanted; it was unpacked"),
        ),
        FitKind::Listed => (
            Code::SchemaCoercion,
            format!("`{path}` was a lone value and became an array of one"),
        ),
        FitKind::Renamed => (
            Code::NearName,
            format!(
                "no parameter is called `{}`; it was read as `{}`",
                before.trim_matches('"'),
                after.trim_matches('"')
            ),
        ),
        FitKind::Unwrapped => (
            Code::SchemaCoercion,
            String::from("the arguments stood in an object of their own; it was left out"),
        ),
        FitKind::Doubled => (
            Code::DuplicateKey,
            format!("`{path}` came before under another name; the last value counts"),
        ),
        _ => (
            Code::TypeCoercion,
            format!("`{path}` was {before} and became {after}"),
        ),
    }
}
