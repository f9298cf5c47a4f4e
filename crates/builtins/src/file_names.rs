//! Expands a file name pattern in a command as a shell does (POSIX 2.14).
//!
//! It deliberately finds less than a shell: nothing outside the root, neither by `..` nor by links.

use std::path::Path;

use crate::Root;

/// The most names that one word may expand to.
const MOST_NAMES: usize = 1_000;

/// The most directory entries that are read for one pattern.
const MOST_ENTRIES: usize = 50_000;

/// The most stars in a name: each may be tried at every position.
const MOST_STARS: usize = 16;

/// The names that match a pattern in a directory, sorted. In the pattern a backslash escapes the next character.
///
/// A name that starts with `-` gets `./` before it, so that no program takes it for an option.
pub(crate) fn file_names(
    root: &Root,
    directory: &str,
    pattern: &str,
) -> Result<Vec<String>, &'static str> {
    let mut parts = pattern.split('/').peekable();
    let is_absolute = pattern.starts_with('/');
    let mut found = vec![String::new()];
    let mut n_entries = 0;
    if is_absolute {
        parts.next();
        found = vec!["/".to_owned()];
    }
    let mut is_known = true;
    let mut is_below_sign = false;
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let mut next = Vec::new();
        let slash = if is_last { "" } else { "/" };
        if has_signs(part) {
            if part.matches('*').count() > MOST_STARS {
                return Err("a pattern for file names with that many stars");
            }
            for before in &found {
                let Some(inside) = open(root, directory, before)? else {
                    continue;
                };
                let Ok(entries) = inside.entries() else {
                    continue;
                };
                for entry in entries.flatten() {
                    n_entries += 1;
                    if n_entries > MOST_ENTRIES {
                        return Err("a pattern for file names in such large directories");
                    }
                    let name = entry.file_name();
                    let Some(name) = name.to_str() else {
                        return Err("a pattern beside file names that are not UTF-8");
                    };
                    if !fits(part, name) {
                        continue;
                    }
                    let path = format!("{before}{name}{slash}");
                    if is_last || open(root, directory, &path)?.is_some() {
                        next.push(path);
                    }
                    if next.len() > MOST_NAMES {
                        return Err("a pattern for that many file names");
                    }
                }
            }
            is_known = true;
            is_below_sign = true;
        } else {
            let name = literal(part);
            if name == ".." {
                return Err("a pattern for file names that climbs");
            }
            next.extend(found.iter().map(|before| format!("{before}{name}{slash}")));
            let is_before_sign = parts.peek().is_none_or(|part| has_signs(part));
            if !is_below_sign && is_before_sign {
                // All matches are below this path. Parents of the root are outside it, so only the whole literal prefix
                // of an absolute pattern is looked up.
                place(root, directory, &next[0])?;
            }
            is_known = false;
        }
        found = next;
    }
    if !is_known {
        // The literal part after the last wildcard has to exist.
        found.retain(|path| exists(root, directory, path));
    }
    found.sort_unstable();
    for path in &mut found {
        if path.starts_with('-') {
            path.insert_str(0, "./");
        }
    }
    Ok(found)
}

/// A path relative to the root; an error outside the root.
fn place(root: &Root, directory: &str, path: &str) -> Result<std::path::PathBuf, &'static str> {
    let path = if path.is_empty() { "." } else { path };
    let whole = if Path::new(path).is_absolute() || directory.is_empty() {
        path.to_owned()
    } else {
        format!("{directory}/{path}")
    };
    let outside = "a pattern for file names outside of the root";
    root.resolve(&whole)
        .map(|inside| inside.path)
        .map_err(|_| outside)
}

/// A directory, if there is one. A link that leads out of the root counts as no directory.
fn open(
    root: &Root,
    directory: &str,
    path: &str,
) -> Result<Option<cap_std::fs::Dir>, &'static str> {
    let is_start = path.is_empty() || path == "/";
    match place(root, directory, path) {
        Ok(inside) => Ok(root.directory(&inside).ok()),
        Err(why) if is_start => Err(why),
        Err(_) => Ok(None),
    }
}

