//! Why a file is not run.

use thiserror::Error;
use toolglot_tool_signature::SignatureError;

use crate::LedgerRecord;

/// Why a file is not run.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum TrustRefusal {
    /// It has no valid signature.
    #[error(transparent)]
    Signature(#[from] SignatureError),
    /// A server of `.mcp.json` that the user has not approved.
    #[error(
        "the server `{name}` is not approved; `toolglot mcp approve {name}` shows what it offers and approves it"
    )]
    NotApproved {
        /// The server.
        name: String,
    },
    /// Its definition differs from the approved one.
    #[error(
        "the server `{name}` is not defined as it was approved; `toolglot mcp approve {name}` shows what it offers and approves it as it is now"
    )]
    Redefined {
        /// The server.
        name: String,
    },
    /// The policy requires a signature.
    #[error(
        "`{id}` is not signed, and the policy runs signed tools only; read it, then `toolglot tools sign {id}`"
    )]
    SignatureRequired {
        /// The tool.
        id: String,
    },
    /// It was signed, and its signature line is missing.
    #[error(
        "{}; it was signed or trusted as {version} before: `toolglot tools sign {id}` or `toolglot tools trust {id}` takes it as it is now",
        if *.is_malformed { format!("the signature line of `{id}` cannot be read") } else { format!("the signature of `{id}` was taken out of its file") }
    )]
    Stripped {
        /// The tool.
        id: String,
        /// The version that was signed.
        version: String,
        /// Whether the line in its place only looks like a signature line.
        is_malformed: bool,
    },
    /// It has no signature, and differs from the trusted text.
    #[error(
        "`{id}` was changed since it was trusted as {version}; `toolglot tools trust {id}` shows what changed"
    )]
    Changed {
        /// The tool.
        id: String,
        /// The version that was trusted.
        version: String,
    },
    /// It is older than a text that was seen before.
    #[error(
        "`{id}` is version {version} here, and version {seen} was there before: an old version is not taken back without `toolglot tools trust {id}`"
    )]
    Replayed {
        /// The tool.
        id: String,
        /// Its version.
        version: String,
        /// The version that was seen.
        seen: String,
    },
    /// It differs from the newest text that was seen, and no value that its signature covers shows that it is newer.
    #[error(
        "`{id}` differs from the text last seen as version {seen}, {}: it may be an older text. Read it, then accept it with `toolglot tools trust {id}` or `toolglot tools sign {id}`",
        if *.was_replaced { "and one that it has replaced" } else { "and its signature does not say that it is newer" }
    )]
    OrderUnknown {
        /// The tool.
        id: String,
        /// Its version.
        version: String,
        /// The version that was seen.
        seen: String,
        /// Whether the text was seen before the newest one.
        was_replaced: bool,
    },
    /// It differs from the entry of the lock.
    #[error(
        "`{id}` is not the file that the lock names: {}; `toolglot tools sign {id}` or `toolglot tools trust {id}` locks it anew",
        if (&locked.digest, &locked.version) == (actual, version) {
            "its shebang or the line that signs it is another".to_owned()
        } else {
            format!("its body is {actual:.16}.. in version {version}, locked is {:.16}.. in version {}", locked.digest, locked.version)
        }
    )]
    NotLocked {
        /// The tool.
        id: String,
        /// Its version.
        version: String,
        /// The entry of the lock.
        locked: Box<LedgerRecord>,
        /// The hash of the body.
        actual: String,
    },
}

impl TrustRefusal {
    /// A stable name for programs.
    pub fn code(&self) -> &'static str {
        match self {
            TrustRefusal::Signature(error) => error.code(),
            TrustRefusal::NotApproved { .. } => "not-approved",
            TrustRefusal::Redefined { .. } => "redefined",
            TrustRefusal::SignatureRequired { .. } => "signature_required",
            TrustRefusal::Stripped { .. } => "stripped",
            TrustRefusal::Changed { .. } => "changed",
            TrustRefusal::Replayed { .. } | TrustRefusal::OrderUnknown { .. } => "replayed",
            TrustRefusal::NotLocked { .. } => "not_locked",
        }
    }
}
