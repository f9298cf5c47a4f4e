//! A message that streams into a session.

use toolglot_engine::{Finish, Input, Parser, Sink};

use crate::session::Session;
use crate::{Run, SessionError};

/// Reads a message as it streams. Its calls run when it has ended: whether one is in doubt, and which one counts where a
/// dialect runs one, is known only then.
#[derive(Debug)]
pub struct MessageReader<'a> {
    session: &'a Session,
    parser: Parser,
    text: String,
}

impl Session {
    /// A reader for a message that streams.
    ///
    /// Its events are what can be said while the message is on its way: they know the tools that the session was built with,
    /// but no tools that are files, as these are looked up by the whole message. [`MessageReader::finish`] knows all.
    ///
    /// # Errors
    /// If the dialects and the tools make no program.
    pub fn reader(&self) -> Result<MessageReader<'_>, SessionError> {
        let rules = self
            .rules()?
            .for_tools(&self.known_without_files()?.tool_set());
        let reader = (self.settings.reading).reader(rules.program, Finish::Unknown);
        Ok(MessageReader {
            session: self,
            parser: reader.parser(),
            text: String::new(),
        })
    }
}

impl MessageReader<'_> {
    /// Reads the next piece. After the session was cancelled nothing is read.
    pub fn push(&mut self, piece: &str, events: &mut dyn Sink) {
        if self.session.is_cancelled() {
            return;
        }
        self.text.push_str(piece);
        self.parser.push(Input::Text(piece), events);
    }

    /// What was read so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The message has ended, for this reason: its calls are carried out. If the session was cancelled, none is, and each
    /// says so.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn finish(self, finish: Finish) -> Result<Run, SessionError> {
        self.session.run_finished(self.text, Some(finish))
    }
}
