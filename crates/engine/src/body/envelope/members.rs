//! Members of an envelope: the role of a key in each reading, and the value under it.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use toolglot_json::Repair;
use toolglot_json::internal::{quoted, string};

use super::{Action, Envelope, Part, push_separated};
use crate::Recovery;
use crate::body::tree::push_key;
use crate::grammar::Role;
use crate::machine::Thread;
use crate::program::{Node, Program};
use crate::vocabulary::{META_KEYS, NEUTRAL_KEYS};

impl Envelope {
    /// A key was read: decides its role, and which readings remain.
    // Not inlined: its setup in the reading loop would run at every push.
    #[inline(never)]
    pub(super) fn member(&mut self, program: &Program) -> Action {
        self.out.text.clear();
        let mut key = String::new();
        self.json.take_key(&mut key);
        let asked = self.member_called(program, &key);
        // The next key is read into the same memory.
        self.json.take_key(&mut key);
        asked
    }

    pub(super) fn member_called(&mut self, program: &Program, key: &str) -> Action {
        let path: Cow<'_, str> = if self.path.is_empty() {
            Cow::Borrowed(key)
        } else {
            Cow::Owned(alloc::format!("{}.{key}", self.path))
        };
        self.member_at = self.here();
        self.capture.clear();
        self.overlong = false;
        let is_neutral = || NEUTRAL_KEYS.contains(&key);
        let may_be_aside = self.head.name.is_none() && self.path.is_empty();
        let is_aside = || may_be_aside && META_KEYS.contains(&key);
        // Readings that know the key have priority; for the others the key may be the name.
        if self.is_braceless && self.is_first(program, &path) {
            return Action::Dead;
        }
        let any_is_name = self.bodies.iter().any(|body| name_is_key(program, body));
        if any_is_name && self.path.is_empty() && self.head.name.is_none() {
            let role_known = self.bodies.iter().any(|body| {
                !name_is_key(program, body)
                    && (role_of(program, body, &path).is_some()
                        || leads(program, body, &path)
                        || is_neutral()
                        || is_aside() && program.tools.find(key).is_none())
            });
            self.bodies
                .retain(|body| name_is_key(program, body) != role_known);
        }
        let name_is_key = any_is_name && self.bodies.iter().any(|body| name_is_key(program, body));
        if name_is_key && self.path.is_empty() {
            if self.head.name.is_none() {
                // Any object has a key: without a marker only a key that names a tool makes the object a call.
                if !self.marked && program.tools.find(key).is_none() {
                    return Action::Dead;
                }
                self.start_under(program, key.to_owned());
                self.args.needs_object = !self.marked;
                return self.ask_commit(program);
            }
            if self.committed && !self.args.malformed && program.tools.find(key).is_some() {
                // Another call in the same object.
                self.head.next_name = Some(key.to_owned());
                return Action::Another;
            }
            self.leave_out_key(program, key);
            self.part = Part::Skip;
            return Action::More;
        }
        let knows = |body: &Thread| role_of(program, body, &path);
        if let Some(role) = self.bodies.iter().find_map(knows) {
            if self.head.name.is_none()
                && self.bodies.iter().any(|body| leads(program, body, &path))
            {
                // The name itself, or an object that holds it: the value decides.
                self.enter(path.into_owned());
                self.part = Part::Role(role);
                return Action::More;
            }
            let is_fixed = matches!(role, Role::Fixed(_));
            self.bodies.retain(|body| is_fixed || knows(body).is_some());
            let again = match role {
                Role::Name => self.head.name.is_some() && (self.committed || self.marked),
                Role::Args => self.args.seen,
                Role::Fixed(_) => self.committed,
                _ => false,
            };
            self.part = if again { Part::Skip } else { Part::Role(role) };
            if again {
                if role == Role::Args {
                    // The first arguments count, not the last.
                    let (repairs, end) = (&mut self.repairs, self.args.end);
                    repairs.pop_if(|one| one.repair == Repair::DuplicateKey && one.start >= end);
                    self.leave_out(self.member_at, Recovery::SecondArguments);
                }
                return Action::More;
            }
            if is_fixed {
                self.fixed.push(path.into_owned());
            } else if role == Role::Args {
                let meta = core::mem::take(&mut self.loose.meta);
                let is_lost = |(key, _): &(String, String)| !NEUTRAL_KEYS.contains(&key.as_str());
                if !core::mem::take(&mut self.loose.text).is_empty() || meta.iter().any(is_lost) {
                    self.leave_out(self.loose.at, Recovery::OtherMember);
                }
                self.args.seen = true;
                self.know_tool(program);
                // After a marker any name starts a call, and any arguments are accepted unless the tool is known.
                self.args.may_define = !self.marked || self.head.meant.is_some();
                self.args.waits_for_schema = !self.marked && key == "parameters";
                return self.start_arguments(program);
            }
            return Action::More;
        }
        if self.bodies.iter().any(|body| leads(program, body, &path)) {
            self.enter(path.into_owned());
            self.part = Part::Structure;
            return Action::More;
        }
        if self.path.is_empty() && self.is_flat_parameter(program, key) {
            // Validation decides about the other members there. Those before the name come first.
            self.take_outer(program);
            let opened = if self.loose.flat { ',' } else { '{' };
            self.args.text.push(opened);
            push_key(&mut self.args.text, key);
            self.args.at.get_or_insert(self.member_at);
            if !self.loose.flat {
                self.loose.flat_at = Some(self.member_at);
            }
            (self.loose.flat, self.args.seen, self.part) = (true, true, Part::Flat);
            return self.start_arguments(program);
        }
        if !self.marked && !self.committed && !is_neutral() && !is_aside() {
            return Action::Dead;
        }
        self.loose.has_meta |= is_aside();
        if self.args.seen && !is_neutral() {
            self.leave_out_key(program, key);
        }
        let is_outer = self.marked && !self.args.seen;
        if is_outer && self.loose.text.is_empty() && self.loose.meta.is_empty() {
            self.loose.at = self.member_at;
        }
        self.part = if is_outer && (is_neutral() || META_KEYS.contains(&key)) {
            self.loose.meta.push((key.to_owned(), String::new()));
            Part::Meta
        } else if is_outer {
            push_separated(&mut self.loose.text, &quoted(key));
            self.loose.text.push(':');
            Part::Outer
        } else {
            Part::Skip
        };
        Action::More
    }

    /// Enters the object under `path`, whose members have roles.
    fn enter(&mut self, path: String) {
        self.depths.push(self.path.len());
        self.path = path;
        self.json.watch(self.depths.len() + 1);
    }

    /// The arguments start. The text before them is emitted here, wherever a push ends.
    fn start_arguments(&mut self, program: &Program) -> Action {
        if self.committed {
            Action::Args
        } else {
            self.ask_commit(program)
        }
    }

    /// Whether the key at `path` is the first of all, and has no role.
    fn is_first(&self, program: &Program, path: &str) -> bool {
        let has_role = |body: &Thread| role_of(program, body, path).is_some();
        self.head.name.is_none() && !self.args.seen && !self.bodies.iter().any(has_role)
    }

    /// Whether `key` is a parameter beside the name of its tool: `{"name": "f", "city": "Oslo"}`.
    pub(super) fn is_flat_parameter(&self, program: &Program, key: &str) -> bool {
        let Some(declared) = self.declares(program, key) else {
            return false;
        };
        let is_neutral = NEUTRAL_KEYS.contains(&key);
        if self.loose.flat {
            // A key that describes the call is not an argument, unless the tool declares it.
            return !(is_neutral || META_KEYS.contains(&key)) || declared;
        }
        let has_room = !self.args.seen || self.args.void;
        has_room && !self.loose.has_meta && !is_neutral && declared
    }

    /// The call's name was read.
    pub(super) fn call_it(&mut self, program: &Program, name: String) {
        self.head.meant = program.tools.meant(&name);
        self.head.name = Some(name);
    }

    /// The arguments start, under the call's name as their key.
    pub(super) fn start_under(&mut self, program: &Program, name: String) {
        self.call_it(program, name);
        self.head.name_at = (self.here() - 1, self.here() - 1);
        self.part = Part::Role(Role::Args);
        (self.args.seen, self.args.may_define) = (true, true);
        self.know_tool(program);
    }

    /// The arguments start. If their tool is known, so are their keys, whether or not the call has started: the result
    /// must not depend on how much text has come.
    pub(super) fn know_tool(&mut self, program: &Program) {
        if let Some((tool, _)) = self.head.meant {
            let keys = Arc::clone(program.tools.keys(tool));
            self.json.add_keys(self.depths.len() + 2, keys);
        }
    }

    /// Whether the named tool has such a parameter; `None` if the tool is unknown.
    pub(super) fn declares(&self, program: &Program, key: &str) -> Option<bool> {
        let (tool, _) = self.head.meant?;
        Some(program.tools.tool(tool).parameters.get(key).is_some())
    }

    /// Leaves out the member of a key beside the arguments.
    fn leave_out_key(&mut self, program: &Program, key: &str) {
        let is_parameter = self.declares(program, key) == Some(true) && !META_KEYS.contains(&key);
        let what = if is_parameter {
            Recovery::LateParameter
        } else {
            Recovery::OtherMember
        };
        self.leave_out(self.member_at, what);
    }

    /// A value ended.
    #[inline(never)]
    pub(super) fn value(&mut self, program: &Program) -> Action {
        let part = core::mem::replace(&mut self.part, Part::Structure);
        self.out.text.clear();
        if self.json.depth() < self.depths.len() + 1 {
            // The container of a path ended.
            if let Some(length) = self.depths.pop() {
                self.path.truncate(length);
                self.json.watch(self.depths.len() + 1);
            }
            return self.value_of(part, program);
        }
        let asked = self.value_of(part, program);
        // The value of the arguments' key started no arguments.
        self.args.void = self.args.seen && self.args.at.is_none() && !self.args.malformed;
        if self.args.malformed && self.args.malformed_at.is_none() {
            self.args.malformed_at = Some((self.member_at, self.here()));
        }
        asked
    }

    /// Handles the value that ended in `part`.
    fn value_of(&mut self, part: Part, program: &Program) -> Action {
        match part {
            Part::Role(Role::Args) | Part::Flat => Action::Args,
            Part::Encoded => {
                if let Some(inner) = self.encoded.json.take() {
                    let (mut json, mut out) = *inner;
                    let rest = json.finish(true, self.encoded.n_fed, &mut out);
                    self.args.text.push_str(&out.text);
                    self.keep_repairs(&out.repairs);
                    // An empty string: no arguments.
                    let has_any = self.args.at.is_some();
                    self.args.malformed |= has_any && rest == toolglot_json::Completeness::Broken;
                }
                self.end_encoded();
                Action::Args
            }
            Part::Role(role) => {
                let mut text = core::mem::take(&mut self.capture);
                if self.overlong {
                    text.clear();
                }
                let asked = self.captured(program, role, text.trim());
                self.capture = text;
                asked
            }
            Part::Structure | Part::Skip | Part::List | Part::Outer | Part::Meta => Action::More,
        }
    }

    /// The value of a fixed member was read: readings that require another value are dropped.
    fn fixed(&mut self, program: &Program, text: &str) -> Action {
        let key = self.fixed.last().map_or("", String::as_str);
        let role = |body: &Thread| role_of(program, body, key);
        let fits = |body: &Thread| match (role(body), program.node(body.node)) {
            (Some(Role::Fixed(n)), Node::Object(object)) => {
                let mut values = object.envelope.fixed[n].iter();
                values.any(|value| {
                    value == text || string(value).is_some_and(|value| string(text) == Some(value))
                })
            }
            _ => true,
        };
        self.is_other = !self.bodies.iter().any(fits);
        if self.is_other {
            return Action::Dead;
        }
        self.bodies.retain(fits);
        match self.bodies.iter().find_map(role) {
            Some(Role::Fixed(_)) | None => self.ask_commit(program),
            Some(role) => self.captured(program, role, text),
        }
    }

    /// Whether the reading requires a fixed member that was not read.
    pub(super) fn lacks_fixed(&self, program: &Program, body: &Thread) -> bool {
        let mut roles = roles(program, body).iter();
        roles.any(|(role, keys)| matches!(role, Role::Fixed(_)) && !self.fixed.contains(&keys[0]))
    }

    /// Drops readings that require a fixed member that was not read. Returns whether any is left.
    pub(super) fn has_fixed(&mut self, program: &Program) -> bool {
        let mut bodies = core::mem::take(&mut self.bodies);
        if bodies.iter().all(|body| self.lacks_fixed(program, body)) {
            self.is_other = true;
        } else {
            bodies.retain(|body| !self.lacks_fixed(program, body));
        }
        self.bodies = bodies;
        !self.is_other
    }

    /// The JSON text of a captured role was read.
    fn captured(&mut self, program: &Program, role: Role, text: &str) -> Action {
        let value = string(text).map(|text| text.trim().to_owned());
        let value = value.filter(|text| !text.is_empty());
        match role {
            Role::Name => {
                // A name has one line. Only a tool's name may end with a colon, or be a word for no tool.
                let is_no_tool = |name: &str| {
                    let mut dialects = self.bodies.iter().map(|body| program.dialect_of(body.node));
                    dialects.all(|dialect| dialect.is_no_tool(name))
                };
                let is_name = |name: &String| {
                    let is_known = program.tools.meant(name).is_some();
                    let is_one_line = !name.contains(['\n', '\r']);
                    is_one_line && (is_known || !name.ends_with(':') && !is_no_tool(name))
                };
                let Some(name) = value.filter(is_name) else {
                    return Action::Dead;
                };
                let (here, length) = (self.here(), text.len() as u64);
                let start = here.saturating_sub(length.saturating_sub(1));
                let end = here.saturating_sub(1).max(self.member_at);
                self.head.name_at = (start.max(self.member_at), end);
                self.call_it(program, name);
            }
            Role::Id => self.head.id = value.or_else(|| Some(text.to_owned())),
            Role::Server => self.head.server = value,
            Role::Fixed(_) => return self.fixed(program, text),
            Role::Args => return Action::More,
        }
        self.ask_commit(program)
    }

    /// A call with a marker starts once its name is known; a call without one, once its arguments' key was read too.
    pub(super) fn ask_commit(&mut self, program: &Program) -> Action {
        let (Some(name), false) = (&self.head.name, self.committed) else {
            return Action::More;
        };
        self.head.known = program.tools.is_empty() || self.head.meant.is_some();
        let is_name_char = |c: char| c.is_alphanumeric() || "_-.:/$".contains(c);
        if !(self.marked || self.head.known && name.chars().all(is_name_char)) {
            return Action::Dead;
        }
        if self.args.needs_object && self.args.at.is_none() {
            // `{"search": 0.9}` is data.
            let is_data = self.args.malformed || self.args.void;
            return if is_data { Action::Dead } else { Action::More };
        }
        if self.args.needs_object || self.args.waits_for_schema {
            let is_data = if self.args.needs_object {
                self.is_data(program)
            } else {
                Some(false)
            };
            match (self.is_schema(program), is_data) {
                (Some(true), _) | (_, Some(true)) => return Action::Dead,
                (None, _) | (_, None) => return Action::More,
                (Some(false), Some(false)) => {}
            }
            (self.args.needs_object, self.args.waits_for_schema) = (false, false);
        }
        if self.may_repeat() {
            // The arguments decide whether it is a call of its own.
            return Action::More;
        }
        // An id or a server before the arguments belongs to the head.
        let has_more = |body: &Thread| {
            let missing = |role: &Role| match role {
                Role::Id => self.head.id.is_none(),
                Role::Server => self.head.server.is_none(),
                Role::Name | Role::Args | Role::Fixed(_) => false,
            };
            roles(program, body).iter().any(|(role, _)| missing(role))
        };
        let is_sure = self.args.seen || self.marked && !self.bodies.iter().any(has_more);
        let first = self.bodies.first();
        if is_sure && !first.is_some_and(|body| self.lacks_fixed(program, body)) {
            self.has_fixed(program);
            Action::Commit
        } else {
            Action::More
        }
    }
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
    let mut roles = roles(program, body).iter();
    let found = roles.find(|(_, keys)| keys.iter().any(|key| key == path));
    Some(found?.0)
}

fn leads(program: &Program, body: &Thread, path: &str) -> bool {
    let is_inside =
        |key: &String| key.as_bytes().get(path.len()) == Some(&b'.') && key.starts_with(path);
    let mut keys = roles(program, body).iter().flat_map(|(_, keys)| keys);
    keys.any(is_inside)
}
