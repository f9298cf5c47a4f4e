//! Where the files of the store lie, below a project or the user's home.

pub(crate) const LEDGER: &str = ".ai/toolglot/ledger.json";
pub(crate) const COPIES: &str = ".ai/toolglot/trusted";
pub(crate) const LOCK: &str = ".ai/toolglot.lock";
/// Where keys lie: first the place of the format, then that of its later versions.
pub(crate) const TRUSTED: &[&str] = &[".ai/trusted_keys", ".ai/config/keys/trusted"];
