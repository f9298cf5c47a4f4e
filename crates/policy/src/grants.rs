//! What the user allows beforehand.

use std::str::FromStr;

use thiserror::Error;

/// What the user allows beforehand, as in `write,recovered,exec:git`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grants {
    /// Reading inside the root. Given by default.
    pub read: bool,
    /// Creating and changing files inside the root.
    pub write: bool,
    /// Running calls whose text had to be completed, for tools that do more than read.
    pub recovered: bool,
    /// The programs that may be started, by name.
    pub exec: Vec<String>,
}

impl Default for Grants {
    fn default() -> Grants {
        Grants {
            read: true,
            write: false,
            recovered: false,
            exec: Vec::new(),
        }
    }
}

/// Why a list of grants was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum GrantError {
    /// A word that grants nothing.
    #[error(
        "unknown grant `{word}`: the grants are `read`, `write`, `recovered` and `exec:PROGRAM`, separated by commas"
    )]
    UnknownWord {
        /// The word.
        word: String,
    },
    /// `exec` without a program, or with something else than a program's name.
    #[error("grant `{word}` names no program: write `exec:PROGRAM`, as in `exec:git`")]
    NoProgram {
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
                "exec" => {
                    return Err(GrantError::NoProgram {
                        word: word.to_owned(),
                    });
                }
                _ => grants.exec.push(program(word)?),
            }
        }
        Ok(grants)
    }
}

/// The program of `exec:PROGRAM`. A name only: what a path or a blank would mean is nobody's guess.
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
                exec: vec!["git".into(), "cargo".into()]
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
}
