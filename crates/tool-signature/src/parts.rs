//! The place of a signature in a file, and the text that the signature leaves out.

use crate::style::Style;

/// A file in the parts that a signature divides it into, in order: together they are the whole file.
///
/// No signature covers the first two. Their text runs with the rest of the file, so each is a comment of one line for
/// every reader, or else it is body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Parts<'a> {
    /// The line `#!/..` with its end, if the signature comes after it; else empty.
    pub(crate) shebang: &'a str,
    /// The signature line of any generation, with its end; empty if there is none.
    pub(crate) signature: &'a str,
    /// The rest.
    pub(crate) body: &'a str,
}

impl Parts<'_> {
    /// Splits a text. A line that starts with a byte order mark is body.
    pub(crate) fn of(text: &str, style: Style) -> Parts<'_> {
        let (first, after) = first_line(text);
        let has_shebang = style == Style::Hash && first.ends_with('\n') && is_shebang(first);
        let (shebang, rest) = if has_shebang {
            (first, after)
        } else {
            ("", text)
        };
        let (first, after) = first_line(rest);
        let (signature, body) = if is_signature(first, style) {
            (first, after)
        } else {
            ("", rest)
        };
        Parts {
            shebang,
            signature,
            body,
        }
    }
}

/// A line without its end, `\n` or `\r\n`.
pub(crate) fn without_end(line: &str) -> &str {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line)
}

/// The text up to and including the first `\n`, and the rest.
fn first_line(text: &str) -> (&str, &str) {
    text.split_at(text.find('\n').map_or(text.len(), |at| at + 1))
}

/// Whether a line only names an interpreter.
///
/// A line that names an encoding (PEP 263) changes how Python reads the rest of its file. Such a line is body, unless
/// it names the encoding in which all tools are read.
fn is_shebang(line: &str) -> bool {
    let mut encodings = line.match_indices("coding").filter_map(|(at, word)| {
        let name = line[at + word.len()..].strip_prefix([':', '='])?;
        let name = name.trim_start_matches([' ', '\t']);
        name.split(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c))
            .next()
    });
    line.starts_with("#!/")
        && is_one_line(line)
        && encodings.all(|name| ["utf-8", "utf8"].contains(&&*name.to_ascii_lowercase()))
}

fn is_signature(line: &str, style: Style) -> bool {
    let words = line.strip_prefix(style.prefix());
    is_one_line(line) && words.is_some_and(begins_as_signature)
}

/// Whether a comment's text starts like a signature of any generation, even one that was never valid.
pub(crate) fn begins_as_signature(text: &str) -> bool {
    ["rye", "kiwi-mcp", "ryeos", "toolglot"]
        .iter()
        .any(|origin| {
            text.strip_prefix(origin)
                .and_then(|rest| rest.strip_prefix(':'))
                .is_some_and(|rest| rest.starts_with("signed:") || rest.starts_with("validated:"))
        })
}

/// Whether every reader sees one line. Python and YAML also end a line at `\r`, JavaScript at U+2028 and U+2029, others
/// at vertical tabs, form feeds, U+001C to U+001E and U+0085. A comment needs none of these.
fn is_one_line(line: &str) -> bool {
    let ends = |c: char| (c.is_control() && c != '\t') || matches!(c, '\u{2028}' | '\u{2029}');
    !without_end(line).contains(ends)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::style::Item;

    const ENDS: &[char] = &[
        '\r', '\0', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}',
        '\u{2029}',
    ];

    #[test]
    fn what_another_reader_ends_a_line_at_is_body() {
        let knowledge = Style::Markdown(Item::Knowledge);
        for end in ENDS {
            for (style, head) in [
                (Style::Hash, "#!/x"),
                (Style::Hash, "# rye:signed:x"),
                (Style::Hash, "# kiwi-mcp:validated:x"),
                (Style::Slashes, "// toolglot:signed:2:x"),
                (Style::Slashes, "// ryeos:signed:x"),
                (knowledge, "<!-- rye:signed:x -->"),
            ] {
                // After the line, and as its last characters: `\r\r\n` is a line end and an empty line to Python.
                for text in [
                    format!("{head}{end}evil()\nrest\n"),
                    format!("{head}{end}\r\nrest\n"),
                ] {
                    assert_eq!(Parts::of(&text, style).body, text, "{text:?}");
                }
            }
            let after = format!("#!/x\n# rye:signed:x{end}evil()\nrest\n");
            assert_eq!(Parts::of(&after, Style::Hash).shebang, "#!/x\n");
            assert_eq!(Parts::of(&after, Style::Hash).signature, "");
        }
    }

    #[test]
    fn one_line_is_left_out_however_it_ends() {
        for end in ["\n", "\r\n"] {
            let text = format!("#!/usr/bin/env\tpython3{end}# rye:signed:é{end}rest{end}");
            let parts = Parts::of(&text, Style::Hash);
            assert_eq!(parts.shebang, format!("#!/usr/bin/env\tpython3{end}"));
            assert_eq!(parts.signature, format!("# rye:signed:é{end}"));
            assert_eq!(parts.body, format!("rest{end}"));
        }
    }

    #[test]
    fn a_shebang_that_names_an_encoding_is_body() {
        for text in [
            "#!/usr/bin/python -*- coding: utf-7 -*-\nx = 1\n",
            "#!/x coding: utf-8 coding=utf-7\nx = 1\n",
            "#!/x vim:fileencoding=utf-8-sig\nx = 1\n",
        ] {
            assert_eq!(Parts::of(text, Style::Hash).body, text);
        }
        let text = "#!/usr/bin/python -*- coding: UTF-8 -*-\nx = 1\n";
        assert_eq!(Parts::of(text, Style::Hash).body, "x = 1\n");
    }
}