fn exists(root: &Root, directory: &str, path: &str) -> bool {
    place(root, directory, path.trim_end_matches('/')).is_ok_and(|inside| {
        let metadata = root.dir.symlink_metadata(if inside.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &inside
        });
        metadata.is_ok_and(|metadata| !path.ends_with('/') || metadata.is_dir())
    })
}

/// Whether a part of a pattern has wildcards.
fn has_signs(part: &str) -> bool {
    let mut is_escaped = false;
    part.chars().any(|c| {
        let is_sign = !is_escaped && matches!(c, '*' | '?' | '[');
        is_escaped = c == '\\' && !is_escaped;
        is_sign
    })
}

/// A part without wildcards, unescaped.
fn literal(part: &str) -> String {
    let mut name = String::new();
    let mut is_escaped = false;
    for c in part.chars() {
        if c == '\\' && !is_escaped {
            is_escaped = true;
        } else {
            name.push(c);
            is_escaped = false;
        }
    }
    name
}

/// One element of a pattern.
#[derive(Debug)]
enum Sign {
    Letter(char),
    Any,
    Star,
    /// Ranges of letters, and whether the set is negated.
    Bracket(Vec<(char, char)>, bool),
}

/// Whether a name matches. A dot at its start matches only a literal dot.
fn fits(part: &str, name: &str) -> bool {
    let signs = signs(part);
    if name.starts_with('.') && !matches!(signs.first(), Some(Sign::Letter('.'))) {
        return false;
    }
    let name: Vec<char> = name.chars().collect();
    // `star` is the last star and the end of its match: backtracking to it is enough.
    let (mut at, mut sign) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match signs.get(sign) {
            Some(Sign::Star) => {
                sign += 1;
                star = Some((sign, at));
                continue;
            }
            Some(one) if one.takes(name[at]) => {
                sign += 1;
                at += 1;
                continue;
            }
            _ => {}
        }
        let Some((after, taken)) = star else {
            return false;
        };
        star = Some((after, taken + 1));
        (sign, at) = (after, taken + 1);
    }
    signs[sign..].iter().all(|sign| matches!(sign, Sign::Star))
}

impl Sign {
    fn takes(&self, c: char) -> bool {
        match self {
            Sign::Letter(letter) => *letter == c,
            Sign::Any => true,
            Sign::Star => false,
            Sign::Bracket(ranges, is_other) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *is_other
            }
        }
    }
}

fn signs(part: &str) -> Vec<Sign> {
    let letters: Vec<char> = part.chars().collect();
    let mut signs = Vec::new();
    let mut at = 0;
    while let Some(&c) = letters.get(at) {
        at += 1;
        signs.push(match c {
            '\\' => {
                at += 1;
                Sign::Letter(letters.get(at - 1).copied().unwrap_or('\\'))
            }
            '*' => Sign::Star,
            '?' => Sign::Any,
            '[' => match bracket(&letters, at) {
                Some((sign, end)) => {
                    at = end;
                    sign
                }
                None => Sign::Letter('['),
            },
            c => Sign::Letter(c),
        });
    }
    signs
}

/// The POSIX character classes, ASCII only.
const CLASSES: &[(&str, &[(char, char)])] = &[
    ("alnum", &[('0', '9'), ('A', 'Z'), ('a', 'z')]),
    ("alpha", &[('A', 'Z'), ('a', 'z')]),
    ("blank", &[(' ', ' '), ('\t', '\t')]),
    ("digit", &[('0', '9')]),
    ("lower", &[('a', 'z')]),
    ("punct", &[('!', '/'), (':', '@'), ('[', '`'), ('{', '~')]),
    ("space", &[(' ', ' '), ('\t', '\r')]),
    ("upper", &[('A', 'Z')]),
    ("xdigit", &[('0', '9'), ('A', 'F'), ('a', 'f')]),
];

