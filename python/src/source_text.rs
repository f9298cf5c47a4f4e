//! The text of a message, in which places are counted in bytes and in code points.

use toolglot_engine::Span;

/// How many bytes lie between two checkpoints.
const STEP: usize = 1024;

/// A text that grows at its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct SourceText {
    text: String,
    /// How many code points start before each multiple of [`STEP`].
    checkpoints: Vec<usize>,
    /// How many code points start in the bytes that the last checkpoint does not cover.
    n_after: usize,
    has_wide: bool,
}

impl SourceText {
    pub(crate) fn of(text: String) -> SourceText {
        let mut source = SourceText::default();
        source.count(&text);
        source.text = text;
        source
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_string(self) -> String {
        self.text
    }

    /// Appends a piece.
    pub(crate) fn push(&mut self, piece: &str) {
        self.count(piece);
        self.text.push_str(piece);
    }

    /// Counts the code points of a piece that is appended.
    fn count(&mut self, piece: &str) {
        self.has_wide |= !piece.is_ascii();
        let mut at = self.text.len();
        let mut rest = piece.as_bytes();
        while at % STEP + rest.len() >= STEP {
            let (now, later) = rest.split_at(STEP - at % STEP);
            let before = self.checkpoints.last().copied().unwrap_or_default();
            self.checkpoints.push(before + self.n_after + n_starts(now));
            self.n_after = 0;
            at += now.len();
            rest = later;
        }
        self.n_after += n_starts(rest);
    }

    /// How many code points start before a byte.
    pub(crate) fn code_points(&self, byte: usize) -> usize {
        if !self.has_wide {
            return byte.min(self.text.len());
        }
        let byte = byte.min(self.text.len());
        let block = byte / STEP;
        let before = block
            .checked_sub(1)
            .map_or(0, |last| self.checkpoints[last]);
        before + n_starts(&self.text.as_bytes()[block * STEP..byte])
    }

    /// A span of bytes in code points. It is fast where spans come in order, each near the end of the last: `cursor` is that
    /// end, in bytes and in code points.
    pub(crate) fn next_span(&self, span: Span, cursor: &mut (usize, usize)) -> (usize, usize) {
        let mut point = |byte: u64| {
            let byte = (byte as usize).min(self.text.len());
            let (before, n) = *cursor;
            if before <= byte && byte - before < STEP {
                *cursor = (byte, n + n_starts(&self.text.as_bytes()[before..byte]));
            } else {
                *cursor = (byte, self.code_points(byte));
            }
            cursor.1
        };
        (point(span.start), point(span.end))
    }

    /// The byte at which a code point starts; the end of the text for one beyond it.
    pub(crate) fn byte(&self, code_point: usize) -> usize {
        if !self.has_wide {
            return code_point.min(self.text.len());
        }
        let block = self.checkpoints.partition_point(|&n| n <= code_point);
        let before = block
            .checked_sub(1)
            .map_or(0, |last| self.checkpoints[last]);
        let from = block * STEP;
        let bytes = self.text.as_bytes().iter().enumerate().skip(from);
        let mut starts = bytes.filter(|&(_, &byte)| is_start(byte));
        let found = starts.nth(code_point - before);
        found.map_or(self.text.len(), |(at, _)| at)
    }

    /// A span of bytes in code points.
    pub(crate) fn span(&self, span: Span) -> (usize, usize) {
        (
            self.code_points(span.start as usize),
            self.code_points(span.end as usize),
        )
    }
}

fn is_start(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

fn n_starts(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| is_start(byte)).count()
}
