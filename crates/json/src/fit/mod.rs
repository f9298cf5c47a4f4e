//! Coerces values to their shapes while they stream: JSON text in, JSON text out, nothing retracted.
//!
//! ```text
//!   "limit": "5"              integer          "limit": 5
//!   "tags": "[\"a\"]"         array            "tags": ["a"]
//!   "tags": "a"               array of text    "tags": ["a"]
//!   "zip": 123                text             "zip": "123"
//!   "filePath": "a.rs"        file_path        "file_path": "a.rs"
//!   {"arguments": {"path"     path             {"path"
//! ```
//!
//! Text that the shape cannot change passes unchanged, in runs. Text that the shape may change is held until that is
//! certain: a key, a string where the shape allows none, a number where the shape wants text. A value that cannot be
//! coerced passes unchanged; validation reports it.
//!
//! Only these rules change a value, in streamed calls and in whole documents ([`coerce`](crate::coerce)). [`rules`] has
//! them as a table, [`unpack`] converts held values, [`keys`] and [`names`] handle keys.

mod keys;
mod levels;
mod names;
mod rules;
mod scalars;
#[cfg(test)]
mod tests;
mod unpack;
mod walk;

use alloc::string::String;
use alloc::vec::Vec;

pub use names::is_wrapper;
pub(crate) use rules::{Kind, admits};
pub use scalars::{float, integer, scalar_of};
pub use unpack::from_text;

use walk::Walk;

use crate::reader::{UnknownValue, string_end};
use crate::shape::{Fields, Shape};
use crate::word::ends_word;

/// A kind of coercion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FitKind {
    /// A string became the scalar it spells, or a scalar became a string.
    Typed,
    /// A string became the array or object it holds.
    Unpacked,
    /// A lone value became an array of one.
    Listed,
    /// A near miss of a declared key was renamed.
    Renamed,
    /// The arguments were under a key of their own (`{"arguments": {..}}`), which was left out.
    Unwrapped,
    /// A key occurs twice, because one of the two was renamed or unwrapped. Both stay in the text.
    Doubled,
}

/// One change, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// The kind of change.
    pub change: FitKind,
    /// A JSON pointer to the value in the document, with the new names.
    pub path: String,
    /// The first byte concerned, counted from the start of the input.
    pub start: usize,
    /// The byte after the last. The range of supplied text is empty.
    pub end: usize,
    /// Where the replacement starts in the output.
    pub at: usize,
    /// The old text, at most 200 characters.
    pub before: String,
    /// The new text, at most 200 characters.
    pub after: String,
}

/// The shape of a whole document.
#[derive(Clone, Copy, Debug)]
pub enum Target<'a> {
    /// An object with these properties: the arguments of a tool.
    Fields(&'a Fields),
    /// Any value.
    Shape(&'a Shape),
}

impl<'a> Target<'a> {
    /// The properties of the object, if it is one.
    fn fields(self) -> Option<&'a Fields> {
        match self {
            Target::Fields(fields) | Target::Shape(Shape::Object(fields)) => Some(fields),
            Target::Shape(_) => None,
        }
    }
}

/// The context in which one piece of a document is read.
struct Job<'a> {
    target: Target<'a>,
    out: &'a mut String,
    /// The whole document, if it is held.
    whole: Option<&'a str>,
    /// The length of `out` before this piece.
    from: usize,
}

impl<'a> Job<'a> {
    /// For a piece of a document that is not held.
    fn new(target: Target<'a>, out: &'a mut String) -> Job<'a> {
        Job {
            target,
            from: out.len(),
            out,
            whole: None,
        }
    }
}

/// An open container whose shape is known.
#[derive(Clone, Debug)]
struct Level {
    /// The number of steps in `walk` to the shape of the container.
    walk: usize,
    /// The length of `path` at the container.
    path: usize,
    /// The index of the current item, in an array.
    index: usize,
    array: bool,
    /// The container is the one item of a supplied array.
    listed: bool,
    /// The brackets of the container are left out.
    unwrapped: bool,
    /// The length of `present` before the container.
    present: usize,
    /// Where the container starts.
    start: usize,
    /// The keys that may be renamed, once the whole object was searched for them.
    renamable: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Value,
    Key,
    Colon,
    /// After the key of a possible wrapper.
    Wrapper(Wrapper),
    After,
    String {
        held: bool,
        escaped: bool,
    },
    Word {
        held: bool,
    },
    /// Inside a value of unknown shape.
    Free(UnknownValue),
    Done,
}

