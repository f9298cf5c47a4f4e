//! Every parser behind one face.
//!
//! A reader is made for a dialect and its tools; what a server shares between messages is made then, what it makes for
//! each message is made in `whole` and `pushed`, and counts.

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

/// Takes what is told.
pub type Out<'o> = &'o mut dyn FnMut(Told<'_>);

/// One parser.
pub trait Reader {
    /// Its row in the tables.
    fn name(&self) -> &str;
    /// Reads a text that is there as a whole.
    fn whole(&self, text: &str, out: Out<'_>);
    /// Reads a text as it comes.
    fn pushed(&self, pushes: &Pushes, out: Out<'_>);
    /// What has to be made so that the pieces can be handed over, and is none of the parser's work.
    fn wrapping(&self, _pushes: &Pushes) {}
}

/// Reads and folds.
pub fn read_whole(reader: &dyn Reader, text: &str) -> Reading {
    let mut reading = Reading::default();
    reader.whole(text, &mut |told| reading.take(told));
    reading
}

/// Reads and folds.
pub fn read_pushed(reader: &dyn Reader, pushes: &Pushes) -> Reading {
    let mut reading = Reading::default();
    reader.pushed(pushes, &mut |told| reading.take(told));
    reading
}

/// The names by which the parsers know a dialect; `None` where they do not.
#[derive(Clone, Copy, Debug)]
pub struct Names {
    pub smg: Option<&'static str>,
    pub first: Option<&'static str>,
    pub second: Option<&'static str>,
}
