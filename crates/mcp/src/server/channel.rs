//! Streams of events that outlast their connection. Sent events are stored for a while, so that a client whose
//! connection broke can resume a stream after its last event.

use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use toolglot_value::Value;

use super::reply::Reply;
use super::{Out, Session, locked};
use crate::message::Message;
use crate::sse::SseEvent;

/// The maximum number of resumable streams of a session.
const MAX_STREAMS: usize = 16;
/// The maximum number of stored events of a stream.
const MAX_EVENTS: usize = 256;
/// The maximum number of stored bytes of all sessions; further events are sent and not stored.
const MAX_KEPT: usize = 64 << 20;
/// Clients of older versions would take an event without data for a message.
const PRIMED_SINCE: &str = "2025-11-25";

/// A session, and its streams.
#[derive(Clone, Debug)]
pub(super) struct Live {
    pub(super) session: Arc<Session>,
    streams: Arc<Mutex<Streams>>,
}

#[derive(Debug, Default)]
struct Streams {
    n: u64,
    kept: VecDeque<Arc<Channel>>,
}

impl Live {
    pub(super) fn new(session: Session) -> Live {
        let streams: Arc<Mutex<Streams>> = Arc::default();
        let listening = Arc::downgrade(&streams);
        let out: Out = Arc::new(move |message| {
            let Some(streams) = listening.upgrade() else {
                return;
            };
            // On one stream only: the newest with a connected client, or else the newest, for a client that resumes.
            let listeners: Vec<Arc<Channel>> = {
                let streams = locked(&streams);
                let listeners = streams.kept.iter().filter(|channel| channel.is_listener());
                listeners.cloned().collect()
            };
            let connected = listeners.iter().rev().find(|channel| channel.is_heard());
            if let Some(channel) = connected.or(listeners.last()) {
                channel.say(message);
            }
        });
        session.listen(out);
        Live {
            session: Arc::new(session),
            streams,
        }
    }

    /// A stream that answers on `reply`.
    pub(super) fn channel(&self, reply: Reply, kept: &Arc<AtomicUsize>) -> Channel {
        let mut streams = locked(&self.streams);
        streams.n += 1;
        Channel {
            id: streams.n,
            // Versions are dates, and sort in order.
            is_primed: self
                .session
                .version()
                .is_some_and(|version| version >= PRIMED_SINCE),
            kept: Arc::clone(kept),
            state: Mutex::new(State {
                to: Some(reply),
                ..State::default()
            }),
        }
    }

    /// Stores a stream, so that it can be resumed.
    pub(super) fn keep(&self, channel: &Arc<Channel>) {
        let mut streams = locked(&self.streams);
        if streams.kept.len() == MAX_STREAMS {
            streams.kept.pop_front();
        }
        streams.kept.push_back(Arc::clone(channel));
    }

    /// Whether a call is running, or a client listens.
    pub(super) fn is_used(&self) -> bool {
        let is_heard = |streams: &Streams| streams.kept.iter().any(|channel| channel.is_heard());
        self.session.is_busy() || is_heard(&locked(&self.streams))
    }

    /// A stored stream.
    pub(super) fn kept(&self, id: u64) -> Option<Arc<Channel>> {
        let streams = locked(&self.streams);
        streams
            .kept
            .iter()
            .find(|channel| channel.id == id)
            .cloned()
    }
}

/// A stream of events, or a single answer in place of the stream.
pub(super) struct Channel {
    id: u64,
    is_primed: bool,
    kept: Arc<AtomicUsize>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    to: Option<Reply>,
    /// The number of the connection that has the stream; each new connection increments it.
    turn: usize,
    n_events: u64,
    /// The numbers and texts of the events, the oldest first.
    events: VecDeque<(u64, String)>,
    is_begun: bool,
    is_listener: bool,
    is_over: bool,
}

impl fmt::Debug for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Channel")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        let n: usize = locked(&self.state)
            .events
            .iter()
            .map(|(_, text)| text.len())
            .sum();
        self.kept.fetch_sub(n, Ordering::SeqCst);
    }
}

impl Channel {
    /// The stream and the number in the id of an event.
    pub(super) fn place(id: &str) -> Option<(u64, u64)> {
        let (stream, event) = id.split_once('-')?;
        Some((stream.parse().ok()?, event.parse().ok()?))
    }

    fn event(&self, n: u64, text: &str) -> SseEvent {
        SseEvent {
            kind: if text.is_empty() {
                String::new()
            } else {
                "message".to_owned()
            },
            id: Some(format!("{}-{n}", self.id)),
            data: text.to_owned(),
            ..SseEvent::default()
        }
    }

