//! A tool of an MCP server: one that is started, behind the same walls as any program, or one that is asked over HTTP.
//!
//! ```text
//!  tool file ── config.server ──▶ server file ──▶ in order? trusted? ruled? ──▶ a session of the pool, or a new one
//!                                                                                     │
//!  the pin, what was approved ◀── equal? ── what the server says of the tool ◀────────┘ ──▶ tools/call ──▶ result
//! ```
//!
//! A tool is pinned by what its server says of it; what changes is refused until the user approves it. What it says is asked
//! when a session begins, when the server says that its tools changed, and every minute. A session stays until the host
//! goes, so that the next call need not begin one.

mod login;
mod oauth;
mod pipes;
mod pool;
mod program;
mod result;
mod tokens;
mod web;

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use toolglot_mcp::client::{Terms, Told as Said, Trouble};
use toolglot_mcp::{digest, digest_of_all};
use toolglot_toolfiles::template::{self, UnsetVariable};
use toolglot_toolfiles::{Found, ItemId, Refusal, Space, TrustError, approved_as, server_name};

pub use login::LoggedIn;
pub use oauth::authorizer_of;
pub use pool::Servers;
pub use web::wire_to;

use crate::answer::{ANSWER_BYTES, Answer};
use crate::call::Host;
use crate::resolve::Chain;
use crate::{CallError, Progress};
use pool::Session;

/// A server, as its file defines it.
pub(crate) struct Definition {
    pub(crate) found: Found,
    pub(crate) settings: Map<String, Value>,
    /// How long it may take to begin a session, and a call where the tool does not say.
    pub(crate) time: Option<Duration>,
}

impl Definition {
    /// The refusal of a definition that names a variable without a value.
    fn unset(&self, unset: UnsetVariable) -> CallError {
        CallError::UnsetVariable {
            id: self.found.id.to_string(),
            name: unset.name,
            file: self.found.name(),
        }
    }
}

/// What a server offers, for who is to approve it.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The file that defines it.
    pub server: Found,
    /// `stdio` or `http`.
    pub transport: &'static str,
    /// What it says of itself.
    pub info: Value,
    /// Its tools, as it describes them.
    pub tools: Vec<Value>,
}

/// Calls the tool once.
pub(crate) fn attempt(
    host: &Host<'_>,
    chain: &Chain,
    params: &Map<String, Value>,
    time: Duration,
) -> Result<Answer, CallError> {
    let (found, tool) = chain.tool();
    let id = found.id.to_string();
    let bad = |why: &str| CallError::Config {
        id: id.clone(),
        why: why.to_owned(),
    };
    let text = |key: &str| {
        let config = tool.metadata.config.as_ref();
        config.and_then(|config| config.get(key)?.as_str())
    };
    let server = text("server").ok_or_else(|| bad("`config.server` is missing"))?;
    let name = text("tool_name").ok_or_else(|| bad("`config.tool_name` is missing"))?;
    let short = server_name(server);
    host.server_rules
        .call(short, name)
        .map_err(|why| CallError::ServerRuled {
            id: id.clone(),
            why,
        })?;
    let definition = definition(host, found.space, server)?;
    // A tool that says no time of its own has its server's.
    let time = match (tool.metadata.timeout, definition.time) {
        (None, Some(of_server)) => host.sandbox.settings.tool_time(None, of_server),
        _ => time,
    };
    let terms = Terms {
        until: Instant::now() + time,
        stop: &|| host.watch.is_cancelled(),
        tell: Some(&|said| host.told(said)),
    };
    let called = called(host, (found, name), &definition, params, &terms);
    match called {
        Ok(answer) => Ok(answer),
        Err(Failed::Refused(error)) => Err(error),
        Err(Failed::Trouble(trouble)) => of_trouble(id, short, trouble),
    }
}

/// Why there is no answer.
pub(crate) enum Failed {
    Refused(CallError),
    Trouble(Trouble),
}

impl From<Trouble> for Failed {
    fn from(trouble: Trouble) -> Failed {
        Failed::Trouble(trouble)
    }
}

impl From<CallError> for Failed {
    fn from(error: CallError) -> Failed {
        Failed::Refused(error)
    }
}

