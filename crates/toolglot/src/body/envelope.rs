//! One JSON envelope: name, arguments, id and name space under keys in any order.
//!
//! The transducer reads all of it; the envelope listens to its members and sends each value where its role says.

use alloc::borrow::ToOwned;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::{Mended, Output, Root, Step, Transducer, quoted, string, unescape};

use crate::grammar::Role;
use crate::machine::Thread;
use crate::program::{Node, Program};

/// Keys of an envelope that mean nothing and speak against nothing.
const NEUTRAL: &[&str] = &["type", "id", "index"];

/// Longest name, id or name space, in bytes of JSON text.
const CAPTURE: usize = 1024;

/// What the envelope asks of the machine.
#[derive(Debug)]
pub(crate) enum Asked {
    /// More bytes.
    More,
    /// The name and enough else are known: begin the call.
    Commit,
    /// Arguments are there to be told, up to the position reached.
    Args,
    /// The object ended.
    Done,
    /// It is no call.
    Dead,
    /// The bytes fit no JSON.
    Stuck,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// Brackets, commas, keys.
    Structure,
    Role(Role),
    /// Arguments that are a string that holds JSON.
    Encoded,
    /// The value of a parameter that stands beside the name.
    Flat,
    Skip,
}

/// An envelope being read.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// The readings that are left, in order of priority.
    pub(crate) bodies: Vec<Thread>,
    pub(crate) pos: u64,
    json: Transducer,
    out: Output,
    part: Part,
    path: String,
    depths: Vec<usize>,
    capture: String,
    /// The value being captured is longer than any may be.
    overlong: bool,
    member_at: u64,
    pub(crate) name: Option<String>,
    pub(crate) name_at: (u64, u64),
    pub(crate) id: Option<String>,
    pub(crate) ns: Option<String>,
    /// An arguments key was read.
    args_seen: bool,
    /// The parameters stand beside the name, in no object of their own.
    flat: bool,
    /// Argument text that waits for the call to begin or to be told, and where it began.
    pub(crate) args: String,
    pub(crate) args_at: Option<u64>,
    /// Up to here bytes are accounted for by the arguments.
    pub(crate) args_end: u64,
    pub(crate) at: u64,
    /// The arguments are no object.
    pub(crate) malformed: bool,
    inner: Option<(Transducer, Output)>,
    /// Bytes that `inner` was fed.
    decoded: u64,
    pub(crate) committed: bool,
    /// A known name is not enough.
    pub(crate) needs_marker: bool,
    marked: bool,
    /// It is the message's begin.
    starts: bool,
    pub(crate) repairs: Vec<Mended>,
    pub(crate) encoded_at: Option<u64>,
    /// Where the first parameter beside the name stands, until that is told.
    pub(crate) flat_at: Option<u64>,
    known: bool,
}

impl Envelope {
    pub(crate) fn new(program: &Program, bodies: Vec<Thread>, at: u64, starts: bool) -> Envelope {
        let closers = match program.node(bodies[0].node) {
            Node::Object(object) => Arc::clone(&object.closers),
            _ => Arc::default(),
        };
        let mut json = Transducer::new(Root::Object).with_closers(closers);
        json.watch(1);
        if let Node::Object(object) = program.node(bodies[0].node) {
            json.know(1, Arc::clone(&object.keys));
        }
        Envelope {
            marked: bodies.iter().any(|body| body.marked),
            starts,
            bodies,
            pos: at,
            json,
            out: Output::default(),
            part: Part::Structure,
            path: String::new(),
            depths: Vec::new(),
            capture: String::new(),
            overlong: false,
            member_at: at,
            name: None,
            name_at: (at, at),
            id: None,
            ns: None,
            args_seen: false,
            flat: false,
            args: String::new(),
            args_at: None,
            args_end: at,
            at,
            malformed: false,
            inner: None,
            decoded: 0,
            committed: false,
            needs_marker: false,
            repairs: Vec::new(),
            encoded_at: None,
            flat_at: None,
            known: false,
        }
    }

