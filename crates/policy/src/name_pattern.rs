//! Patterns of file names, matched in the spelling of any file system.

use std::borrow::Cow;
use std::path::Path;

/// A pattern for components of a path. All names are in lower case.
pub(crate) enum NamePattern {
    /// A component of this name.
    Name(&'static str),
    /// A component that starts with this.
    Prefix(&'static str),
    /// A component that starts with this and is not a source file of a program.
    Key(&'static str),
    /// A component that ends with this.
    Suffix(&'static str),
    /// A component of the second name, directly inside the first.
    Within(&'static str, &'static str),
    /// A component of one of these names, anywhere below the first.
    Under(&'static str, &'static [&'static str]),
}

impl NamePattern {
    /// The pattern as people write it, with `*` for any letters.
    #[cfg(test)]
    pub(crate) fn written(&self) -> String {
        match self {
            NamePattern::Name(name) => (*name).to_owned(),
            NamePattern::Prefix(start) => format!("{start}*"),
            NamePattern::Suffix(end) => format!("*{end}"),
            NamePattern::Within(directory, name) => format!("{directory}/{name}"),
            NamePattern::Key(start) => format!("{start}*"),
            NamePattern::Under(directory, names) => {
                format!("{directory}/**/{{{}}}", names.join(","))
            }
        }
    }
}

/// Suffixes of source files: `id_rsa_test.go` holds no key.
const SOURCES: &[&str] = &[
    ".c", ".cc", ".cpp", ".cs", ".css", ".ex", ".go", ".h", ".hpp", ".html", ".java", ".js",
    ".jsx", ".kt", ".md", ".php", ".py", ".rb", ".rs", ".scala", ".swift", ".ts", ".tsx",
];

pub(crate) fn is_any(patterns: &[NamePattern], path: &Path, except: &[&str]) -> bool {
    find(path, except, |fits| patterns.iter().any(fits).then_some(())).is_some()
}

/// The first result of `look`, which is called for each component with a function that matches a pattern there.
pub(crate) fn find<T>(
    path: &Path,
    except: &[&str],
    look: impl Fn(&dyn Fn(&NamePattern) -> bool) -> Option<T>,
) -> Option<T> {
    let mut above: Vec<String> = Vec::new();
    for component in path {
        let component = component.to_string_lossy();
        let name = folded(&component);
        // Only a name with `~` can be the short form of another name, and few names have one.
        let may_be_short = name.contains('~');
        let is = |other| name == other || (may_be_short && is_short_for(&name, other, false));
        let fits = |pattern: &NamePattern| match *pattern {
            NamePattern::Name(other) => is(other),
            NamePattern::Prefix(prefix) => {
                name.starts_with(prefix) || (may_be_short && is_short_for(&name, prefix, true))
            }
            NamePattern::Key(prefix) => {
                name.starts_with(prefix) && !SOURCES.iter().any(|end| name.ends_with(end))
            }
            NamePattern::Suffix(suffix) => name.ends_with(suffix),
            NamePattern::Within(directory, other) => {
                is(other)
                    && above.last().is_some_and(|parent| {
                        parent == directory || is_short_for(parent, directory, false)
                    })
            }
            NamePattern::Under(directory, names) => {
                names.contains(&&*name) && above.iter().any(|above| above == directory)
            }
        };
        if !except.contains(&&*name)
            && let Some(found) = look(&fits)
        {
            return Some(found);
        }
        above.push(name.into_owned());
    }
    None
}

/// A name as the most lenient file system compares it. Case, the letters that HFS+ ignores, an NTFS stream (`:`), and
/// dots and blanks at the end do not count. `GIT~1` becomes its long name. Upper case comes first, because `ſ` and
/// similar letters fold only that way.
fn folded(name: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-' | b'.');
    if name.bytes().all(is_plain) && !name.ends_with('.') {
        return Cow::Borrowed(name);
    }
    let seen: String = name.chars().filter(|c| !is_unseen(*c)).collect();
    let folded = seen.to_uppercase().to_lowercase();
    // A name that is only a stream stays whole.
    let whole = match folded.split_once(':') {
        Some((before, _)) if !before.is_empty() => before,
        _ => folded.as_str(),
    };
    let name = whole.trim_end_matches(['.', ' ']);
    match name.strip_prefix("git~") {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => ".git".into(),
        _ => Cow::Owned(name.to_owned()),
    }
}

/// Whether a name is the short name (8.3) that some file systems give to a longer name: `VSCODE~1` for `.vscode`,
/// `MCP~1.JSO` for `.mcp.json`. With `is_prefix`, `long` is only the start of the longer name.
fn is_short_for(name: &str, long: &str, is_prefix: bool) -> bool {
    let (stem, ext) = name.rsplit_once('.').unwrap_or((name, ""));
    let Some((stem, number)) = stem.rsplit_once('~') else {
        return false;
    };
    if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let long = long.trim_start_matches('.');
    let (long_stem, long_ext) = match long.rsplit_once('.') {
        Some(parts) if !is_prefix => parts,
        _ => (long, ""),
    };
    let letters: String = long_stem.chars().filter(|c| !". ".contains(*c)).collect();
    // After a known start, more letters may follow.
    let n_most = 7_usize.saturating_sub(number.len()).min(6);
    if is_prefix {
        let n = letters.len().min(n_most);
        return stem.len() >= n && stem.starts_with(&letters[..n]);
    }
    let n = letters.len().min(n_most);
    let n_ext = long_ext.len().min(3);
    letters.is_ascii() && stem == &letters[..n] && ext == &long_ext[..n_ext]
}

/// Whether HFS+ ignores a letter when it compares names, as git lists them (`utf8.c`, `next_hfs_char`).
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// A path with every name folded.
pub(crate) fn folded_path(path: &str) -> String {
    let names: Vec<Cow<'_, str>> = path.split('/').map(folded).collect();
    names.join("/")
}
