//! Whose tools may run.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::{PolicyError, Scope};

/// The table `[trust]`: whose tools may run. The table only narrows trust, except for keys that the user writes out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrustRules {
    /// The only keys whose signatures count, as fingerprints or written out (`ed25519:<base64>`). The user's file only.
    pub keys: Option<Vec<String>>,
    /// Patterns of ids (`**`, `deploy/*`): a tool that matches must be signed; the user's trust in its text is not
    /// enough.
    pub require_signed: Vec<String>,
    /// Whether a server's description of a tool is trusted at the first call.
    pub tofu: bool,
}

impl Default for TrustRules {
    /// The rules without a policy file. In a project's file they narrow nothing.
    fn default() -> TrustRules {
        TrustRules {
            keys: None,
            require_signed: Vec::new(),
            tofu: true,
        }
    }
}

impl TrustRules {
    /// Checks that every setting can be used.
    pub(super) fn check(&self, scope: Scope) -> Result<(), PolicyError> {
        if scope == Scope::Project && self.keys.is_some() {
            return Err(PolicyError::UsersOnly {
                what: "keys` of `[trust]",
            });
        }
        for pattern in &self.require_signed {
            glob(pattern).map_err(|problem| PolicyError::Pattern {
                rule: "[trust]".to_owned(),
                what: "require_signed",
                pattern: pattern.clone(),
                problem,
            })?;
        }
        Ok(())
    }

    /// Both rules together: the stricter of each setting.
    #[must_use]
    pub fn narrowed_by(&self, other: &TrustRules) -> TrustRules {
        TrustRules {
            keys: self.keys.clone(),
            require_signed: [self.require_signed.as_slice(), &other.require_signed].concat(),
            tofu: self.tofu && other.tofu,
        }
    }

    /// Whether a tool must be signed. Complexity: the number of patterns.
    pub fn requires_signature(&self, id: &str) -> bool {
        // A pattern that cannot be read was refused with its file; here it matches every id.
        self.require_signed
            .iter()
            .any(|pattern| glob(pattern).map_or(true, |glob| glob.is_match(id)))
    }
}

fn glob(pattern: &str) -> Result<GlobMatcher, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| error.kind().to_string())
}
