//! Reads a message that streams into a session.

use toolglot_engine::{Finish, Input, Parser, Sink};

use crate::session::Session;
use crate::{Run, SessionError};

/// Reads a message as it streams. Its calls run after its end: only then is it known whether a call is in doubt, and
/// which one counts where a dialect runs one.
#[derive(Debug)]
pub struct MessageReader<'a> {
    session: &'a Session,
    parser: Parser,
    text: String,
}

impl Session {
    /// A reader for a message that streams.
    ///
    /// The events while the message streams know the tools that the session was built with. They do not know file
    /// tools, which need the names of the whole message. [`MessageReader::finish`] knows all.
    ///
    /// # Errors
    /// If the dialects and the tools cannot be compiled into a program.
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
    /// Reads the next piece. After a cancellation, pieces are ignored.
    pub fn push(&mut self, piece: &str, events: &mut dyn Sink) {
        if self.session.is_cancelled() {
            return;
        }
        self.text.push_str(piece);
        self.parser.push(Input::Text(piece), events);
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Ends the message for this reason and runs its calls. If the session was cancelled, no call runs, and each step
    /// reports that.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn finish(self, finish: Finish) -> Result<Run, SessionError> {
        self.session.run_finished(self.text, Some(finish))
    }
}
