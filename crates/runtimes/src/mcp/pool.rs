//! Sessions with servers, kept between calls.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;
use sha2::{Digest, Sha256};
use toolglot_mcp::client::{Client, Profile, Terms, Trouble};
use toolglot_policy::Level;

use super::{Definition, Failed, program, transport, web};
use crate::call::Host;
use crate::protected_paths;

/// How long what a server says of its tools is taken for what it says now, where it does not say that it changed.
const FRESH: Duration = Duration::from_secs(60);
/// The longest time between two beginnings of a server that dies.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The first.
const PAUSE: Duration = Duration::from_millis(200);
/// So many idle sessions with one server are kept.
const MAX_IDLE: usize = 4;
/// How long one request of a session over HTTP may take at most.
const MOST_TIME: Duration = Duration::from_secs(3600);

/// Sessions that nobody uses at the moment, by server. A copy shares them; the last one to go ends them.
#[derive(Clone, Debug, Default)]
pub struct Servers(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    idle: BTreeMap<String, Vec<Session>>,
    /// Servers that died: how often in a row, and when.
    died: BTreeMap<String, (u32, Instant)>,
}

/// A session, and what its server said of its tools.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) key: String,
    pub(super) client: Client,
    pub(super) tools: Vec<Value>,
    listed: Option<Instant>,
}

impl Session {
    /// Asks for the tools anew if they may have changed.
    pub(super) fn refresh(&mut self, terms: &Terms<'_>) -> Result<(), Trouble> {
        let is_fresh = self.listed.is_some_and(|listed| listed.elapsed() < FRESH);
        if self.client.is_changed()? || !is_fresh {
            self.tools = self.client.tools(terms)?;
            self.listed = Some(Instant::now());
        }
        Ok(())
    }
}

impl Servers {
    /// A session with a server: one that is idle, or a new one. A server that died is begun again, after a pause that
    /// doubles each time.
    pub(super) fn take(
        &self,
        host: &Host<'_>,
        definition: &Definition,
        terms: &Terms<'_>,
    ) -> Result<Session, Failed> {
        let key = key(host, definition)?;
        loop {
            let idle = self.state().idle.get_mut(&key).and_then(Vec::pop);
            let Some(mut session) = idle else { break };
            if session.client.is_changed().is_ok() {
                return Ok(session);
            }
            self.has_died(&key);
        }
        self.pause(&key, terms)?;
        let wire = match transport(&definition.settings) {
            "stdio" => program::wire(host, definition)?,
            _ => web::wire(host, definition, MOST_TIME)?,
        };
        match Client::open(wire, Profile::default(), terms) {
            Ok(client) => Ok(Session {
                key,
                client,
                tools: Vec::new(),
                listed: None,
            }),
            Err(trouble) => {
                self.has_died(&key);
                Err(trouble.into())
            }
        }
    }

    /// Keeps a session for the next call.
    pub(super) fn give_back(&self, session: Session) {
        let mut state = self.state();
        state.died.remove(&session.key);
        let idle = state.idle.entry(session.key.clone()).or_default();
        if idle.len() < MAX_IDLE {
            idle.push(session);
        }
    }

    /// Takes leave of all servers that nobody asks at the moment.
    pub fn end(&self) {
        let idle = std::mem::take(&mut self.state().idle);
        drop(idle);
    }

    /// Counts a death against the next beginning.
    pub(super) fn has_died(&self, key: &str) {
        let mut state = self.state();
        let died = state
            .died
            .entry(key.to_owned())
            .or_insert((0, Instant::now()));
        *died = (died.0.saturating_add(1), Instant::now());
    }

    /// Waits until a server that died may be begun again.
    fn pause(&self, key: &str, terms: &Terms<'_>) -> Result<(), Failed> {
        let Some((n, since)) = self.state().died.get(key).copied() else {
            return Ok(());
        };
        let pause = PAUSE
            .saturating_mul(1 << n.saturating_sub(1).min(10))
            .min(MAX_PAUSE);
        let until = since + pause;
        while Instant::now() < until {
            if (terms.stop)() {
                return Err(Trouble::Stopped.into());
            }
            if Instant::now() >= terms.until {
                return Err(Trouble::Gone("died, and is not begun again yet".to_owned()).into());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What makes two calls share a session: the same definition, with the same rights, the same values of its variables, and behind
/// walls that would be built the same now.
fn key(host: &Host<'_>, definition: &Definition) -> Result<String, Failed> {
    let settings = super::expanded(host, definition).map_err(Failed::Refused)?;
    let rights = (
        &host.sandbox.settings,
        host.grants("net.http"),
        host.grants("fs.write"),
    );
    let has_mounts = host.sandbox.settings.decided.level == Level::Namespaces;
    let kept = if has_mounts && transport(&definition.settings) == "stdio" {
        let id = definition.found.id.to_string();
        let kept = protected_paths::of(host, &id).map_err(Failed::Refused)?;
        let all = kept.guarded.iter().chain(&kept.held).chain(&kept.secret);
        protected_paths::print(all)
    } else {
        Vec::new()
    };
    let variables = host.program_variables();
    let names = definition.settings.get("env").and_then(Value::as_array);
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let values: Vec<Option<&String>> = names.map(|name| variables.get(name)).collect();
    let text = format!(
        "{}\n{}\n{}\n{rights:?}\n{values:?}\n{kept:?}",
        definition.found.text(),
        Value::Object(settings),
        host.project.display(),
    );
    let mut out = String::new();
    for byte in Sha256::digest(text.as_bytes()) {
        let _ = write!(out, "{byte:02x}");
    }
    Ok(out)
}
