//! Parts of a pattern as terms of the notation.

use super::pattern::{Part, Pattern, Unsupported};

/// A literal of the notation. Braces around a word would be a hole, so they are split into two literals.
pub(super) fn literal(text: &str) -> String {
    literals(text).join(" ")
}

fn literals(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut from = 0;
    for (open, _) in text.match_indices('{') {
        let inside = &text[open + 1..];
        let after = inside.trim_start_matches(|c: char| c.is_ascii_lowercase());
        if after.len() < inside.len() && after.starts_with('}') {
            all.push(quoted(&text[from..open + 2]));
            from = open + 2;
        }
    }
    all.push(quoted(&text[from..]));
    all
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    escape(text, &mut out);
    out.push('"');
    out
}

fn escape(text: &str, out: &mut String) {
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
}

/// The position of a pattern.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Open,
    Close,
    Inside,
}

/// Writes alternatives as terms. `word` gives the term for a named group; without a term the group is like any other.
///
/// # Errors
/// The first part that the notation cannot express.
pub(super) fn terms(
    pattern: &Pattern,
    side: Side,
    word: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<String, Unsupported> {
    let mut all = Vec::new();
    for seq in pattern {
        all.push(seq_terms(seq, side, word)?);
    }
    match &all[..] {
        [one] => Ok(one.clone()),
        all if all.iter().any(String::is_empty) => Err(Unsupported(
            "one of several alternatives is empty: write `(?:..)?`".to_owned(),
        )),
        all => Ok(format!("({})", all.join(" | "))),
    }
}

fn seq_terms(
    seq: &[Part],
    side: Side,
    word: &dyn Fn(&str) -> Option<&'static str>,
) -> Result<String, Unsupported> {
    let mut out = Out::default();
    let mut parts = seq.iter().enumerate();
    // An optional header before an opener, and a run after it: `(?:<header>)?[^<]*`. Without the header the run is
    // text.
    if side == Side::Open
        && let [Part::Repeat(header, 0, Some(1)), run @ Part::Repeat(..), ..] = seq
        && is_run(run)
        && let Part::Group(header) = &**header
    {
        out.push(format!("({} any)?", terms(header, Side::Inside, word)?));
        parts.nth(1);
    }
    for (n, part) in parts {
        match part {
            Part::Start if side == Side::Open && n == 0 => out.push("message_start".to_owned()),
            Part::End if side == Side::Close && n + 1 == seq.len() => {
                out.push("message_end".to_owned());
            }
            Part::Start | Part::End => {
                return Err(Unsupported(
                    "`^` and `$` are where nothing of the message can be: leave them out"
                        .to_owned(),
                ));
            }
            Part::Boundary => out.boundary(seq.get(n + 1)),
            part => out.part(part, word)?,
        }
    }
    Ok(out.done())
}

/// A run of a class that is not a run of blanks.
fn is_run(part: &Part) -> bool {
    match part {
        Part::Repeat(inner, _, None) => {
            matches!(&**inner, Part::Class(class) if !class.is_blank())
        }
        _ => false,
    }
}

/// The terms of a sequence.
#[derive(Default)]
struct Out {
    terms: Vec<String>,
    /// Literal characters that are read and not yet written.
    pending: String,
}

impl Out {
    fn part(
        &mut self,
        part: &Part,
        word: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<(), Unsupported> {
        match part {
            Part::Text(c) => self.pending.push(*c),
            Part::Boundary => self.boundary(None),
            Part::Class(class) if class.is_blank() => self.push("ws".to_owned()),
            Part::Class(_) => {
                return Err(Unsupported(
                    "one of several characters has no word: write them as alternatives, `(?:a|b)`"
                        .to_owned(),
                ));
            }
            Part::Group(all) => match &all[..] {
                [seq] => {
                    for (n, part) in seq.iter().enumerate() {
                        match part {
                            Part::Boundary => self.boundary(seq.get(n + 1)),
                            part => self.part(part, word)?,
                        }
                    }
                }
                all => {
                    let all = terms(&all.to_vec(), Side::Inside, word)?;
                    self.push(all);
                }
            },
            Part::Named(name, inside) => match word(name) {
                Some(word) => self.capture(word, name, inside)?,
                None => self.part(&Part::Group(inside.clone()), word)?,
            },
            Part::Repeat(inner, min, max) => self.repeated(inner, *min, *max, word)?,
            Part::Start | Part::End => {
                return Err(Unsupported(
                    "`^` and `$` are where nothing of the message can be: leave them out"
                        .to_owned(),
                ));
            }
            Part::Lookahead(_) => {
                return Err(Unsupported(
                    "lookahead is not supported: write the text as part of the pattern".to_owned(),
                ));
            }
        }
        Ok(())
    }

    /// A word boundary is part of the characters around it. A run after a word starts with a blank, which is not part
    /// of a word.
    fn boundary(&mut self, next: Option<&Part>) {
        let is_after_word = self
            .pending
            .ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if is_after_word && next.is_some_and(is_run) {
            self.pending.push(' ');
        }
    }

    /// A group with a meaning: a run, or a fixed set of texts.
    fn capture(&mut self, word: &str, name: &str, inside: &Pattern) -> Result<(), Unsupported> {
        let texts: Option<Vec<String>> = inside.iter().map(|seq| text(seq)).collect();
        let is_one_run = matches!(&inside[..], [seq] if matches!(&seq[..], [one] if is_run(one)));
        self.push(match texts {
            _ if is_one_run => word.to_owned(),
            Some(texts) if word == "name" => {
                let texts: Vec<String> = texts.iter().map(|text| literal(text)).collect();
                format!("{word}({})", texts.join("|"))
            }
            _ => {
                return Err(Unsupported(format!(
                    "the group `{}` is more than a run of characters: write a class that repeats, `[^>]+`",
                    name.escape_debug()
                )));
            }
        });
        Ok(())
    }

    fn repeated(
        &mut self,
        inner: &Part,
        min: u32,
        max: Option<u32>,
        word: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Result<(), Unsupported> {
        if let Part::Class(class) = inner {
            if class.is_blank() {
                self.push("ws".to_owned());
                return Ok(());
            }
            if max.is_some() {
                return Err(Unsupported(
                    "a run of so many characters has no word: write `+` or `*`".to_owned(),
                ));
            }
            // A capture ends where the next term can start, so a literal must be between them.
            if self.pending.is_empty()
                && self.terms.last().is_some_and(|last| {
                    matches!(last.as_str(), "name" | "key" | "id" | "any" | "any?")
                })
            {
                self.push("ws(\" \")".to_owned());
            }
            // An optional run is not written: nothing defines its text.
            self.push(if min == 0 { "any?" } else { "any" }.to_owned());
            if class.has('<') {
                self.push("(\"<\" any)*".to_owned());
            }
            return Ok(());
        }
        let is_break = *inner == Part::Text('\n');
        if let Part::Text(c) = inner
            && c.is_whitespace()
            && (max.is_none() || is_break && min == 0)
        {
            self.push(if max.is_none() { "ws" } else { "nl" }.to_owned());
            return Ok(());
        }
        let mut one = Out::default();
        one.part(inner, word)?;
        one.settle();
        let group = match &one.terms[..] {
            [] => return Ok(()),
            [only] if !only.ends_with(['?', '*']) => only.clone(),
            all => format!("({})", all.join(" ")),
        };
        let one = one.terms.join(" ");
        for _ in 0..min {
            self.push(one.clone());
        }
        match max {
            None => self.push(format!("{group}*")),
            Some(max) if max == min + 1 => self.push(format!("{group}?")),
            Some(max) if max > min => {
                return Err(Unsupported(format!(
                    "`{{{min},{max}}}` has no word: write `?` or `*`"
                )));
            }
            Some(_) => {}
        }
        Ok(())
    }

    fn push(&mut self, term: String) {
        self.settle();
        if term.is_empty() || term == "ws" && self.terms.last().is_some_and(|last| last == "ws") {
            return;
        }
        self.terms.push(term);
    }

    fn settle(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.pending);
        // Blanks after `ws` are part of it.
        let is_more = self.terms.last().is_some_and(|last| last == "ws");
        let text = if is_more { text.trim_start() } else { &text };
        if !text.is_empty() {
            self.terms.extend(literals(text));
        }
    }

    fn done(mut self) -> String {
        self.settle();
        self.terms.join(" ")
    }
}

/// The text of a sequence that has only characters.
fn text(seq: &[Part]) -> Option<String> {
    seq.iter()
        .map(|part| match part {
            Part::Text(c) => Some(*c),
            _ => None,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::pattern::read;
    use super::*;

    fn written(pattern: &str, side: Side) -> Result<String, Unsupported> {
        terms(&read(pattern)?, side, &|name| match name {
            "name" => Some("name"),
            "key" => Some("key"),
            "value" => Some("raw"),
            _ => None,
        })
    }

    #[test]
    fn what_the_notation_can_say_is_said() {
        for (pattern, expected) in [
            (r"<\|call\|>", r#""<|call|>""#),
            (r"<f=(?P<name>\w+)>\s*", r#""<f=" name ">" ws"#),
            (r"<f=(?<name>[^\n>]+)>", r#""<f=" name ">""#),
            (r"<f=(?P<name>on|off)>", r#""<f=" name("on"|"off") ">""#),
            (r"a(?:b|c)?d", r#""a" ("b" | "c")? "d""#),
            (r"a(?:bc)?d", r#""a" "bc"? "d""#),
            (r"x\n?y", r#""x" nl "y""#),
            (r"x\s*\ny", r#""x" ws "y""#),
            (r"call:[^{<]*\{", r#""call:" any? "{""#),
            (r"call:[^{<]+\{", r#""call:" any "{""#),
            (r"<i\b[^>]*?\bname=", r#""<i " any? ("<" any)* "name=""#),
            (
                r"f\.(?P<name>\w+).*?<m>",
                r#""f." name ws(" ") any? ("<" any)* "<m>""#,
            ),
            (r"(?P<other>ab)c", r#""abc""#),
            (r"x{2}y", r#""x" "x" "y""#),
            (r"(?:<h>)?[^<]*<t>", r#"("<h>" any)? "<t>""#),
            (r"^<t>", r#"message_start "<t>""#),
            (r"<t>|<u>", r#"("<t>" | "<u>")"#),
            (r"say \{name\}", r#""say {n" "ame}""#),
        ] {
            assert_eq!(
                written(pattern, Side::Open).as_deref(),
                Ok(expected),
                "{pattern}"
            );
        }
        assert_eq!(
            written(r"</s>$", Side::Close).as_deref(),
            Ok(r#""</s>" message_end"#)
        );
    }

    #[test]
    fn what_it_cannot_is_refused_with_what_to_write() {
        for (pattern, why) in [
            ("a(?=x)", "lookahead is not supported"),
            ("[abc]", "as alternatives"),
            (r"\w{2}", "write `+` or `*`"),
            ("a(?:b){1,3}", "`{1,3}` has no word"),
            ("a^b", "leave them out"),
            ("a|", "`(?:..)?`"),
            (r"<(?P<name>a(?:b|c)+)>", "`[^>]+`"),
        ] {
            let Unsupported(message) = written(pattern, Side::Open).expect_err(pattern);
            assert!(message.contains(why), "{pattern}: {message}");
        }
    }

    /// A text of any characters becomes a literal that reads as that text.
    #[test]
    fn literals_say_what_they_hold() {
        for (text, expected) in [
            ("a\"\\\n\r\tb", r#""a\"\\\n\r\tb""#),
            ("{name}", r#""{n" "ame}""#),
            ("{any} {", r#""{a" "ny} {""#),
            ("{Name} {} {a b} {", r#""{Name} {} {a b} {""#),
            ("{skip}{{id}", r#""{s" "kip}{{i" "d}""#),
            (
                "x\n  | \"<y>\" name\nthink = #",
                r#""x\n  | \"<y>\" name\nthink = #""#,
            ),
        ] {
            assert_eq!(literal(text), expected);
        }
    }
}
