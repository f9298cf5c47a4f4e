//! Grants: what the user allows before any call.

use std::str::FromStr;

use thiserror::Error;

use crate::HostPort;

/// What the user allows before any call, as in `write,recovered,exec:git`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    /// Reading inside the root. Given by default.
    pub read: bool,
    /// Creating and changing files inside the root.
    pub write: bool,
    /// Running calls whose text had to be completed, for tools that do more than read.
    pub recovered: bool,
    /// Removing files inside the root.
    pub delete: bool,
    /// Running text in a shell, in the strongest sandbox.
    pub shell: bool,
    /// The programs that may be started, by name.
    pub exec: Vec<String>,
    /// The hosts that may be contacted, by name; `name:port` for ports other than 80 and 443.
    pub net: Vec<String>,
}

impl Grants {
    /// Whether the program may be started: a shell could start any. A path may be another program than its name in
    /// `PATH`.
    pub(crate) fn runs(&self, program: &str) -> bool {
        self.shell || self.exec.iter().any(|granted| granted == program)
    }

    /// Whether a request may be sent to a host.
    pub(crate) fn asks(&self, host: &HostPort) -> bool {
        self.net
            .iter()
            .any(|granted| match granted.rsplit_once(':') {
                Some((name, port)) => host.name == name && port.parse() == Ok(host.port),
                None => host.name == *granted && matches!(host.port, 80 | 443),
            })
    }

    /// Whether a grant covers a capability that a tool declares: `write` covers `write` and `fs.write`.
    pub(crate) fn has(&self, capability: &str) -> bool {
        match capability {
            "read" | "fs.read" => self.read,
            "write" | "fs.write" => self.write,
            "delete" | "fs.delete" => self.delete,
            "shell" | "shell.execute" | "shell.raw" => self.shell,
            _ => false,
        }
    }
}

impl Default for Grants {
    fn default() -> Grants {
        Grants {
            read: true,
            write: false,
            recovered: false,
            delete: false,
            shell: false,
            exec: Vec::new(),
            net: Vec::new(),
        }
    }
}

/// Why a list of grants was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GrantError {
    /// A word that grants nothing.
    #[error(
        "unknown grant `{word}`{}: the grants are `read`, `write`, `delete`, `recovered`, `shell`, `exec:PROGRAM` and `net:HOST`, separated by commas",
        nearest(word)
    )]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// `exec` without the name of a program.
    #[error("grant `{word}` names no program: write `exec:PROGRAM`, as in `exec:git`")]
    NoProgram {
        /// The word.
        word: String,
    },
    /// `net` without a host.
    #[error("grant `{word}` names no host: write `net:HOST`, as in `net:api.example.org`")]
    NoHost {
        /// The word.
        word: String,
    },
}

impl FromStr for Grants {
    type Err = GrantError;

    /// Reads words separated by commas; blanks around a word and empty words are fine.
    fn from_str(list: &str) -> Result<Grants, GrantError> {
        let mut grants = Grants::default();
        for word in list
            .split(',')
            .map(str::trim)
            .filter(|word| !word.is_empty())
        {
            match word {
                "read" => grants.read = true,
                "write" => grants.write = true,
                "recovered" => grants.recovered = true,
                "delete" => grants.delete = true,
                "shell" => grants.shell = true,
                "exec" => {
                    return Err(GrantError::NoProgram {
                        word: word.to_owned(),
                    });
                }
                _ => match word.strip_prefix("net:") {
                    Some(host) if is_host(host) => grants.net.push(host.to_ascii_lowercase()),
                    Some(_) => {
                        return Err(GrantError::NoHost {
                            word: word.to_owned(),
                        });
                    }
                    None => grants.exec.push(program(word)?),
                },
            }
        }
        Ok(grants)
    }
}

