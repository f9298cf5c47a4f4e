//! Parses a line into a rule.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use toolglot_json::internal::quoted;

use super::GrammarError;
use super::ast::{
    Alt, Attribute, Capture, Delimiter, Envelope, Habit, Indent, LastBreak, Piece, PythonQuote,
    Role, Rule, Term, TermKind,
};
use super::bounds::DEPTH;
use super::lex::{Lexer, Token};
use super::words;

/// The rule of a line. `at` is the offset of the line in the file.
pub(super) fn rule(line: &str, at: usize) -> Result<Rule, GrammarError> {
    Reader::new(line, at)?.rule()
}

struct Reader<'a> {
    lexer: Lexer<'a>,
    ahead: Option<(Token, Range<usize>)>,
    /// Groups that are open.
    depth: usize,
}

impl<'a> Reader<'a> {
    fn new(line: &'a str, at: usize) -> Result<Reader<'a>, GrammarError> {
        let mut lexer = Lexer::new(line, at);
        let ahead = lexer.next()?;
        Ok(Reader {
            lexer,
            ahead,
            depth: 0,
        })
    }

    fn take(&mut self) -> Result<Option<(Token, Range<usize>)>, GrammarError> {
        let next = self.lexer.next()?;
        Ok(core::mem::replace(&mut self.ahead, next))
    }

    fn at_mark(&self, sign: char) -> bool {
        matches!(&self.ahead, Some((Token::Mark(found), _)) if *found == sign)
    }

    fn eat(&mut self, sign: char) -> Result<bool, GrammarError> {
        let found = self.at_mark(sign);
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

    fn expect(&mut self, sign: char, after: &str) -> Result<(), GrammarError> {
        if self.eat(sign)? {
            return Ok(());
        }
        let missing = GrammarError::new(self.here(), format!("`{sign}` is missing {after}"));
        Err(missing.help(match sign {
            '=' => "a line is `NAME = ..`, `NAME TOOL = ..`, `SETTING: ..`, or continues the rule with blanks and `|`",
            ')' => "each `(` has its `)`, on the same line or on one that continues it with `|`",
            ':' => "a role has its keys: `name: name`",
            '|' => "(\"\" | ..) is a part that is read and not written",
            _ => "roles are written in brackets: `object(name: name, args: arguments)`",
        }))
    }

    fn rule(mut self) -> Result<Rule, GrammarError> {
        let Some((Token::Word(name), span)) = self.take()? else {
            return Err(GrammarError::new(
                self.here(),
                "a line is `NAME = ..`, `SETTING: ..` or `dialect NAME`",
            )
            .help("a line that continues the rule before it starts with blanks and `|`"));
        };
        let tool = match &self.ahead {
            Some((Token::Word(_), _)) => match self.take()? {
                Some((Token::Word(tool), _)) => Some(tool),
                _ => None,
            },
            _ => None,
        };
        self.expect('=', &format!("after `{name}`"))?;
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
                "unmatched `)` or misplaced sign",
            )
            .help("signs that the model writes go in quotes: \")\"")),
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
        let (mut terms, mut keeps_break) = (Vec::new(), false);
        while let Some((token, span)) = &self.ahead {
            if matches!(token, Token::Mark(')' | '|')) {
                break;
            }
            let span = span.clone();
            let mut term = self.atom(span)?;
            if self.at_mark('?') || self.at_mark('*') {
                let many = self.at_mark('*');
                self.take()?;
                let span = term.span.clone();
                let inner = Box::new(term);
                term = Term {
                    kind: if many {
                        TermKind::Many(inner)
                    } else {
                        TermKind::Optional(inner, Habit::Taught)
                    },
                    span,
                };
            }
            if self.at_mark('?') || self.at_mark('*') {
                return Err(GrammarError::new(
                    self.here(),
                    "a second repetition sign after a term",
                )
                .help("`?` means at most one, `*` any number: write one of them"));
            }
            // A literal after `line_start` starts with the line break, so that both are one closer.
            if let TermKind::Literal(pieces) = &mut term.kind
                && keeps_break
            {
                terms.pop();
                match &mut pieces[0] {
                    Piece::Bytes(text) => text.insert(0, '\n'),
                    Piece::Hole(_) => pieces.insert(0, Piece::Bytes("\n".into())),
                }
            }
            keeps_break = false;
            // After a value `line_start` is a literal line break, which the value keeps.
            if term.kind == TermKind::LineStart
                && let Some(TermKind::Raw(_, delimiter)) =
                    terms.last_mut().map(|last: &mut Term| &mut last.kind)
                && let Some(last) = delimiter.last_break()
            {
                *last = LastBreak::Value;
                keeps_break = true;
                term.kind = TermKind::Literal(vec![Piece::Bytes("\n".into())]);
            }
            if let TermKind::Group(Alt(ends)) = &mut term.kind
                && *ends == end_of_line(&term.span)
                && reads_word(&terms)
            {
                for line_end in [" \n", "  \n"] {
                    ends.push(vec![literal(line_end, &term.span)]);
                }
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
            Token::Literal(text) => TermKind::Literal(self.pieces(&text, &span)?),
            Token::Mark('(') => {
                if self.depth == DEPTH {
                    return Err(GrammarError::new(
                        span,
                        format!("more than {DEPTH} groups inside each other"),
                    )
                    .help("give its contents a rule of their own"));
                }
                self.depth += 1;
                let or_nothing = self.eat_nothing()?;
                let alt = self.alt()?;
                self.depth -= 1;
                self.expect(')', "after the group")?;
                let kind = TermKind::Group(alt);
                if or_nothing {
                    let span = span.clone();
                    TermKind::Optional(Box::new(Term { kind, span }), Habit::Untaught)
                } else {
                    kind
                }
            }
            Token::Mark(sign) => {
                return Err(
                    GrammarError::new(span, format!("`{sign}` where a term is expected")).help(
                        format!("a sign that the model writes goes in quotes: \"{sign}\""),
                    ),
                );
            }
            Token::Word(word) => self.word(&word, &span)?,
        };
        Ok(Term { kind, span })
    }

    fn word(&mut self, word: &str, span: &Range<usize>) -> Result<TermKind, GrammarError> {
        Ok(match word {
            "ws" => TermKind::Ws(self.blanks(span)?),
            "nl" => TermKind::Nl,
            "line_start" => TermKind::LineStart,
            "false" => TermKind::False,
            "message_start" => TermKind::MessageStart,
            "message_end" => TermKind::MessageEnd,
            "eol" => TermKind::Group(Alt(end_of_line(span))),
            "python" => TermKind::Python(self.mark(span)?),
            "raw" => TermKind::Raw(self.argument(span)?, Delimiter::default()),
            "line" => TermKind::Raw(self.argument(span)?, Delimiter::Line),
            "any" => self.any(span)?,
            "bytes" => TermKind::Raw(self.argument(span)?, Delimiter::Length),
            "lines" => self.lines(span)?,
            "value" => self.value(span)?,
            "json" => TermKind::Json(self.texts(span)?),
            "xml" => TermKind::Xml(self.argument(span)?),
            "object" => TermKind::Object(envelope(self.roles()?, span)?),
            "attrs" => TermKind::Attrs(
                self.roles()?
                    .into_iter()
                    .map(attribute)
                    .collect::<Result<_, _>>()?,
            ),
            _ => {
                if let Some(capture) = Capture::named(word) {
                    TermKind::Capture(capture, self.texts(span)?)
                } else {
                    words::reference(word, span)?;
                    TermKind::Rule(word.into())
                }
            }
        })
    }

    /// Takes a `(` right after a word. A `(` after a blank starts a group instead.
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
            return Err(GrammarError::new(place, "an argument is missing")
                .help("`raw(a)` is the parameter `a`, `json(\"Q\")` has strings between `Q`"));
        };
        self.expect(')', "after the argument")?;
        Ok(Some(argument))
    }

    /// `"" |`, at the start of a group.
    fn eat_nothing(&mut self) -> Result<bool, GrammarError> {
        let is_nothing = matches!(&self.ahead, Some((Token::Literal(text), _)) if text.is_empty());
        if is_nothing {
            self.take()?;
            self.expect('|', "after `\"\"`")?;
        }
        Ok(is_nothing)
    }

    /// `(content)`, a parameter, `("> ")`, the prefix of each line, or both.
    fn lines(&mut self, word: &Range<usize>) -> Result<TermKind, GrammarError> {
        let help = "`lines(content)` is the parameter `content`, lines(\"  \") has two blanks before each line, lines(content, \"  \") is both";
        let (argument, prefixes) = self.argument_and_texts(word, help)?;
        let indent = match prefixes.as_slice() {
            [] => Indent::FirstLine,
            [prefix] if !prefix.is_empty() && !prefix.contains('\n') => {
                Indent::Prefix(prefix.clone())
            }
            _ => {
                let message = "`lines` takes one text, which each line starts with";
                return Err(GrammarError::new(word.clone(), message).help(help));
            }
        };
        Ok(TermKind::Raw(
            argument,
            Delimiter::Lines(indent, LastBreak::Closer),
        ))
    }

    /// `(path)`, a parameter, `("a"|"b")`, texts, or both, `(path, "a"|"b")`.
    fn argument_and_texts(
        &mut self,
        word: &Range<usize>,
        help: &str,
    ) -> Result<(Option<String>, Vec<String>), GrammarError> {
        if !self.eat_own(word)? {
            return Ok((None, Vec::new()));
        }
        let mut argument = None;
        if let Some((Token::Word(name), _)) = &self.ahead {
            argument = Some(name.clone());
            self.take()?;
            if !self.eat(',')? {
                self.expect(')', "after the argument")?;
                return Ok((argument, Vec::new()));
            }
        }
        let place = self.here();
        let texts = self.list();
        let texts =
            texts.map_err(|_| GrammarError::new(place, "an argument is missing").help(help));
        Ok((argument, texts?))
    }

    /// `("\n")`: the blanks that are written.
    fn blanks(&mut self, word: &Range<usize>) -> Result<Option<String>, GrammarError> {
        let written = self.argument(word)?;
        match &written {
            Some(text) if !text.bytes().all(|byte| byte.is_ascii_whitespace()) => {
                Err(GrammarError::new(
                    word.clone(),
                    format!("`ws` reads blanks only, and {text:?} is more"),
                )
                .help("write ws(\"\\n\"), ws(\" \"), or ws for blanks that are never written"))
            }
            _ => Ok(written),
        }
    }

    /// `("'")`: a quote of Python.
    fn mark(&mut self, word: &Range<usize>) -> Result<PythonQuote, GrammarError> {
        match self.argument(word)?.as_deref() {
            None | Some("\"") => Ok(PythonQuote::Double),
            Some("'") => Ok(PythonQuote::Single),
            Some(other) => Err(GrammarError::new(
                word.clone(),
                format!("`{other}` is not a quote of Python"),
            )
            .help("write python(\"'\"), or python for double quotes")),
        }
    }

    /// `(path)`, a parameter, `("'")`, further quotes, or both.
    fn value(&mut self, word: &Range<usize>) -> Result<TermKind, GrammarError> {
        let help = "`value(a)` is the parameter `a`, value(\"'\") has strings between single quotes, too, value(a, \"'\") is both";
        let (argument, mut quotes) = self.argument_and_texts(word, help)?;
        // JSON's own quotes are always read.
        quotes.retain(|quote| !matches!(quote.as_str(), "\"" | "\\\""));
        let is_refused = |quote: &String| quote.starts_with('"') && quote != "\"\"";
        if quotes
            .iter()
            .any(|quote| quote.is_empty() || is_refused(quote))
        {
            let message = "a further quote of `value` does not start with `\"`";
            return Err(GrammarError::new(word.clone(), message).help(
                "three quotes are a choice: (\"\\\"\\\"\\\"\" nl raw \"\\\"\\\"\\\"\" | value)",
            ));
        }
        Ok(TermKind::Value(argument, quotes))
    }

    /// `(path)`, a parameter, `("a"|"b")`, the texts that fit, or both.
    fn any(&mut self, word: &Range<usize>) -> Result<TermKind, GrammarError> {
        let help = "`any(a)` is the parameter `a`, any(\"x\"|\"y\") fits these texts, any(a, \"x\"|\"y\") is both";
        Ok(match self.argument_and_texts(word, help)? {
            (Some(argument), texts) => TermKind::Argument(argument, texts),
            (None, texts) => TermKind::Capture(Capture::Any, texts),
        })
    }

    /// `("a"|"b")`.
    fn texts(&mut self, word: &Range<usize>) -> Result<Vec<String>, GrammarError> {
        if self.eat_own(word)? {
            self.list()
        } else {
            Ok(Vec::new())
        }
    }

    /// `"a"|"b")`.
    fn list(&mut self) -> Result<Vec<String>, GrammarError> {
        let mut texts = Vec::new();
        loop {
            let place = self.here();
            match self.take()? {
                Some((Token::Literal(text), _)) => texts.push(text),
                _ => {
                    return Err(GrammarError::new(place, "a literal is missing").help(
                        "write any(\"a\"|\"b\"), json(\"'\"); keys are in object(name: a, args: b)",
                    ));
                }
            }
            if !self.eat('|')? {
                break;
            }
        }
        self.expect(')', "after the list")?;
        Ok(texts)
    }

    /// `(ROLE: KEY|KEY, KEY = "VALUE"|"VALUE", ..)`.
    fn roles(&mut self) -> Result<Vec<Member>, GrammarError> {
        self.expect('(', "before the roles")?;
        let mut members = Vec::new();
        loop {
            let place = self.here();
            let Some((Token::Word(role) | Token::Literal(role), _)) = self.take()? else {
                return Err(GrammarError::new(place, "a role is missing")
                    .help("write object(name: name, args: arguments)"));
            };
            let is_fixed = self.eat('=')?;
            if !is_fixed {
                self.expect(':', &format!("after `{role}`"))?;
            }
            let mut texts = Vec::new();
            loop {
                let place = self.here();
                let text = match self.take()? {
                    Some((Token::Literal(text), _)) if is_fixed => quoted(&text),
                    Some((Token::Word(word), _)) if is_fixed && is_scalar(&word) => word,
                    Some((Token::Word(key) | Token::Literal(key), _)) if !is_fixed => key,
                    Some((Token::Mark('*'), _)) if !is_fixed => "*".into(),
                    _ if is_fixed => {
                        let message = format!("`{role}` needs a value in quotes");
                        return Err(GrammarError::new(place, message)
                            .help(format!("write {role} = \"value\"")));
                    }
                    _ => {
                        return Err(GrammarError::new(place, format!("`{role}` needs a key"))
                            .help(format!("name the keys that it may have: `{role}: a|b`")));
                    }
                };
                texts.push(text);
                if !self.eat('|')? {
                    break;
                }
            }
            members.push(Member {
                role,
                place,
                texts,
                is_fixed,
            });
            if !self.eat(',')? {
                break;
            }
        }
        self.expect(')', "after the roles")?;
        Ok(members)
    }

    /// Cuts a literal at its holes.
    fn pieces(&self, text: &str, span: &Range<usize>) -> Result<Vec<Piece>, GrammarError> {
        if text.is_empty() {
            return Err(
                GrammarError::new(span.clone(), "an empty literal matches everywhere")
                    .help("leave it out, or write it first in a group, (\"\" | ..), for what is read and not written. `line` and `raw` read an empty text too"),
            );
        }
        words::holes(text, self.lexer.text(span), span.start)?;
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
}

