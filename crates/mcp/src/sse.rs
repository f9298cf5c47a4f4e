//! Server-sent events, read from and written to bytes
//! (<https://html.spec.whatwg.org/multipage/server-sent-events.html>).

use std::fmt::Write;
use std::io::{self, BufRead};
use std::time::Duration;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its id: what a stream is taken up again from.
    pub id: Option<String>,
    /// How long to wait before that.
    pub retry: Option<Duration>,
    /// What it says; empty for an event that only sets the others.
    pub data: String,
    /// Its type; `message` where none is said.
    pub kind: String,
}

impl Event {
    /// Reads the next event; `None` at the end of the stream. An event that the stream's end cuts off is none.
    ///
    /// # Errors
    /// If the stream fails, or a line or an event is longer than `limit` bytes.
    pub fn read(from: &mut impl BufRead, limit: usize) -> io::Result<Option<Event>> {
        let mut event = Event::default();
        let (mut n_data, mut has_any) = (0, false);
        loop {
            let mut line = Vec::new();
            let n = io::Read::take(&mut *from, limit as u64 + 1).read_until(b'\n', &mut line)?;
            if n == 0 || !line.ends_with(b"\n") && n <= limit {
                return Ok(None);
            }
            event_fits(event.data.len() + n, limit)?;
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                if has_any {
                    return Ok(Some(event));
                }
                continue;
            }
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
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
                // A comment, or what nobody knows.
                _ => continue,
            }
            has_any = true;
        }
    }

    /// The event as it is sent. `data` holds no line break: JSON has none.
    pub fn write(&self) -> String {
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

    fn all(mut bytes: &[u8]) -> Vec<Event> {
        let mut out = Vec::new();
        while let Ok(Some(event)) = Event::read(&mut bytes, 100) {
            out.push(event);
        }
        out
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
        let event = Event {
            id: Some("7".into()),
            data: "{}".into(),
            ..Event::default()
        };
        assert_eq!(all(event.write().as_bytes()), [event]);
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let long = format!("data: {}\n\n", "x".repeat(200));
        assert!(Event::read(&mut long.as_bytes(), 100).is_err());
        let many = "data: xxxxxxxxxx\n".repeat(20);
        assert!(Event::read(&mut many.as_bytes(), 100).is_err());
    }
}
