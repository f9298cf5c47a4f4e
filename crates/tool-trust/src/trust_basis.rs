//! Why a tool may run.

use toolglot_tool_signature::Verification;

/// Why a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrustBasis {
    /// It came with toolglot.
    System,
    /// A trusted key signed it.
    Signed(Verification),
    /// The user trusted exactly this text.
    Trusted,
    /// It is in the user's own directory.
    Own,
}

impl TrustBasis {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            TrustBasis::System => "system",
            TrustBasis::Signed(_) => "signed",
            TrustBasis::Trusted => "trusted",
            TrustBasis::Own => "own",
        }
    }
}
