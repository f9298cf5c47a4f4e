//! Server-sent events, read from and written to bytes
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::fmt::Write;
use std::io::{self, BufRead};
use std::time::Duration;

/// A byte order mark.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub(crate) struct SseEvent {
    /// The id from which a client can resume the stream.
    pub id: Option<String>,
    /// How long to wait before a client resumes the stream.
    pub retry: Option<Duration>,
    /// The payload; empty for an event that only sets the other fields.
    pub data: String,
    /// The type; `message` by default.
    pub kind: String,
}

/// Reads events. Lines end with `\n`, `\r\n` or `\r`; invalid UTF-8 becomes U+FFFD, as the standard requires.
#[derive(Debug)]
pub(crate) struct Events<R> {
    from: R,
    /// The maximum number of bytes of a line, and of an event.
    limit: usize,
    /// Whether nothing was read yet: the first line does not include a byte order mark.
    is_first: bool,
    /// Whether a `\n` that comes next belongs to the last line.
    is_behind_cr: bool,
}

impl<R: BufRead> Events<R> {
    /// Reads from `from`; a line or an event of more than `limit` bytes is an error.
    pub(crate) fn new(from: R, limit: usize) -> Events<R> {
        Events {
            from,
            limit,
            is_first: true,
            is_behind_cr: false,
        }
    }

    /// The next event; `None` at the end of the stream. An event that the end of the stream cuts off is dropped.
    ///
    /// # Errors
    /// If the stream fails, or a line or an event is too long.
    pub(crate) fn read(&mut self) -> io::Result<Option<SseEvent>> {
        let mut event = SseEvent::default();
        let (mut n_data, mut has_any) = (0, false);
        while let Some(line) = self.line()? {
            event_fits(event.data.len() + line.len(), self.limit)?;
            let line = String::from_utf8_lossy(&line);
            if line.is_empty() {
                if has_any {
                    return Ok(Some(event));
                }
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((&line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "data" => {
                    if n_data > 0 {
                        event.data.push('\n');
                    }
                    event.data.push_str(value);
                    n_data += 1;
                }
                "id" if !value.contains('\0') => event.id = Some(value.to_owned()),
                "retry" => event.retry = value.parse().ok().map(Duration::from_millis),
                "event" => value.clone_into(&mut event.kind),
                // A comment, or an unknown field.
                _ => continue,
            }
            has_any = true;
        }
        Ok(None)
    }

    /// The next line without its end; `None` if the stream ends before the line does. Does not wait for bytes after the
    /// line's end.
    fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            let bytes = match self.from.fill_buf() {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            let Some(first) = bytes.first() else {
                return Ok(None);
            };
            if std::mem::take(&mut self.is_behind_cr) && *first == b'\n' {
                self.from.consume(1);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', bytes);
            let n = end.unwrap_or(bytes.len());
            line.extend_from_slice(&bytes[..n]);
            self.is_behind_cr = end.is_some_and(|end| bytes[end] == b'\r');
            self.from.consume(n + usize::from(end.is_some()));
            event_fits(line.len(), self.limit)?;
            if end.is_some() {
                if std::mem::take(&mut self.is_first) && line.starts_with(MARK) {
                    line.drain(..MARK.len());
                }
                return Ok(Some(line));
            }
        }
    }
}

impl SseEvent {
    /// The event in its wire form. `data` contains no line break, since JSON text has none.
    pub(crate) fn write(&self) -> String {
        let mut out = String::new();
        if !self.kind.is_empty() {
            let _ = writeln!(out, "event: {}", self.kind);
        }
        if let Some(id) = &self.id {
            let _ = writeln!(out, "id: {id}");
        }
        if let Some(retry) = self.retry {
            let _ = writeln!(out, "retry: {}", retry.as_millis());
        }
        let _ = write!(out, "data: {}\n\n", self.data);
        out
    }
}

fn event_fits(n: usize, limit: usize) -> io::Result<()> {
    if n > limit {
        let why = format!("an event has more than {limit} bytes");
        return Err(io::Error::new(io::ErrorKind::InvalidData, why));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte at a time, the slowest possible stream.
    fn all(bytes: &[u8]) -> Vec<SseEvent> {
        let mut events = Events::new(io::BufReader::with_capacity(1, bytes), 100);
        std::iter::from_fn(|| events.read().ok().flatten()).collect()
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let events = all(b": hello\n\nid: 1\nretry: 500\ndata:\n\nevent: message\r\ndata: a\r\ndata:b\r\n\r\nwhat: x\n\ndata: cut");
        let found: Vec<_> = events
            .iter()
            .map(|event| (event.id.as_deref(), event.retry, event.data.as_str()))
            .collect();
        assert_eq!(
            found,
            [
                (Some("1"), Some(Duration::from_millis(500)), ""),
                (None, None, "a\nb"),
            ]
        );
        let event = SseEvent {
            id: Some("7".into()),
            data: "{}".into(),
            ..SseEvent::default()
        };
        assert_eq!(all(event.write().as_bytes()), [event]);
    }

    #[test]
    fn lines_end_as_they_like_and_a_mark_begins_no_line() {
        for end in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{feff}"] {
                let text = format!("{mark}data: a\nid: 1\n\ndata: b\n\n").replace('\n', end);
                let found: Vec<String> = all(text.as_bytes())
                    .into_iter()
                    .map(|event| event.data)
                    .collect();
                assert_eq!(found, ["a", "b"], "{text:?}");
            }
        }
        // A byte order mark counts only at the start of the stream.
        assert!(all("data: a\n\n\u{feff}data: b\n\n".as_bytes()).len() == 1);
    }

    /// Fails on a read after the end of the data.
    struct Open<'a>(&'a [u8]);

    impl io::Read for Open<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            assert!(!self.0.is_empty(), "what does not come is waited for");
            self.0.read(into)
        }
    }

    #[test]
    fn an_event_is_told_before_anything_comes_behind_it() {
        for end in ["\n", "\r\n", "\r"] {
            let text = "data: a\n\n".replace('\n', end);
            // The reader does not wait for the `\n` of the last `\r\n` either.
            let text =
                text.trim_end_matches('\n').to_owned() + if end == "\n" { "\n\n" } else { "" };
            let event = Events::new(io::BufReader::new(Open(text.as_bytes())), 100).read();
            assert_eq!(
                event.expect("it is there").map(|event| event.data),
                Some("a".to_owned())
            );
        }
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let long = format!("data: {}\n\n", "x".repeat(200));
        assert!(Events::new(long.as_bytes(), 100).read().is_err());
        let many = "data: xxxxxxxxxx\n".repeat(20);
        assert!(Events::new(many.as_bytes(), 100).read().is_err());
    }
}