/// Whether the terms end with a word or a sign, after which blanks at the end of the line mean nothing.
fn reads_word(terms: &[Term]) -> bool {
    let Some((last, before)) = terms.split_last() else {
        return false;
    };
    match &last.kind {
        TermKind::Capture(what, _) => *what != Capture::Any,
        TermKind::Argument(..) | TermKind::Value(..) => true,
        TermKind::Literal(pieces) => {
            matches!(pieces.last(), Some(Piece::Bytes(text)) if !text.ends_with(char::is_whitespace))
        }
        TermKind::Optional(inner, _) | TermKind::Many(inner) => {
            reads_word(core::slice::from_ref(inner)) && reads_word(before)
        }
        TermKind::Group(Alt(ways)) => {
            let reads = |way: &Vec<Term>| reads_word(if way.is_empty() { before } else { way });
            ways.iter().all(reads)
        }
        _ => false,
    }
}

/// The alternatives of `eol`: a line break, or the end of the message.
fn end_of_line(span: &Range<usize>) -> Vec<Vec<Term>> {
    let message_end = Term {
        kind: TermKind::MessageEnd,
        span: span.clone(),
    };
    let ends = [literal("\n", span), literal("\r\n", span), message_end];
    ends.map(|end| vec![end]).into()
}

fn literal(text: &str, span: &Range<usize>) -> Term {
    Term {
        kind: TermKind::Literal(vec![Piece::Bytes(text.into())]),
        span: span.clone(),
    }
}