/// The bracket expression that opens before `at`, and its end.
fn bracket(letters: &[char], mut at: usize) -> Option<(Sign, usize)> {
    let is_other = matches!(letters.get(at), Some('!' | '^'));
    at += usize::from(is_other);
    let start = at;
    let mut ranges = Vec::new();
    loop {
        let c = *letters.get(at)?;
        at += 1;
        match c {
            ']' if at - 1 > start => return Some((Sign::Bracket(ranges, is_other), at)),
            '[' if letters.get(at) == Some(&':') => {
                let rest: String = letters[at + 1..].iter().collect();
                let (name, _) = rest.split_once(":]")?;
                let (_, class) = CLASSES.iter().find(|(known, _)| *known == name)?;
                ranges.extend(*class);
                at += 1 + name.chars().count() + 2;
            }
            c => {
                let from = match c {
                    '\\' => {
                        at += 1;
                        *letters.get(at - 1)?
                    }
                    c => c,
                };
                let is_range =
                    letters.get(at) == Some(&'-') && letters.get(at + 1).is_some_and(|c| *c != ']');
                let mut to = from;
                if is_range {
                    at += 2;
                    to = letters[at - 1];
                    if to == '\\' {
                        at += 1;
                        to = *letters.get(at - 1)?;
                    }
                }
                ranges.push((from, to));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_a_pattern_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("*", "a", true),
            ("*", ".a", false),
            (".*", ".a", true),
            ("?a", ".a", false),
            ("[.]a", ".a", false),
            ("*.rs", "a.rs", true),
            ("*.rs", "a.rsx", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyy", false),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[ab]x", "bx", true),
            ("[!ab]x", "cx", true),
            ("[^ab]x", "ax", false),
            ("[a-c]x", "bx", true),
            ("[a-c]x", "dx", false),
            ("[]a]x", "]x", true),
            ("[a-]x", "-x", true),
            ("[[:digit:]]*", "1a", true),
            ("[[:digit:]]*", "a1", false),
            ("[[:alpha:]_]", "_", true),
            ("[ab", "[ab", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("[\\]]", "]", true),
            ("é*", "éa", true),
            ("**", "ab", true),
            ("", "", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn names_are_sorted_and_stay_inside_the_root() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let top = folder.path().join("root");
        std::fs::create_dir_all(top.join("sub/deep"))?;
        std::fs::create_dir_all(folder.path().join("out"))?;
        for file in [
            "b.rs",
            "a.rs",
            ".c.rs",
            "-n",
            "sub/a.rs",
            "sub/deep/b.rs",
            "../out/a.rs",
        ] {
            std::fs::write(top.join(file), "")?;
        }
        #[cfg(unix)]
        std::os::unix::fs::symlink("../out", top.join("link"))?;
        let root = Root::open(&top)?;
        let absolute = format!("{}/*.rs", root.path().display());
        let first = format!(
            "{}/a.rs {}/b.rs",
            root.path().display(),
            root.path().display()
        );
        for (directory, pattern, expected) in [
            (".", "*.rs", "a.rs b.rs"),
            (".", ".*.rs", ".c.rs"),
            (".", "*", "./-n a.rs b.rs link sub"),
            (".", "-*", "./-n"),
            (".", "*/", "sub/"),
            (".", "*/*.rs", "sub/a.rs"),
            (".", "*/*/b.rs", "sub/deep/b.rs"),
            (".", "./*.rs", "./a.rs ./b.rs"),
            (".", "*/a.rs", "sub/a.rs"),
            (".", "l*/*", ""),
            (".", "sub/*.py", ""),
            (".", "none/*", ""),
            ("sub", "*.rs", "a.rs"),
            (".", &absolute, &first),
        ] {
            let found = file_names(&root, directory, pattern).expect(pattern);
            assert_eq!(found.join(" "), expected, "{directory} {pattern}");
        }
        for pattern in ["../*", "sub/../../*", "/etc/*", "link/*"] {
            assert!(file_names(&root, ".", pattern).is_err(), "{pattern}");
        }
        Ok(())
    }
}
