//! The paths of the store's files, below a project or the user's home.

pub(crate) const LEDGER: &str = ".ai/toolglot/ledger.json";
pub(crate) const COPIES: &str = ".ai/toolglot/trusted";
pub(crate) const LOCK: &str = ".ai/toolglot.lock";
/// The directories of keys: first the one of the format, then the one of its later versions.
pub(crate) const TRUSTED: &[&str] = &[".ai/trusted_keys", ".ai/config/keys/trusted"];
