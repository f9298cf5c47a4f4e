//! Tools as files: read without running them, checked, found, signed and trusted.

mod diagnostic;
mod fields;
mod item_id;
mod language;
mod literal;
mod metadata;
mod read;
mod returns;
mod rules;
mod schema;
mod sign;
mod tool_file;

pub use diagnostic::{Diagnostic, Place, Severity};
pub use item_id::{BadId, ItemId};
pub use language::{EXTENSIONS, Language};
pub use metadata::{Backoff, Cost, Executor, Metadata, RetryPolicy};
pub use returns::{ReturnContract, Returned};
pub use rules::{RULES, Rule, rule};
pub use schema::{Action, Schema};
pub use tool_file::{MAX_BYTES, ToolFile};
pub use sign::{
    BadKey, Generation, Header, Item, Keyring, PrivateKey, PublicKey, Refusal, Signer, Style,
    Verified, body, digest, sign as sign_text, verify as verify_text,
};
