//! A pool of sessions with servers that stay open between calls.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolglot_mcp::client::{Client, Terms, Trouble};
use toolglot_value::Value;

/// How long a list of tools is valid without a change that the server reports.
const FRESH: Duration = Duration::from_secs(60);
/// The longest pause between two starts of a server that dies.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// The first pause.
const PAUSE: Duration = Duration::from_millis(200);
/// The most idle sessions with one server.
const MAX_IDLE: usize = 4;

/// Idle sessions by server. Clones share the sessions; the drop of the last clone ends them.
#[derive(Clone, Debug, Default)]
pub struct Servers(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    idle: BTreeMap<String, Vec<Session>>,
    /// Servers that died: how often in a row, and when.
    died: BTreeMap<String, (u32, Instant)>,
}

/// A session with its server's list of tools.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) key: String,
    pub(crate) client: Client,
    pub(crate) tools: Vec<Value>,
    listed: Option<Instant>,
}

impl Session {
    /// A new session.
    pub(crate) fn new(key: String, client: Client) -> Session {
        Session {
            key,
            client,
            tools: Vec::new(),
            listed: None,
        }
    }

    /// Requests the tools again if they may have changed.
    pub(crate) fn refresh(&mut self, terms: &Terms<'_>) -> Result<(), Trouble> {
        let is_fresh = self.listed.is_some_and(|listed| listed.elapsed() < FRESH);
        if self.client.is_changed()? || !is_fresh {
            self.tools = self.client.tools(terms)?;
            self.listed = Some(Instant::now());
        }
        Ok(())
    }
}

impl Servers {
    /// An idle session, if one is still open.
    pub(crate) fn idle(&self, key: &str) -> Option<Session> {
        loop {
            let mut session = self.state().idle.get_mut(key).and_then(Vec::pop)?;
            if session.client.is_changed().is_ok() {
                return Some(session);
            }
            self.has_died(key);
        }
    }

    /// Returns a session to the pool.
    pub(crate) fn give_back(&self, session: Session) {
        let mut state = self.state();
        state.died.remove(&session.key);
        let idle = state.idle.entry(session.key.clone()).or_default();
        if idle.len() < MAX_IDLE {
            idle.push(session);
        }
    }

    /// Ends all idle sessions.
    pub fn end(&self) {
        let idle = std::mem::take(&mut self.state().idle);
        drop(idle);
    }

    /// Counts a death, which delays the next start.
    pub(crate) fn has_died(&self, key: &str) {
        let mut state = self.state();
        let died = state
            .died
            .entry(key.to_owned())
            .or_insert((0, Instant::now()));
        *died = (died.0.saturating_add(1), Instant::now());
    }

    /// Waits until a server that died may be restarted.
    pub(crate) fn pause(&self, key: &str, terms: &Terms<'_>) -> Result<(), Trouble> {
        let Some((n, since)) = self.state().died.get(key).copied() else {
            return Ok(());
        };
        let pause = PAUSE
            .saturating_mul(1 << n.saturating_sub(1).min(10))
            .min(MAX_PAUSE);
        let until = since + pause;
        while Instant::now() < until {
            if (terms.stop)() {
                return Err(Trouble::Stopped);
            }
            if Instant::now() >= terms.until {
                return Err(Trouble::Gone("died, and is not restarted yet".to_owned()));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
