//! Parses the regular expressions of response templates.
//!
//! Transformers compiles them with Python's `regex` and `DOTALL`. The parser reads what such templates hold:
//! characters, classes, groups, alternatives, repetition, and zero-width assertions. The rest is refused at its place.

/// Longest pattern, in bytes, and in parts with its repetitions expanded.
const LONGEST: usize = 4096;
/// Most nested groups.
const DEPTH: usize = 32;
/// The highest number of a counted repetition.
const TIMES: u32 = 16;

/// The part of a template that does not fit the notation, why, and what to write instead.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unsupported(pub(super) String);

/// Alternatives, each a sequence.
pub(super) type Pattern = Vec<Vec<Part>>;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    Text(char),
    Class(Class),
    Group(Pattern),
    /// A group with a name.
    Named(String, Pattern),
    /// At least `min` times and at most `max`; `None`: any number.
    Repeat(Box<Part>, u32, Option<u32>),
    /// `^`
    Start,
    /// `$`
    End,
    /// `\b`
    Boundary,
    /// `(?=..)`
    Lookahead(Pattern),
}

/// A set of characters.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Class {
    negated: bool,
    items: Vec<Item>,
}

#[derive(Clone, Debug, PartialEq)]
enum Item {
    Range(char, char),
    /// `\s`, `\w`, `\d`; a capital letter negates them.
    Kind(char),
}

impl Class {
    pub(super) fn has(&self, c: char) -> bool {
        let is_in = |item: &Item| match *item {
            Item::Range(from, to) => (from..=to).contains(&c),
            Item::Kind('s') => c.is_whitespace(),
            Item::Kind('w') => c.is_alphanumeric() || c == '_',
            Item::Kind('d') => c.is_numeric(),
            Item::Kind('S') => !c.is_whitespace(),
            Item::Kind('W') => !(c.is_alphanumeric() || c == '_'),
            Item::Kind(_) => !c.is_numeric(),
        };
        self.items.iter().any(is_in) != self.negated
    }

    /// Whether it has only blanks.
    pub(super) fn is_blank(&self) -> bool {
        let solid = (' '..='~')
            .filter(|c| !c.is_whitespace())
            .chain(['é', '文']);
        [' ', '\t', '\n'].iter().any(|&c| self.has(c)) && !solid.into_iter().any(|c| self.has(c))
    }
}

/// Reads a pattern.
///
/// # Errors
/// The first part that is not supported, with its place.
pub(super) fn read(pattern: &str) -> Result<Pattern, Unsupported> {
    if pattern.len() > LONGEST {
        return Err(Unsupported(format!("it is longer than {LONGEST} bytes")));
    }
    let mut reader = Reader {
        pattern,
        at: 0,
        depth: 0,
    };
    let all = reader.alternatives()?;
    if reader.at < pattern.len() {
        return Err(reader.unsupported("a group is closed that was not opened"));
    }
    Ok(all)
}

