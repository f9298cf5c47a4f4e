//! The listener for the gateway's messages while it serves.

use std::fmt;
use std::sync::Arc;

/// A listener, or none.
#[derive(Clone, Default)]
pub(crate) struct Messages(Option<Arc<MessageSink>>);

type MessageSink = dyn Fn(&str) + Send + Sync;

impl Messages {
    pub(crate) fn to(listener: impl Fn(&str) + Send + Sync + 'static) -> Messages {
        Messages(Some(Arc::new(listener)))
    }

    /// Sends a message to the listener.
    pub(crate) fn say(&self, message: &str) {
        if let Some(listener) = &self.0 {
            listener(message);
        }
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Messages")
    }
}
