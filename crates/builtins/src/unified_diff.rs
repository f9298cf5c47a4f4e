//! The difference of two texts, as a unified diff.
//!
//! `similar::TextDiff` selects its algorithm at run time, so all of them would be compiled for lines of text: half a
//! megabyte. Here one algorithm compares lines by interned numbers.

use std::collections::HashMap;
use std::fmt::Write as _;

use similar::algorithms::{Capture, Compact, Replace, myers};
use similar::udiff::UnifiedHunkHeader;
use similar::{DiffOp, DiffTag, DiffableStr, group_diff_ops};

/// The number of equal lines around each change.
const CONTEXT: usize = 3;

/// The note after a last line without a line break.
const NO_NEWLINE: &str = "\n\\ No newline at end of file\n";

/// The diff from `old` to `new` with the two names; empty for equal texts. `has_hint`: whether a missing line break at
/// the end is noted instead of added.
pub(crate) fn unified_diff(
    (old_name, old): (&str, &str),
    (new_name, new): (&str, &str),
    has_hint: bool,
) -> String {
    let (old, new) = (old.tokenize_lines(), new.tokenize_lines());
    let mut text = String::new();
    for hunk in group_diff_ops(operations(&old, &new), CONTEXT) {
        if hunk.is_empty() {
            continue;
        }
        if text.is_empty() {
            let _ = write!(text, "--- {old_name}\n+++ {new_name}\n");
        }
        let _ = writeln!(text, "{}", UnifiedHunkHeader::new(&hunk));
        let mut push = |sign: char, lines: &[&str]| {
            for line in lines {
                text.push(sign);
                text.push_str(line);
                if !line.ends_with_newline() {
                    text.push_str(if has_hint { NO_NEWLINE } else { "\n" });
                }
            }
        };
        for operation in hunk {
            let (tag, old_range, new_range) = operation.as_tag_tuple();
            if tag == DiffTag::Equal {
                push(' ', &old[old_range]);
            } else {
                push('-', &old[old_range]);
                push('+', &new[new_range]);
            }
        }
    }
    text
}

fn operations<'t>(old: &[&'t str], new: &[&'t str]) -> Vec<DiffOp> {
    let mut numbers: HashMap<&'t str, usize> = HashMap::new();
    let mut numbered = |lines: &[&'t str]| -> Vec<usize> {
        let number = |line: &&'t str| {
            let next = numbers.len();
            *numbers.entry(line).or_insert(next)
        };
        lines.iter().map(number).collect()
    };
    let (old, new) = (numbered(old), numbered(new));
    let (old, new) = (old.as_slice(), new.as_slice());
    let mut captured = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = myers::diff(&mut captured, old, 0..old.len(), new, 0..new.len());
    captured.into_inner().into_inner().into_ops()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diff(old: &str, new: &str) -> String {
        unified_diff(("a", old), ("b", new), true)
    }

    #[test]
    fn changes_have_their_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n";
        let new = "1\ntwo\n3\n4\n5\n6\n7\n8\n9\n10\n12\n";
        let expected = "--- a\n+++ b\n@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -8,5 +8,4 @@\n 8\n 9\n 10\n-11\n 12\n";
        assert_eq!(diff(old, new), expected);
        assert_eq!(diff(old, old), "");
    }

    #[test]
    fn a_missing_line_break_is_pointed_out() {
        let expected = "--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n\\ No newline at end of file\n+x\n+y\n";
        assert_eq!(diff("x", "x\ny\n"), expected);
        assert_eq!(
            unified_diff(("a", "x"), ("b", "y"), false),
            "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n"
        );
        assert_eq!(diff("", "x\n"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    }

    /// Compares with `TextDiff`.
    #[test]
    fn it_is_what_the_library_writes() {
        let texts = [
            "",
            "x",
            "x\n",
            "a\nb\nc\n",
            "a\r\nb\rc",
            "c\nb\na\n",
            "a\na\na\nb\n",
            "b\na\n\n\na\nb\n",
        ];
        let long = |n_lines: usize, every: usize| {
            let lines =
                (0..n_lines).map(|n| ["a\n", "b\n", "c\n", "d\n", "e\n", "f\n", "g\n"][n % every]);
            lines.collect::<String>()
        };
        let (long, other) = (long(150, 7), long(160, 5));
        for old in texts.into_iter().chain([&*long, &*other]) {
            for new in texts.into_iter().chain([&*long, &*other]) {
                let library = similar::TextDiff::from_lines(old, new);
                let mut library = library.unified_diff();
                let expected = library.header("a", "b").to_string();
                assert_eq!(diff(old, new), expected, "{old:?} {new:?}");
                let expected = library.missing_newline_hint(false).to_string();
                let own = unified_diff(("a", old), ("b", new), false);
                assert_eq!(own, expected, "{old:?} {new:?}");
            }
        }
    }
}
