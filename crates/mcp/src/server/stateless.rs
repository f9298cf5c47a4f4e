//! The server's side of revision 2026-07-28: no sessions, and every request names its client
//! (<https://modelcontextprotocol.io/specification/draft>, as of 2026-11).

use toolglot_value::{Map, Value, json};

use super::heard::Slot;
use super::{ASIDE, Out, Session, locked};
use crate::LEVELS;
use crate::client::STATELESS;
use crate::message::{Fault, METHOD, Message, PARAMS};

/// The prefix of the keys of `_meta`.
const PREFIX: &str = "io.modelcontextprotocol/";
/// A header is missing, or differs from the message.
const HEADERS: i64 = -32_020;
/// The version is not supported.
const UNSUPPORTED: i64 = -32_022;

/// The headers of a request that repeat its message.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heads<'a> {
    /// `MCP-Protocol-Version`
    pub version: Option<&'a str>,
    /// `Mcp-Method`
    pub method: Option<&'a str>,
    /// `Mcp-Name`
    pub name: Option<&'a str>,
}

/// Whether a message belongs to this revision: by its own `_meta` or by its headers.
pub fn is_stateless(value: &Value, heads: Option<&Heads<'_>>) -> bool {
    let says_so = value["params"]["_meta"]
        .get(format!("{PREFIX}protocolVersion"))
        .is_some();
    says_so
        || heads.is_some_and(|heads| heads.version == Some(STATELESS))
        || value["method"] == "server/discover"
}

impl Session {
    /// Handles a message of this revision. Returns the HTTP status and the response; `None` if the message needs none.
    pub fn hear_alone(
        &self,
        value: Value,
        heads: Option<&Heads<'_>>,
        out: &Out,
    ) -> Option<(u16, Message)> {
        let slot = self.slot(&value);
        self.alone_in(slot, value, heads, out)
    }

    pub(super) fn alone_in(
        &self,
        slot: Option<Slot>,
        value: Value,
        heads: Option<&Heads<'_>>,
        out: &Out,
    ) -> Option<(u16, Message)> {
        let (id, method, params) = match Message::read(value) {
            Ok(Message::Request { id, method, params }) => (id, method, params),
            Ok(Message::Notification { method, params }) => {
                // Over a line transport it cancels a call. Over HTTP it has no effect: no other request is in its
                // session.
                self.noted(&method, &params);
                return None;
            }
            Ok(Message::Response { .. }) => return None,
            Err((id, fault)) => {
                return Some((
                    400,
                    Message::Response {
                        id,
                        result: Err(fault),
                    },
                ));
            }
        };
        let refused = |status: u16, fault: Fault| {
            Some((
                status,
                Message::Response {
                    id: id.clone(),
                    result: Err(fault),
                },
            ))
        };
        if let Err(fault) = checked(&method, &params, heads) {
            return refused(400, fault);
        }
        self.hush(&params);
        let response = match method.as_str() {
            "server/discover" => Message::Response {
                id,
                result: Ok(self.discovered()),
            },
            aside if aside == "tools/list" || ASIDE.contains(&aside) => Message::Response {
                id,
                result: self.answer(&method, &params),
            },
            "tools/call" => self.call(slot, id, &params, out)?,
            _ => {
                return refused(
                    404,
                    Fault::new(METHOD, format!("there is no method `{method}`")),
                );
            }
        };
        let Message::Response { id, result } = response else {
            return None;
        };
        let is_answer = ["tools/call", "prompts/get", "completion/complete"];
        let is_kept = !is_answer.contains(&method.as_str());
        let result = result.map(|result| complete(result, is_kept));
        Some((200, Message::Response { id, result }))
    }

    fn discovered(&self) -> Value {
        let info = json!({"name": "toolglot", "version": env!("CARGO_PKG_VERSION")});
        let mut capabilities = self.tools.capabilities();
        capabilities.insert("tools".to_owned(), json!({}));
        json!({
            "supportedVersions": [STATELESS],
            "capabilities": capabilities,
            "_meta": {(format!("{PREFIX}serverInfo")): info},
        })
    }

    /// Sets the log level to the one of this request.
    fn hush(&self, params: &Map<String, Value>) {
        let level = params
            .get("_meta")
            .and_then(|meta| meta.get(format!("{PREFIX}logLevel"))?.as_str());
        let rank = level.and_then(|level| LEVELS.iter().position(|known| *known == level));
        locked(&self.shared.state).level = rank.unwrap_or(LEVELS.len());
    }
}

/// The fault of the request's `_meta`, or of headers that differ from the message.
fn checked(
    method: &str,
    params: &Map<String, Value>,
    heads: Option<&Heads<'_>>,
) -> Result<(), Fault> {
    let differs = |what: &str| {
        Fault::new(
            HEADERS,
            format!("the header `{what}` is missing, or says something else than the message"),
        )
    };
    if heads.is_some_and(|heads| heads.version.is_none()) {
        return Err(differs("MCP-Protocol-Version"));
    }
    let meta = params.get("_meta").and_then(Value::as_object);
    let of = |key: &str| meta.and_then(|meta| meta.get(&format!("{PREFIX}{key}")));
    let version = of("protocolVersion").and_then(Value::as_str);
    let version = version
        .ok_or_else(|| Fault::new(PARAMS, format!("`_meta` has no `{PREFIX}protocolVersion`")))?;
    if !of("clientCapabilities").is_some_and(Value::is_object) {
        return Err(Fault::new(
            PARAMS,
            format!("`_meta` has no `{PREFIX}clientCapabilities`"),
        ));
    }
    if let Some(heads) = heads {
        if heads.version != Some(version) {
            return Err(differs("MCP-Protocol-Version"));
        }
        // Intermediaries decide by the headers, so the headers must match the message.
        if heads.method != Some(method) {
            return Err(differs("Mcp-Method"));
        }
        let named = match method {
            "tools/call" | "prompts/get" => Some("name"),
            "resources/read" => Some("uri"),
            _ => None,
        };
        let is_other = |key| heads.name != params.get(key).and_then(Value::as_str);
        if named.is_some_and(is_other) {
            return Err(differs("Mcp-Name"));
        }
    }
    if version != STATELESS {
        let mut fault = Fault::new(
            UNSUPPORTED,
            "unsupported version of the protocol without a session",
        );
        fault.data = Some(Box::new(
            json!({"supported": [STATELESS], "requested": version}),
        ));
        return Err(fault);
    }
    Ok(())
}

/// A result with the fields of every result. Clients may not cache a cacheable result, since trust can change at any
/// time.
fn complete(mut result: Value, is_kept: bool) -> Value {
    if let Value::Object(map) = &mut result {
        map.insert("resultType".to_owned(), json!("complete"));
        if is_kept {
            map.insert("ttlMs".to_owned(), json!(0));
            map.insert("cacheScope".to_owned(), json!("private"));
        }
    }
    result
}
