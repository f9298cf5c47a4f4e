//! Patterns of policy files: for names, paths, words of commands and hosts.

use globset::{GlobBuilder, GlobMatcher};
use regex::Regex;

use crate::HostPort;
use crate::command::UNKNOWN;

/// A pattern for one word: `*` matches any letters, `re:` starts a regular expression that matches the whole word.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    /// Pieces between the stars.
    Pieces(Vec<String>),
    Regex(Box<Regex>),
}

impl Word {
    pub(crate) fn new(pattern: &str) -> Result<Word, String> {
        let Some(expression) = pattern.strip_prefix("re:") else {
            return Ok(Word::Pieces(
                pattern.split('*').map(str::to_owned).collect(),
            ));
        };
        regex::RegexBuilder::new(&format!("^(?:{expression})$"))
            .size_limit(1 << 20)
            .build()
            .map(|regex| Word::Regex(Box::new(regex)))
            .map_err(|error| last_line(&error.to_string()))
    }

    /// The pattern as it is written.
    pub(crate) fn written(&self) -> String {
        match self {
            Word::Pieces(pieces) => pieces.join("*"),
            Word::Regex(regex) => format!("re:{}", regex.as_str()),
        }
    }

    /// The only word that matches, if the pattern is a literal.
    pub(crate) fn exact(&self) -> Option<&str> {
        match self {
            Word::Pieces(pieces) => pieces
                .first()
                .filter(|_| pieces.len() == 1)
                .map(String::as_str),
            Word::Regex(_) => None,
        }
    }

    pub(crate) fn fits(&self, word: &str) -> bool {
        match self {
            Word::Regex(regex) => regex.is_match(word),
            Word::Pieces(pieces) => fits(pieces, word),
        }
    }

    /// Whether a word with a part that only the shell knows may match: the text before the unknown part must agree.
    pub(crate) fn may_fit(&self, word: &str) -> bool {
        let Some((known, _)) = word.split_once(UNKNOWN) else {
            return self.fits(word);
        };
        match self {
            Word::Regex(_) => true,
            Word::Pieces(pieces) => {
                let first = pieces.first().map_or("", String::as_str);
                first.starts_with(known) || (pieces.len() > 1 && known.starts_with(first))
            }
        }
    }

    /// Whether the pattern may match an option.
    pub(crate) fn is_about_options(&self) -> bool {
        match self {
            Word::Regex(_) => true,
            Word::Pieces(pieces) => {
                let first = pieces.first().map_or("", String::as_str);
                first.starts_with('-') || (first.is_empty() && pieces.len() > 1)
            }
        }
    }

    /// Whether `word` is this option in any spelling: as it is, a long option abbreviated, a short option in a cluster.
    ///
    /// GNU programs accept every unambiguous prefix of a long option, and `-nO` for `-n -O`.
    pub(crate) fn is_option(&self, word: &str) -> bool {
        if self.fits(word) {
            return true;
        }
        let Word::Pieces(pieces) = self else {
            return false;
        };
        let first = pieces.first().map_or("", String::as_str);
        let name = word.split('=').next().unwrap_or(word);
        if let Some(own) = first.strip_prefix("--") {
            let own = own.split('=').next().unwrap_or(own);
            return name
                .strip_prefix("--")
                .is_some_and(|name| !name.is_empty() && own.starts_with(name));
        }
        let letters: Vec<char> = first.chars().collect();
        match letters.as_slice() {
            ['-', letter] if letter.is_ascii_alphanumeric() => word
                .strip_prefix('-')
                .filter(|word| !word.starts_with('-'))
                .is_some_and(|cluster| {
                    cluster
                        .split(|c: char| !c.is_ascii_alphabetic())
                        .next()
                        .is_some_and(|flags| flags.contains(*letter))
                }),
            _ => false,
        }
    }
}

/// The last line of an error, without the drawing above it.
fn last_line(text: &str) -> String {
    text.lines().last().unwrap_or_default().trim().to_owned()
}

