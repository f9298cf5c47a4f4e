//! The fixed thresholds that decide how a text is read, beside the [`Limits`](crate::Limits) that a host may set.
//!
//! Those that bound work alone, or what an error shows, are where they are used.

// How long a literal must be, in bytes, to count as evidence.

/// Shorter literals stand in every text: none is a marker or evidence for a closer.
pub(crate) const MARKER_MIN: usize = 3;
/// Shortest literal that is no accident of text: one that starts an entry at the start of a line, that is known although it is
/// misspelt, or whose presence in a value leaves that in doubt.
pub(crate) const SURE_MARKER_MIN: usize = 5;
/// Fewest bytes of a misspelt literal that must be there.
pub(crate) const MISSPELT_MIN: usize = 4;
/// Most bytes of the word of a misspelt closing tag.
pub(crate) const MISSPELT_MAX: usize = 64;
/// Longest entity: `&#x10FFFF;`.
pub(crate) const ENTITY_MAX: usize = 10;
/// Longest language that a fence names.
pub(crate) const LANGUAGE_MAX: usize = 12;
/// Longest run of backticks that closes a fence around a value.
pub(crate) const FENCE_MAX: usize = 64;

// How far evidence for a closer is looked for.

/// Most blanks between an element's closer and what confirms it, in bytes.
pub(crate) const GAP_MAX: usize = 256;
/// Most unknown parameters in a row that are read over.
pub(crate) const SKIPPED_MAX: u8 = 4;
/// Longest unknown element that is read over, in bytes.
pub(crate) const SKIPPED_ELEMENT_MAX: usize = 1024;
/// Most openers in a row that are looked after for a forgotten closer.
pub(crate) const OPENERS_MAX: u8 = 8;
/// Most levels of closers behind which a broken call is found again.
pub(crate) const SYNCHRONIZATION_MAX: usize = 4;

// Text between two parameters.

/// Longest such text, in bytes.
pub(crate) const INTERVENING_MAX: u64 = 256;
/// The same where no tool says which parameters there are.
pub(crate) const INTERVENING_UNDECLARED_MAX: u64 = 4;

// Parts of a call.

/// Longest tag with its attributes, in bytes.
pub(crate) const TAG_MAX: usize = 1024;
/// Deepest element; deeper tags are text.
pub(crate) const ELEMENT_DEPTH_MAX: usize = 128;
/// Longest name, id or name space of a JSON envelope, in bytes of JSON text.
pub(crate) const ENVELOPE_CAPTURE_MAX: usize = 1024;
/// Longest attribute that is no argument, in multiples of [`Limits::capture`](crate::Limits::capture).
pub(crate) const ATTRIBUTES_MAX: usize = 8;

// What is remembered of a message.

/// Calls whose repetition is told.
pub(crate) const REPEATABLE_MAX: usize = 256;
/// Calls whose ends may wait for what follows.
pub(crate) const WAITING_MAX: usize = 256;
