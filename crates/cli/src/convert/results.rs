//! Results: written by the target's rule, and taken out of what the source's rule wrote.

use std::borrow::Cow;

use toolglot::{CallText, Dialect, Renderer, ResultText, ToolSet};

use crate::failure::Failure;
use crate::guard::guards;

/// Stands for a result's text while its frame is looked for.
const PLACE: &str = "\u{e000}toolglot\u{e000}";

/// Writes and unwraps the results of one dialect.
#[derive(Debug)]
pub(super) struct Results {
    renderer: Renderer<'static>,
}

impl Results {
    pub(super) fn new(dialect: &'static Dialect) -> Result<Results, Failure> {
        let renderer = Renderer::new(dialect, &ToolSet::default())
            .map_err(|error| Failure::Program(Box::new(error)))?;
        Ok(Results {
            renderer: renderer.guarded(guards()),
        })
    }

    /// The result as the dialect's model was taught it.
    pub(super) fn wrapped(&self, call: CallText<'_>, text: &str) -> String {
        let failed = false;
        self.renderer.results(&[ResultText { call, text, failed }])
    }

    /// What stands in the frame that the dialect puts around a result, without the entities that its rule asks for;
    /// `None` where `text` has no such frame.
    pub(super) fn unwrapped<'t>(&self, call: CallText<'_>, text: &'t str) -> Option<Cow<'t, str>> {
        let frame = self.wrapped(call, PLACE);
        let (before, behind) = frame.split_once(PLACE)?;
        let inside = text
            .trim_end()
            .strip_prefix(before)?
            .strip_suffix(behind.trim_end())?;
        let has_entities = inside.contains('&') && self.wrapped(call, "&").contains("&amp;");
        Some(if has_entities {
            let text = inside.replace("&lt;", "<").replace("&gt;", ">");
            Cow::Owned(text.replace("&amp;", "&"))
        } else {
            Cow::Borrowed(inside)
        })
    }
}
