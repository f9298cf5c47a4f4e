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

mod convert;
mod keys;
mod names;
mod scan;
mod shapes;
#[cfg(test)]
mod tests;
mod unpack;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

pub use convert::{float, integer, scalar_of};

use scan::{ends_in_escape, ends_word, free, string_end};
use shapes::{Kind, Plan, Walk, admits, plan_of, reached};

use crate::keys::Keys;
use crate::shape::{Fields, Shape};

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
    /// A key came that another one had been renamed to: the value that counts is the last.
    Doubled,
}

/// One change, and where: `edits[2].line`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fitted {
    /// What was done.
    pub change: FitKind,
    /// The path of the value in the document, as it is called now.
    pub path: String,
    /// What was written, at most 40 characters.
    pub before: String,
    /// What it became, at most 40 characters.
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

/// An open container whose shape is known.
#[derive(Clone, Copy, Debug)]
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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Value,
    Key,
    InKey {
        escaped: bool,
    },
    Colon,
    /// Behind the key of what may be a wrapper.
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
    Free {
        depth: usize,
        in_string: bool,
        escaped: bool,
    },
    Done,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapper {
    Colon,
    Brace,
    Key,
}

/// The machine. One document each.
#[derive(Clone, Debug)]
pub struct Fit {
    state: State,
    levels: Vec<Level>,
    walk: Vec<Walk>,
    path: String,
    /// The declared keys that each open container has had.
    had: Keys,
    /// What keys were renamed to, and at which depth.
    renamed: Vec<(usize, String)>,
    /// The key or value that is held, as it came.
    held: String,
    /// The key and brace of what may be a wrapper.
    wrapper: String,
    /// The step to the value of the last key; `None` if the shape forbids that key.
    step: Option<Walk>,
    /// The value being read is the one item of an array that was supplied.
    listed: bool,
    /// The string that passes is a key.
    in_key: bool,
    /// No key was read yet.
    first: bool,
    /// Longest value that is held, in bytes.
    cap: usize,
    deep: u8,
}

impl Fit {
    /// A machine that holds values of up to `cap` bytes.
    pub fn new(cap: usize) -> Fit {
        Fit {
            state: State::Value,
            levels: Vec::new(),
            walk: Vec::new(),
            path: String::new(),
            had: Keys::default(),
            renamed: Vec::new(),
            held: String::new(),
            wrapper: String::new(),
            step: None,
            listed: false,
            in_key: false,
            first: true,
            cap,
            deep: 0,
        }
    }

    /// Whether it stands in a string that passes: more of its inside changes nothing.
    pub fn is_passing(&self) -> bool {
        matches!(
            self.state,
            State::String {
                held: false,
                escaped: false
            } | State::Free {
                in_string: true,
                escaped: false,
                ..
            }
        )
    }