    /// Whether a marker stands before it, so that not only the name marks the call.
    pub(crate) fn is_marked(&self) -> bool {
        self.marked
    }

    /// Whether argument bytes are being read right now: what was read accounts for them.
    pub(crate) fn in_args(&self) -> bool {
        matches!(
            self.part,
            Part::Role(Role::Args) | Part::Encoded | Part::Flat
        )
    }

    /// Reads on, until something is asked. `text` begins at `self.pos`; arguments of a call that has begun go straight
    /// to `live`.
    pub(crate) fn feed(
        &mut self,
        program: &Program,
        text: &str,
        held: usize,
        live: Option<&mut String>,
    ) -> Asked {
        let direct = self.committed
            && self.part == Part::Role(Role::Args)
            && self.args_at.is_some()
            && self.args.is_empty();
        let mut live = live.filter(|_| direct);
        if let Some(live) = &mut live {
            core::mem::swap(*live, &mut self.out.text);
        }
        // What is undecided is capped in bytes of input, at the same byte in every cut.
        let room = (held as u64).saturating_sub(self.pos - self.at) as usize;
        let text = match (room.max(1)..text.len()).find(|&end| text.is_char_boundary(end)) {
            Some(end) if !self.committed => &text[..end],
            _ => text,
        };
        let (used, step) = self.json.feed(text, self.pos, &mut self.out);
        let direct = live.is_some();
        if let Some(live) = live {
            core::mem::swap(live, &mut self.out.text);
        }
        self.pos += used as u64;
        self.repairs.append(&mut self.out.repairs);
        let before = self.args.len();
        if !direct {
            self.route();
        }
        if self.in_args() {
            self.args_end = self.here();
        }
        let told = self.args.len() > before || self.in_args();
        match step {
            Step::Member => self.member(program),
            Step::Value => self.value(program),
            Step::Done => {
                // Without a tool set, a name alone is that of anything.
                let is_any = !self.marked && !self.args_seen && !self.starts;
                if self.name.is_none() || is_any && program.tools.is_empty() {
                    return Asked::Dead;
                }
                if core::mem::take(&mut self.flat) {
                    self.args.push('}');
                }
                if !self.committed {
                    // The caller commits, and asks again: the object is over then.
                    return Asked::Commit;
                }
                Asked::Done
            }
            Step::Stuck => Asked::Stuck,
            Step::More if !self.committed && self.pos - self.at >= held as u64 => Asked::Dead,
            Step::More if self.committed && told => Asked::Args,
            Step::More => Asked::More,
        }
    }

    /// Whether all of `text` stands inside a string of the arguments, as JSON writes it; it is read then.
    pub(crate) fn goes_on_as_it_stands(&mut self, text: &str) -> bool {
        let inside = self.committed
            && self.part == Part::Role(Role::Args)
            && self.args_at.is_some()
            && self.args.is_empty()
            && self.json.goes_on_as_it_stands(text);
        if inside {
            self.pos += text.len() as u64;
            self.args_end = self.pos;
        }
        inside
    }

    /// Where the value or member that is reported stands: bytes behind it may be read already.
    pub(crate) fn here(&self) -> u64 {
        self.json.behind().unwrap_or(self.pos)
    }

    /// Whether bytes that were read are to be read on without more text.
    pub(crate) fn is_behind(&self) -> bool {
        self.json.behind().is_some()
    }

    /// The call's tool is known: so are the keys of its arguments.
    pub(crate) fn know(&mut self, keys: &Arc<[String]>) {
        self.json.know(self.depths.len() + 2, Arc::clone(keys));
    }

    /// Whether it was given up because no tool has its name.
    pub(crate) fn is_unknown(&self) -> bool {
        self.args_seen && !self.known && !self.marked
    }

    /// Whether the transducer has read the whole object.
    pub(crate) fn is_over(&self) -> bool {
        self.json.depth() == 0
    }

