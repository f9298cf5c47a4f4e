//! Which tool files may run here, and why.
//!
//! The store has the user's keys, the texts that were trusted and seen before, and the lock of the project.
//! To decide about a text ([`Trust::standing`]), it verifies the signature and compares the text with all of these.
//! The answer is why the text may run ([`TrustBasis`]), or the first reason why not ([`TrustRefusal`]) and what to do.
//!
//! It does not find tools, parses no language, and starts nothing: a [`Subject`] is a text with an id and a space.
//! It reads and writes only the files of the store:
//!
//! | file | what |
//! |---|---|
//! | `~/.ai/keys/private_key.pem` | the user's own key, mode 0600 |
//! | `~/.ai/trusted_keys/KEY.toml` | keys that the user trusts, revoked ones, and those pinned for one project |
//! | `~/.ai/toolglot/ledger.json` | what was trusted and seen, by project and tool |
//! | `PROJECT/.ai/toolglot.lock` | id, version and digest of the project's tools; it can only forbid |
//! | `PROJECT/.ai/trusted_keys/KEY.toml` | keys that a project brings; they do not count until the user pins them |
//!
//! ```
//! use toolglot_tool_signature::{Style, sign};
//! use toolglot_tool_trust::{Space, Spaces, TextFile, Trust};
//!
//! # let folder = std::env::temp_dir().join(format!("toolglot-tool-trust-example-{}", std::process::id()));
//! # std::fs::create_dir_all(folder.join("project"))?;
//! let spaces = Spaces { project: Some(folder.join("project")), user: Some(folder.join("home")) };
//! let mut trust = Trust::open(&spaces)?;
//! trust.new_key("ann")?;
//!
//! let mut file = TextFile {
//!     id: "work/greet-it".to_owned(),
//!     space: Space::Project,
//!     extension: "py".to_owned(),
//!     style: Style::Hash,
//!     text: "print('hi')\n".to_owned(),
//! };
//! assert_eq!(trust.standing(&file, Some("1.0.0")).unwrap_err().code(), "unsigned");
//!
//! let binding = Some(("work/greet-it", "1.0.0"));
//! file.text = sign(&file.text, file.style, &trust.private_key()?, "2026-02-23T05:24:41Z", binding);
//! assert_eq!(trust.standing(&file, Some("1.0.0"))?.word(), "signed");
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decision;
mod error;
mod files;
mod keys;
mod known_key;
mod ledger;
mod paths;
mod refusal;
mod requirements;
mod server_id;
mod servers;
mod space;
mod standing;
mod store;
mod subject;
mod trust_basis;
mod version;

pub use error::TrustError;
pub use known_key::KnownKey;
pub use ledger::LedgerRecord;
pub use refusal::TrustRefusal;
pub use requirements::TrustRequirements;
pub use server_id::{SERVERS, approved_as, server_name};
pub use servers::ServerApproval;
pub use space::{Space, Spaces};
pub use store::Trust;
pub use subject::{Origin, Subject, TextFile};
pub use trust_basis::TrustBasis;
pub use version::version_numbers;

/// The example of the README, compiled and run with the other examples.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
