//! Writes results by the target's rule, and extracts results that the source's rule wrote.

use toolglot_engine::{CallText, Dialect, ResultText, ResultWriter};

/// Writes the results of one dialect, and removes their frames.
#[derive(Debug)]
pub(super) struct Results<'d> {
    dialect: &'d Dialect,
    writer: ResultWriter<'d>,
}

impl<'d> Results<'d> {
    pub(super) fn new(dialect: &'d Dialect) -> Results<'d> {
        Results {
            dialect,
            writer: ResultWriter::new(dialect),
        }
    }

    /// The result in the format that the dialect's model was trained on.
    pub(super) fn written(&self, call: CallText<'_>, text: &str, failed: bool) -> String {
        let result = plain(call, text, failed);
        if self.takes_values(call) && matches!(text.trim_start().get(..1), Some("{" | "[")) {
            // A text that is JSON is written as a value in a fence of JSON, if that round-trips the exact text.
            let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
            let value = self.writer.results(&[ResultText { is_json, ..result }]);
            if is_json && value.notes.is_empty() {
                return value.text;
            }
        }
        self.writer.results(&[result]).text
    }

    /// Whether results are written in a fence of JSON.
    fn takes_values(&self, call: CallText<'_>) -> bool {
        let (before, _) = self.writer.frame(call, false, false);
        self.writer.encodes(false) && before.ends_with("```json\n")
    }

    /// Whether results of these two calls have the same frame.
    pub(super) fn are_alike(&self, one: CallText<'_>, other: CallText<'_>) -> bool {
        self.writer.frame(one, false, true) == self.writer.frame(other, false, true)
    }

    /// The frames of a result of this call, or of a failure, the longest first; empty if the dialect writes results
    /// without a frame. Failure frames are included with `is_failure`, or if the dialect distinguishes failures.
    fn frames(&self, call: CallText<'_>, is_failure: bool) -> Vec<Frame> {
        let frame = |(failed, is_alone)| {
            let (before, after) = self.writer.frame(call, failed, is_alone);
            (!before.is_empty() || !after.is_empty()).then_some(Frame {
                before,
                after,
                failed,
            })
        };
        let has_failures = is_failure || self.dialect.distinguishes_failures();
        let all: &[bool] = if has_failures {
            &[false, true]
        } else {
            &[false]
        };
        let all = all
            .iter()
            .flat_map(|&failed| [(failed, true), (failed, false)]);
        let mut frames: Vec<Frame> = all.filter_map(frame).collect();
        frames.sort_by_key(|frame| std::cmp::Reverse(frame.before.len()));
        frames.dedup();
        frames
    }

    /// Whether `text` has the frame of this call's results.
    pub(super) fn is_framed(&self, call: CallText<'_>, text: &str) -> bool {
        let frames = self.frames(call, false);
        frames.iter().any(|frame| frame.inside(text).is_some())
    }

    /// Whether `text` starts like the results of any call.
    pub(super) fn starts_result(&self, text: &str) -> bool {
        let of = |name| {
            let call = CallText {
                name,
                arguments: "{}",
                server: None,
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

    /// The original text inside the dialect's frame of a result or a failure. `is_failure` means that the message
    /// reports a failure.
    pub(super) fn unwrapped(&self, call: CallText<'_>, text: &str, is_failure: bool) -> ResultBody {
        let frames = self.frames(call, is_failure);
        let found = frames
            .iter()
            .find_map(|frame| Some((frame.inside(text)?, frame.failed)));
        let text = match found {
            Some((inside, failed)) => self.original(call, inside, failed),
            // A dialect without a frame still escapes its markers.
            None if !self.writer.encodes(false) => self.original(call, text, false),
            None => text.to_owned(),
        };
        ResultBody {
            text,
            failed: is_failure || found.is_some_and(|(_, failed)| failed),
        }
    }

    /// The original of the escaped text `inside`. If another program wrote it without escapes, it is returned as it is.
    fn original(&self, call: CallText<'_>, inside: &str, failed: bool) -> String {
        let result = plain(call, inside, failed);
        let original = self.writer.original(&result, inside);
        if original == inside || self.writer.encodes(failed) {
            return original;
        }
        let again = self.writer.result(&plain(call, &original, failed));
        let (before, after) = self.writer.frame(call, failed, false);
        let frame = Frame {
            before,
            after,
            failed,
        };
        if frame.inside(&again) == Some(inside) {
            original
        } else {
            inside.to_owned()
        }
    }

    /// `text` without the frame around several results.
    fn inner<'t>(&self, text: &'t str) -> &'t str {
        let call = CallText {
            name: "a",
            arguments: "{}",
            server: None,
            id: None,
        };
        let [(before, after), (own_before, own_after)] =
            [true, false].map(|is_alone| self.writer.frame(call, false, is_alone));
        let before = before.strip_suffix(&*own_before).unwrap_or("");
        let after = after.strip_prefix(&*own_after).unwrap_or("");
        let inner = text.strip_prefix(before);
        let inner = inner.and_then(|rest| rest.trim_end().strip_suffix(after.trim_end()));
        inner.unwrap_or(text)
    }

    /// The results in one text, each with its frame: at most one per call.
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
        let starts = [0].into_iter().chain(seams.iter().copied());
        let blocks: Vec<String> = starts
            .zip(ends)
            .map(|(start, end)| {
                let block = &text[start..end];
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

/// A result without its frame.
#[derive(Debug)]
pub(super) struct ResultBody {
    pub(super) text: String,
    pub(super) failed: bool,
}

/// The text of a dialect around a result.
#[derive(Clone, Debug, PartialEq)]
struct Frame {
    before: String,
    after: String,
    failed: bool,
}

impl Frame {
    fn inside<'t>(&self, text: &'t str) -> Option<&'t str> {
        if let Some(longer) = self.with_fence_of(text) {
            return longer.inside(text);
        }
        // The blanks at the ends of a stored message may have been trimmed.
        let exact = text
            .strip_prefix(&*self.before)
            .or_else(|| text.strip_prefix(self.before.trim_start()))?;
        let bare = exact.strip_suffix(&*self.after);
        bare.or_else(|| exact.trim_end().strip_suffix(self.after.trim_end()))
    }

    /// Whether a result ends at the end of `text`, so that another may start.
    fn ends(&self, text: &str) -> bool {
        let after = self.after.trim_end();
        if after.is_empty() {
            text.ends_with("\n\n")
        } else {
            text.trim_end().ends_with(after)
        }
    }

    /// The frame with the fence at the start of `text`, if that fence is longer: texts with fences get a longer fence.
    fn with_fence_of(&self, text: &str) -> Option<Frame> {
        let fence = |text: &str| text.bytes().take_while(|byte| *byte == b'`').count();
        let own = fence(&self.before);
        let more = fence(text).checked_sub(own).filter(|more| *more > 0)?;
        let at = self.after.find(&"`".repeat(own)).filter(|_| own > 2)?;
        let more = "`".repeat(more);
        let (before, after) = (&self.before, &self.after);
        Some(Frame {
            before: format!("{more}{before}"),
            after: format!("{}{more}{}", &after[..at], &after[at..]),
            failed: self.failed,
        })
    }
}

fn plain<'a>(call: CallText<'a>, text: &'a str, failed: bool) -> ResultText<'a> {
    ResultText {
        call,
        text,
        failed,
        is_json: false,
    }
}