    /// Ends the object where the message, or a byte that fits nothing, ends it.
    pub(crate) fn finish(&mut self, close: bool) -> toolglot_json::Rest {
        let rest = self
            .json
            .finish(close && self.inner.is_none(), self.pos, &mut self.out);
        self.repairs.append(&mut self.out.repairs);
        let is_flat = self.flat && self.inner.is_none();
        if is_flat || matches!((self.part, self.args_at), (Part::Role(Role::Args), Some(_))) {
            // The closers of the arguments come first, those of the envelope are not theirs.
            let outer = if is_flat { 0 } else { self.depths.len() + 1 };
            let text = core::mem::take(&mut self.out.text);
            let is_cut = is_flat && self.part == Part::Skip;
            let text = match is_cut {
                true if close && rest == toolglot_json::Rest::Brackets => String::from("}"),
                true => String::new(),
                false => text,
            };
            let keep =
                text.len()
                    .saturating_sub(if close && rest == toolglot_json::Rest::Brackets {
                        outer
                    } else {
                        0
                    });
            self.args.push_str(text[..keep].trim_start());
            if close && rest == toolglot_json::Rest::Brackets {
                self.part = Part::Structure;
            }
        }
        rest
    }

    /// A key was read: which role, in which of the readings?
    fn member(&mut self, program: &Program) -> Asked {
        self.out.text.clear();
        let key = self.json.key().into_owned();
        let path = if self.path.is_empty() {
            key.clone()
        } else {
            alloc::format!("{}.{key}", self.path)
        };
        self.member_at = self.here();
        self.capture.clear();
        self.overlong = false;
        // Readings that know the key go first; for the others the key may be the name.
        let role_known = self.bodies.iter().any(|body| {
            !name_is_key(program, body)
                && (role_of(program, body, &path).is_some()
                    || leads(program, body, &path)
                    || NEUTRAL.contains(&key.as_str()))
        });
        let any_is_name = self.bodies.iter().any(|body| name_is_key(program, body));
        if any_is_name && self.path.is_empty() && self.name.is_none() {
            self.bodies
                .retain(|body| name_is_key(program, body) != role_known);
            if self.bodies.is_empty() {
                return Asked::Dead;
            }
        }
        let name_is_key = self.bodies.iter().any(|body| name_is_key(program, body));
        if name_is_key && self.path.is_empty() {
            if self.name.is_none() {
                // Any object has a key: without a marker only one that names a tool makes it a call.
                if !self.marked && program.tools.find(&key).is_none() {
                    return Asked::Dead;
                }
                self.name_at = (self.here() - 1, self.here() - 1);
                self.name = Some(key);
                self.part = Part::Role(Role::Args);
                self.args_seen = true;
                return self.ask_commit(program);
            }
            self.part = Part::Skip;
            return Asked::More;
        }
        let knows = |body: &Thread| role_of(program, body, &path);
        if let Some(role) = self.bodies.iter().find_map(knows) {
            self.bodies.retain(|body| knows(body).is_some());
            let again = match role {
                Role::Name => self.name.is_some() && (self.committed || self.marked),
                Role::Args => self.args_seen,
                _ => false,
            };
            self.part = if again { Part::Skip } else { Part::Role(role) };
            if role == Role::Args && !again {
                self.args_seen = true;
                return self.ask_commit(program);
            }
            return Asked::More;
        }
        let prefix = self.bodies.iter().any(|body| leads(program, body, &path));
        if prefix {
            self.depths.push(self.path.len());
            self.path = path;
            self.json.watch(self.depths.len() + 1);
            self.part = Part::Structure;
            return Asked::More;
        }
        if self.path.is_empty() && self.is_flat_parameter(program, &key) {
            // What else stands there is for validation to judge.
            self.args.push(if self.flat { ',' } else { '{' });
            self.args.push_str(&quoted(&key));
            self.args.push(':');
            self.args_at.get_or_insert(self.member_at);
            if !self.flat {
                self.flat_at = Some(self.member_at);
            }
            (self.flat, self.args_seen, self.part) = (true, true, Part::Flat);
            // What stands before them is told now, at whatever byte a push ends.
            return if self.committed {
                Asked::Args
            } else {
                self.ask_commit(program)
            };
        }
        if !self.marked
            && !self.committed
            && !NEUTRAL.contains(&key.as_str())
            && self.path.is_empty()
        {
            return Asked::Dead;
        }
        self.part = Part::Skip;
        Asked::More
    }

