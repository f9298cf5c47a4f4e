//! Results: written by the target's rule, and taken out of what the source's rule wrote.

use toolglot::{CallText, Dialect, Renderer, ResultText, ToolSet};

use crate::failure::Failure;
use crate::guard::guards;

/// Stands for a result's text while its frame is looked for.
const PLACE: &str = "\u{e000}toolglot\u{e000}";

/// Writes the results of one dialect.
#[derive(Debug)]
pub(super) struct Results<'d> {
    renderer: Renderer<'d>,
}

impl<'d> Results<'d> {
    pub(super) fn new(dialect: &'d Dialect, tools: &ToolSet) -> Result<Results<'d>, Failure> {
        let renderer =
            Renderer::new(dialect, tools).map_err(|error| Failure::Program(Box::new(error)))?;
        Ok(Results {
            renderer: renderer.guarded(guards(std::slice::from_ref(tools))),
        })
    }

    /// The result as the dialect's model was taught it.
    pub(super) fn wrapped(&self, call: CallText<'_>, text: &str) -> String {
        wrapped(&self.renderer, call, text, false)
    }
}

/// What stands in the frame that the dialect puts around a result or a failure; `None` where `text` has no such frame.
pub(super) fn unwrapped(
    dialect: &Dialect,
    call: CallText<'_>,
    text: &str,
) -> Result<Option<String>, Failure> {
    let renderer = renderer(dialect)?;
    let bare = [false, true].into_iter().find_map(|failed| {
        let frame = wrapped(&renderer, call, PLACE, failed);
        let (before, behind) = frame.split_once(PLACE)?;
        if before.is_empty() && behind.is_empty() {
            return None;
        }
        let exact = text.strip_prefix(before)?;
        let bare = exact.strip_suffix(behind);
        // Whoever kept the message may have taken the blanks off its end.
        bare.or_else(|| exact.trim_end().strip_suffix(behind.trim_end()))
    });
    let is_escaped = wrapped(&renderer, call, "<&>", false).contains("&lt;&amp;&gt;");
    let unescaped = |bare: &str| {
        let bare = bare.replace("&lt;", "<").replace("&gt;", ">");
        bare.replace("&amp;", "&")
    };
    Ok(bare.map(|bare| {
        if is_escaped {
            unescaped(bare)
        } else {
            bare.to_owned()
        }
    }))
}

fn wrapped(renderer: &Renderer<'_>, call: CallText<'_>, text: &str, failed: bool) -> String {
    renderer.results(&[ResultText { call, text, failed }])
}

fn renderer(dialect: &Dialect) -> Result<Renderer<'_>, Failure> {
    Renderer::new(dialect, &ToolSet::default()).map_err(|error| Failure::Program(Box::new(error)))
}