struct Reader<'p> {
    pattern: &'p str,
    at: usize,
    depth: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.pattern[self.at..]
    }

    fn take(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let is_there = self.rest().starts_with(text);
        self.at += if is_there { text.len() } else { 0 };
        is_there
    }

    fn unsupported(&self, why: &str) -> Unsupported {
        self.unfit_at(self.at, why)
    }

    fn unfit_at(&self, at: usize, why: &str) -> Unsupported {
        let rest: String = self.pattern[at..].chars().take(24).collect();
        Unsupported(format!(
            "at character {} (`{}`): {why}",
            self.pattern[..at].chars().count() + 1,
            rest.escape_debug()
        ))
    }

    fn alternatives(&mut self) -> Result<Pattern, Unsupported> {
        let mut all = vec![Vec::new()];
        while let Some(c) = self.rest().chars().next() {
            match c {
                ')' => break,
                '|' => {
                    self.at += 1;
                    all.push(Vec::new());
                }
                _ => {
                    let part = self.part()?;
                    let part = self.repeated(part)?;
                    all.last_mut().expect("one was started").push(part);
                }
            }
        }
        Ok(all)
    }

    fn part(&mut self) -> Result<Part, Unsupported> {
        let at = self.at;
        Ok(match self.take().unwrap_or_default() {
            '(' => self.group(at)?,
            '[' => Part::Class(self.class(at)?),
            '.' => Part::Class(Class {
                negated: true,
                items: Vec::new(),
            }),
            '^' => Part::Start,
            '$' => Part::End,
            '\\' => match self.take() {
                Some('b') => Part::Boundary,
                Some(c @ ('s' | 'w' | 'd' | 'S' | 'W' | 'D')) => Part::Class(Class {
                    negated: false,
                    items: vec![Item::Kind(c)],
                }),
                other => Part::Text(self.escaped(other, at)?),
            },
            '*' | '+' | '?' => return Err(self.unfit_at(at, "nothing comes before it to repeat")),
            c => Part::Text(c),
        })
    }

    /// The character after a backslash.
    fn escaped(&self, c: Option<char>, at: usize) -> Result<char, Unsupported> {
        match c {
            Some('n') => Ok('\n'),
            Some('t') => Ok('\t'),
            Some('r') => Ok('\r'),
            Some(c) if !c.is_alphanumeric() => Ok(c),
            Some(c) => Err(self.unfit_at(
                at,
                &format!("`\\{c}` has no word: write the characters that it matches"),
            )),
            None => Err(self.unfit_at(at, "it ends in a backslash: double it")),
        }
    }

    fn group(&mut self, at: usize) -> Result<Part, Unsupported> {
        if self.depth == DEPTH {
            return Err(self.unfit_at(at, &format!("more than {DEPTH} groups inside each other")));
        }
        let (mut name, mut is_ahead) = (None, false);
        if self.eat("?") {
            if self.eat("=") {
                is_ahead = true;
            } else if self.eat("P<") || (self.eat("<") && !self.rest().starts_with(['=', '!'])) {
                let end = self.rest().find('>');
                let end = end.ok_or_else(|| self.unfit_at(at, "the group's name does not end"))?;
                name = Some(self.rest()[..end].to_owned());
                self.at += end + 1;
            } else if !self.eat(":") {
                return Err(self.unfit_at(
                    at,
                    "lookbehind, exclusion and flags are not supported: write the text itself",
                ));
            }
        }
        self.depth += 1;
        let all = self.alternatives()?;
        self.depth -= 1;
        if !self.eat(")") {
            return Err(self.unfit_at(at, "a group is not closed"));
        }
        Ok(match name {
            Some(name) => Part::Named(name, all),
            None if is_ahead => Part::Lookahead(all),
            None => Part::Group(all),
        })
    }

    fn class(&mut self, at: usize) -> Result<Class, Unsupported> {
        let mut class = Class {
            negated: self.eat("^"),
            items: Vec::new(),
        };
        loop {
            let start = self.at;
            match self.take() {
                None => return Err(self.unfit_at(at, "a class is not closed")),
                Some(']') if !class.items.is_empty() => return Ok(class),
                Some('\\') => match self.take() {
                    Some(c @ ('s' | 'w' | 'd' | 'S' | 'W' | 'D')) => {
                        class.items.push(Item::Kind(c));
                    }
                    other => {
                        let c = self.escaped(other, start)?;
                        class.items.push(Item::Range(c, c));
                    }
                },
                Some(from) => {
                    let after = self
                        .rest()
                        .strip_prefix('-')
                        .and_then(|rest| rest.chars().next());
                    let to = match after {
                        Some(to) if !matches!(to, ']' | '\\') => {
                            self.at += 1 + to.len_utf8();
                            to
                        }
                        _ => from,
                    };
                    class.items.push(Item::Range(from, to));
                }
            }
        }
    }

    /// A part with its repetition. Greedy and lazy repetition make no difference here.
    fn repeated(&mut self, part: Part) -> Result<Part, Unsupported> {
        let at = self.at;
        let (min, max) = if self.eat("?") {
            (0, Some(1))
        } else if self.eat("*") {
            (0, None)
        } else if self.eat("+") {
            (1, None)
        } else if let Some((min, max, length)) = times(self.rest()) {
            self.at += length;
            if min.max(max.unwrap_or(min)) > TIMES || max.is_some_and(|max| max < min) {
                return Err(
                    self.unfit_at(at, &format!("no more than {TIMES} times, written `{{2}}`"))
                );
            }
            (min, max)
        } else {
            return Ok(part);
        };
        if !self.eat("?") {
            self.eat("+");
        }
        if self.rest().starts_with(['*', '+', '?']) {
            return Err(self.unsupported("a repetition is repeated"));
        }
        match part {
            Part::Start | Part::End | Part::Boundary | Part::Lookahead(_) => {
                Err(self.unfit_at(at, "a place is repeated"))
            }
            part => {
                let part = Part::Repeat(Box::new(part), min, max);
                if size(&part) > LONGEST {
                    return Err(self.unfit_at(
                        at,
                        &format!("what it repeats is longer than {LONGEST} characters"),
                    ));
                }
                Ok(part)
            }
        }
    }
}

