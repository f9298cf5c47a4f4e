//! The patterns of response templates, as far as the notation can say them: literals, blanks, named groups, options.

use std::fmt::Write as _;

/// What of a template does not fit the notation, and why.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfit(pub(crate) String);

/// A literal of the notation.
pub(crate) fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Reads a pattern into terms. `word` says what a named group becomes.
///
/// # Errors
/// The first part of the pattern that the notation has no word for.
pub(crate) fn terms(pattern: &str, word: &dyn Fn(&str) -> Option<String>) -> Result<String, Unfit> {
    let mut reader = Reader {
        rest: pattern,
        word,
        out: Vec::new(),
        pending: String::new(),
    };
    while !reader.rest.is_empty() {
        reader.next()?;
    }
    reader.settle();
    Ok(reader.out.join(" "))
}

struct Reader<'a> {
    rest: &'a str,
    word: &'a dyn Fn(&str) -> Option<String>,
    out: Vec<String>,
    /// Literal characters that were read and not written.
    pending: String,
}

impl Reader<'_> {
    fn next(&mut self) -> Result<(), Unfit> {
        for (blank, term) in [
            (r"\s*?", "ws"),
            (r"\s*", "ws"),
            (r"\s+", "ws"),
            (r"\n?", "nl"),
            (r"\n*", "ws"),
            (r"\n+", "ws"),
            (r"\d+", "skip"),
            (r"\w+", "skip"),
            (r"\w*", "skip"),
            (".*?", "skip"),
            (".*", "skip"),
            (".+?", "skip"),
        ] {
            if let Some(rest) = self.rest.strip_prefix(blank) {
                self.rest = rest;
                self.push(term.to_owned());
                return Ok(());
            }
        }
        if let Some(class) = negated_class(self.rest) {
            self.rest = &self.rest[class..];
            self.push("skip".to_owned());
            return Ok(());
        }
        if self.rest.starts_with('(') {
            return self.group();
        }
        let mut chars = self.rest.chars();
        let c = match chars.next() {
            Some('\\') => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(c) if !c.is_alphanumeric() => c,
                Some(c) => return Err(unfit(self.rest, &format!("`\\{c}` has no word"))),
                None => return Err(unfit(self.rest, "it ends in a backslash")),
            },
            Some(c @ ('[' | '.' | '^' | '$' | '*' | '+' | '?' | '|' | '{' | ')')) => {
                return Err(unfit(self.rest, &format!("`{c}` here has no word")));
            }
            Some(c) => c,
            None => return Ok(()),
        };
        self.rest = chars.as_str();
        if self.rest.starts_with('?') {
            self.rest = &self.rest[1..];
            self.push(format!("{}?", literal(&c.to_string())));
        } else if self.rest.starts_with(['*', '+', '{']) {
            return Err(unfit(self.rest, "a repeated character has no word"));
        } else {
            self.pending.push(c);
        }
        Ok(())
    }

    fn group(&mut self) -> Result<(), Unfit> {
        let whole = self.rest;
        let Some(end) = closing(whole) else {
            return Err(unfit(whole, "a group is not closed"));
        };
        let inside = &whole[1..end];
        self.rest = &whole[end + 1..];
        let optional = self.rest.starts_with('?');
        if optional {
            self.rest = &self.rest[1..];
        }
        let term = if let Some(named) = inside.strip_prefix("?P<") {
            let (name, _) = named
                .split_once('>')
                .ok_or_else(|| unfit(whole, "a group has no name"))?;
            (self.word)(name)
                .ok_or_else(|| unfit(whole, &format!("the group `{name}` is used by nothing")))?
        } else if inside.starts_with("?=") || inside.starts_with("?!") || inside.starts_with("?<") {
            return Err(unfit(whole, "nothing looks ahead or back"));
        } else {
            let inside = inside.strip_prefix("?:").unwrap_or(inside);
            let mut all = Vec::new();
            for one in alternatives(inside) {
                all.push(terms(one, self.word)?);
            }
            format!("({})", all.join(" | "))
        };
        self.push(if optional { format!("({term})?") } else { term });
        Ok(())
    }

    fn push(&mut self, term: String) {
        self.settle();
        self.out.push(term);
    }

    fn settle(&mut self) {
        if !self.pending.is_empty() {
            self.out.push(literal(&std::mem::take(&mut self.pending)));
        }
    }
}

/// The length of `[^..]` with its `+` or `*`.
fn negated_class(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("[^")?;
    let end = inside.find(']')? + 2;
    let behind = &text[end + 1..];
    let sign = behind.starts_with(['+', '*']).then_some(end + 2)?;
    Some(sign + usize::from(text[sign..].starts_with('?')))
}

/// Where the group that `text` begins with is closed.
fn closing(text: &str) -> Option<usize> {
    let (mut depth, mut escaped) = (0, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

/// The parts between the bars of the outermost level.
fn alternatives(text: &str) -> Vec<&str> {
    let (mut depth, mut escaped, mut from) = (0, false, 0);
    let mut all = Vec::new();
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '(' => depth += 1,
            ')' => depth -= 1,
            '|' if depth == 0 => {
                all.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(&text[from..]);
    all
}

fn unfit(rest: &str, why: &str) -> Unfit {
    let mut message = String::from("the pattern at `");
    message.extend(rest.chars().take(24));
    write!(message, "`: {why}").expect("writing to a string");
    Unfit(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str) -> Result<String, Unfit> {
        terms(pattern, &|name| {
            matches!(name, "name" | "key").then(|| name.to_owned())
        })
    }

    #[test]
    fn what_the_notation_can_say_is_said() {
        for (pattern, expected) in [
            (r"<\|call\|>", r#""<|call|>""#),
            (r"<f=(?P<name>\w+)>\s*", r#""<f=" name ">" ws"#),
            (r"a(?:b|c)?d", r#""a" (("b" | "c"))? "d""#),
            (r"x\n?y", r#""x" nl "y""#),
            (r"call:[^{]*\{", r#""call:" skip "{""#),
        ] {
            assert_eq!(read(pattern).as_deref(), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn what_it_cannot_is_refused_with_its_place() {
        for (pattern, why) in [
            (r"(?=x)", "looks ahead"),
            (r"a{3}", "repeated"),
            (r"[abc]", "`[` here"),
            (r"(?P<other>\w+)", "used by nothing"),
            (r"(a", "not closed"),
        ] {
            let Unfit(message) = read(pattern).expect_err(pattern);
            assert!(message.contains(why), "{pattern}: {message}");
        }
    }
}
