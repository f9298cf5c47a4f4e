//! What was found out about a path that a model wrote.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// What was found out about a path that a model wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathFact {
    /// The path as the model wrote it.
    pub written: String,
    /// The place that the path leads to.
    pub found: Result<Inside, Escape>,
}

/// A place inside the root.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inside {
    /// Relative to the root, every link followed, without `.` and `..`; empty for the root itself.
    /// A part that does not exist yet is as written.
    pub path: PathBuf,
    /// Whether the path as written contains a `..`.
    pub climbs: bool,
    /// Whether the place is a file that has another name as well, which may be outside.
    pub is_shared: bool,
}

/// Why a path leads to no place inside the root.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Escape {
    /// An empty path.
    #[error("the path is empty: write a path relative to the root, or `.` for the root itself")]
    Empty,
    /// A zero byte, which no path may contain.
    #[error("the path holds a zero byte, which no file name can: write it without")]
    ZeroByte,
    /// A URL where a path belongs.
    #[error("a URL is not a path: write the plain path, relative to the root")]
    Url,
    /// More bytes than a path may have.
    #[error("a path of {bytes} bytes is too long: no system takes more than 4096")]
    TooLong {
        /// The length in bytes.
        bytes: usize,
    },
    /// An absolute path to somewhere else.
    #[error("the absolute path leads out of the root; write one that is relative to it")]
    Absolute,
    /// A path that starts at a home directory, for every shell.
    #[error(
        "`~` means a home, which is outside of the root: write a path relative to the root, or `./~` for that file"
    )]
    Home,
    /// More `..` than directories to leave.
    #[error("`..` leads above the root; write a path inside it")]
    Climbs,
    /// A path that leads out of the root, or elsewhere, for a program that decodes it or accepts other separators.
    #[error(
        "the path hides a `..` or a drive in another spelling: write the plain path, relative to the root"
    )]
    Disguised,
    /// A symbolic link that leads out of the root.
    #[error(
        "{link:?} is a symbolic link that leads out of the root; only what is really inside it can be used"
    )]
    Link {
        /// The link, relative to the root.
        link: PathBuf,
    },
    /// Symbolic links that lead in a circle, or too many of them.
    #[error("{link:?} leads through too many symbolic links: name the real path")]
    Circle {
        /// The link that was one too many, relative to the root.
        link: PathBuf,
    },
    /// The path continues after something that is not a directory.
    #[error("{at:?} is not a directory, so nothing can be inside it")]
    ThroughFile {
        /// The path that is not a directory, relative to the root.
        at: PathBuf,
    },
    /// A moved directory holds more files than can be checked.
    #[error(
        "more than {most} files are below it, too many to check each against the policy: move parts of it"
    )]
    Crowded {
        /// How many files can be checked.
        most: usize,
    },
    /// The system refused access to the path.
    #[error("{at:?} cannot be looked at: {kind}")]
    Unreadable {
        /// Where the system refused, relative to the root.
        at: PathBuf,
        /// The error of the system.
        kind: io::ErrorKind,
    },
}

impl Escape {
    /// Whether the path leads out of the root, rather than nowhere.
    pub fn is_outside(&self) -> bool {
        match self {
            Escape::Absolute
            | Escape::Home
            | Escape::Climbs
            | Escape::Disguised
            | Escape::Link { .. } => true,
            Escape::Empty
            | Escape::ZeroByte
            | Escape::Url
            | Escape::TooLong { .. }
            | Escape::Circle { .. }
            | Escape::ThroughFile { .. }
            | Escape::Crowded { .. }
            | Escape::Unreadable { .. } => false,
        }
    }
}

impl Escape {
    /// Whether a shell would start the path at a home: `~`, `~/..`, `~NAME/..`. Here it would be a file of that name.
    pub fn is_home(written: &str) -> bool {
        let Some(rest) = written.strip_prefix('~') else {
            return false;
        };
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
        match rest.split_once('/') {
            Some((name, _)) => name.chars().all(is_of_name),
            None => rest.is_empty(),
        }
    }

