//! Who hears what the gateway finds out while it serves.

use std::fmt;
use std::sync::Arc;

/// A listener, or none.
#[derive(Clone, Default)]
pub(crate) struct Messages(Option<Arc<MessageSink>>);

type MessageSink = dyn Fn(&str) + Send + Sync;

impl Messages {
    pub(crate) fn to(hears: impl Fn(&str) + Send + Sync + 'static) -> Messages {
        Messages(Some(Arc::new(hears)))
    }

    /// Hands on a line.
    pub(crate) fn say(&self, message: &str) {
        if let Some(hears) = &self.0 {
            hears(message);
        }
    }
}

impl fmt::Debug for Messages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Messages")
    }
}
