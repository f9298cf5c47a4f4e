//! Lines to rules.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::ast::{Alt, Attribute, Capture, Envelope, Piece, Role, Rule, Term, TermKind};
use super::lex::{Lexer, Token};
use super::{Dialect, GrammarError, Values};

/// Settings that mean something to the engine or stand in the header.
const SETTINGS: &[&str] = &[
    "values", "case", "tools", "split", "refuse", "none", "id", "models", "source", "date",
    "quirks", "license", "family", "alone",
];

pub(super) fn file(file: &str, known: &[Dialect]) -> Result<Vec<Dialect>, GrammarError> {
    let mut dialects: Vec<Dialect> = Vec::new();
    let mut inherited: Vec<Rule> = Vec::new();
    for (line, at) in logical_lines(file) {
        let mut words = line.trim().splitn(2, char::is_whitespace);
        let first = words.next().unwrap_or("");
        if first.is_empty() || first.starts_with('#') {
            continue;
        }
        if first == "dialect" {
            if let Some(dialect) = dialects.last_mut() {
                complete(dialect, &mut inherited);
            }
            let (dialect, base_rules) =
                header(words.next().unwrap_or(""), line, at, known, &dialects)?;
            inherited = base_rules;
            dialects.push(dialect);
            continue;
        }
        let Some(dialect) = dialects.last_mut() else {
            return Err(
                GrammarError::new(at..at + line.len(), "a rule before any `dialect NAME`")
                    .help("begin the file with `dialect NAME`"),
            );
        };
        dialect.source.push_str(line.trim_end());
        dialect.source.push('\n');
        let name = dialect.name.clone();
        if let Some(setting) = first.strip_suffix(':') {
            set(dialect, setting, words.next().unwrap_or(""), at).map_err(|e| e.of(&name))?;
        } else {
            let rule = Reader::new(line, at)?.rule().map_err(|e| e.of(&name))?;
            dialect.rules.push(rule);
        }
    }
    if let Some(dialect) = dialects.last_mut() {
        complete(dialect, &mut inherited);
    }
    Ok(dialects)
}

/// Lines, joined where the next one begins with blanks and `|`, with their places.
fn logical_lines(file: &str) -> impl Iterator<Item = (&str, usize)> {
    let mut rest = file;
    let mut at = 0;
    core::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut end = rest.find('\n').map_or(rest.len(), |n| n + 1);
        while rest[end..].starts_with([' ', '\t'])
            && rest[end..].trim_start_matches([' ', '\t']).starts_with('|')
        {
            end += rest[end..].find('\n').map_or(rest.len() - end, |n| n + 1);
        }
        let (line, tail) = rest.split_at(end);
        let here = at;
        rest = tail;
        at += end;
        Some((line, here))
    })
}

/// An own rule replaces the inherited ones of its name; the others are added behind. What a base was taught is not what a
/// dialect with other calls was.
fn complete(dialect: &mut Dialect, inherited: &mut Vec<Rule>) {
    let has_other_calls = dialect
        .rules
        .iter()
        .any(|own| matches!(own.name.as_str(), "block" | "call" | "param") || own.is_taught());
    // The dialect's own, not those that are added here: a base may have several rules of one name.
    let n_own = dialect.rules.len();
    let refers = |rules: &[Rule], name: &str| rules.iter().any(|rule| rule.alt.refers_to(name));
    let is_part = |rule: &Rule| rule.tool.is_none() && refers(inherited, &rule.name);
    let parts: Vec<String> = inherited
        .iter()
        .filter(|rule| is_part(rule))
        .map(|rule| rule.name.clone())
        .collect();
    for rule in inherited.drain(..) {
        let is_replaced = dialect.rules[..n_own]
            .iter()
            .any(|own| own.name == rule.name && own.tool == rule.tool);
        let is_foreign = has_other_calls && rule.is_taught();
        if !is_replaced && !is_foreign {
            dialect.rules.push(rule);
        }
    }
    // A part of what was replaced begins nothing by itself, nor do its own parts.
    loop {
        let is_idle = |rule: &Rule| {
            let name = rule.name.as_str();
            !matches!(name, "call" | "think" | "say" | "stop")
                && rule.tool.is_none()
                && parts.iter().any(|part| part == name)
                && !refers(&dialect.rules, name)
        };
        let idle = dialect.rules[n_own..].iter().position(is_idle);
        let Some(n) = idle else { break };
        dialect.rules.remove(n_own + n);
    }
}

