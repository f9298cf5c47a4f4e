//! Empty: `openai-harmony` 0.0.8 names this crate and uses nothing of it.
