//! The fixed thresholds that decide how a text is read, in bytes where no other unit is given.
//!
//! What readings of a quote are compared by is in `transducer/costs.rs`. Thresholds that only choose the faster of two
//! ways, or bound work or the text of a report, are where they are used.

/// Most bytes held undecided: a word, a tail, a lookahead, a run of blanks.
pub(crate) const HELD: usize = 4096;
/// Longest key that is recognized, and the room that a lookahead for a key needs. The comma of a tuple is searched as
/// far.
pub(crate) const KEY: usize = 256;
/// Longest word that is read ahead after a quote.
pub(crate) const WORD: usize = 160;
/// Length of the end of a string that is searched for the name of a parameter.
pub(crate) const RECENT: usize = 96;
/// How many of the innermost containers are searched for the one that a closing bracket fits.
pub(crate) const CONTAINERS: usize = 1024;
/// Most levels at which a string in a string is unpacked.
pub(crate) const UNPACKED: u8 = 4;