fn header(
    rest: &str,
    line: &str,
    at: usize,
    known: &[Dialect],
    earlier: &[Dialect],
) -> Result<(Dialect, Vec<Rule>), GrammarError> {
    let rest = rest.split('#').next().unwrap_or("").trim();
    let (name, base) = match rest.split_once(':') {
        Some((name, base)) => (name.trim(), Some(base.trim())),
        None => (rest, None),
    };
    let place = at..at + line.trim_end().len();
    if name.is_empty()
        || !name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
    {
        return Err(
            GrammarError::new(place, format!("`{name}` is no name for a dialect"))
                .help("lower-case letters, digits and `_`: `dialect qwen3_coder`"),
        );
    }
    if earlier.iter().any(|dialect| dialect.name == name) {
        return Err(GrammarError::new(
            place,
            format!("dialect `{name}` is there twice"),
        ));
    }
    let mut dialect = Dialect {
        name: name.into(),
        settings: Vec::new(),
        values: Values::default(),
        rules: Vec::new(),
        source: format!("{}\n", line.trim_end()),
    };
    let mut rules = Vec::new();
    if let Some(base) = base {
        let Some(found) = earlier
            .iter()
            .chain(known)
            .find(|dialect| dialect.name == base)
        else {
            return Err(GrammarError::new(
                place,
                format!("dialect `{name}` builds on `{base}`, which is not known"),
            )
            .help("a dialect builds on one that stands before it"));
        };
        dialect.settings.clone_from(&found.settings);
        dialect.settings.retain(|(key, _)| {
            matches!(
                key.as_str(),
                "values" | "case" | "tools" | "split" | "refuse" | "none" | "id"
            )
        });
        dialect.values = found.values.clone();
        rules.clone_from(&found.rules);
    }
    Ok((dialect, rules))
}