impl State {
    /// After the opening bracket of a value of unknown shape.
    const FREE: State = State::Free(UnknownValue {
        depth: 1,
        in_string: false,
        escaped: false,
    });

    /// After the opening quote of a held string or key.
    const HELD: State = State::String {
        held: true,
        escaped: false,
    };
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapper {
    Colon,
    Brace,
    Key,
}

/// A declared property that an open object has.
#[derive(Clone, Copy, Debug)]
struct Present {
    property: usize,
    /// The property had another name, or was in a wrapper.
    moved: bool,
}

/// Coerces one document while it streams.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    state: State,
    levels: Vec<Level>,
    walk: Vec<Walk>,
    path: String,
    /// The properties that the open objects have so far, those of the innermost object last.
    present: Vec<Present>,
    /// The held key or value, unchanged.
    held: String,
    /// The key and brace of a possible wrapper.
    wrapper: String,
    /// The step to the value of the last key; `None` if the shape forbids that key.
    step: Option<Walk>,
    /// The current value is the one item of a supplied array.
    listed: bool,
    /// The current string is a key.
    in_key: bool,
    /// A key was read.
    has_keys: bool,
    /// The longest value that is held, in bytes.
    cap: usize,
    deep: u8,
    /// Bytes fed before this piece, and bytes emitted before this piece's output.
    fed: usize,
    emitted: usize,
    /// Where the current key or value starts, and the position up to which it was read.
    start: usize,
    pos: usize,
    /// Where the key of a possible wrapper starts.
    wrapped_at: usize,
    /// The changes that the caller has not taken yet.
    pub changes: Vec<Fitted>,
}

impl Fit {
    /// A machine that holds values of up to `cap` bytes.
    pub fn new(cap: usize) -> Fit {
        Fit {
            cap,
            ..Fit::default()
        }
    }

    /// Starts another document, and reuses the memory.
    pub fn restart(&mut self, cap: usize) {
        let mut last = core::mem::replace(self, Fit::new(cap));
        for text in [&mut last.path, &mut last.held, &mut last.wrapper] {
            text.clear();
        }
        last.levels.clear();
        last.walk.clear();
        last.present.clear();
        (self.levels, self.walk, self.present) = (last.levels, last.walk, last.present);
        (self.path, self.held, self.wrapper) = (last.path, last.held, last.wrapper);
    }

    /// Whether the machine is in a string that passes: more text inside the string changes no state.
    pub fn is_passing(&self) -> bool {
        match self.state {
            State::String { held, escaped } => !held && !escaped,
            State::Free(value) => value.in_string && !value.escaped,
            _ => false,
        }
    }

    /// Reads the next piece of a JSON document. Linear.
    pub fn feed(&mut self, target: Target<'_>, text: &str, out: &mut String) {
        out.reserve(text.len());
        self.read(text, Job::new(target, out));
    }

    /// Where the current string or word ends. Stores whether the next byte of a string is escaped.
    fn token_end(&mut self, bytes: &[u8]) -> Option<usize> {
        let State::String { escaped, .. } = &mut self.state else {
            return bytes.iter().copied().position(ends_word);
        };
        let end = string_end(bytes, *escaped);
        *escaped = end == Err(true);
        end.ok()
    }

