//! Limits on the size of a template. A template may come from anywhere: these limits, a budget of steps and a time
//! limit bound the cost of reading and rendering it.

use super::tags::{Tag, end_of, next_tag};
use super::tokens::tokens;

/// Longest template, in bytes.
pub(in crate::detect) const LONGEST: usize = 1 << 20;
/// Most tokens of one tag: an expression may nest as deep as it is long.
const TOKENS: usize = 4096;
/// Most branches (`elif`): each nests in the one before it.
const BRANCHES: usize = 512;

/// The limit that a template exceeds, and where.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::detect) struct Excess {
    pub(in crate::detect) at: usize,
    pub(in crate::detect) what: String,
}

/// Refuses a template that holds too much.
pub(in crate::detect) fn check(template: &str) -> Result<(), Excess> {
    let excess = |at: usize, what: String| Err(Excess { at, what });
    if template.len() > LONGEST {
        let whole = (0..=LONGEST)
            .rev()
            .find(|&at| template.is_char_boundary(at));
        return excess(
            whole.unwrap_or(0),
            format!("the template is longer than {LONGEST} bytes"),
        );
    }
    let (mut at, mut n_branches) = (0, 0);
    while let Some((start, tag)) = next_tag(&template[at..]) {
        let from = at + start + 2;
        // An unclosed tag is code to the end.
        let length = end_of(&template[from..], tag);
        let code = &template[from..length.map_or(template.len(), |length| from + length)];
        if tag != Tag::Comment && tokens(code).len() > TOKENS {
            return excess(at + start, format!("a tag holds more than {TOKENS} tokens"));
        }
        let Some(length) = length else {
            return Ok(());
        };
        at = from + length + tag.closer().len();
        if tag != Tag::Statement {
            continue;
        }
        let code = code.trim_matches(['-', '+']).trim();
        if code.starts_with("elif") {
            n_branches += 1;
            if n_branches > BRANCHES {
                return excess(
                    from - 2,
                    format!("the template holds more than {BRANCHES} `elif`"),
                );
            }
        }
        if code == "raw" {
            // The text up to the closing tag is not code.
            at = end_of_raw(template, at);
        }
    }
    Ok(())
}

/// The start of the tag that ends a `raw` block.
fn end_of_raw(template: &str, from: usize) -> usize {
    let is_end = |at: &usize| {
        let inside = template[at + 2..].trim_start_matches(['-', '+']);
        inside.trim_start().starts_with("endraw")
    };
    let openers = template[from..]
        .match_indices("{%")
        .map(|(at, _)| from + at);
    openers.into_iter().find(is_end).unwrap_or(template.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_much_is_refused_at_its_place() {
        let many = " ~ a".repeat(5000);
        for (template, at, what) in [
            (format!("{{{{ a{many} }}}}"), 0, "4096 tokens"),
            (format!("x{{% set a = a{many}"), 1, "4096 tokens"),
            (
                format!("{{% raw %}}{{{{ \" {{% endraw %}}{{{{ a{many} }}}}"),
                26,
                "4096 tokens",
            ),
            (
                format!("{{% if a %}}{}", "{% elif a %}".repeat(600)),
                10 + 12 * BRANCHES,
                "512 `elif`",
            ),
            ("x".repeat(LONGEST + 1), LONGEST, "1048576 bytes"),
        ] {
            let excess = check(&template).expect_err(what);
            assert!(excess.what.contains(what), "{excess:?}");
            assert_eq!(excess.at, at, "{excess:?}");
        }
        let fine =
            format!("{{# {many} #}}{{{{ \"{many}\" }}}}{{% raw %}}{{{{ a{many} }}}}{{% endraw %}}");
        assert_eq!(check(&fine), Ok(()));
    }
}
