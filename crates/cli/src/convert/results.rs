//! Results: written by the target's rule, and taken out of what the source's rule wrote.

use std::cell::OnceCell;

use toolglot::{CallText, Dialect, Renderer, ResultText, ToolSet};

use crate::failure::Failure;
use crate::guard::guards;

/// Stands for a result's text while its frame is looked for.
const PLACE: &str = "\u{e000}toolglot\u{e000}";

/// What the renderer puts behind a sign that would begin a call.
const JOINER: char = '\u{2060}';

/// Writes the results of one dialect, and takes them out of their frames.
#[derive(Debug)]
pub(super) struct Results<'d> {
    dialect: &'d Dialect,
    tools: ToolSet,
    plain: Renderer<'d>,
    /// Guards are many programs: they are made where a result is written.
    guarded: OnceCell<Renderer<'d>>,
}

impl<'d> Results<'d> {
    pub(super) fn new(dialect: &'d Dialect, tools: ToolSet) -> Result<Results<'d>, Failure> {
        let plain = Renderer::new(dialect, &ToolSet::default())
            .map_err(|error| Failure::Program(Box::new(error)))?;
        Ok(Results {
            dialect,
            tools,
            plain,
            guarded: OnceCell::new(),
        })
    }

    /// The result as the dialect's model was taught it.
    pub(super) fn wrapped(&self, call: CallText<'_>, text: &str) -> String {
        self.written(call, text, false)
    }

    fn written(&self, call: CallText<'_>, text: &str, failed: bool) -> String {
        let guarded = self.guarded.get_or_init(|| {
            let renderer = Renderer::new(self.dialect, &self.tools);
            renderer
                .expect("the dialect was compiled without tools before")
                .guarded(guards(std::slice::from_ref(&self.tools)))
        });
        wrapped(guarded, call, text, failed)
    }

    /// Whether results of these two calls look alike.
    pub(super) fn are_alike(&self, one: CallText<'_>, other: CallText<'_>) -> bool {
        wrapped(&self.plain, one, PLACE, false) == wrapped(&self.plain, other, PLACE, false)
    }

    /// What stands before and behind a result of this call, or a failure; none where the dialect writes it bare.
    fn frames(&self, call: CallText<'_>) -> Vec<Frame> {
        let frame = |failed| {
            let frame = wrapped(&self.plain, call, PLACE, failed);
            let (before, behind) = frame.split_once(PLACE)?;
            (!before.is_empty() || !behind.is_empty()).then(|| Frame {
                before: before.to_owned(),
                behind: behind.to_owned(),
                failed,
            })
        };
        [false, true].into_iter().filter_map(frame).collect()
    }

    /// Whether `text` stands in the frame of this call's results.
    pub(super) fn is_framed(&self, call: CallText<'_>, text: &str) -> bool {
        let frames = self.frames(call);
        frames.iter().any(|frame| frame.inside(text).is_some())
    }

    /// What stands in the frame that the dialect puts around a result or a failure, without the escapes that it put in;
    /// `None` where `text` has no such frame.
    pub(super) fn unwrapped(&self, call: CallText<'_>, text: &str) -> Option<String> {
        let frames = self.frames(call);
        let found = frames
            .iter()
            .find_map(|frame| Some((frame.inside(text)?, frame.failed)));
        let Some((bare, failed)) = found else {
            // A dialect without a frame keeps calls out as well.
            let is_bare = frames.is_empty();
            return is_bare.then(|| self.unbroken(call, text, text, false))?;
        };
        let unbroken = self.unbroken(call, text, bare, failed);
        Some(unbroken.unwrap_or_else(|| {
            if self.has_entities(call) {
                unescaped(bare)
            } else {
                bare.to_owned()
            }
        }))
    }

    /// Whether a result's text stands in its frame as XML.
    fn has_entities(&self, call: CallText<'_>) -> bool {
        wrapped(&self.plain, call, "<&>", false).contains("&lt;&amp;&gt;")
    }

    /// `bare` without the escapes that keep calls from being read in it: only where writing it puts in these very escapes.
    fn unbroken(&self, call: CallText<'_>, text: &str, bare: &str, failed: bool) -> Option<String> {
        let is_xml = self.has_entities(call);
        if !bare.contains(JOINER) && (is_xml || !bare.contains("&lt;")) {
            return None;
        }
        // Without any of them; what the text has and writing that does not put in stood in the result itself.
        let none = bare.replace(JOINER, "");
        let none = if is_xml {
            unescaped(&none)
        } else {
            none.replace("&lt;", "<")
        };
        let frame = wrapped(&self.plain, call, PLACE, failed);
        let (before, _) = frame.split_once(PLACE)?;
        let again = self.written(call, &none, failed);
        let inside = aligned(bare, again.strip_prefix(before)?, !is_xml)?;
        let inside = if is_xml { unescaped(&inside) } else { inside };
        let is_same = self.written(call, &inside, failed).trim_end() == text.trim_end();
        is_same.then_some(inside)
    }

    /// The results that one text holds, each in its frame: no more than there are calls.
    pub(super) fn blocks(&self, calls: &[CallText<'_>], text: &str) -> Vec<String> {
        let whole = || vec![text.to_owned()];
        let mut frames: Vec<Frame> = Vec::new();
        for frame in calls.iter().flat_map(|call| self.frames(*call)) {
            if !frame.before.is_empty() && !frames.contains(&frame) {
                frames.push(frame);
            }
        }
        let mut seams: Vec<usize> = frames
            .iter()
            .flat_map(|frame| text.match_indices(&*frame.before))
            .map(|(at, _)| at)
            .filter(|&at| at > 0 && frames.iter().any(|frame| frame.ends(&text[..at])))
            .collect();
        seams.sort_unstable();
        seams.dedup();
        if seams.is_empty() || seams.len() >= calls.len() {
            return whole();
        }
        let ends = seams.iter().copied().chain([text.len()]);
        let begins = [0].into_iter().chain(seams.iter().copied());
        let blocks: Vec<String> = begins
            .zip(ends)
            .map(|(begin, end)| {
                let block = &text[begin..end];
                let block = if end < text.len() {
                    block.strip_suffix("\n\n").unwrap_or(block)
                } else {
                    block
                };
                block.to_owned()
            })
            .collect();
        let is_one = |block: &String| frames.iter().any(|frame| frame.inside(block).is_some());
        if blocks.iter().all(is_one) {
            blocks
        } else {
            whole()
        }
    }
}

/// What a dialect puts around a result.
#[derive(Clone, Debug, PartialEq)]
struct Frame {
    before: String,
    behind: String,
    failed: bool,
}

impl Frame {
    fn inside<'t>(&self, text: &'t str) -> Option<&'t str> {
        let exact = text.strip_prefix(&*self.before)?;
        let bare = exact.strip_suffix(&*self.behind);
        // Whoever kept the message may have taken the blanks off its end.
        bare.or_else(|| exact.trim_end().strip_suffix(self.behind.trim_end()))
    }

