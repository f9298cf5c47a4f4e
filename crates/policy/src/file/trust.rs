//! Whose tools are run.

use globset::{GlobBuilder, GlobMatcher};
use serde::Deserialize;

use super::{PolicyError, Scope};

/// The table `[trust]`: whose tools are run. It narrows what is trusted anyway, but for keys that the user writes out.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TrustRules {
    /// The only keys whose signatures count, as fingerprints or written out (`ed25519:<base64>`). The user's file only.
    pub keys: Option<Vec<String>>,
    /// Patterns of ids (`**`, `deploy/*`): what fits has to be signed; that the user trusted its text is not enough.
    pub require_signed: Vec<String>,
    /// Whether what a server says of a tool is taken as it is when it is first called.
    pub tofu: bool,
}

impl Default for TrustRules {
    /// What holds where no policy file says anything. In a project's file it narrows nothing.
    fn default() -> TrustRules {
        TrustRules {
            keys: None,
            require_signed: Vec::new(),
            tofu: true,
        }
    }
}

impl TrustRules {
    /// Whether everything in it can be used.
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

    /// What both say, the stricter of each.
    #[must_use]
    pub fn narrowed_by(&self, other: &TrustRules) -> TrustRules {
        TrustRules {
            keys: self.keys.clone(),
            require_signed: [self.require_signed.as_slice(), &other.require_signed].concat(),
            tofu: self.tofu && other.tofu,
        }
    }

    /// Whether a tool has to be signed. Complexity: patterns.
    pub fn requires_signature(&self, id: &str) -> bool {
        // A pattern that cannot be read was refused with its file; here it fits all.
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
