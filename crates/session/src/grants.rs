//! The user's grants in advance, in one grammar: words of the policy, and capabilities of tools by name.

use std::str::FromStr;

use thiserror::Error;
use toolglot_policy::GrantError;

/// The user's grants in advance, as in `write,recovered,exec:git,shell.execute`.
///
/// ```
/// use toolglot_session::Grants;
///
/// let grants: Grants = "write,net.http".parse()?;
/// assert_eq!(grants.capabilities(), ["fs.read", "fs.write", "net.http"]);
/// assert!("wirte".parse::<Grants>().is_err());
/// # Ok::<(), toolglot_session::GrantsError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Grants {
    /// The grants that the policy knows.
    policy: toolglot_policy::Grants,
    /// The capabilities that the words stand for. Reading is always granted.
    capabilities: Vec<String>,
}

/// Why the words were refused.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GrantsError {
    /// The word grants nothing.
    #[error(
        "unknown grant `{word}`{}: the grants are `read`, `write`, `delete`, `recovered`, `shell`, `net`, `exec:PROGRAM` and `net:HOST`, and capabilities such as `shell.execute`, separated by commas",
        toolglot_policy::nearest_grant(word)
    )]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// The word names no program, or no host.
    #[error(transparent)]
    Grant(GrantError),
}

impl Grants {
    /// The grants for policy decisions.
    pub fn policy(&self) -> &toolglot_policy::Grants {
        &self.policy
    }

    /// The capabilities of file tools.
    pub fn capabilities(&self) -> Vec<String> {
        let read = std::iter::once("fs.read".to_owned());
        read.chain(self.capabilities.iter().cloned()).collect()
    }
}

impl FromStr for Grants {
    type Err = GrantsError;

    /// Reads words separated by commas; blanks around a word and empty words are fine.
    fn from_str(list: &str) -> Result<Grants, GrantsError> {
        let mut known = Vec::new();
        let mut capabilities = Vec::new();
        for word in list.split(',').map(str::trim) {
            if word.is_empty() {
                continue;
            }
            match word.parse::<toolglot_policy::Grants>() {
                Ok(_) => known.push(word),
                Err(GrantError::UnknownWord { .. }) if word == "net" || is_capability(word) => {}
                Err(GrantError::UnknownWord { .. }) => {
                    return Err(GrantsError::UnknownWord {
                        word: word.to_owned(),
                    });
                }
                Err(error) => return Err(GrantsError::Grant(error)),
            }
            match word {
                "read" | "recovered" => {}
                "write" => capabilities.push("fs.write".to_owned()),
                "delete" => capabilities.push("fs.delete".to_owned()),
                "net" => capabilities.push("net.*".to_owned()),
                // A shell may run anything; a single other program may not.
                "shell" | "exec:bash" | "exec:sh" => capabilities.push("shell.execute".to_owned()),
                other => capabilities.push(other.to_owned()),
            }
        }
        let policy = known.join(",").parse().map_err(GrantsError::Grant)?;
        Ok(Grants {
            policy,
            capabilities,
        })
    }
}

/// Whether a capability can have this name: parts with dots between them, the last of which may be `*`.
fn is_capability(word: &str) -> bool {
    let is_part = |part: &str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
        !part.is_empty() && part.bytes().all(is_plain)
    };
    let (first, rest) = word.split_once('.').unwrap_or((word, ""));
    let mut parts = rest.split('.');
    let last = parts.next_back().unwrap_or_default();
    is_part(first) && parts.all(is_part) && (last == "*" || is_part(last))
}

#[cfg(test)]
mod tests {
    use super::Grants;

    #[test]
    fn words_stand_for_capabilities_and_others_are_refused() {
        let grants: Grants = "write, net,exec:bash,rye.execute.*,fs.read_all"
            .parse()
            .expect("known words");
        assert_eq!(
            grants.capabilities(),
            [
                "fs.read",
                "fs.write",
                "net.*",
                "shell.execute",
                "rye.execute.*",
                "fs.read_all"
            ]
        );
        assert!(grants.policy.write && !grants.policy.shell);
        for word in [
            "wirte",
            "bo gus",
            "fs.",
            ".write",
            "fs..write",
            "fs.*.x",
            "fs.wr ite",
            "*",
            "exec:",
            "net:",
        ] {
            let error = word.parse::<Grants>().expect_err(word);
            assert!(error.to_string().contains(word), "{error}");
        }
    }
}