    fn begin(&self, state: &mut State) {
        state.is_begun = true;
        let Some(reply) = &mut state.to else { return };
        let mut begun = reply.begin_stream();
        if self.is_primed {
            // An event with an id comes first, so that the client can resume.
            begun = begun.and_then(|()| reply.event(&self.event(0, "")));
        }
        if begun.is_err() {
            state.to = None;
        }
    }

    /// Starts a stream for messages that belong to no request.
    pub(super) fn listen(&self) {
        let mut state = locked(&self.state);
        state.is_listener = true;
        self.begin(&mut state);
    }

    /// Sends a message before the answer.
    pub(super) fn say(&self, message: &Message) {
        let mut state = locked(&self.state);
        if state.is_over {
            return;
        }
        if !state.is_begun {
            self.begin(&mut state);
        }
        self.push(&mut state, message.write().to_string());
    }

    fn push(&self, state: &mut State, text: String) {
        state.n_events += 1;
        let n = state.n_events;
        if let Some(reply) = &mut state.to
            && reply.event(&self.event(n, &text)).is_err()
        {
            state.to = None;
        }
        if state.events.len() == MAX_EVENTS
            && let Some((_, oldest)) = state.events.pop_front()
        {
            self.kept.fetch_sub(oldest.len(), Ordering::SeqCst);
        }
        let size = text.len();
        if self.kept.fetch_add(size, Ordering::SeqCst) + size > MAX_KEPT {
            self.kept.fetch_sub(size, Ordering::SeqCst);
            return;
        }
        state.events.push_back((n, text));
    }

    /// Sends the answer: as it is, or as the last event. Whether the requesting connection can continue.
    pub(super) fn answer(&self, answer: &Value) -> io::Result<bool> {
        let text = answer.to_string();
        let mut state = locked(&self.state);
        if !state.is_begun {
            state.is_over = true;
            let mut reply = state.to.take().unwrap_or_default();
            return reply.whole(200, "application/json", "", &text);
        }
        // Under one lock: a client that has the answer and resumes after it finds the stream ended.
        self.push(&mut state, text);
        Ok(Self::finish(&mut state))
    }

    /// Ends the stream. Whether the requesting connection can continue.
    pub(super) fn end(&self) -> bool {
        let mut state = locked(&self.state);
        if !state.is_begun {
            self.begin(&mut state);
        }
        Self::finish(&mut state)
    }

    fn finish(state: &mut State) -> bool {
        state.is_over = true;
        let ended = state.to.take().map(|mut reply| reply.end_stream());
        matches!(ended, Some(Ok(()))) && state.turn == 0
    }

    /// The reply, if the channel is not used as a stream.
    pub(super) fn reply(&self) -> Reply {
        let mut state = locked(&self.state);
        state.is_over = true;
        state.to.take().unwrap_or_default()
    }

    /// Continues at `reply` after the event with that number, and returns the number of the connection. Returns the
    /// reply as an error if no event follows, or if a missed event is not stored: events cannot be skipped.
    pub(super) fn resume(&self, after: u64, mut reply: Reply) -> Result<usize, Reply> {
        let mut state = locked(&self.state);
        let n_missed = state.n_events.checked_sub(after);
        let n_kept = state.events.iter().filter(|(n, _)| *n > after).count() as u64;
        // A finished stream whose events were all received has no more events. A client that resumes it repeatedly must
        // get an error.
        if n_missed != Some(n_kept) || (state.is_over && n_kept == 0) {
            return Err(reply);
        }
        state.turn += 1;
        let mut sent = reply.begin_stream();
        for (n, text) in state.events.iter().filter(|(n, _)| *n > after) {
            sent = sent.and_then(|()| reply.event(&self.event(*n, text)));
        }
        if state.is_over {
            let _ = sent.and_then(|()| reply.end_stream());
        } else {
            state.to = sent.is_ok().then_some(reply);
        }
        Ok(state.turn)
    }

    fn is_listener(&self) -> bool {
        locked(&self.state).is_listener
    }

    fn is_heard(&self) -> bool {
        locked(&self.state).to.is_some()
    }

    /// Whether the stream still belongs to that connection.
    pub(super) fn is_held(&self, turn: usize) -> bool {
        let state = locked(&self.state);
        state.turn == turn && state.to.is_some()
    }

    /// Sends a comment after some silence, which also shows whether the client is still there.
    pub(super) fn beat(&self, after: Duration) {
        let mut state = locked(&self.state);
        let State { to, .. } = &mut *state;
        if let Some(reply) = to
            && reply.last.elapsed() >= after
            && reply.comment().is_err()
        {
            *to = None;
        }
    }
}