/// A suggestion for a misspelt word, as part of a message; empty where no grant is similar.
pub fn nearest(word: &str) -> String {
    let (name, value) = match word.split_once(':') {
        Some((name, value)) => (name, Some(value)),
        None => (word, None),
    };
    let known: &[&str] = match value {
        Some(_) => &["exec", "net"],
        None => &["read", "write", "delete", "recovered", "shell"],
    };
    let near = toolglot_schema::nearest(name, known.iter().copied());
    match (near, value) {
        (Some(grant), Some(value)) => format!("; did you mean `{grant}:{value}`?"),
        (Some(grant), None) => format!("; did you mean `{grant}`?"),
        (None, _) => String::new(),
    }
}

/// Whether the `HOST` of `net:HOST` is a name or an address, with or without a port.
fn is_host(host: &str) -> bool {
    HostPort::of(&format!("http://{host}/")).is_ok()
}

/// The program of `exec:PROGRAM`, which must be a name: the meaning of a path or a blank would be ambiguous.
fn program(word: &str) -> Result<String, GrantError> {
    let Some(program) = word.strip_prefix("exec:") else {
        return Err(GrantError::UnknownWord {
            word: word.to_owned(),
        });
    };
    if program.is_empty()
        || program.contains(|c: char| c.is_whitespace() || matches!(c, '/' | '\\' | ':' | '*'))
    {
        return Err(GrantError::NoProgram {
            word: word.to_owned(),
        });
    }
    Ok(program.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{GrantError, Grants};

    #[test]
    fn words_grant_what_they_name_and_nothing_else() {
        let grants: Grants = " write, recovered,exec:git,exec:cargo, "
            .parse()
            .expect("known words");
        assert_eq!(
            grants,
            Grants {
                read: true,
                write: true,
                recovered: true,
                exec: vec!["git".into(), "cargo".into()],
                ..Grants::default()
            }
        );
        assert_eq!("".parse::<Grants>(), Ok(Grants::default()));
    }

    #[test]
    fn an_unknown_word_is_an_error_that_lists_the_known() {
        for word in ["all", "*", "Write", "write=yes", "execute:git", "wri te"] {
            let error = word.parse::<Grants>().expect_err(word);
            assert_eq!(
                error,
                GrantError::UnknownWord {
                    word: word.to_owned()
                }
            );
            let message = error.to_string();
            for known in ["`read`", "`write`", "`recovered`", "`exec:PROGRAM`"] {
                assert!(message.contains(known), "{message}");
            }
        }
    }

    #[test]
    fn a_misspelt_word_names_the_nearest_grant() {
        for (word, expected) in [
            ("wirte", "did you mean `write`?"),
            ("Write", "did you mean `write`?"),
            ("reed", "did you mean `read`?"),
            ("exce:git", "did you mean `exec:git`?"),
            ("nte:a.test", "did you mean `net:a.test`?"),
            ("everything", ""),
            ("write:x", ""),
        ] {
            let message = word.parse::<Grants>().expect_err(word).to_string();
            assert_eq!(
                message.contains("did you mean"),
                !expected.is_empty(),
                "{message}"
            );
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn exec_names_one_program() {
        for word in [
            "exec",
            "exec:",
            "exec:*",
            "exec:/bin/sh",
            "exec:git status",
            "exec:a:b",
            "exec:..\\a",
        ] {
            let error = word.parse::<Grants>().expect_err(word);
            assert_eq!(
                error,
                GrantError::NoProgram {
                    word: word.to_owned()
                }
            );
        }
    }

    #[test]
    fn a_grant_covers_the_capabilities_of_its_kind_and_no_other() {
        let kinds = [
            ("read", "read fs.read"),
            ("write", "write fs.write"),
            ("delete", "delete fs.delete"),
            ("shell", "shell shell.execute shell.raw"),
        ];
        let others = "recovered exec network net.http process.spawn fs fs.readme";
        for (granted, _) in kinds {
            let mut grants: Grants = granted.parse().expect("a grant");
            grants.read = granted == "read";
            for (kind, words) in kinds {
                for word in words.split(' ') {
                    assert_eq!(grants.has(word), kind == granted, "{granted} {word}");
                }
            }
            for word in others.split(' ') {
                assert!(!grants.has(word), "{granted} {word}");
            }
        }
    }
}
