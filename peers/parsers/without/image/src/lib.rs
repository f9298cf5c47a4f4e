//! Empty: `openai-harmony` 0.0.8 depends on this crate and uses none of its items.