    /// Reads more of a JSON document; `text` continues what came before. Linear.
    pub fn feed(
        &mut self,
        target: Target<'_>,
        text: &str,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        let bytes = text.as_bytes();
        let mut i = 0;
        // Bytes [run, i) pass.
        let mut run = 0;
        while i < bytes.len() {
            let byte = bytes[i];
            match self.state {
                State::Value => match byte {
                    b' ' | b'\t' | b'\n' | b'\r' => i += 1,
                    b']' => {
                        out.push_str(&text[run..i]);
                        run = i;
                        i += 1;
                        self.close(&text[run..i], out);
                        run = i;
                    }
                    _ => {
                        out.push_str(&text[run..i]);
                        run = i;
                        self.begin_value(target, byte, out, fitted);
                        i += 1;
                        if let State::String { held: true, .. } | State::Word { held: true } =
                            self.state
                        {
                            self.held.push(char::from(byte));
                            run = i;
                        }
                    }
                },
                State::String { held, escaped } => {
                    let rest = if held {
                        self.room(&text[i..])
                    } else {
                        &text[i..]
                    };
                    let end = string_end(rest.as_bytes(), escaped);
                    let piece = &rest[..end.unwrap_or(rest.len())];
                    let escaped = end.is_none() && ends_in_escape(piece.as_bytes(), escaped);
                    i += piece.len();
                    self.state = State::String { held, escaped };
                    if held {
                        self.held.push_str(piece);
                        run = i;
                    }
                    if end.is_some() {
                        out.push_str(&text[run..i]);
                        run = i;
                        if held {
                            self.convert(target, out, fitted);
                        }
                        self.end_string(out);
                    } else if held && self.held.len() > self.cap {
                        self.give_up(target, out);
                    }
                }
                State::Word { held } => {
                    let rest = if held {
                        self.room(&text[i..])
                    } else {
                        &text[i..]
                    };
                    let end = rest.bytes().position(ends_word);
                    let piece = &rest[..end.unwrap_or(rest.len())];
                    i += piece.len();
                    if held {
                        self.held.push_str(piece);
                        run = i;
                    }
                    if end.is_some() {
                        out.push_str(&text[run..i]);
                        run = i;
                        if held {
                            self.convert(target, out, fitted);
                        }
                        self.end_value(out);
                    } else if held && self.held.len() > self.cap {
                        self.give_up(target, out);
                    }
                }
                State::Free {
                    depth,
                    in_string,
                    escaped,
                } => {
                    let (end, state) = free(bytes, i, depth, in_string, escaped);
                    i = end;
                    if let Some(state) = state {
                        self.state = state;
                    } else {
                        out.push_str(&text[run..i]);
                        run = i;
                        self.end_value(out);
                    }
                }
                State::Key => match byte {
                    b'"' => {
                        out.push_str(&text[run..i]);
                        self.held.clear();
                        self.held.push('"');
                        i += 1;
                        run = i;
                        self.state = State::InKey { escaped: false };
                    }
                    b'}' => {
                        out.push_str(&text[run..i]);
                        self.close("}", out);
                        i += 1;
                        run = i;
                    }
                    _ => i += 1,
                },
                State::InKey { escaped } => {
                    let rest = self.room(&text[i..]);
                    let end = string_end(rest.as_bytes(), escaped);
                    let piece = &rest[..end.unwrap_or(rest.len())];
                    let escaped = end.is_none() && ends_in_escape(piece.as_bytes(), escaped);
                    self.held.push_str(piece);
                    i += piece.len();
                    run = i;
                    self.state = State::InKey { escaped };
                    if end.is_some() {
                        self.key(target, out, fitted);
                    } else if self.held.len() > self.cap {
                        self.long_key(target, out);
                    }
                }
                State::Colon => {
                    if byte == b':' {
                        self.state = State::Value;
                    }
                    i += 1;
                }
                State::Wrapper(wrapper) => {
                    if self.wrapper(wrapper, byte, out) {
                        i += 1;
                    }
                    run = i;
                }
                State::After => match byte {
                    b',' => {
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
                    b'}' | b']' => {
                        out.push_str(&text[run..i]);
                        run = i;
                        i += 1;
                        self.close(&text[run..i], out);
                        run = i;
                    }
                    _ => i += 1,
                },
                State::Done => i = bytes.len(),
            }
        }
        out.push_str(&text[run..]);
    }

    /// The document ended, whole or cut: tells what is still held.
    pub fn finish(
        &mut self,
        target: Target<'_>,
        whole: bool,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        match self.state {
            State::Word { held } => {
                if held && whole {
                    self.convert(target, out, fitted);
                } else if held {
                    out.push_str(&self.held);
                }
                if whole {
                    self.end_value(out);
                }
            }
            State::String { held: true, .. } | State::InKey { .. } => {
                out.push_str(&self.wrapper);
                out.push_str(&self.held);
            }
            State::Wrapper(_) => out.push_str(&self.wrapper),
            _ => {}
        }
        self.held.clear();
        self.wrapper.clear();
    }

    /// The fields of the innermost object.
    fn fields<'t>(&self, target: Target<'t>) -> Option<&'t Fields> {
        let level = self.levels.last()?;
        match reached(target, &self.walk[..level.walk])? {
            Target::Fields(fields) | Target::Shape(Shape::Object(fields)) => Some(fields),
            Target::Shape(_) => None,
        }
    }

    /// A value begins with `byte`, in the document or in a container whose shape is known.
    fn begin_value(
        &mut self,
        target: Target<'_>,
        byte: u8,
        out: &mut String,
        fitted: &mut Vec<Fitted>,
    ) {
        let kind = Kind::of(byte);
        self.held.clear();
        self.listed = false;
        let base = self.levels.last().map_or(0, |level| level.walk);
        self.walk.truncate(base);
        let mut known = true;
        match self.levels.last() {
            None => {}
            Some(level) if level.array => self.walk.push(Walk::Item),
            Some(_) => match self.step {
                Some(step) => self.walk.push(step),
                None => known = false,
            },
        }
        let mut plan = if known {
            self.plan(target, kind)
        } else {
            Plan::Pass
        };
        if plan == Plan::List {
            out.push('[');
            self.listed = true;
            self.note(FitKind::Listed, "a lone value", "an array of one", fitted);
            self.walk.push(Walk::Item);
            plan = match self.plan(target, kind) {
                Plan::List => Plan::Pass,
                plan => plan,
            };
        }
        self.state = match (plan, kind) {
            (Plan::Descend, Kind::Object | Kind::Array) => {
                self.open(kind == Kind::Array, false);
                if kind == Kind::Array {
                    State::Value
                } else {
                    State::Key
                }
            }
            (_, Kind::Object | Kind::Array) => State::Free {
                depth: 1,
                in_string: false,
                escaped: false,
            },
            (plan, Kind::String) => State::String {
                held: plan == Plan::Hold,
                escaped: false,
            },
            (plan, _) => State::Word {
                held: plan == Plan::Hold,
            },
        };
    }

    /// What becomes of a value of this kind, whose shape the steps lead to. A choice among shapes is a step more.
    fn plan(&mut self, target: Target<'_>, kind: Kind) -> Plan {
        let Some(reached) = reached(target, &self.walk) else {
            return Plan::Pass;
        };
        let shape = match reached {
            Target::Fields(_) if kind == Kind::Object => return Plan::Descend,
            Target::Fields(_) => return Plan::Pass,
            Target::Shape(shape) => shape,
        };
        let Shape::OneOf(shapes) = shape else {
            return plan_of(shape, kind);
        };
        let admitted = shapes.iter().position(|shape| admits(shape, kind));
        let listed = || {
            shapes
                .iter()
                .position(|shape| plan_of(shape, kind) == Plan::List)
        };
        match admitted {
            Some(choice) => {
                self.walk.push(Walk::Choice(choice));
                plan_of(&shapes[choice], kind)
            }
            None if shapes
                .iter()
                .any(|shape| plan_of(shape, kind) == Plan::Hold) =>
            {
                Plan::Hold
            }
            None => match listed() {
                Some(choice) => {
                    self.walk.push(Walk::Choice(choice));
                    Plan::List
                }
                None => Plan::Pass,
            },
        }
    }

    fn open(&mut self, array: bool, unwrapped: bool) {
        if self.levels.last().is_some_and(|level| level.array) {
            let place = self.place();
            self.path = place;
        }
        self.had.open();
        self.levels.push(Level {
            walk: self.walk.len(),
            path: self.path.len(),
            index: 0,
            array,
            listed: core::mem::take(&mut self.listed),
            unwrapped,
        });
    }

    /// A container ends with `closer`.
    fn close(&mut self, closer: &str, out: &mut String) {
        let Some(level) = self.levels.pop() else {
            out.push_str(closer);
            return;
        };
        self.had.close();
        self.renamed
            .retain(|(depth, _)| *depth <= self.levels.len());
        if level.unwrapped {
            self.state = State::After;
            return;
        }
        out.push_str(closer);
        self.listed = level.listed;
        self.end_value(out);
    }

    fn end_string(&mut self, out: &mut String) {
        if core::mem::take(&mut self.in_key) {
            self.state = State::Colon;
        } else {
            self.end_value(out);
        }
    }

    fn end_value(&mut self, out: &mut String) {
        if core::mem::take(&mut self.listed) {
            out.push(']');
        }
        self.held.clear();
        self.state = if self.levels.is_empty() {
            State::Done
        } else {
            State::After
        };
    }

    /// The path of the value being read.
    fn place(&self) -> String {
        match self.levels.last() {
            Some(level) if level.array => format!("{}[{}]", &self.path[..level.path], level.index),
            _ => self.path.clone(),
        }
    }

    #[cold]
    fn note(&mut self, change: FitKind, before: &str, after: &str, fitted: &mut Vec<Fitted>) {
        let short = |text: &str| text.chars().take(40).collect::<String>();
        fitted.push(Fitted {
            change,
            path: self.place(),
            before: short(before),
            after: short(after),
        });
    }
}

/// A whole JSON document brought to its shape, and what was changed in it.
pub fn fitted(target: Target<'_>, json: &str) -> (String, Vec<Fitted>) {
    let mut out = String::with_capacity(json.len());
    let mut changes = Vec::new();
    let mut fit = Fit::new(json.len());
    fit.feed(target, json, &mut out, &mut changes);
    fit.finish(target, true, &mut out, &mut changes);
    (out, changes)
}