/// A member in the brackets after `object` or `attrs`.
struct Member {
    /// The role, or the key of a fixed member.
    role: String,
    place: Range<usize>,
    /// The keys that have the role, or the values as JSON texts.
    texts: Vec<String>,
    is_fixed: bool,
}

/// Whether a word is a JSON literal or number.
fn is_scalar(word: &str) -> bool {
    let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
    matches!(word, "true" | "false" | "null" | "0") || is_number && !word.starts_with('0')
}

fn envelope(members: Vec<Member>, span: &Range<usize>) -> Result<Envelope, GrammarError> {
    let mut envelope = Envelope {
        roles: Vec::new(),
        fixed: Vec::new(),
        name_is_key: false,
    };
    for member in members {
        let role = match member.role.as_str() {
            _ if member.is_fixed => Role::Fixed(envelope.fixed.len()),
            "name" => Role::Name,
            "id" | "key" => Role::Id,
            "server" => Role::Server,
            "args" => Role::Args,
            other => {
                words::reference(other, &member.place)?;
                let message = format!("object() has no role `{other}`");
                return Err(GrammarError::new(member.place, message).help(format!(
                    "roles are name, id, server, args; a member with one value is {other} = \"value\""
                )));
            }
        };
        let keys = if member.is_fixed {
            envelope.fixed.push(member.texts);
            vec![member.role]
        } else {
            envelope.name_is_key |= member.texts.iter().any(|key| key == "*");
            member.texts
        };
        envelope.roles.push((role, keys));
    }
    if envelope.name_is_key && envelope.roles.len() > 1 {
        let message = "a member beside `args: *`, which makes the only key the name";
        return Err(GrammarError::new(span.clone(), message).help(
            "say which keys hold the name and the arguments: object(type = \"call\", name: name, args: args)",
        ));
    }
    if !envelope.name_is_key && !envelope.roles.iter().any(|(role, _)| *role == Role::Name) {
        return Err(GrammarError::new(span.clone(), "object() without a name")
            .help("say which key holds the tool's name: object(name: name, args: arguments)"));
    }
    Ok(envelope)
}

fn attribute(member: Member) -> Result<Attribute, GrammarError> {
    let Member {
        role, place, texts, ..
    } = member;
    if member.is_fixed {
        let message = "attrs() has no fixed attributes";
        return Err(GrammarError::new(place, message).help(
            "write it before attrs() as a literal, or `any: KEY` for an attribute with any value",
        ));
    }
    if let Some(word) = words::other_capture(&role) {
        return Err(words::replaced(&role, word, place));
    }
    let capture = Capture::named(&role);
    Ok(Attribute {
        capture,
        argument: capture.is_none().then_some(role),
        keys: texts,
    })
}

/// The first `{capture}` of `text`: its start, its capture and its end.
fn hole(text: &str) -> Option<(usize, Capture, usize)> {
    text.match_indices('{').find_map(|(open, _)| {
        let inside = &text[open + 1..];
        let word = inside.find(|c: char| !c.is_ascii_lowercase())?;
        let is_closed = inside[word..].starts_with('}');
        let capture = Capture::named(&inside[..word]).filter(|_| is_closed)?;
        Some((open, capture, open + 1 + word + 1))
    })
}