fn called(
    host: &Host<'_>,
    (found, name): (&Found, &str),
    definition: &Definition,
    params: &Map<String, Value>,
    terms: &Terms<'_>,
) -> Result<Answer, Failed> {
    let mut may_renew = true;
    loop {
        let mut session = host.servers.take(host, definition, terms)?;
        let done = checked(host, (found, name), definition, &mut session, terms).and_then(|tool| {
            let result = session.client.call(name, params, terms)?;
            let most = host.sandbox.settings.tool_output(ANSWER_BYTES);
            Ok(result::answer(&result, tool.get("outputSchema"), most))
        });
        match done {
            // The protocol asks for a new session; of the old one nothing was done.
            Err(Failed::Trouble(Trouble::Expired)) if may_renew => may_renew = false,
            // A session in which something went wrong is not used again.
            Err(Failed::Trouble(trouble @ Trouble::Gone(_))) => {
                host.servers.has_died(&session.key);
                return Err(trouble.into());
            }
            Err(failed) => return Err(failed),
            Ok(answer) => {
                host.servers.give_back(session);
                return Ok(answer);
            }
        }
    }
}

/// The server's tool of that name, if it is what was approved.
fn checked(
    host: &Host<'_>,
    (found, name): (&Found, &str),
    definition: &Definition,
    session: &mut Session,
    terms: &Terms<'_>,
) -> Result<Value, Failed> {
    session.refresh(terms)?;
    let changed = || {
        Failed::Refused(CallError::ServerChanged {
            id: found.id.to_string(),
            server: approved_as(definition.found.id.as_str()).to_owned(),
        })
    };
    let short = server_name(definition.found.id.as_str());
    let pin = host.server_rules.pin(short);
    if !pin.digests.is_empty() {
        let digest = digest_of_all(&session.tools);
        if pin.digests.iter().any(|wanted| *wanted != digest) {
            return Err(changed());
        }
    }
    let tool = session.tools.iter().find(|tool| tool["name"] == name);
    let Some(tool) = tool else {
        let known: Vec<&str> = session
            .tools
            .iter()
            .filter_map(|tool| tool["name"].as_str())
            .collect();
        return Err(Failed::Trouble(Trouble::Odd(format!(
            "has no tool `{name}`; it has {}",
            known.join(", ")
        ))));
    };
    let digest = digest(tool);
    let approved = host
        .trust
        .borrow()
        .approved(definition.found.id.as_str(), definition.found.space);
    let approved = approved.and_then(|approved| {
        let said = approved.tools.iter().find(|said| said["name"] == name)?;
        said["digest"].as_str().map(str::to_owned)
    });
    let pinned = approved.or_else(|| host.trust.borrow().pinned(found).map(str::to_owned));
    match pinned {
        Some(pinned) if pinned == digest => {}
        Some(_) => return Err(changed()),
        None if pin.is_approved => {
            return Err(Failed::Refused(CallError::NotPinned {
                id: found.id.to_string(),
                server: approved_as(definition.found.id.as_str()).to_owned(),
            }));
        }
        None => {
            let mut trust = host.trust.borrow_mut();
            trust.pin_server(found, &digest).map_err(|error| {
                Failed::Refused(CallError::Config {
                    id: found.id.to_string(),
                    why: error.to_string(),
                })
            })?;
        }
    }
    Ok(tool.clone())
}

/// What the server's failure is to whoever called.
fn of_trouble(id: String, server: &str, trouble: Trouble) -> Result<Answer, CallError> {
    match trouble {
        Trouble::Gone(_) | Trouble::Expired | Trouble::Late { .. } => {
            Ok(result::failed(&trouble.to_string(), true))
        }
        Trouble::Barred(why) => Err(CallError::Config { id, why }),
        Trouble::Unauthorized(_) | Trouble::NoToken(_) => Err(CallError::Config {
            id,
            why: format!("{trouble}{}", login::help(server, &trouble)),
        }),
        Trouble::Stopped => Err(CallError::Stopped { id }),
        _ => Ok(result::failed(&trouble.to_string(), false)),
    }
}

