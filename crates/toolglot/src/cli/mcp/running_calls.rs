//! The calls that are running, so that the server can end in order.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use toolglot_mcp::server::Stop;

/// The running calls of all clients.
#[derive(Debug, Default)]
pub(super) struct UnderWay {
    calls: Mutex<Calls>,
    /// Notified when a call is done.
    is_less: Condvar,
}

#[derive(Debug, Default)]
struct Calls {
    /// Whether no further call may start.
    is_over: bool,
    n_begun: u64,
    stops: BTreeMap<u64, Stop>,
}

/// A call is running until this guard is dropped.
#[derive(Debug)]
pub(super) struct Place<'a> {
    of: &'a UnderWay,
    n: u64,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        self.of.calls().stops.remove(&self.n);
        self.of.is_less.notify_all();
    }
}

impl UnderWay {
    /// Registers the start of a call; `None` if no further call may start.
    pub(super) fn begin(&self, stop: &Stop) -> Option<Place<'_>> {
        let mut calls = self.calls();
        if calls.is_over {
            return None;
        }
        calls.n_begun += 1;
        let n = calls.n_begun;
        calls.stops.insert(n, stop.clone());
        Some(Place { of: self, n })
    }

    /// Stops all calls and waits until they are done, but for no longer than `most`. No further call starts.
    pub(super) fn end(&self, most: Duration) {
        let stops: Vec<Stop> = {
            let mut calls = self.calls();
            calls.is_over = true;
            calls.stops.values().cloned().collect()
        };
        for stop in stops {
            stop.now();
        }
        let is_busy = |calls: &mut Calls| !calls.stops.is_empty();
        let waited = self.is_less.wait_timeout_while(self.calls(), most, is_busy);
        drop(waited);
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_under_way_behind_the_end() {
        let under_way = UnderWay::default();
        let stop = Stop::default();
        std::thread::scope(|scope| {
            let place = under_way.begin(&stop).expect("it is not over");
            let (stopped, waits) = std::sync::mpsc::channel::<()>();
            stop.then(move || drop(stopped));
            scope.spawn(move || {
                // Acts like a call: it receives the stop, and then ends.
                let _ = waits.recv();
                drop(place);
            });
            under_way.end(Duration::from_secs(60));
            assert!(under_way.calls().stops.is_empty());
        });
        assert!(stop.is_stopped());
        assert!(under_way.begin(&Stop::default()).is_none());
    }
}
