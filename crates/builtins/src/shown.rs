//! Formats paths and numbers for texts that a model reads.

use std::path::Path;

use toolglot_policy::Escape;

/// The path on one line: the root is `.`, a leading `~` gets `./`, and a name with control characters or invalid
/// Unicode is quoted.
pub(crate) fn shown(path: &Path) -> String {
    match path.to_str() {
        Some("") => ".".to_owned(),
        Some(text) if Escape::is_home(text) => shown(&Path::new(".").join(path)),
        Some(text) if !text.chars().any(char::is_control) => text.to_owned(),
        #[expect(
            clippy::unnecessary_debug_formatting,
            reason = "the quotes and escapes are the point"
        )]
        _ => format!("{path:?}"),
    }
}

/// The path for programs: the root is `.`, a leading `~` gets `./`, and invalid Unicode is replaced.
pub(crate) fn plain(path: &Path) -> String {
    match path.to_string_lossy() {
        text if text.is_empty() => ".".to_owned(),
        text if Escape::is_home(&text) => format!("./{text}"),
        text => text.into_owned(),
    }
}

/// `1 line`, `2 lines`, `2 entries`.
pub(crate) fn counted(n: u64, noun: &str) -> String {
    match (n, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{n} {stem}ies"),
        (_, None) => format!("{n} {noun}s"),
    }
}

/// The text. If it has more than `most` bytes, its start and end with a line between them that counts the cut bytes.
pub fn cut(text: String, most: usize) -> String {
    if text.len() <= most {
        return text;
    }
    let mut head = most / 2;
    while !text.is_char_boundary(head) {
        head -= 1;
    }
    let mut tail = text.len() - most / 2;
    while !text.is_char_boundary(tail) {
        tail += 1;
    }
    format!(
        "{}\n[... {} bytes of {} were cut here ...]\n{}",
        &text[..head],
        tail - head,
        text.len(),
        &text[tail..]
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{counted, cut, plain, shown};

    #[test]
    fn a_long_text_keeps_its_ends_and_says_what_was_cut() {
        assert_eq!(cut("abcdef".to_owned(), 6), "abcdef");
        let short = "ab\n[... 3 bytes of 7 were cut here ...]\nfg";
        assert_eq!(cut("abcdefg".to_owned(), 4), short);
        let letters = cut("\u{e9}".repeat(9), 7);
        assert!(
            letters.starts_with("\u{e9}\n[... 14 bytes of 18"),
            "{letters}"
        );
        assert!(letters.ends_with("\n\u{e9}"), "{letters}");
    }

    #[test]
    fn a_name_cannot_forge_a_second_line() {
        assert_eq!(shown(Path::new("")), ".");
        assert_eq!(
            shown(Path::new("a b/\u{e9}\u{65e5}'\".txt")),
            "a b/\u{e9}\u{65e5}'\".txt"
        );
        assert_eq!(shown(Path::new("a\nb")), r#""a\nb""#);
        assert_eq!(shown(Path::new("a\u{1b}[2Jb")), r#""a\u{1b}[2Jb""#);
    }

    #[test]
    fn a_name_that_means_a_home_elsewhere_can_be_written_as_it_is_shown() {
        for (name, written) in [
            ("~", "./~"),
            ("~a/b", "./~a/b"),
            ("~a", "~a"),
            ("a/~", "a/~"),
        ] {
            assert_eq!(shown(Path::new(name)), written);
            assert_eq!(plain(Path::new(name)), written);
        }
        assert_eq!(shown(Path::new("~/a\nb")), r#""./~/a\nb""#);
    }

    #[test]
    fn nouns_follow_their_number() {
        assert_eq!(
            [counted(0, "line"), counted(1, "line"), counted(2, "entry")],
            ["0 lines", "1 line", "2 entries"]
        );
    }
}