fn set(dialect: &mut Dialect, setting: &str, value: &str, at: usize) -> Result<(), GrammarError> {
    let place = at..at + setting.len() + 1;
    if !SETTINGS.contains(&setting) {
        return Err(
            GrammarError::new(place, format!("no setting is called `{setting}`"))
                .help(format!("settings are {}", SETTINGS.join(", "))),
        );
    }
    let value = value.trim().trim_end_matches('\n').to_string();
    if setting == "id" && !value.contains("{id}") {
        return Err(
            GrammarError::new(place, format!("`id: {value}` does not hold `{{id}}`"))
                .help("write the id around what `id` captures: `functions.{name}:{id}`"),
        );
    }
    if setting == "alone" && value != "say" {
        return Err(
            GrammarError::new(place, format!("`alone: {value}` names no such rules"))
                .help("write `alone: say`: only what is spoken may be left to a dialect that is named alone"),
        );
    }
    if setting == "values" {
        dialect.values =
            Values::parse(&value).map_err(|message| GrammarError::new(place, message))?;
    }
    dialect.settings.retain(|(key, _)| key != setting);
    dialect.settings.push((setting.into(), value));
    Ok(())
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    ahead: Option<(Token, Range<usize>)>,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str, at: usize) -> Result<Reader<'a>, GrammarError> {
        let mut lexer = Lexer::new(line, at);
        let ahead = lexer.next()?;
        Ok(Reader { lexer, ahead })
    }

    fn take(&mut self) -> Result<Option<(Token, Range<usize>)>, GrammarError> {
        let next = self.lexer.next()?;
        Ok(core::mem::replace(&mut self.ahead, next))
    }

    fn at_mark(&self, mark: char) -> bool {
        matches!(&self.ahead, Some((Token::Mark(found), _)) if *found == mark)
    }

    fn eat(&mut self, mark: char) -> Result<bool, GrammarError> {
        let found = self.at_mark(mark);
        if found {
            self.take()?;
        }
        Ok(found)
    }

    fn here(&self) -> Range<usize> {
        self.ahead
            .as_ref()
            .map_or_else(|| self.lexer.here(), |(_, place)| place.clone())
    }

    fn expect(&mut self, mark: char, after: &str) -> Result<(), GrammarError> {
        if self.eat(mark)? {
            Ok(())
        } else {
            Err(GrammarError::new(
                self.here(),
                format!("`{mark}` is missing {after}"),
            ))
        }
    }

    fn rule(mut self) -> Result<Rule, GrammarError> {
        let Some((Token::Word(name), span)) = self.take()? else {
            return Err(GrammarError::new(
                self.here(),
                "a line is `NAME = ..`, `SETTING: ..` or `dialect NAME`",
            ));
        };
        let tool = match &self.ahead {
            Some((Token::Word(_), _)) => match self.take()? {
                Some((Token::Word(tool), _)) => Some(tool),
                _ => None,
            },
            _ => None,
        };
        self.expect('=', &format!("behind `{name}`"))?;
        let alt = self.alt()?;
        match self.ahead {
            None => Ok(Rule {
                name,
                tool,
                alt,
                span,
            }),
            Some((_, ref place)) => Err(GrammarError::new(
                place.clone(),
                "a `)` too many, or a mark out of place",
            )),
        }
    }

    fn alt(&mut self) -> Result<Alt, GrammarError> {
        let mut all = vec![self.seq()?];
        while self.eat('|')? {
            all.push(self.seq()?);
        }
        Ok(Alt(all))
    }

    fn seq(&mut self) -> Result<Vec<Term>, GrammarError> {
        let mut terms = Vec::new();
        while let Some((token, span)) = &self.ahead {
            if matches!(token, Token::Mark(')' | '|')) {
                break;
            }
            let span = span.clone();
            let mut term = self.atom(span)?;
            while self.at_mark('?') || self.at_mark('*') {
                let many = self.at_mark('*');
                self.take()?;
                let span = term.span.clone();
                let inner = Box::new(term);
                term = Term {
                    kind: if many {
                        TermKind::Many(inner)
                    } else {
                        TermKind::Optional(inner)
                    },
                    span,
                };
            }
            terms.push(term);
        }
        Ok(terms)
    }

    fn atom(&mut self, span: Range<usize>) -> Result<Term, GrammarError> {
        let Some((token, _)) = self.take()? else {
            return Err(GrammarError::new(span, "a term is missing"));
        };
        let kind = match token {
            Token::Literal(text) => TermKind::Literal(pieces(&text, &span)?),
            Token::Mark('(') => {
                let alt = self.alt()?;
                self.expect(')', "behind the group")?;
                TermKind::Group(alt)
            }
            Token::Mark(mark) => {
                return Err(GrammarError::new(
                    span,
                    format!("`{mark}` where a term should stand"),
                ));
            }
            Token::Word(word) => self.word(&word, &span)?,
        };
        Ok(Term { kind, span })
    }

    fn word(&mut self, word: &str, span: &Range<usize>) -> Result<TermKind, GrammarError> {
        Ok(match word {
            "ws" => TermKind::Ws,
            "nl" => TermKind::Nl,
            "bol" => TermKind::Bol,
            "start" => TermKind::Start,
            "end" => TermKind::End,
            "py" => TermKind::Py,
            "text" => TermKind::Text(self.argument(span)?),
            "json" => TermKind::Json(self.texts(span)?),
            "xml" => TermKind::Xml(self.argument(span)?),
            "object" => TermKind::Object(envelope(self.roles()?, span)?),
            "attrs" => TermKind::Attrs(
                self.roles()?
                    .into_iter()
                    .map(|(role, keys)| attribute(role, keys))
                    .collect(),
            ),
            _ => match Capture::named(word) {
                Some(capture) => TermKind::Capture(capture, self.texts(span)?),
                None => TermKind::Rule(word.into()),
            },
        })
    }

    /// Whether a word's own `(` stands right behind it; one behind a blank opens a group.
    fn eat_own(&mut self, word: &Range<usize>) -> Result<bool, GrammarError> {
        let own = self
            .ahead
            .as_ref()
            .is_some_and(|(_, place)| place.start == word.end);
        if own { self.eat('(') } else { Ok(false) }
    }

    /// `(arg)` or `("literal")`.
    fn argument(&mut self, word: &Range<usize>) -> Result<Option<String>, GrammarError> {
        if !self.eat_own(word)? {
            return Ok(None);
        }
        let place = self.here();
        let Some((Token::Word(argument) | Token::Literal(argument), _)) = self.take()? else {
            return Err(GrammarError::new(place, "an argument is missing"));
        };
        self.expect(')', "behind the argument")?;
        Ok(Some(argument))
    }

    /// `("a"|"b")`.
    fn texts(&mut self, word: &Range<usize>) -> Result<Vec<String>, GrammarError> {
        let mut texts = Vec::new();
        if self.eat_own(word)? {
            loop {
                let place = self.here();
                match self.take()? {
                    Some((Token::Literal(text), _)) => texts.push(text),
                    _ => {
                        return Err(GrammarError::new(place, "a literal is missing")
                            .help("write skip(\"a\"|\"b\")"));
                    }
                }
                if !self.eat('|')? {
                    break;
                }
            }
            self.expect(')', "behind the list")?;
        }
        Ok(texts)
    }

    /// `(ROLE: KEY|KEY, ..)`.
    fn roles(&mut self) -> Result<Vec<(String, Vec<String>)>, GrammarError> {
        self.expect('(', "before the roles")?;
        let mut roles = Vec::new();
        loop {
            let place = self.here();
            let Some((Token::Word(role), _)) = self.take()? else {
                return Err(GrammarError::new(place, "a role is missing")
                    .help("write object(name: name, args: arguments)"));
            };
            self.expect(':', &format!("behind `{role}`"))?;
            let mut keys = Vec::new();
            loop {
                let place = self.here();
                match self.take()? {
                    Some((Token::Word(key) | Token::Literal(key), _)) => keys.push(key),
                    Some((Token::Mark('*'), _)) => keys.push("*".into()),
                    _ => return Err(GrammarError::new(place, format!("`{role}` needs a key"))),
                }
                if !self.eat('|')? {
                    break;
                }
            }
            roles.push((role, keys));
            if !self.eat(',')? {
                break;
            }
        }
        self.expect(')', "behind the roles")?;
        Ok(roles)
    }
}