    /// Whether another program may read the path differently. Examples are a `..` in percent form, with backslashes or
    /// with letters that look like dots and slashes, and a drive of Windows. Here these are ordinary letters, but a
    /// later program may decode them.
    pub fn disguises(written: &str) -> bool {
        let climbs = |text: &str| text.split('/').filter(|name| *name == "..").count();
        if written.is_ascii() && !written.contains(['%', '\\']) {
            return is_drive(written);
        }
        let mut plain = written.to_owned();
        // Some programs decode twice; the third pass is a margin.
        for _ in 0..3 {
            plain = decoded(&plain);
        }
        is_drive(written) || climbs(&plain) > climbs(written)
    }
}

/// Whether a path starts with a drive or a server of Windows: `C:\..`, `\\server\..`.
fn is_drive(path: &str) -> bool {
    let bytes = path.as_bytes();
    path.starts_with("\\\\")
        || (bytes.len() > 2
            && bytes[0].is_ascii_alphabetic()
            && bytes[1] == b':'
            && matches!(bytes[2], b'\\' | b'/'))
}

/// A path with percent forms decoded once, and with `.` or `/` in place of every character that looks like it.
fn decoded(path: &str) -> String {
    let mut plain = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        let plain_c = match c {
            '%' => {
                let code = rest
                    .get(..2)
                    .and_then(|code| u8::from_str_radix(code, 16).ok());
                match code {
                    // `%c0%af` and `%c0%ae`: overlong encodings of a slash and a dot.
                    Some(0xc0 | 0xe0 | 0xf0) => {
                        rest = &rest[2..];
                        continue;
                    }
                    Some(0xaf) => {
                        rest = &rest[2..];
                        '/'
                    }
                    Some(0xae) => {
                        rest = &rest[2..];
                        '.'
                    }
                    Some(code) if code.is_ascii() => {
                        rest = &rest[2..];
                        char::from(code)
                    }
                    _ => '%',
                }
            }
            '\\' | '\u{2044}' | '\u{2215}' | '\u{2216}' | '\u{29f5}' | '\u{29f8}' | '\u{fe68}'
            | '\u{ff0f}' | '\u{ff3c}' => '/',
            '\u{2024}' | '\u{fe52}' | '\u{ff0e}' | '\u{ff61}' | '\u{3002}' => '.',
            '\u{2025}' => {
                plain.push('.');
                '.'
            }
            c => c,
        };
        plain.push(if plain_c == '\\' { '/' } else { plain_c });
    }
    plain
}

impl PathFact {
    /// The place inside the root, if the path leads to one.
    pub fn inside(&self) -> Option<&Path> {
        self.found.as_ref().ok().map(|inside| inside.path.as_path())
    }
}

#[cfg(test)]
mod tests {
    use super::Escape;

    #[test]
    fn other_spellings_of_a_climb_are_seen() {
        for path in [
            "..\\a",
            "a\\..\\..\\b",
            "%2e%2e/a",
            "..%2fa",
            "%252e%252e%252fa",
            "..%c0%afa",
            "%c0%ae%c0%ae/a",
            "\u{ff0e}\u{ff0e}/a",
            "..\u{2215}a",
            "\u{2025}/a",
            "..%5ca",
            "C:\\a",
            "c:/a",
            "\\\\host\\a",
        ] {
            assert!(Escape::disguises(path), "{path}");
        }
        for path in [
            "a",
            "../a",
            "a/../b",
            "100%.txt",
            "100%25.txt",
            "a%20b",
            "a\\b",
            "a..b\\c",
            "a:b",
            "%",
            "%2",
            "\u{3002}",
            "C:",
            "...",
        ] {
            assert!(!Escape::disguises(path), "{path}");
        }
    }

    #[test]
    fn a_home_is_a_tilde_alone_or_a_name_before_a_slash() {
        for path in ["~", "~/", "~/a", "~ann/a", "~a-b.c+d_1/x", "~/a b/c"] {
            assert!(Escape::is_home(path), "{path}");
        }
        for path in ["", "a", "~ann", "~a b/x", "~é/x", "a/~", "./~", " ~"] {
            assert!(!Escape::is_home(path), "{path}");
        }
    }

    #[test]
    fn an_escape_leads_outside_or_nowhere() {
        let outside = [
            Escape::Absolute,
            Escape::Home,
            Escape::Climbs,
            Escape::Disguised,
        ];
        let nowhere = [Escape::Empty, Escape::ZeroByte, Escape::Url];
        assert!(outside.iter().all(Escape::is_outside));
        assert!(!nowhere.iter().any(Escape::is_outside));
    }
}