/// Matches greedily from the left, and the last piece at the end: no backtracking.
fn fits(pieces: &[String], word: &str) -> bool {
    let [first, middle @ .., last] = pieces else {
        return pieces.first().is_some_and(|only| only == word);
    };
    let Some(mut rest) = word.strip_prefix(first.as_str()) else {
        return false;
    };
    for piece in middle {
        let Some(at) = rest.find(piece.as_str()) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last.as_str())
}

/// A pattern for a path below the root: a glob where `*` and `?` stay within a name and `**` does not. A pattern that
/// matches a directory matches everything in it.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    exact: GlobMatcher,
    folded: GlobMatcher,
}

impl Place {
    pub(crate) fn new(pattern: &str) -> Result<Place, String> {
        if pattern == "~" || pattern.starts_with("~/") {
            return Err(
                "a path is relative to the root, and `~` means a home: write `./~` for a file of that name"
                    .to_owned(),
            );
        }
        if has_separator_of_another_system(pattern) {
            return Err("separate the names of a path by `/`".to_owned());
        }
        let is_absolute = pattern.starts_with('/');
        // As in the paths that are matched: without empty names and `.`.
        let names = pattern.split('/').filter(|name| !matches!(*name, "" | "."));
        let pattern = &names.collect::<Vec<_>>().join("/");
        if is_absolute || pattern.split('/').any(|name| name == "..") {
            return Err("a path is relative to the root, without `..`".to_owned());
        }
        if pattern.is_empty() || pattern.starts_with('!') {
            return Err(
                "a path names something, such as `src/**`; write exceptions in `except`".to_owned(),
            );
        }
        let build = |is_folded| {
            GlobBuilder::new(pattern)
                .literal_separator(true)
                .case_insensitive(is_folded)
                .build()
                .map(|glob| glob.compile_matcher())
                .map_err(|error| error.to_string())
        };
        Ok(Place {
            exact: build(false)?,
            folded: build(true)?,
        })
    }

    /// Whether the path, or a directory above it, matches. With `is_refusing`, letter case does not count, and neither
    /// do dots and blanks at the end of a name: some file systems ignore them.
    pub(crate) fn fits(&self, path: &str, is_refusing: bool) -> bool {
        let mut end = Some(path.len());
        while let Some(at) = end {
            let part = &path[..at];
            if self.exact.is_match(part)
                || (is_refusing && self.folded.is_match(crate::name_pattern::folded_path(part)))
            {
                return true;
            }
            end = part.rfind('/');
        }
        false
    }
}

/// Whether a `\\` is before a letter or a dot, or at the end: there it neither separates names nor escapes anything.
fn has_separator_of_another_system(pattern: &str) -> bool {
    let mut letters = pattern.chars();
    while let Some(c) = letters.next() {
        if c == '\\'
            && letters
                .next()
                .is_none_or(|next| next.is_alphanumeric() || next == '.')
        {
            return true;
        }
    }
    false
}

/// A pattern for a host: a name, or `*.` and a name for all hosts below it, and a port. Without a port, it means 80 and
/// 443 in a rule that allows, and every port in any other rule.
#[derive(Clone, Debug)]
pub(crate) struct HostPattern {
    name: String,
    is_below: bool,
    port: Port,
}

#[derive(Clone, Copy, Debug)]
enum Port {
    Usual,
    Any,
    One(u16),
}