    /// Whether `key` is a parameter that stands beside the name of its tool: `{"name": "f", "city": "Oslo"}`.
    fn is_flat_parameter(&self, program: &Program, key: &str) -> bool {
        let name = self.name.as_deref();
        let Some((tool, _)) = name.and_then(|name| program.tools.meant(name)) else {
            return false;
        };
        let declared = || program.tools.tool(tool).parameters.get(key).is_some();
        self.flat || !self.args_seen && !NEUTRAL.contains(&key) && declared()
    }

    /// A value ended.
    fn value(&mut self, program: &Program) -> Asked {
        let part = core::mem::replace(&mut self.part, Part::Structure);
        self.out.text.clear();
        if self.json.depth() < self.depths.len() + 1 {
            // The container of a path ended.
            if let Some(length) = self.depths.pop() {
                self.path.truncate(length);
                self.json.watch(self.depths.len() + 1);
            }
            return Asked::More;
        }
        match part {
            Part::Role(Role::Args) | Part::Flat => Asked::Args,
            Part::Encoded => {
                if let Some((mut json, mut out)) = self.inner.take() {
                    let rest = json.finish(true, self.decoded, &mut out);
                    self.args.push_str(&out.text);
                    self.mended_inside(&out.repairs);
                    self.malformed |= rest == toolglot_json::Rest::Broken || self.args_at.is_none();
                }
                Asked::Args
            }
            Part::Role(role) => {
                let mut text = core::mem::take(&mut self.capture);
                if self.overlong {
                    text.clear();
                }
                let value = string(&text)
                    .map(|text| text.trim().to_owned())
                    .filter(|text| !text.is_empty());
                match role {
                    Role::Name => {
                        let Some(name) = value else {
                            return Asked::Dead;
                        };
                        let length = text.trim().len() as u64;
                        let here = self.here();
                        self.name_at = (
                            here.saturating_sub(length.saturating_sub(1))
                                .max(self.member_at),
                            here.saturating_sub(1).max(self.member_at),
                        );
                        self.name = Some(name);
                        self.ask_commit(program)
                    }
                    Role::Id => {
                        self.id = value.or_else(|| Some(text.trim().to_owned()));
                        self.ask_commit(program)
                    }
                    Role::Ns => {
                        self.ns = value;
                        self.ask_commit(program)
                    }
                    Role::Args => Asked::More,
                }
            }
            Part::Structure | Part::Skip => Asked::More,
        }
    }

    /// A call with a marker begins when its name is known; one without, when its arguments' key was read too.
    fn ask_commit(&mut self, program: &Program) -> Asked {
        let Some(name) = &self.name else {
            return Asked::More;
        };
        if self.committed {
            return Asked::More;
        }
        self.known = program.tools.is_empty() || program.tools.meant(name).is_some();
        if !self.marked && (!self.known || self.needs_marker) {
            return Asked::Dead;
        }
        if !self.marked
            && !name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/' | '$'))
        {
            return Asked::Dead;
        }
        // An id or a server that stands before the arguments belongs to the head.
        let has_more = |body: &Thread| {
            let waited = |role: &Role| match role {
                Role::Id => self.id.is_none(),
                Role::Ns => self.ns.is_none(),
                Role::Name | Role::Args => false,
            };
            roles(program, body).iter().any(|(role, _)| waited(role))
        };
        if self.args_seen || self.marked && !self.bodies.iter().any(has_more) {
            Asked::Commit
        } else {
            Asked::More
        }
    }