fn envelope(
    roles: Vec<(String, Vec<String>)>,
    span: &Range<usize>,
) -> Result<Envelope, GrammarError> {
    let mut envelope = Envelope {
        roles: Vec::new(),
        name_is_key: false,
    };
    for (role, keys) in roles {
        let role = match role.as_str() {
            "name" => Role::Name,
            "id" => Role::Id,
            "ns" => Role::Ns,
            "args" => Role::Args,
            "key" => Role::Id,
            other => {
                return Err(GrammarError::new(
                    span.clone(),
                    format!("object() has no role `{other}`"),
                )
                .help("roles are name, id, ns, args"));
            }
        };
        if keys.iter().any(|key| key == "*") {
            envelope.name_is_key = true;
        }
        envelope.roles.push((role, keys));
    }
    if !envelope.name_is_key && !envelope.roles.iter().any(|(role, _)| *role == Role::Name) {
        return Err(GrammarError::new(span.clone(), "object() without a name")
            .help("say which key holds the tool's name: object(name: name, args: arguments)"));
    }
    Ok(envelope)
}

fn attribute(role: String, keys: Vec<String>) -> Attribute {
    match Capture::named(&role) {
        Some(capture) => Attribute {
            capture: Some(capture),
            argument: None,
            keys,
        },
        None => Attribute {
            capture: None,
            argument: Some(role),
            keys,
        },
    }
}

/// Cuts a literal at its holes.
fn pieces(text: &str, span: &Range<usize>) -> Result<Vec<Piece>, GrammarError> {
    if text.is_empty() {
        return Err(
            GrammarError::new(span.clone(), "an empty literal matches everywhere")
                .help("leave it out, or write `?` behind a group"),
        );
    }
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((open, capture, close)) = hole(rest) {
        if open > 0 {
            pieces.push(Piece::Bytes(rest[..open].into()));
        }
        pieces.push(Piece::Hole(capture));
        rest = &rest[close..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Bytes(rest.into()));
    }
    Ok(pieces)
}

/// The first `{capture}` of `text`: where it begins, what it names, where it ends.
fn hole(text: &str) -> Option<(usize, Capture, usize)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('{').map(|n| from + n) {
        if let Some(close) = text[open..].find('}').map(|n| open + n)
            && let Some(capture) = Capture::named(&text[open + 1..close])
        {
            return Some((open, capture, close + 1));
        }
        from = open + 1;
    }
    None
}
