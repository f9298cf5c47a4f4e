//! `values:` how the text of a value becomes JSON.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::Capture;
use super::lex::{Lexer, Token};
use crate::program::takes;

/// How untyped text is read, and what is decoded in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Values {
    /// The type of a value without a schema.
    pub typing: Typing,
    /// Entities (`&lt;`) are decoded in values.
    pub entities: bool,
    /// Entities are decoded in attributes.
    pub entities_in_attrs: bool,
    /// `%7C` is decoded in values, and `+` is a blank.
    pub percent: bool,
    /// Escapes in values: each written text, and the text that it means.
    pub escapes: Arc<[(String, String)]>,
    /// Words for the literals `true`, `false` and `null`: each word, and the literal.
    pub words: Arc<[(String, String)]>,
    /// CDATA sections are unwrapped.
    pub cdata: bool,
    /// The separator of items where a list has no brackets.
    pub separator: Option<String>,
    /// The bullet that starts each line of a list, where each item has its own line.
    pub bullet: Option<String>,
    /// Each item of a list is a parameter of its own, one after another.
    pub repeated: bool,
}

/// The type of a value that no schema declares.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Typing {
    /// A string.
    #[default]
    Text,
    /// The type that the text looks like: a boolean, `null`, a number, otherwise a string.
    Infer,
    /// JSON where the whole text is a JSON value, otherwise a string.
    Json,
    /// The type that a `type` capture gives: each word, and whether it means JSON. `*` is any other word.
    Kind(Vec<(String, bool)>),
}

impl Values {
    /// Reads the setting; the error is a message.
    pub(crate) fn parse(setting: &str) -> Result<Values, String> {
        let mut values = Values::default();
        for part in split_outside_parentheses(setting) {
            match part {
                "entities" => values.entities = true,
                "entities in attrs" => values.entities_in_attrs = true,
                "cdata" => values.cdata = true,
                "percent" => values.percent = true,
                "repeated" => values.repeated = true,
                _ if part.starts_with("escapes(") => values.escapes = pairs(part, &ESCAPES)?,
                _ if part.starts_with("words(") => values.words = pairs(part, &WORDS)?,
                "schema" | "string" | "schema|string" => values.typing = Typing::Text,
                "infer" | "json" => {
                    return Err(format!("`values` has no `{part}`: write `schema|{part}`"));
                }
                "schema|infer" => values.typing = Typing::Infer,
                "schema|json" => values.typing = Typing::Json,
                _ if part.starts_with("lists(") => values.separator = Some(quoted(part)?),
                _ if part.starts_with("items(") => values.bullet = Some(quoted(part)?),
                _ => match part
                    .strip_prefix("schema|type(")
                    .and_then(|rest| rest.strip_suffix(')'))
                {
                    Some(kinds) => values.typing = kinds_of(kinds)?,
                    None => {
                        return Err(format!(
                            "`values` has no `{part}`: it takes schema, string, schema|string, schema|infer, schema|json, schema|type(..), entities, entities in attrs, cdata. After these come lists(\",\"), items(\"- \"), repeated, escapes(\"<br>\" = \"\\n\"), percent, words(\"yes\" = true)"
                        ));
                    }
                },
            }
        }
        let is_of_item = |separator: &String| {
            let sign = match separator.trim() {
                "" => separator,
                sign => sign,
            };
            // The sign is escaped, or a part of it is.
            let meets = |to: &str| to.contains(sign) || !to.trim().is_empty() && sign.contains(to);
            values.percent || { values.escapes.iter() }.any(|(_, to)| meets(to))
        };
        match values.separator.as_ref().filter(|text| is_of_item(text)) {
            Some(separator) => Err(format!(
                "`lists({separator:?})` splits a value that was decoded: an escaped separator would end an item\nwrite the items as values, (\"=\" raw ({separator:?} raw)*), with `repeated`"
            )),
            None => Ok(values),
        }
    }
}

/// The types of JSON, each with the words that dialects use for it.
const TYPES: [(&str, &[&str]); 7] = [
    ("object", &["object", "dict", "map"]),
    ("array", &["array", "list"]),
    ("string", &["string", "str", "text"]),
    ("boolean", &["boolean", "bool"]),
    ("null", &["null", "none"]),
    ("number", &["number", "float", "double"]),
    ("integer", &["integer", "int", "number"]),
];