    /// Whether a result is over at the end of `text`, and another may begin.
    fn ends(&self, text: &str) -> bool {
        let behind = self.behind.trim_end();
        if behind.is_empty() {
            text.ends_with("\n\n")
        } else {
            text.trim_end().ends_with(behind)
        }
    }
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

/// `text` without the escapes that `again` has in the same places: joiners, and entities where they are such. `again` may go
/// on behind it.
fn aligned(text: &str, again: &str, has_entities: bool) -> Option<String> {
    const ENTITY: &str = "&lt;";
    let mut out = String::with_capacity(text.len());
    let (mut text, mut again) = (text, again);
    while let Some(c) = text.chars().next() {
        let step = c.len_utf8();
        if c == JOINER {
            if again.starts_with(JOINER) {
                again = &again[step..];
            } else {
                out.push(c);
            }
            text = &text[step..];
        } else if has_entities && text.starts_with(ENTITY) && again.starts_with(ENTITY) {
            out.push('<');
            (text, again) = (&text[ENTITY.len()..], &again[ENTITY.len()..]);
        } else if has_entities && text.starts_with(ENTITY) && again.starts_with('<') {
            out.push_str(ENTITY);
            (text, again) = (&text[ENTITY.len()..], &again[1..]);
        } else {
            again = again.strip_prefix(c)?;
            out.push(c);
            text = &text[step..];
        }
    }
    Some(out)
}

fn wrapped(renderer: &Renderer<'_>, call: CallText<'_>, text: &str, failed: bool) -> String {
    renderer.results(&[ResultText { call, text, failed }])
}