    /// Sends what the transducer wrote where the role says.
    fn route(&mut self) {
        if self.out.text.is_empty() {
            return;
        }
        match self.part {
            Part::Structure | Part::Skip => {}
            Part::Role(Role::Args) => self.arguments(),
            Part::Encoded => self.encoded(),
            Part::Flat => self.args.push_str(&self.out.text),
            Part::Role(_) => {
                let room = CAPTURE.saturating_sub(self.capture.len());
                self.overlong |= self.out.text.len() > room;
                if !self.overlong {
                    self.capture.push_str(&self.out.text);
                }
            }
        }
        self.out.text.clear();
    }

    fn arguments(&mut self) {
        if self.args_at.is_some() {
            self.args.push_str(&self.out.text);
            return;
        }
        let text = self.out.text.trim_start();
        match text.as_bytes().first() {
            None => {}
            Some(b'{') => {
                self.args_at = Some(self.member_at);
                self.args.push_str(text);
            }
            Some(b'"') => {
                self.encoded_at = Some(self.member_at);
                self.part = Part::Encoded;
                self.inner = Some((Transducer::new(Root::Object), Output::default()));
                let text = text[1..].to_owned();
                self.out.text = text;
                self.encoded();
            }
            // `null`: no arguments.
            Some(b'n') => self.part = Part::Skip,
            Some(_) => {
                self.malformed = true;
                self.part = Part::Skip;
            }
        }
    }

    /// Argument text inside a string: what the string says is JSON of its own.
    fn encoded(&mut self) {
        // `None`: the string went on behind what it says; the rest is left out.
        let Some((json, out)) = &mut self.inner else {
            return;
        };
        // The transducer writes whole escapes; the closing quotation mark is its last byte.
        let text = self.out.text.as_str();
        let text = closing_mark(text).map_or(text, |at| &text[..at]);
        let decoded = unescape(text);
        let begun = self.args_at.is_some();
        let piece: &str = if begun {
            &decoded
        } else {
            decoded.trim_start()
        };
        if piece.is_empty() {
            return;
        }
        if !begun && !piece.starts_with('{') {
            self.malformed = true;
            self.inner = None;
            return;
        }
        self.args_at.get_or_insert(self.member_at);
        let (used, step) = json.feed(piece, self.decoded, out);
        self.decoded += piece.len() as u64;
        let over = step == Step::Stuck || (step == Step::Done && !piece[used..].trim().is_empty());
        self.args.push_str(&out.text);
        out.text.clear();
        let repairs = core::mem::take(&mut out.repairs);
        self.mended_inside(&repairs);
        if over {
            self.malformed = true;
            self.inner = None;
        }
    }
}

impl Envelope {
    /// Repairs of what a string says: they point at the arguments' begin, for escapes shift what stands behind them.
    fn mended_inside(&mut self, repairs: &[Mended]) {
        let at = self.args_at.unwrap_or(self.member_at);
        self.repairs.extend(repairs.iter().map(|mended| Mended {
            start: at,
            end: at,
            ..*mended
        }));
    }
}

/// Where an unescaped `"` stands.
fn closing_mark(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    None
}

fn roles<'a>(program: &'a Program, body: &Thread) -> &'a [(Role, Vec<String>)] {
    match program.node(body.node) {
        Node::Object(object) => &object.envelope.roles,
        _ => &[],
    }
}

fn name_is_key(program: &Program, body: &Thread) -> bool {
    matches!(program.node(body.node), Node::Object(object) if object.envelope.name_is_key)
}

fn role_of(program: &Program, body: &Thread, path: &str) -> Option<Role> {
    roles(program, body)
        .iter()
        .find(|(_, keys)| keys.iter().any(|key| key == path))
        .map(|(role, _)| *role)
}

fn leads(program: &Program, body: &Thread, path: &str) -> bool {
    roles(program, body)
        .iter()
        .flat_map(|(_, keys)| keys)
        .any(|key| {
            key.strip_prefix(path)
                .is_some_and(|rest| rest.starts_with('.'))
        })
}