impl Values {
    /// The items of a list that is written as the setting says: between separators, or each on its own line.
    pub fn items<'t>(&self, text: &'t str) -> Option<Vec<&'t str>> {
        let text = text.trim();
        let is_filled = |item: &&str| !item.is_empty();
        if let Some(bullet) = &self.bullet {
            let item = |line: &'t str| line.trim().strip_prefix(bullet.trim()).map(str::trim);
            let lines = text.lines().filter(|line| !line.trim().is_empty());
            if let Some(items) = lines.map(item).collect() {
                return Some(items);
            }
        }
        let separator = self.separator.as_deref()?;
        let items: Vec<&str> = match separator.trim() {
            "" if separator.contains('\n') => text.lines().collect(),
            "" => text.split_whitespace().collect(),
            _ => text.split(separator).collect(),
        };
        Some(items.into_iter().map(str::trim).filter(is_filled).collect())
    }

    /// The literal that a text means, if the text is one of the words.
    pub(crate) fn word(&self, text: &str) -> Option<&str> {
        let text = text.trim();
        let found = self.words.iter().find(|(word, _)| word == text);
        found.map(|(_, json)| json.as_str())
    }

    /// The word that is written for `true`, `false` or `null`, if there is one.
    pub fn written_word(&self, json: &str) -> Option<&str> {
        let found = self.words.iter().find(|(_, meant)| meant == json);
        found.map(|(word, _)| word.as_str())
    }

    /// Writes a text with its escapes and percent-encoding. `starts_line`: only blanks precede the text on its line.
    pub fn escape<'t>(&self, text: &'t str, starts_line: bool) -> Cow<'t, str> {
        if !self.percent && self.escapes.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut out, mut rest) = (String::new(), text);
        let of_line = self.escapes.iter().filter(|_| starts_line);
        let mut of_line = of_line.filter_map(without_break);
        if let Some((written, meant)) = of_line.find(|(_, meant)| text.starts_with(meant)) {
            out.push_str(written);
            rest = &text[meant.len()..];
        }
        while let Some(c) = rest.chars().next() {
            let is_next = |(_, meant): &&(String, String)| rest.starts_with(meant);
            let escape = self
                .escapes
                .iter()
                .filter(|(_, meant)| !meant.is_empty())
                .find(is_next);
            if let Some((written, meant)) = escape {
                out.push_str(written);
                rest = &rest[meant.len()..];
                continue;
            }
            rest = &rest[c.len_utf8()..];
            if self.percent && !(c.is_ascii_alphanumeric() || "-._~/:@".contains(c)) {
                let mut buffer = [0; 4];
                let bytes = c.encode_utf8(&mut buffer).bytes();
                out.extend(bytes.map(|byte| format!("%{byte:02X}")));
            } else {
                out.push(c);
            }
        }
        Cow::Owned(out)
    }

    /// The items as a list that the setting describes, if parsing the list gives the same items.
    pub(crate) fn list(&self, items: &[&str]) -> Option<String> {
        let list = match (&self.separator, &self.bullet) {
            (Some(separator), _) if [",", ";"].contains(&separator.as_str()) => {
                items.join(&format!("{separator} "))
            }
            (Some(separator), _) => items.join(separator),
            (None, Some(bullet)) => {
                let line = |item: &&str| format!("{} {item}", bullet.trim_end());
                items.iter().map(line).collect::<Vec<_>>().join("\n")
            }
            (None, None) => return None,
        };
        let is_json = list.starts_with(['[', '{', '"']);
        (!is_json && self.items(&list).as_deref() == Some(items)).then_some(list)
    }

    /// The word that is written for a value of a JSON type, by `values: schema|type(..)`: a listed name of the type.
    /// Without one, a listed word that is not the name of a type, else the name of the type if `*` is listed.
    pub fn word_for<'w>(&'w self, json_type: &'w str) -> Option<&'w str> {
        let Typing::Kind(kinds) = &self.typing else {
            return None;
        };
        let is_json = json_type != "string";
        let listed = kinds
            .iter()
            .filter(|(_, means_json)| *means_json == is_json);
        let listed: Vec<&str> = listed.map(|(word, _)| word.as_str()).collect();
        let names = TYPES.iter().find(|(name, _)| *name == json_type);
        let names = names.map_or(&[][..], |(_, names)| names);
        let is_type = |word: &str| TYPES.iter().any(|(_, names)| names.contains(&word));
        let of_type = names.iter().find(|name| listed.contains(name)).copied();
        let plain = || {
            listed
                .iter()
                .copied()
                .find(|&word| word != "*" && !is_type(word))
        };
        of_type
            .or_else(plain)
            .or_else(|| listed.contains(&"*").then_some(json_type))
    }
}

/// `id_form:` the form that ids must have for the dialect's models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdForm {
    /// A number that counts over the conversation, from 0.
    Count,
    /// This many ASCII letters and digits.
    Letters(usize),
}

impl IdForm {
    /// The form that the setting gives: `count` or `letters N`.
    pub(crate) fn parse(setting: &str) -> Option<IdForm> {
        match setting.split_once(' ') {
            None if setting == "count" => Some(IdForm::Count),
            Some(("letters", n)) => {
                let n = n.trim().parse().ok().filter(|n| (8..=64).contains(n));
                n.map(IdForm::Letters)
            }
            _ => None,
        }
    }

    /// Whether an id has this form.
    pub fn fits(self, id: &str) -> bool {
        match self {
            IdForm::Count => id.parse::<u64>().is_ok_and(|n| n.to_string() == id),
            IdForm::Letters(n) => {
                id.len() == n && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            }
        }
    }

