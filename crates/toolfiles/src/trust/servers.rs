//! Servers that the user approved, with what they said of their tools then.

use serde_json::{Map, Value, json};

use super::Refusal;
use super::{Standing, Trust, TrustError};
use crate::servers::{self, PLACES};
use crate::{Found, Space, digest};

/// Where the ledger keeps approvals; no project's path is this.
const APPROVED: &str = "approved-servers";

/// What was approved of a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Approved {
    /// The digest of the file that defines it.
    pub definition: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// What it said of its tools, in the order of their names.
    pub tools: Vec<Value>,
}

impl Trust {
    /// The servers that `.mcp.json` names and the tools of approved servers, as files; and what is wrong with the former.
    pub fn server_files(&self) -> (Vec<Found>, Vec<String>) {
        let (mut files, mut problems) = (Vec::new(), Vec::new());
        for (space, place) in PLACES {
            let root = match space {
                Space::Project => &self.spaces.project,
                _ => &self.spaces.user,
            };
            if let Some(root) = root {
                let (found, wrong) = servers::read(&root.join(place), *space);
                files.extend(found);
                problems.extend(wrong);
            }
        }
        for space in [Space::Project, Space::User] {
            let all = self
                .ledger
                .get(APPROVED)
                .and_then(|all| all.get(self.place(space)));
            for (server, _) in all.and_then(Value::as_object).into_iter().flatten() {
                let Some(approved) = self.approved(server, space) else {
                    continue;
                };
                for said in &approved.tools {
                    match servers::tool(server, &approved.transport, said, space) {
                        Ok(found) => files.push(found),
                        Err(why) => problems.push(format!("{server}: {why}")),
                    }
                }
            }
        }
        (files, problems)
    }

    /// What was approved of a server.
    pub fn approved(&self, server: &str, space: Space) -> Option<Approved> {
        let all = self.ledger.get(APPROVED)?.get(self.place(space))?;
        let one = all.get(server)?;
        Some(Approved {
            definition: one.get("definition")?.as_str()?.to_owned(),
            transport: one.get("transport")?.as_str()?.to_owned(),
            tools: one.get("tools")?.as_array()?.clone(),
        })
    }

    /// Approves a server as its file defines it, with its tools as it describes them.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn approve(
        &mut self,
        server: &Found,
        transport: &str,
        tools: &[Value],
    ) -> Result<(), TrustError> {
        let one = json!({
            "definition": digest(server.text()),
            "transport": transport,
            "tools": tools,
        });
        self.write_approval(server, Some(one))
    }

    /// Takes an approval back. Whether there was one.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn disapprove(&mut self, server: &Found) -> Result<bool, TrustError> {
        let was = self.approved(server.id.as_str(), server.space).is_some();
        self.write_approval(server, None)?;
        Ok(was)
    }

    /// The server whose tool a file stands for, as it is approved, and whether what it says of the tool was taken already.
    pub fn server_of(&self, found: &Found) -> Option<(String, bool)> {
        if found.tool().metadata.tool_type.as_deref() != Some("mcp") {
            return None;
        }
        let (server, name) = servers::wrapped(found)?;
        let is_approved = [found.space, Space::User].iter().any(|space| {
            let approved = self.approved(&server, *space);
            approved.is_some_and(|approved| approved.tools.iter().any(|tool| tool["name"] == *name))
        });
        let is_taken = is_approved || self.pinned(found).is_some();
        Some((servers::approved_as(&server).to_owned(), is_taken))
    }

    /// Whether a server said otherwise of a tool when a file that stands for it was pinned.
    pub fn is_pinned_otherwise(
        &self,
        found: &Found,
        (server, name): (&str, &str),
        digest: &str,
    ) -> bool {
        servers::wrapped(found).is_some_and(|(of, tool)| of == server && tool == name)
            && self.pinned(found).is_some_and(|pin| pin != digest)
    }

    fn write_approval(&mut self, server: &Found, one: Option<Value>) -> Result<(), TrustError> {
        let place = self.place(server.space).to_owned();
        let all = self.ledger.entry(APPROVED).or_insert_with(|| json!({}));
        if !all[&place].is_object() {
            all[&place] = Value::Object(Map::new());
        }
        if let Some(here) = all[&place].as_object_mut() {
            match one {
                Some(one) => here.insert(server.id.to_string(), one),
                None => here.shift_remove(server.id.as_str()),
            };
        }
        self.write_ledger()
    }

    /// Whether a server of `.mcp.json`, or a tool of an approved server, may run.
    pub(super) fn standing_of_server(&self, found: &Found) -> Result<Standing, Refusal> {
        let (id, name) = (found.id.to_string(), found.id.name().to_owned());
        if (self.demands.signed)(&id) {
            // What lies in no file of its own has no signature.
            return Err(Refusal::SignatureRequired { id });
        }
        if found.id.category() != servers::SERVERS {
            // Its text is what was approved: it was made from that. Whether its server is, is asked of the server.
            return Ok(Standing::Trusted);
        }
        match self.approved(&id, found.space) {
            Some(approved) if approved.definition == digest(found.text()) => Ok(Standing::Trusted),
            Some(_) => Err(Refusal::Redefined { name }),
            None => Err(Refusal::NotApproved { name }),
        }
    }
}
