//! Servers that the user approved, with their definitions of tools at that time.

use toolglot_tool_signature::digest;
use toolglot_value::{Map, Value, json};

use crate::server_id::approved_as;
use crate::{Origin, Space, Subject, Trust, TrustBasis, TrustError, TrustRefusal};

/// The ledger's key for the approvals; no project's path is equal to it.
const APPROVED: &str = "approved-servers";

/// The approval of a server.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ServerApproval {
    /// The digest of the file that defines it.
    pub definition: String,
    /// `stdio` or `http`.
    pub transport: String,
    /// The definitions of its tools, in the order of their names.
    pub tools: Vec<Value>,
}

impl Trust {
    /// The servers that were approved for a space, by the ids of their files.
    pub fn approvals(&self, space: Space) -> Vec<(String, ServerApproval)> {
        let all = self
            .ledger
            .0
            .get(APPROVED)
            .and_then(|all| all.get(self.place(space)));
        let names = all.and_then(Value::as_object).into_iter().flatten();
        names
            .filter_map(|(server, _)| Some((server.clone(), self.approved(server, space)?)))
            .collect()
    }

    /// The approval of a server.
    pub fn approved(&self, server: &str, space: Space) -> Option<ServerApproval> {
        let all = self.ledger.0.get(APPROVED)?.get(self.place(space))?;
        let one = all.get(server)?;
        Some(ServerApproval {
            definition: one.get("definition")?.as_str()?.to_owned(),
            transport: one.get("transport")?.as_str()?.to_owned(),
            tools: one.get("tools")?.as_array()?.clone(),
        })
    }

    /// Approves a server as its file defines it, with its tools as it describes them.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn approve(
        &mut self,
        server: &impl Subject,
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

    /// Removes an approval. Returns whether there was one.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn disapprove(&mut self, server: &impl Subject) -> Result<bool, TrustError> {
        let was = self.approved(server.id(), server.space()).is_some();
        self.write_approval(server, None)?;
        Ok(was)
    }

    /// The server whose tool a file wraps, by its approved name, and whether the tool's definition is accepted already.
    pub fn server_of(&self, found: &impl Subject) -> Option<(String, bool)> {
        if !found.is_server_tool() {
            return None;
        }
        let (server, name) = found.server_tool()?;
        let is_approved = [found.space(), Space::User].iter().any(|space| {
            let approved = self.approved(&server, *space);
            approved.is_some_and(|approved| approved.tools.iter().any(|tool| tool["name"] == *name))
        });
        let is_taken = is_approved || self.pinned(found).is_some();
        Some((approved_as(&server).to_owned(), is_taken))
    }

    /// Whether the file wraps this tool of the server and pins another definition of it.
    pub fn is_pinned_otherwise(
        &self,
        found: &impl Subject,
        (server, name): (&str, &str),
        digest: &str,
    ) -> bool {
        found
            .server_tool()
            .is_some_and(|(of, tool)| of == server && tool == name)
            && self.pinned(found).is_some_and(|pin| pin != digest)
    }

    fn write_approval(
        &mut self,
        server: &impl Subject,
        one: Option<Value>,
    ) -> Result<(), TrustError> {
        let place = self.place(server.space()).to_owned();
        self.update_ledger(|ledger| {
            let all = ledger.0.entry(APPROVED).or_insert_with(|| json!({}));
            if !all[&place].is_object() {
                all[&place] = Value::Object(Map::new());
            }
            if let Some(here) = all[&place].as_object_mut() {
                match one {
                    Some(one) => here.insert(server.id().to_owned(), one),
                    None => here.shift_remove(server.id()),
                };
            }
            true
        })
    }

    /// Whether a server of `.mcp.json`, or a tool of an approved server, may run.
    pub(crate) fn standing_of_server(
        &self,
        found: &impl Subject,
    ) -> Result<TrustBasis, TrustRefusal> {
        let id = found.id().to_owned();
        let name = id.rsplit('/').next().unwrap_or(&id).to_owned();
        if (self.demands.signed)(&id) {
            // A server without a file of its own has no signature.
            return Err(TrustRefusal::SignatureRequired { id });
        }
        if found.origin() == Origin::ServerTool {
            // Its text was made from the approval. Whether its server may run is decided for the server's own file.
            return Ok(TrustBasis::Trusted);
        }
        match self.approved(&id, found.space()) {
            Some(approved) if approved.definition == digest(found.text()) => {
                Ok(TrustBasis::Trusted)
            }
            Some(_) => Err(TrustRefusal::Redefined { name }),
            None => Err(TrustRefusal::NotApproved { name }),
        }
    }
}