    /// The id of this form with the number `n`.
    pub fn id(self, n: u64) -> String {
        match self {
            IdForm::Count => n.to_string(),
            IdForm::Letters(length) => {
                let number = format!("{n:0>length$}");
                // A longer number keeps its last digits, which distinguish it from the numbers before it.
                let number = &number[number.len() - length..];
                match number.strip_prefix("0000") {
                    Some(rest) => format!("call{rest}"),
                    None => number.into(),
                }
            }
        }
    }
}

fn kinds_of(kinds: &str) -> Result<Typing, String> {
    let is_type = |kind: &str| kind.bytes().all(|byte| takes(Capture::Type, byte));
    let mut list = Vec::new();
    for pair in kinds.split(',') {
        match pair
            .split_once(':')
            .map(|(kind, means)| (kind.trim(), means.trim()))
        {
            Some((kind, "string" | "json")) if kind != "*" && !is_type(kind) => {
                return Err(format!(
                    "`type({kinds})`: `type` does not read `{kind}`\na type is letters, digits and `_-.[]|?`"
                ));
            }
            Some((kind, "string")) => list.push((kind.to_string(), false)),
            Some((kind, "json")) => list.push((kind.to_string(), true)),
            _ => {
                return Err(format!(
                    "`type({kinds})`: each item is `VALUE: string` or `VALUE: json`"
                ));
            }
        }
    }
    Ok(Typing::Kind(list))
}

/// A setting of pairs: its name, and an example.
struct Pairs {
    name: &'static str,
    example: &'static str,
    /// The meaning is `true`, `false` or `null`, not a text.
    are_words: bool,
}

const ESCAPES: Pairs = Pairs {
    name: "escapes",
    example: "escapes(\"<br>\" = \"\\n\")",
    are_words: false,
};

const WORDS: Pairs = Pairs {
    name: "words",
    example: "words(\"yes\" = true, \"no\" = false, \"NULL\" = null)",
    are_words: true,
};

/// The opener of a section in which nothing is escaped.
pub(crate) const CDATA: &str = "<![CDATA[";

/// An escape that starts with a line break, and its meaning, both without that break.
pub(crate) fn without_break((written, meant): &(String, String)) -> Option<(&str, &str)> {
    Some((written.strip_prefix('\n')?, meant.strip_prefix('\n')?))
        .filter(|(written, _)| !written.is_empty())
}

/// The pairs of `escapes("\\\\|" = "|", "<br>" = "\\n")` or `words("yes" = true)`: each written text and its meaning.
fn pairs(part: &str, of: &Pairs) -> Result<Arc<[(String, String)]>, String> {
    let wrong = || {
        let example = of.example;
        format!("`{part}`: each pair is what is written and what that means, {example}")
    };
    let mut tokens = Lexer::new(&part[of.name.len()..], 0);
    let mut next = || tokens.next().ok().flatten().map(|(token, _)| token);
    let (mut pairs, mut before) = (Vec::new(), next());
    while let Some(Token::Mark('(' | ',')) = before {
        let pair = (next(), next(), next());
        let (written, meant) = match pair {
            (
                Some(Token::Literal(written)),
                Some(Token::Mark('=')),
                Some(Token::Literal(meant)),
            ) if !of.are_words => (written, meant),
            (Some(Token::Literal(written)), Some(Token::Mark('=')), Some(Token::Word(meant)))
                if of.are_words && matches!(&*meant, "true" | "false" | "null") =>
            {
                (written, meant)
            }
            _ => return Err(wrong()),
        };
        if written.trim().is_empty() && (of.are_words || written.is_empty()) || written == meant {
            return Err(wrong());
        }
        pairs.push((written, meant));
        before = next();
    }
    match (before, next()) {
        (Some(Token::Mark(')')), None) => Ok(pairs.into()),
        _ => Err(wrong()),
    }
}

/// The text in quotes between the parentheses of a part, `lists(",")`.
fn quoted(part: &str) -> Result<String, String> {
    let wrong = || format!("`{part}`: write the text in quotes, lists(\",\")");
    let inside = part
        .split_once('(')
        .and_then(|(_, rest)| rest.strip_suffix(')'));
    let mut tokens = Lexer::new(inside.unwrap_or_default(), 0);
    let mut next = || tokens.next().ok().flatten().map(|(token, _)| token);
    match (next(), next()) {
        // A blank separates words, so `lists` accepts one.
        (Some(Token::Literal(text)), None)
            if !text.trim().is_empty() || !text.is_empty() && part.starts_with("lists") =>
        {
            Ok(text)
        }
        _ => Err(wrong()),
    }
}

fn split_outside_parentheses(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut in_quotes, mut is_escaped) = (0, false, false);
    text.split(move |c| {
        match c {
            _ if is_escaped => {}
            '"' => in_quotes = !in_quotes,
            '(' if !in_quotes => depth += 1,
            ')' if !in_quotes => depth -= 1,
            _ => {}
        }
        is_escaped = c == '\\' && in_quotes && !is_escaped;
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
}