/// The number of characters, classes and assertions of a part, with its repetitions expanded.
fn size(part: &Part) -> usize {
    match part {
        Part::Group(all) | Part::Named(_, all) | Part::Lookahead(all) => {
            let inside = all.iter().flatten().map(size);
            inside.fold(0, usize::saturating_add).max(1)
        }
        // A repetition without a maximum counts its minimum and one more.
        Part::Repeat(inner, min, max) => {
            let times = max.unwrap_or(*min + 1).max(1);
            size(inner).saturating_mul(times as usize)
        }
        Part::Text(_) | Part::Class(_) | Part::Start | Part::End | Part::Boundary => 1,
    }
}

/// `{3}`, `{1,3}` or `{1,}` at the start of `text`: the numbers, and the length. Other braces are literals, as in
/// Python.
fn times(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let inside = text.strip_prefix('{')?;
    let end = inside.find('}')?;
    let number = |digits: &str| -> Option<u32> {
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then(|| digits.parse().unwrap_or(u32::MAX))
    };
    let (min, max) = match inside[..end].split_once(',') {
        None => (number(&inside[..end])?, number(&inside[..end])),
        Some(("", most)) => (0, Some(number(most)?)),
        Some((least, "")) => (number(least)?, None),
        Some((least, most)) => (number(least)?, Some(number(most)?)),
    };
    Some((min, max, end + 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_read_is_refused_with_its_place() {
        let long = "a".repeat(LONGEST + 1);
        let deep = format!("{}a{}", "(?:".repeat(50), ")".repeat(50));
        let deepest = "(?:".repeat(1300);
        // 16 to the eighth power, and 2 to the thirtieth.
        let many = format!("{}a{{16}}{}", "(?:".repeat(7), "){16}".repeat(7));
        let doubled = format!("{}a{}", "(?:".repeat(30), ")+".repeat(30));
        let nothing = format!("{}{}", "(?:".repeat(8), "){16}".repeat(8));
        for (pattern, why) in [
            ("(?!x)", "at character 1 (`(?!x)`): lookbehind, exclusion"),
            ("a(?<=x)", "at character 2"),
            ("a(?i)b", "at character 2"),
            ("(a", "not closed"),
            ("a)", "was not opened"),
            ("[a", "a class is not closed"),
            ("a**", "a repetition is repeated"),
            ("*a", "nothing comes before it"),
            ("^*", "a place is repeated"),
            (r"a\", "ends in a backslash"),
            (r"a\p{L}", "`\\p` has no word"),
            ("(?P<name", "name does not end"),
            ("a{99}", "no more than 16 times"),
            ("a{3,1}", "no more than 16 times"),
            (&deep, "more than 32 groups inside each other"),
            (&deepest, "more than 32 groups inside each other"),
            (
                &many,
                "at character 38 (`{16}){16}){16}){16}){16}`): what it repeats is longer than 4096",
            ),
            (&doubled, "what it repeats is longer than 4096"),
            (&nothing, "what it repeats is longer than 4096"),
            (&long, "longer than 4096 bytes"),
        ] {
            let Unsupported(message) = read(pattern).expect_err(pattern);
            assert!(message.contains(why), "{pattern}: {message}");
        }
    }

    #[test]
    fn classes_have_what_they_say() {
        for (pattern, has, lacks) in [
            (r"[^\n>]", "a <", "\n>"),
            (r"[\s\S]", "a \n", ""),
            (r"[\w.\-]", "aé_.-", " <"),
            ("[]a-c]", "]abc", "d["),
            (".", "a\n<", ""),
            (r"\S", "a<", " \n"),
        ] {
            let all = read(pattern).expect(pattern);
            let [Part::Class(class)] = &all[0][..] else {
                panic!("{pattern}: {all:?}")
            };
            assert!(has.chars().all(|c| class.has(c)), "{pattern}");
            assert!(!lacks.chars().any(|c| class.has(c)), "{pattern}");
        }
    }
}
