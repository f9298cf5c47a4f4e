//! Values brought to their shapes while they stream: JSON text in, JSON text out, nothing retracted.
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
//! What the shape cannot change passes as it comes, in runs. What it may still change is held until that is certain: a key,
//! a string where none is wanted, a number where text is. What fits in no way passes as it stands: validation says so.
//!
//! These are the only rules by which a value is changed, for calls as they stream and for whole documents alike
//! ([`coerce`](crate::coerce)): [`rules`] has them as a table, [`unpack`] what a held value becomes, [`keys`] and
//! [`names`] what a key does.

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

/// What was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FitKind {
    /// A string became the scalar it spells, or a scalar the string that is wanted.
    Typed,
    /// A string became the array or object it holds.
    Unpacked,
    /// A lone value became an array of one.
    Listed,
    /// A key that misses a declared one by a little was renamed.
    Renamed,
    /// The arguments stood under a key of their own (`{"arguments": {..}}`); it was left out.
    Unwrapped,
    /// A key came twice, since one of both was renamed or unwrapped. Both stand in the text.
    Doubled,
}

/// One change, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What was done.
    pub change: FitKind,
    /// A JSON pointer to the value in the document, as it is called now.
    pub path: String,
    /// The first byte concerned of the JSON text that was fed, counted from its start.
    pub start: usize,
    /// The byte after the last. What was supplied between two bytes is empty.
    pub end: usize,
    /// Where what stands there now starts in the text that came out.
    pub at: usize,
    /// What was written, at most 200 characters.
    pub before: String,
    /// What it became, at most 200 characters.
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

/// Where a piece of a document goes.
struct Job<'a> {
    target: Target<'a>,
    out: &'a mut String,
    fitted: &'a mut Vec<Fitted>,
    /// All of the document, where it is held.
    whole: Option<&'a str>,
    /// How much of `out` was there before.
    from: usize,
}

impl<'a> Job<'a> {
    /// For a piece of a document that is not held.
    fn new(target: Target<'a>, out: &'a mut String, fitted: &'a mut Vec<Fitted>) -> Job<'a> {
        Job {
            target,
            from: out.len(),
            out,
            fitted,
            whole: None,
        }
    }
}

/// An open container whose shape is known.
#[derive(Clone, Debug)]
struct Level {
    /// How many steps lead to its shape.
    walk: usize,
    /// How much of `path` is its own.
    path: usize,
    /// Items before this one, in an array.
    index: usize,
    array: bool,
    /// It is the one item of an array that was supplied.
    listed: bool,
    /// Its brackets are left out.
    unwrapped: bool,
    /// How many of `present` were there before it.
    present: usize,
    /// Where it starts.
    start: usize,
    /// The keys that may be renamed, where the whole object was looked at.
    uncontested: Option<Vec<String>>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Value,
    Key,
    Colon,
    /// After the key of what may be a wrapper.
    Wrapper(Wrapper),
    After,
    String {
        held: bool,
        escaped: bool,
    },
    Word {
        held: bool,
    },
    /// Inside a value about which nothing is known.
    Free(UnknownValue),
    Done,
}

impl State {
    /// After the bracket of a value about which nothing is known.
    const FREE: State = State::Free(UnknownValue {
        depth: 1,
        in_string: false,
        escaped: false,
    });

    /// After the quote of a string, or of a key, that is held.
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

/// A declared property that the innermost objects have had.
#[derive(Clone, Copy, Debug)]
struct Present {
    property: usize,
    /// Under another name, or in a wrapper.
    moved: bool,
}

/// The machine. One document each.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    state: State,
    levels: Vec<Level>,
    walk: Vec<Walk>,
    path: String,
    /// The properties that the open objects have had, those of the innermost last.
    present: Vec<Present>,
    /// The key or value that is held, as it came.
    held: String,
    /// The key and brace of what may be a wrapper.
    wrapper: String,
    /// The step to the value of the last key; `None` if the shape forbids that key.
    step: Option<Walk>,
    /// The value being read is the one item of an array that was supplied.
    listed: bool,
    /// The string that is being read is a key.
    in_key: bool,
    /// A key was read.
    has_keys: bool,
    /// Longest value that is held, in bytes.
    cap: usize,
    deep: u8,
    /// Bytes fed before this piece, and bytes told before this piece's output.
    fed: usize,
    emitted: usize,
    /// Where the key or value that is being read starts, and how far it was read.
    start: usize,
    pos: usize,
    /// Where the key of what may be a wrapper starts.
    wrapped_at: usize,
}

impl Fit {
    /// A machine that holds values of up to `cap` bytes.
    pub fn new(cap: usize) -> Fit {
        Fit {
            cap,
            ..Fit::default()
        }
    }

    /// Starts another document, in the memory of the last one.
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

    /// Whether it stands in a string that passes: more of its inside changes nothing.
    pub fn is_passing(&self) -> bool {
        match self.state {
            State::String { held, escaped } => !held && !escaped,
            State::Free(value) => value.in_string && !value.escaped,
            _ => false,
        }
    }

    /// Reads more of a JSON document; `text` continues what came before. Linear.
    pub fn feed(
        &mut self,
        target: Target<'_>,
        text: &str,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        out.reserve(text.len());
        self.read(text, Job::new(target, out, fitted));
    }

    /// Where the string or word that is being read ends; whether a string goes on after a backslash is kept.
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

    /// The document ended, whole or cut: tells what is still held.
    pub fn finish(
        &mut self,
        target: Target<'_>,
        whole: bool,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        let job = &mut Job::new(target, out, fitted);
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

/// A whole JSON document brought to its shape, and what was changed in it.
pub fn fitted(target: Target<'_>, json: &str) -> (String, Vec<Fitted>) {
    fit_whole(target, json, 0)
}

/// The same for a document that is held: keys are renamed with regard to those that come later.
fn fit_whole(target: Target<'_>, json: &str, deep: u8) -> (String, Vec<Fitted>) {
    let mut out = String::with_capacity(json.len());
    let mut changes = Vec::new();
    let mut fit = Fit {
        deep,
        ..Fit::new(usize::MAX - 1)
    };
    let job = Job {
        whole: Some(json),
        ..Job::new(target, &mut out, &mut changes)
    };
    fit.read(json, job);
    fit.finish(target, true, &mut out, &mut changes);
    (out, changes)
}
