//! The fixed thresholds that decide how a text is read, besides the [`Limits`](crate::Limits) that a host may set.
//!
//! Thresholds that only bound work, or the text of an error, are where they are used.

// How long a literal must be, in bytes, to count as evidence.

/// Shorter literals occur in every text: they are neither markers nor evidence for a closer.
pub(crate) const MARKER_MIN: usize = 3;
/// Shortest literal that hardly occurs by chance: it starts an entry at the start of a line, is recognized although it
/// is misspelt, or puts a value that holds it in doubt.
pub(crate) const SURE_MARKER_MIN: usize = 5;
/// Fewest bytes of a misspelt literal that must match.
pub(crate) const MISSPELT_MIN: usize = 4;
/// Longest word of a misspelt closing tag, in bytes.
pub(crate) const MISSPELT_MAX: usize = 64;
/// Longest entity: `&#x10FFFF;`.
pub(crate) const ENTITY_MAX: usize = 10;
/// Longest language that a fence names, in bytes.
pub(crate) const LANGUAGE_MAX: usize = 12;
/// Longest run of backticks that closes a fence around a value.
pub(crate) const FENCE_MAX: usize = 64;

// How far the lookahead for a closer goes.

/// Most blanks between an element's closer and the text that confirms it, in bytes.
pub(crate) const GAP_MAX: usize = 256;
/// Most unknown parameters in a row that are skipped.
pub(crate) const SKIPPED_MAX: u8 = 4;
/// Longest unknown element that is skipped, in bytes.
pub(crate) const SKIPPED_ELEMENT_MAX: usize = 1024;
/// Most openers that the lookahead for a missing closer passes.
pub(crate) const OPENERS_MAX: u8 = 8;
/// Most levels of closers whose successors are synchronization points of a broken call.
pub(crate) const SYNCHRONIZATION_MAX: usize = 4;

// How often, and how far back, text is read again.

/// Most rejected candidates that nest: the bytes of the last are not searched for openers.
pub(crate) const REREAD_MAX: u8 = 4;
/// Longest lookback for the start of a line, in bytes.
pub(crate) const LOOKBACK_MAX: u64 = 64;

// Text between two parameters.

/// Longest such text, in bytes.
pub(crate) const INTERVENING_MAX: u64 = 256;
/// The same if no tool declares the parameters.
pub(crate) const INTERVENING_UNDECLARED_MAX: u64 = 4;

// Parts of a call.

/// Longest tag with its attributes, in bytes.
pub(crate) const TAG_MAX: usize = 1024;
/// Deepest element; deeper tags are text.
pub(crate) const ELEMENT_DEPTH_MAX: usize = 128;
/// Longest name, id or name space of a JSON envelope, in bytes of JSON text.
pub(crate) const ENVELOPE_CAPTURE_MAX: usize = 1024;
/// Longest attribute of a tag without arguments, in multiples of [`Limits::capture`](crate::Limits::capture).
pub(crate) const ATTRIBUTES_MAX: usize = 8;

// State kept for a message.

/// Most calls remembered to note their repetition.
pub(crate) const REPEATABLE_MAX: usize = 256;
/// Most calls whose ends wait for the text after their fence.
pub(crate) const WAITING_MAX: usize = 256;
