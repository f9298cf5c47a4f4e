//! Tools as files: found in the three spaces (project, user, system), signed and trusted.

mod chain;
mod found;
mod registry;
mod servers;
mod stamp;
mod system;

pub use chain::{BadLink, Link, validate as validate_chain};
pub use found::{Found, Sibling};
pub use registry::{Entry, FindError, Registry};
pub use stamp::Stamp;
pub use system::system_file;

pub use toolglot_signature::{
    BadKey, Generation, Header, Item, Keyring, PrivateKey, PublicKey, Signer, Style, Verified,
    body, digest, sign as sign_text, verify as verify_text,
};
pub use toolglot_toolread::{
    Action, Backoff, BadId, Cost, Diagnostic, EXECUTORS, EXTENSIONS, Executor, ItemId, Language,
    MAX_BYTES, Metadata, Place, RULES, RetryPolicy, ReturnContract, Returned, Rule, Schema,
    Severity, ToolFile, capability, executor_id, javascript_of, nearest_executor, new_tool,
    read_json, rule, template,
};
pub use toolglot_trust::{
    Approved, Demands, KnownKey, Record, Refusal, Space, Spaces, Standing, Trust, TrustError,
    approved_as, server_name,
};
