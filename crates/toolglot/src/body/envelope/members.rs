//! Members of an envelope: which role a key has, in which of the readings, and what its value says.

use alloc::borrow::{Cow, ToOwned};
use alloc::string::String;
use alloc::vec::Vec;

use toolglot_json::{quoted, string};

use super::{Asked, Envelope, Part};
use crate::grammar::Role;
use crate::machine::Thread;
use crate::program::{Node, Program};

/// Keys of an envelope that mean nothing and speak against nothing.
const NEUTRAL: &[&str] = &["type", "id", "index"];

impl Envelope {
    /// A key was read: which role, in which of the readings?
    pub(super) fn member(&mut self, program: &Program) -> Asked {
        self.out.text.clear();
        let mut key = core::mem::take(&mut self.key);
        key.clear();
        key.push_str(&self.json.key());
        let asked = self.member_called(program, &key);
        self.key = key;
        asked
    }

    pub(super) fn member_called(&mut self, program: &Program, key: &str) -> Asked {
        let path: Cow<'_, str> = if self.path.is_empty() {
            Cow::Borrowed(key)
        } else {
            Cow::Owned(alloc::format!("{}.{key}", self.path))
        };
        self.member_at = self.here();
        self.capture.clear();
        self.overlong = false;
        // Readings that know the key go first; for the others the key may be the name.
        let role_known = self.bodies.iter().any(|body| {
            !name_is_key(program, body)
                && (role_of(program, body, &path).is_some()
                    || leads(program, body, &path)
                    || NEUTRAL.contains(&key))
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
                if !self.marked && program.tools.find(key).is_none() {
                    return Asked::Dead;
                }
                self.name_at = (self.here() - 1, self.here() - 1);
                self.name = Some(key.to_owned());
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
                if !core::mem::take(&mut self.loose).is_empty() {
                    self.dropped_at = Some(self.loose_at);
                }
                self.args_seen = true;
                return self.ask_commit(program);
            }
            return Asked::More;
        }
        let prefix = self.bodies.iter().any(|body| leads(program, body, &path));
        if prefix {
            self.depths.push(self.path.len());
            self.path = path.into_owned();
            self.json.watch(self.depths.len() + 1);
            self.part = Part::Structure;
            return Asked::More;
        }
        if self.path.is_empty() && self.is_flat_parameter(program, key) {
            // What else stands there is for validation to judge.
            self.args.push(if self.flat { ',' } else { '{' });
            self.args.push_str(&quoted(key));
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
        if !self.marked && !self.committed && !NEUTRAL.contains(&key) && self.path.is_empty() {
            return Asked::Dead;
        }
        if self.args_seen && !self.flat && !NEUTRAL.contains(&key) {
            self.dropped_at.get_or_insert(self.member_at);
        }
        let is_loose = self.marked && !self.args_seen && self.path.is_empty();
        self.part = if is_loose && !NEUTRAL.contains(&key) {
            if self.loose.is_empty() {
                self.loose_at = self.member_at;
            } else {
                self.loose.push(',');
            }
            self.loose.push_str(&quoted(key));
            self.loose.push(':');
            Part::Loose
        } else {
            Part::Skip
        };
        Asked::More
    }

    /// Whether `key` is a parameter that stands beside the name of its tool: `{"name": "f", "city": "Oslo"}`.
    pub(super) fn is_flat_parameter(&self, program: &Program, key: &str) -> bool {
        let name = self.name.as_deref();
        let Some((tool, _)) = name.and_then(|name| program.tools.meant(name)) else {
            return false;
        };
        let declared = || program.tools.tool(tool).parameters.get(key).is_some();
        self.flat || !self.args_seen && !NEUTRAL.contains(&key) && declared()
    }

    /// A value ended.
    pub(super) fn value(&mut self, program: &Program) -> Asked {
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
                        // A name has one line.
                        let is_name = |name: &String| !name.contains(['\n', '\r']);
                        let Some(name) = value.filter(is_name) else {
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
            Part::Structure | Part::Skip | Part::Loose => Asked::More,
        }
    }

    /// A call with a marker begins when its name is known; one without, when its arguments' key was read too.
    pub(super) fn ask_commit(&mut self, program: &Program) -> Asked {
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
