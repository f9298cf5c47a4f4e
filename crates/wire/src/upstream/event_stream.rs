//! Reads server-sent events from bytes as they arrive
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use super::UpstreamError;

/// The UTF-8 byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// The most bytes of an event by default: an answer without streaming is one event.
const LIMIT: usize = 16 << 20;

/// The most bytes of an event's memory that are reused for the next one.
const KEPT_BYTES: usize = 16 << 10;

/// One event. Borrowed until the sink returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamEvent<'a> {
    /// The event's type; empty if there is none.
    pub kind: &'a str,
    /// The event's data; several lines are joined by line breaks.
    pub data: &'a str,
}

/// Splits bytes into events, however they are cut. Lines end with `\n`, `\r\n` or `\r`.
#[derive(Debug)]
pub struct EventStream {
    limit: usize,
    /// The start of an unfinished line.
    line: Vec<u8>,
    kind: String,
    data: String,
    has_data: bool,
    is_first: bool,
    /// Whether a following `\n` belongs to the previous line.
    is_after_cr: bool,
}

impl Default for EventStream {
    fn default() -> EventStream {
        EventStream::new(LIMIT)
    }
}

impl EventStream {
    /// A stream whose events have at most `limit` bytes.
    pub fn new(limit: usize) -> EventStream {
        EventStream {
            limit,
            line: Vec::new(),
            kind: String::new(),
            data: String::new(),
            has_data: false,
            is_first: true,
            is_after_cr: false,
        }
    }

    /// The number of held bytes.
    pub fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    /// Reads bytes, and emits each event as soon as its last byte is available.
    ///
    /// # Errors
    /// Errors of the sink; a line that is not UTF-8; an event that is too large.
    pub fn push(
        &mut self,
        mut bytes: &[u8],
        sink: &mut dyn FnMut(StreamEvent<'_>) -> Result<(), UpstreamError>,
    ) -> Result<(), UpstreamError> {
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.is_after_cr) && *first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let n = end.unwrap_or(bytes.len());
            if self.held() + n > self.limit {
                return Err(UpstreamError::TooLarge { limit: self.limit });
            }
            let Some(end) = end else {
                self.line.extend_from_slice(bytes);
                return Ok(());
            };
            self.is_after_cr = bytes[end] == b'\r';
            let (piece, rest) = (&bytes[..end], &bytes[end + 1..]);
            bytes = rest;
            if self.line.is_empty() {
                self.line(piece, sink)?;
            } else {
                let mut line = std::mem::take(&mut self.line);
                line.extend_from_slice(piece);
                let read = self.line(&line, sink);
                line.clear();
                line.shrink_to(KEPT_BYTES);
                self.line = line;
                read?;
            }
        }
        Ok(())
    }

    fn line(
        &mut self,
        line: &[u8],
        sink: &mut dyn FnMut(StreamEvent<'_>) -> Result<(), UpstreamError>,
    ) -> Result<(), UpstreamError> {
        let line = match line.strip_prefix(MARK) {
            Some(rest) if self.is_first => rest,
            _ => line,
        };
        self.is_first = false;
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                let (kind, data) = (&self.kind, &self.data);
                let read = sink(StreamEvent { kind, data });
                self.kind.clear();
                self.data.clear();
                // A large event does not hold its memory until the stream ends.
                self.data.shrink_to(KEPT_BYTES);
                return read;
            }
            self.kind.clear();
            return Ok(());
        }
        let line = std::str::from_utf8(line).map_err(|_| UpstreamError::NotUtf8)?;
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.data.push_str(value);
                self.has_data = true;
            }
            "event" => value.clone_into(&mut self.kind),
            // llama.cpp writes errors as a separate field.
            "error" => {
                "error".clone_into(&mut self.kind);
                value.clone_into(&mut self.data);
                self.has_data = true;
            }
            // A comment, an id, or an unknown field.
            _ => {}
        }
        Ok(())
    }
}
