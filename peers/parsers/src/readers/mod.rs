//! A common interface for all parsers.
//!
//! A reader is made for a dialect and its tools, with all state that a server shares between messages. `whole` and
//! `pushed` make the state of a message, and its cost counts.

mod first;
mod ours;
mod second;
mod smg;

pub use first::First;
pub use ours::Ours;
pub use second::Second;
pub use smg::Smg;

use crate::pushes::Pushes;
use crate::reading::{Reading, Told};

/// The receiver of the events.
pub type Out<'o> = &'o mut dyn FnMut(Told<'_>);

/// One parser.
pub trait Reader {
    /// The name of its row in the tables.
    fn name(&self) -> &str;
    /// Reads a complete text.
    fn whole(&self, text: &str, out: Out<'_>);
    /// Reads a text piece by piece.
    fn pushed(&self, pushes: &Pushes, out: Out<'_>);
    /// Prepares the pieces for the parser: work that is not part of the parser.
    fn wrapping(&self, _pushes: &Pushes) {}
}

/// Reads a complete text into a [`Reading`].
pub fn read_whole(reader: &dyn Reader, text: &str) -> Reading {
    let mut reading = Reading::default();
    reader.whole(text, &mut |told| reading.take(told));
    reading
}

/// Reads the pieces into a [`Reading`].
pub fn read_pushed(reader: &dyn Reader, pushes: &Pushes) -> Reading {
    let mut reading = Reading::default();
    reader.pushed(pushes, &mut |told| reading.take(told));
    reading
}

/// The parsers' names for a dialect; `None` for a parser without the dialect.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub smg: Option<&'static str>,
    pub first: Option<&'static str>,
    pub second: Option<&'static str>,
}
