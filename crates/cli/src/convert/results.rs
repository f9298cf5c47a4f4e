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
    pub(super) fn written(&self, call: CallText<'_>, text: &str, failed: bool) -> String {
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

    /// What stands before and behind a result of this call, or a failure, the longest first; none where the dialect writes it
    /// bare. Only what is told to be one is looked for as a failure where the dialect has no frame of its own for those.
    fn frames(&self, call: CallText<'_>, is_failure: bool) -> Vec<Frame> {
        let frame = |(failed, is_alone)| {
            let text = PLACE;
            let frame = if is_alone {
                self.plain.result(&ResultText { call, text, failed })
            } else {
                wrapped(&self.plain, call, text, failed)
            };
            let (before, behind) = frame.split_once(PLACE)?;
            (!before.is_empty() || !behind.is_empty()).then(|| Frame {
                before: before.to_owned(),
                behind: behind.to_owned(),
                failed,
            })
        };
        let has_failures = is_failure || self.dialect.tells_failures();
        let all: &[bool] = if has_failures {
            &[false, true]
        } else {
            &[false]
        };
        let all = all
            .iter()
            .flat_map(|&failed| [(failed, false), (failed, true)]);
        let mut frames: Vec<Frame> = all.filter_map(frame).collect();
        frames.sort_by_key(|frame| std::cmp::Reverse(frame.before.len()));
        frames.dedup();
        frames
    }

    /// Whether `text` stands in the frame of this call's results.
    pub(super) fn is_framed(&self, call: CallText<'_>, text: &str) -> bool {
        let frames = self.frames(call, false);
        frames.iter().any(|frame| frame.inside(text).is_some())
    }

    /// Whether `text` begins as the results of any call do.
    pub(super) fn begins_one(&self, text: &str) -> bool {
        let of = |name| {
            let call = CallText {
                name,
                args: "{}",
                ns: None,
                id: Some(name),
            };
            self.frames(call, false)
        };
        of("a").iter().zip(&of("b")).any(|(one, other)| {
            let pairs = one.before.chars().zip(other.before.chars());
            let common = pairs.take_while(|(a, b)| a == b).map(|(a, _)| a);
            let common: String = common.collect();
            let common = common.trim();
            common.len() > 1 && text.trim_start().starts_with(common)
        })
    }

    /// What stands in the frame that the dialect puts around a result or a failure, without the escapes that it put in.
    /// `is_failure`: the message tells that it is one.
    pub(super) fn unwrapped(&self, call: CallText<'_>, text: &str, is_failure: bool) -> Bare {
        let frames = self.frames(call, is_failure);
        let found = frames
            .iter()
            .find_map(|frame| Some((frame.inside(text)?, frame.failed)));
        let Some((bare, failed)) = found else {
            // A dialect without a frame keeps calls out as well.
            let unbroken = self.unbroken(call, text, text, false);
            return Bare {
                text: unbroken.unwrap_or_else(|| text.to_owned()),
                failed: is_failure,
            };
        };
        let unbroken = self.unbroken(call, text, bare, failed);
        let text = unbroken.unwrap_or_else(|| self.spelling(call).read(bare));
        Bare {
            text,
            failed: failed || is_failure,
        }
    }

    /// How a result's text stands in its frame.
    fn spelling(&self, call: CallText<'_>) -> Spelling {
        let written = wrapped(&self.plain, call, "&>\"", false);
        if written.contains("&amp;&gt;") {
            Spelling::Xml
        } else if written.contains("&>\\\"") {
            Spelling::Json
        } else {
            Spelling::Plain
        }
    }

    /// `bare` without the escapes that keep calls from being read in it: only where writing it puts in these very escapes.
    fn unbroken(&self, call: CallText<'_>, text: &str, bare: &str, failed: bool) -> Option<String> {
        let spelling = self.spelling(call);
        let is_xml = spelling == Spelling::Xml;
        if !bare.contains(JOINER) && (is_xml || !bare.contains("&lt;")) {
            return None;
        }
        let is_same =
            |inside: &String| self.written(call, inside, failed).trim_end() == text.trim_end();
        // Without any of them; what the text has and writing that does not put in stood in the result itself.
        let none = bare.replace(JOINER, "");
        let none = if is_xml {
            none
        } else {
            none.replace("&lt;", "<")
        };
        let none = spelling.read(&none);
        let frame = wrapped(&self.plain, call, PLACE, failed);
        let (before, _) = frame.split_once(PLACE)?;
        let again = self.written(call, &none, failed);
        let inside = aligned(bare, again.strip_prefix(before)?, !is_xml)?;
        Some(spelling.read(&inside)).filter(is_same)
    }

    /// `text` without what stands around several results.
    fn inner<'t>(&self, text: &'t str) -> &'t str {
        let call = CallText {
            name: "a",
            args: "{}",
            ns: None,
            id: None,
        };
        let (one, failed) = (PLACE, false);
        let alone = self.plain.result(&ResultText {
            call,
            text: one,
            failed,
        });
        let around = wrapped(&self.plain, call, one, failed);
        let inner = around.split_once(&*alone).and_then(|(before, behind)| {
            text.strip_prefix(before)?
                .trim_end()
                .strip_suffix(behind.trim_end())
        });
        inner.unwrap_or(text)
    }

    /// The results that one text holds, each in its frame: no more than there are calls.
    pub(super) fn blocks(&self, calls: &[CallText<'_>], text: &str) -> Vec<String> {
        let whole = || vec![text.to_owned()];
        let text = self.inner(text);
        let mut frames: Vec<Frame> = Vec::new();
        for frame in calls.iter().flat_map(|call| self.frames(*call, false)) {
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

/// How a text stands in a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Spelling {
    Plain,
    /// With entities.
    Xml,
    /// As the inside of a string.
    Json,
}

impl Spelling {
    /// What the text is that stands so.
    fn read(self, text: &str) -> String {
        match self {
            Spelling::Plain => text.to_owned(),
            Spelling::Xml => {
                let text = text.replace("&lt;", "<").replace("&gt;", ">");
                text.replace("&amp;", "&")
            }
            Spelling::Json => toolglot_json::unescape(text).into_owned(),
        }
    }
}

/// A result without its frame.
#[derive(Debug)]
pub(super) struct Bare {
    pub(super) text: String,
    pub(super) failed: bool,
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
        // Whoever kept the message may have taken the blanks off its ends.
        let exact = text
            .strip_prefix(&*self.before)
            .or_else(|| text.strip_prefix(self.before.trim_start()))?;
        let bare = exact.strip_suffix(&*self.behind);
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

/// `text` without the escapes that `again` has in the same places: joiners, and entities where they are such. `again` may go
/// on behind it.
fn aligned(text: &str, again: &str, has_entities: bool) -> Option<String> {
    const ENTITY: &str = "&lt;";
    const BROKEN: &str = "&\u{2060}lt;";
    let mut out = String::with_capacity(text.len());
    let (mut text, mut again) = (text, again);
    while let Some(c) = text.chars().next() {
        let step = c.len_utf8();
        let bare = ["<", ENTITY]
            .into_iter()
            .find(|bare| again.starts_with(bare));
        if let Some(bare) = bare.filter(|_| has_entities && text.starts_with(BROKEN)) {
            // An entity that stood in the result is kept from being one that was put in.
            out.push_str(ENTITY);
            (text, again) = (&text[BROKEN.len()..], &again[bare.len()..]);
        } else if c == JOINER {
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