impl HostPattern {
    pub(crate) fn new(pattern: &str) -> Result<HostPattern, String> {
        let (is_below, rest) = match pattern.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, pattern),
        };
        let (name, port) = match rest.rsplit_once(':') {
            Some((name, port)) if !name.contains(':') => (
                name,
                match port {
                    "*" => Port::Any,
                    port => Port::One(port.parse().map_err(|_| format!("invalid port `{port}`"))?),
                },
            ),
            _ => (rest, Port::Usual),
        };
        if name.is_empty() || name.contains(['*', '/', '@']) {
            return Err(
                "a host is a name such as `api.example.org`, `*.example.org` or `localhost:8080`"
                    .to_owned(),
            );
        }
        let is_part = |c: char| c.is_ascii_alphanumeric() || "-._:[]".contains(c);
        if !name.chars().all(is_part) {
            return Err(
                "a host is written as it is asked for, in plain letters: `xn--..` for others"
                    .to_owned(),
            );
        }
        Ok(HostPattern {
            name: name.trim_end_matches('.').to_ascii_lowercase(),
            is_below,
            port,
        })
    }

    pub(crate) fn fits(&self, host: &HostPort, is_refusing: bool) -> bool {
        let is_name = if self.is_below {
            host.name
                .strip_suffix(&self.name)
                .is_some_and(|before| before.len() > 1 && before.ends_with('.'))
        } else {
            host.name == self.name
        };
        let is_port = match self.port {
            Port::One(port) => host.port == port,
            Port::Any => true,
            Port::Usual => is_refusing || host.port == 80 || host.port == 443,
        };
        is_name && is_port
    }
}

#[cfg(test)]
mod tests {
    use super::{HostPattern, Place, Word};
    use crate::HostPort;

    #[test]
    fn words_fit_as_a_whole() {
        for (pattern, word, expected) in [
            ("git", "git", true),
            ("git", "gitx", false),
            ("git", "GIT", false),
            ("--out*", "--output=x", true),
            ("*", "", true),
            ("a*b*c", "aXbYc", true),
            ("a*b*c", "aXcYb", false),
            ("ab*ba", "aba", false),
            ("re:[0-9]+p", "12p", true),
            ("re:[0-9]+p", "12p;w x", false),
        ] {
            assert_eq!(
                Word::new(pattern).expect("good").fits(word),
                expected,
                "{pattern} {word}"
            );
        }
        assert!(Word::new("re:(").is_err());
    }

    #[test]
    fn options_are_found_in_every_spelling() {
        for (pattern, word, expected) in [
            ("--output*", "--output=x", true),
            ("--output*", "--outp=x", true),
            ("--output*", "--o", true),
            ("--output*", "--oneline", false),
            ("--output*", "--", false),
            ("-o*", "-ofile", true),
            ("-o*", "-no", true),
            ("-o", "-rno", true),
            ("-o", "-n", false),
            ("-O*", "-nOless", true),
            ("-exec*", "-execdir", true),
            ("-exec*", "-e", false),
            ("-c", "--color", false),
            ("-i", "-1", false),
        ] {
            assert_eq!(
                Word::new(pattern).expect("good").is_option(word),
                expected,
                "{pattern} {word}"
            );
        }
    }

    #[test]
    fn places_fit_what_is_in_them() {
        for (pattern, path, refusing, expected) in [
            ("**", "a/b", false, true),
            ("src/**", "src/a/b", false, true),
            ("src/**", "src2/a", false, false),
            ("src", "src/a", false, true),
            ("*.rs", "a/b.rs", false, false),
            ("**/*.rs", "b.rs", false, true),
            ("**/.env", ".ENV", false, false),
            ("**/.env", "x/.ENV. ", true, true),
            ("a?", "ab", false, true),
            ("a?", "a/", false, false),
        ] {
            assert_eq!(
                Place::new(pattern).expect("good").fits(path, refusing),
                expected,
                "{pattern} {path}"
            );
        }
        assert!(Place::new("../x").is_err() && Place::new("/x").is_err());
    }

    #[test]
    fn hosts_fit_by_whole_labels() {
        for (pattern, url, expected) in [
            ("api.example.test", "https://api.example.test/", true),
            ("api.example.test", "http://api.example.test:8080/", false),
            (
                "api.example.test",
                "http://api.example.test.evil.test/",
                false,
            ),
            ("api.example.test", "http://evil-api.example.test/", false),
            ("*.example.test", "http://a.b.example.test/", true),
            ("*.example.test", "http://example.test/", false),
            ("localhost:8080", "http://localhost:8080/", true),
            ("localhost:*", "http://localhost:8080/", true),
        ] {
            let host = HostPort::of(url).expect(url);
            assert_eq!(
                HostPattern::new(pattern).expect("good").fits(&host, false),
                expected,
                "{pattern} {url}"
            );
        }
    }
}