impl Host<'_> {
    /// What a server offers now, for who is to approve it. It is started or asked as it would be for a call, but need not be
    /// approved before.
    ///
    /// # Errors
    /// If there is no such server, or it does not answer.
    pub fn offer(&self, server: &str, time: Duration) -> Result<Offer, CallError> {
        let definition = read(self, Space::Project, server)?;
        let terms = Terms {
            until: Instant::now() + definition.time.unwrap_or(time),
            stop: &|| self.watch.is_cancelled(),
            tell: None,
        };
        let opened = self
            .servers
            .take(self, &definition, &terms)
            .and_then(|mut session| {
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
            Err(Failed::Refused(error)) => Err(error),
            Err(Failed::Trouble(trouble)) => Err(CallError::NoOffer {
                id,
                why: format!("{trouble}{}", login::help(server_name(server), &trouble)),
            }),
        }
    }

    /// Why there is no such tool of a server that there is: nobody approved the server, or it was approved without the tool.
    pub fn of_server(&self, name: &str) -> Option<CallError> {
        let (server, tool) = name.strip_prefix("mcp/").unwrap_or(name).split_once('/')?;
        let definition = ItemId::new(&format!("mcp/servers/{server}")).ok()?;
        let definition = self.registry.find(&definition).ok()?;
        let metadata = &definition.tool().metadata;
        if metadata.tool_type.as_deref() != Some("mcp_server") {
            return None;
        }
        let trust = self.trust.borrow();
        if let Err(refusal) = trust.standing(&definition, metadata.version.as_deref()) {
            return Some(refusal.into());
        }
        let name = server.to_owned();
        let Some(approved) = trust.approved(definition.id.as_str(), definition.space) else {
            return Some(Refusal::NotApproved { name }.into());
        };
        let known = approved.tools.iter();
        let known = known.filter_map(|tool| tool["name"].as_str().map(str::to_owned));
        Some(CallError::NoServerTool {
            server: name,
            tool: tool.to_owned(),
            known: known.collect(),
        })
    }

    /// Approves what a server offers, as it is: its definition, and what it says of its tools.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn approve(&self, offer: &Offer) -> Result<(), TrustError> {
        let tools: Vec<Value> = offer
            .tools
            .iter()
            .map(|tool| {
                // What nobody sees is kept from models too; the digest is of what the server said.
                let (mut clean, _) = toolglot_mcp::shown(&toolglot_mcp::said(tool));
                clean["digest"] = digest(tool).into();
                clean
            })
            .collect();
        self.trust
            .borrow_mut()
            .approve(&offer.server, offer.transport, &tools)
    }

    /// Tells whoever called what a server tells.
    pub(crate) fn told(&self, said: Said) {
        self.watch.tell(match said {
            Said::Progress {
                progress,
                total,
                message,
            } => Progress::At {
                done: progress,
                total,
                message,
            },
            Said::Log {
                level,
                logger,
                data,
            } => Progress::Log {
                level,
                logger,
                data,
            },
        });
    }
}

/// What the definition of a tool's server requires. A definition that is not there, or is not in order, is told of by the
/// call.
pub(crate) fn requires(host: &Host<'_>, chain: &Chain) -> Vec<String> {
    let (found, tool) = chain.tool();
    let config = tool.metadata.config.as_ref();
    let server = config.and_then(|config| config.get("server")?.as_str());
    let Some(server) = server else {
        return Vec::new();
    };
    let definition = read(host, found.space, server);
    definition.map_or_else(
        |_| Vec::new(),
        |definition| definition.found.tool().metadata.requires.clone(),
    )
}

/// A definition's configuration with the values of its variables.
fn expanded(host: &Host<'_>, definition: &Definition) -> Result<Map<String, Value>, CallError> {
    let settings = &definition.settings;
    if transport(settings) == "stdio" {
        let expanded = template::expand(settings, &host.program_variables());
        return expanded.map_err(|unset| host.unlisted(definition.unset(unset)));
    }
    template::expand(settings, &host.variables).map_err(|unset| definition.unset(unset))
}

/// Whether all variables of the definition of a tool's server have a value.
pub(crate) fn check_variables(host: &Host<'_>, chain: &Chain) -> Result<(), CallError> {
    let (found, tool) = chain.tool();
    let config = tool.metadata.config.as_ref();
    let server = config.and_then(|config| config.get("server")?.as_str());
    match server.map(|server| read(host, found.space, server)) {
        Some(Ok(definition)) => expanded(host, &definition).map(|_| ()),
        _ => Ok(()),
    }
}

/// How a server is reached.
pub(crate) fn transport(settings: &Map<String, Value>) -> &'static str {
    if settings.contains_key("command") {
        "stdio"
    } else {
        "http"
    }
}

/// The server's file, in order and trusted as the tool itself.
fn definition(host: &Host<'_>, space: Space, server: &str) -> Result<Definition, CallError> {
    let definition = read(host, space, server)?;
    let version = definition.found.tool().metadata.version.clone();
    host.trust
        .borrow()
        .standing(&definition.found, version.as_deref())?;
    Ok(definition)
}

fn read(host: &Host<'_>, space: Space, server: &str) -> Result<Definition, CallError> {
    let found = host.registry.find_from(&ItemId::new(server)?, space)?;
    let file = found.tool();
    if let Some(faulty) = crate::resolve::faulty(&found, file) {
        return Err(faulty);
    }
    crate::resolve::is_server(&found)?;
    let config = file
        .metadata
        .config
        .as_ref()
        .and_then(|config| config.as_object().cloned());
    let Some(settings) = config else {
        return Err(CallError::Config {
            id: found.id.to_string(),
            why: "it has no `config`".to_owned(),
        });
    };
    let seconds = settings.get("timeout").and_then(Value::as_f64);
    let time = seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .or(file.metadata.timeout);
    Ok(Definition {
        found,
        settings,
        time,
    })
}
