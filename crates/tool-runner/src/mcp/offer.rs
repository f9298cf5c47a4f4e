//! The tools that a server offers, and their approval.

use std::time::{Duration, Instant};

use toolglot_mcp::client::Terms;
use toolglot_mcp::pin::{digest, pinned_fields, without_hidden};
use toolglot_tool_files::ItemId;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::{Space, TrustError, TrustRefusal, server_name};
use toolglot_value::Value;

use super::definition::{read, transport};
use super::open::open;
use super::session_error::{SessionError, login_help};
use crate::failure::CallError;
use crate::runner::ToolRunner;

/// The tools that a server offers, for approval.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Offer {
    /// The file that defines it.
    pub server: ToolSource,
    /// `stdio` or `http`.
    pub transport: &'static str,
    /// The server's description of itself.
    pub info: Value,
    /// The server's descriptions of its tools.
    pub tools: Vec<Value>,
}

impl ToolRunner {
    /// The tools that a server offers now, for approval. The session is the same as for a call, but the server need not
    /// be approved.
    ///
    /// # Errors
    /// If there is no such server, or it does not respond.
    pub fn offer(&self, server: &str, time: Duration) -> Result<Offer, CallError> {
        let definition = read(self, Space::Project, server)?;
        let terms = Terms {
            until: Instant::now() + definition.time.unwrap_or(time),
            stop: &|| self.watch.is_cancelled(),
            tell: None,
        };
        let opened = open(self, &definition, &terms).and_then(|mut session| {
            session.refresh(&terms)?;
            Ok(session)
        });
        let id = definition.found.id.to_string();
        match opened {
            Ok(session) => Ok(Offer {
                transport: transport(&definition.settings),
                info: session.client.server().clone(),
                tools: session.tools.clone(),
                server: definition.found,
            }),
            Err(SessionError::Refused(error)) => Err(error),
            Err(SessionError::Trouble(trouble)) => Err(CallError::NoOffer {
                id,
                why: format!("{trouble}{}", login_help(server_name(server), &trouble)),
            }),
        }
    }

    /// Why a defined server has no such tool: the server is not approved, or was approved without the tool.
    pub fn of_server(&self, name: &str) -> Option<CallError> {
        let (server, tool) = name.strip_prefix("mcp/").unwrap_or(name).split_once('/')?;
        let definition = ItemId::new(&format!("mcp/servers/{server}")).ok()?;
        let definition = self.registry.find(&definition).ok()?;
        let metadata = &definition.tool().metadata;
        if metadata.tool_type.as_deref() != Some("mcp_server") {
            return None;
        }
        let trust = self.trust.read();
        if let Err(refusal) = trust.standing(&definition, metadata.version.as_deref()) {
            return Some(refusal.into());
        }
        let name = server.to_owned();
        let Some(approved) = trust.approved(definition.id.as_str(), definition.space) else {
            return Some(TrustRefusal::NotApproved { name }.into());
        };
        let known = approved.tools.iter();
        let known = known.filter_map(|tool| tool["name"].as_str().map(str::to_owned));
        Some(CallError::NoServerTool {
            server: name,
            tool: tool.to_owned(),
            known: known.collect(),
        })
    }

    /// Approves an offer: the server's definition and the descriptions of its tools.
    ///
    /// # Errors
    /// If the approval cannot be stored.
    pub fn approve(&self, offer: &Offer) -> Result<(), TrustError> {
        let tools: Vec<Value> = offer
            .tools
            .iter()
            .map(|tool| {
                // Characters that people cannot see are hidden from models too; the digest covers the original
                // description.
                let (mut clean, _) = without_hidden(&pinned_fields(tool));
                clean["digest"] = digest(tool).into();
                clean
            })
            .collect();
        self.trust
            .write()
            .approve(&offer.server, offer.transport, &tools)
    }
}