    /// Reads a piece.
    fn read(&mut self, text: &str, mut job: Job<'_>) {
        let job = &mut job;
        let bytes = text.as_bytes();
        let mut i = 0;
        // Bytes [run, i) pass.
        let mut run = 0;
        while i < bytes.len() {
            let byte = bytes[i];
            match (self.state, byte) {
                (State::Value, b']') | (State::Key, b'}') | (State::After, b'}' | b']') => {
                    job.out.push_str(&text[run..i]);
                    self.close(&text[i..=i], job);
                    i += 1;
                    run = i;
                }
                (State::Value, b' ' | b'\t' | b'\n' | b'\r') => i += 1,
                (State::Value, _) | (State::Key, b'"') => {
                    job.out.push_str(&text[run..i]);
                    run = i;
                    self.start = self.fed + i;
                    if self.state == State::Key {
                        self.hold_string(true);
                    } else {
                        self.start_value(byte, job);
                    }
                    i += 1;
                    if let State::String { held: true, .. } | State::Word { held: true } =
                        self.state
                    {
                        self.held.push(char::from(byte));
                        run = i;
                    }
                }
                (State::String { held, .. } | State::Word { held }, _) => {
                    let rest = if held {
                        self.room(&text[i..])
                    } else {
                        &text[i..]
                    };
                    let end = self.token_end(rest.as_bytes());
                    let piece = &rest[..end.unwrap_or(rest.len())];
                    i += piece.len();
                    if held {
                        self.held.push_str(piece);
                        run = i;
                    }
                    if end.is_some() {
                        job.out.push_str(&text[run..i]);
                        run = i;
                        self.pos = self.fed + i;
                        match (held, core::mem::take(&mut self.in_key)) {
                            (true, true) => self.key(job),
                            (false, true) => self.state = State::Colon,
                            (true, false) => {
                                self.convert(job);
                                self.end_value(job);
                            }
                            (false, false) => self.end_value(job),
                        }
                    } else if held && self.held.len() > self.cap {
                        self.give_up(job);
                    }
                }
                (State::Free(value), _) => {
                    let (end, value) = value.read(bytes, i);
                    i = end;
                    if let Some(value) = value {
                        self.state = State::Free(value);
                    } else {
                        job.out.push_str(&text[run..i]);
                        run = i;
                        self.end_value(job);
                    }
                }
                (State::Colon, b':') => {
                    self.state = State::Value;
                    i += 1;
                }
                (State::Wrapper(wrapper), _) => {
                    self.pos = self.fed + i;
                    if self.wrapper(wrapper, byte, job) {
                        i += 1;
                    }
                    run = i;
                }
                (State::After, b',') => {
                    if let Some(level) = self.levels.last_mut() {
                        level.index += 1;
                        self.state = if level.array {
                            State::Value
                        } else {
                            State::Key
                        };
                    }
                    i += 1;
                }
                (State::Key | State::Colon | State::After, _) => i += 1,
                (State::Done, _) => i = bytes.len(),
            }
        }
        job.out.push_str(&text[run..]);
        self.fed += text.len();
        self.emitted += job.out.len() - job.from;
    }

    /// The document ended, whole or cut: emits the text that is still held.
    pub fn finish(&mut self, target: Target<'_>, whole: bool, out: &mut String) {
        let job = &mut Job::new(target, out);
        match self.state {
            State::Word { held } if whole => {
                if held {
                    self.pos = self.fed;
                    self.convert(job);
                }
                self.end_value(job);
            }
            State::Word { held: true } | State::String { held: true, .. } => {
                job.out.push_str(&self.wrapper);
                job.out.push_str(&self.held);
            }
            _ => job.out.push_str(&self.wrapper),
        }
        self.emitted += job.out.len() - job.from;
        self.held.clear();
        self.wrapper.clear();
    }
}

/// A whole JSON document coerced to its shape, and the changes.
pub fn fitted(target: Target<'_>, json: &str) -> (String, Vec<Fitted>) {
    fit_whole(target, json, 0)
}

/// Like [`fitted`], nested in `deep` strings. The document is held: later keys decide whether a key is renamed.
fn fit_whole(target: Target<'_>, json: &str, deep: u8) -> (String, Vec<Fitted>) {
    let mut out = String::with_capacity(json.len());
    let mut fit = Fit {
        deep,
        ..Fit::new(usize::MAX - 1)
    };
    let job = Job {
        whole: Some(json),
        ..Job::new(target, &mut out)
    };
    fit.read(json, job);
    fit.finish(target, true, &mut out);
    (out, fit.changes)
}
