//! Tools as files: read without running them, checked, found, signed and trusted.

pub mod capability;
mod chain;
mod diagnostic;
mod fields;
mod found;
mod item_id;
mod language;
mod literal;
mod metadata;
mod new;
mod printed;
mod read;
mod registry;
mod returns;
mod rules;
mod schema;
mod servers;
mod sign;
mod space;
mod stamp;
mod surrogates;
mod system;
pub mod template;
mod tool_file;
mod trust;

pub use chain::{BadLink, Link, validate as validate_chain};
pub use diagnostic::{Diagnostic, Place, Severity};
pub use found::{Found, Sibling};
pub use item_id::{BadId, ItemId};
pub use language::{EXTENSIONS, Language};
pub use metadata::{Backoff, Cost, Executor, Metadata, RetryPolicy};
pub use new::new_tool;
pub use read::javascript_of;
pub use registry::{Entry, FindError, Registry};
pub use returns::{ReturnContract, Returned};
pub use rules::{RULES, Rule, rule};
pub use schema::{Action, Schema};
pub use servers::{approved_as, server_name};
pub use sign::{
    BadKey, Generation, Header, Item, Keyring, PrivateKey, PublicKey, Refusal, Signer, Style,
    Verified, body, digest, sign as sign_text, verify as verify_text,
};
pub use space::{Space, Spaces};
pub use stamp::Stamp;
pub use surrogates::read_json;
pub use system::{EXECUTORS, executor_id, nearest_executor, system_file};
pub use tool_file::{MAX_BYTES, ToolFile};
pub use trust::{Approved, Demands, KnownKey, Record, Standing, Trust, TrustError};
