//! A dialect file drafted from the call that a chat template renders.

use toolglot_value::Value;

use crate::ImportError;
use crate::detect::template_run::{RenderedCalls, covered};
use crate::detect::{rendered_calls, template};
use crate::probe::{CALL_ID, NUMBER, TEXT, TOOL, arguments};

/// The dialect file, with one dialect called `name`, whose rule reads the call that a chat template renders.
///
/// It supports arguments in one JSON object, JSON objects that also hold the name, and parameters with a key and a raw
/// value. The dialect is tested: it reads the call.
///
/// # Errors
/// [`ImportError::ChatTemplate`]: the template is too large, or takes too long.
/// [`ImportError::NoDraft`]: it renders no call, or one in another form.
///
/// ```
/// let template = "{% for call in messages[-1].tool_calls %}<<{{ call.function.name }}>>\
///     {{ call.function.arguments | tojson }}<</call>>{% endfor %}";
/// let file = toolglot_import::draft(template, "mine")?;
/// assert!(file.ends_with("call = \"<<\" name \">>\" ws json ws \"<</call>>\"\n"));
/// # Ok::<(), toolglot_import::ImportError>(())
/// ```
pub fn draft(document: &str, name: &str) -> Result<String, ImportError> {
    let RenderedCalls { calls, turn_end } = rendered_calls(&template(document))?;
    let mut candidates: Vec<&str> = calls
        .iter()
        .map(|call| call.trim().trim_end_matches(turn_end.trim()).trim_end())
        .collect();
    // The common start with another answer may end inside a marker; the rest of that marker starts with a letter.
    candidates.sort_by_key(|call| (call.starts_with(char::is_alphanumeric), call.len()));
    for call in &candidates {
        for pieces in [json_call(call), tagged_call(call)].into_iter().flatten() {
            let file = file(&pieces, name);
            let dialects = toolglot_dialects::parse(&file).unwrap_or_default();
            let reads = |dialect| covered(dialect, &[(*call).to_owned()]).is_some();
            if dialects.first().is_some_and(reads) {
                return Ok(file);
            }
        }
    }
    let call = candidates.first().map(|call| (*call).to_owned());
    Err(ImportError::NoDraft { call })
}

/// A piece of a rule.
#[derive(Clone, Debug, PartialEq)]
enum Piece {
    /// Text that the template wrote.
    Literal(String),
    /// A word of the notation, or a part of one.
    Word(String),
}

fn word(word: &str) -> Piece {
    Piece::Word(word.to_owned())
}

fn file(pieces: &[Piece], name: &str) -> String {
    let rule = rule(pieces);
    format!(
        "dialect {name} : chat\nmodels: who trains it\nsource: its chat template\ncall = {rule}\n"
    )
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\n' | '\t')
}

/// The pieces as a rule: it reads any blanks at the ends of literals, and writes those of the template.
fn rule(pieces: &[Piece]) -> String {
    let mut words: Vec<String> = Vec::new();
    for (n, piece) in pieces.iter().enumerate() {
        // A blank before a name or a key ends a word: `<do ` is not `<done`.
        let is_before_capture =
            matches!(pieces.get(n + 1), Some(Piece::Word(next)) if next != "raw" && !is_json(next));
        match piece {
            Piece::Literal(text) => {
                let middle = text.trim_matches(is_blank);
                let start = &text[..text.len() - text.trim_start_matches(is_blank).len()];
                let end = &text[start.len() + middle.len()..];
                words.extend((!start.is_empty()).then(|| blanks(start)));
                if end == " " && is_before_capture && !middle.is_empty() {
                    words.push(quoted(&format!("{middle} ")));
                    continue;
                }
                words.extend((!middle.is_empty()).then(|| quoted(middle)));
                words.extend((!end.is_empty()).then(|| blanks(end)));
            }
            Piece::Word(word) if is_json(word) => {
                // A model may write blanks where the template has none.
                let is_after_blanks = words.last().is_some_and(|last| last.starts_with("ws"));
                words.extend((!is_after_blanks).then(|| "ws".to_owned()));
                words.push(word.clone());
                let starts_blank = matches!(pieces.get(n + 1), Some(Piece::Literal(next)) if next.starts_with(is_blank));
                let is_last = n + 1 == pieces.len();
                words.extend((!starts_blank && !is_last).then(|| "ws".to_owned()));
            }
            Piece::Word(word) => words.push(word.clone()),
        }
    }
    words.join(" ").replace("( ", "(").replace(" )*", ")*")
}

fn blanks(text: &str) -> String {
    format!("ws({})", quoted(text))
}

fn is_json(word: &str) -> bool {
    word == "json" || word.starts_with("object(")
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    format!("\"{}\"", escaped.replace('\n', "\\n").replace('\t', "\\t"))
}

/// Text before the arguments or after them: the name and the id are captures before, and holes after.
fn around(text: &str, is_before: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    loop {
        let found = [(TOOL, "name"), (CALL_ID, "id")]
            .into_iter()
            .filter_map(|(value, word)| Some((rest.find(value)?, value, word)))
            .min();
        let Some((at, value, capture)) = found.filter(|_| is_before) else {
            break;
        };
        pieces.push(Piece::Literal(rest[..at].to_owned()));
        pieces.push(word(capture));
        rest = &rest[at + value.len()..];
    }
    let rest = rest.replace(TOOL, "{name}").replace(CALL_ID, "{id}");
    pieces.push(Piece::Literal(rest));
    pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    pieces
}

/// A call as JSON: one object that is the arguments, or that holds the name and the arguments.
fn json_call(call: &str) -> Option<Vec<Piece>> {
    call.match_indices('{').find_map(|(at, _)| {
        let mut values = serde_json::Deserializer::from_str(&call[at..]).into_iter::<Value>();
        let value = values.next()?.ok()?;
        let end = at + values.byte_offset();
        let object = if value == arguments() {
            "json".to_owned()
        } else {
            let is_string = |wanted: &'static str| {
                move |value: &Value| value.as_str().is_some_and(|text| text == wanted)
            };
            let name = path(&value, &is_string(TOOL))?;
            let args = path(&value, &|value| *value == arguments())?;
            let id = path(&value, &is_string(CALL_ID));
            let id = id.map_or_else(String::new, |id| format!(", id: {id}"));
            format!("object(name: {name}, args: {args}{id})")
        };
        let mut pieces = around(&call[..at], true);
        pieces.push(Piece::Word(object));
        pieces.extend(around(&call[end..], false));
        Some(pieces)
    })
}

/// The path of the wanted member, such as `function.name`.
fn path(object: &Value, is_wanted: &dyn Fn(&Value) -> bool) -> Option<String> {
    object.as_object()?.iter().find_map(|(key, value)| {
        if is_wanted(value) {
            return Some(key.clone());
        }
        let inner = path(value, is_wanted)?;
        Some(format!("{key}.{inner}"))
    })
}

/// A call as parameters: each has its key and a raw value, with the same text around both.
fn tagged_call(call: &str) -> Option<Vec<Piece>> {
    let number = NUMBER.to_string();
    let text = Parameter::find(call, "text", TEXT)?;
    let number = Parameter::find(call, "number", &number)?;
    let (first, second) = if text.value_at < number.value_at {
        (text, number)
    } else {
        (number, text)
    };
    let (first_end, second_end) = (first.end(), second.end());
    let between = call.get(first_end..second.key_at)?;
    let tail = call[second_end..].replace(second.key, "{key}");
    let between = between.replace(first.key, "{key}");
    // The closer is the common text after both values, up to where an opener may start.
    let common = between
        .bytes()
        .zip(tail.bytes())
        .take_while(|(a, b)| a == b);
    let mut closer_end = common.count();
    while !between.is_char_boundary(closer_end) {
        closer_end -= 1;
    }
    let is_end = |c: char| !c.is_alphanumeric() && !"<[{(|".contains(c);
    let closer_end = between[..closer_end].rfind(is_end).map_or(0, |at| {
        at + between[at..].chars().next().map_or(0, char::len_utf8)
    });
    let (closer, opener) = between.split_at(closer_end);
    let head = call[..first.key_at].strip_suffix(opener)?;
    let middle = &call[first.key_at + first.key.len()..first.value_at];
    if middle != &call[second.key_at + second.key.len()..second.value_at] {
        return None;
    }
    let mut pieces = around(head, true);
    pieces.push(word("("));
    pieces.push(Piece::Literal(opener.to_owned()));
    pieces.push(word("key"));
    pieces.push(Piece::Literal(middle.to_owned()));
    pieces.push(word("raw"));
    pieces.push(Piece::Literal(closer.to_owned()));
    pieces.push(word(")*"));
    pieces.extend(around(&tail[closer.len()..], false));
    pieces.retain(|piece| !matches!(piece, Piece::Literal(text) if text.is_empty()));
    Some(pieces)
}

/// A parameter in a call.
struct Parameter<'a> {
    key: &'a str,
    key_at: usize,
    value_at: usize,
    value: &'a str,
}

impl<'a> Parameter<'a> {
    fn find(call: &str, key: &'a str, value: &'a str) -> Option<Parameter<'a>> {
        // The id of a call may hold digits.
        let masked = call.replace(CALL_ID, &"_".repeat(CALL_ID.len()));
        let value_at = masked.find(value)?;
        let key_at = masked[..value_at].rfind(key)?;
        Some(Parameter {
            key,
            key_at,
            value_at,
            value,
        })
    }

    fn end(&self) -> usize {
        self.value_at + self.value.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A template that writes one call of the probe between `head` and `tail`.
    fn check(template: &str, expected: &str) {
        let file = draft(template, "mine").expect("a dialect");
        let rules = file.split_once("template\n").expect("a header").1;
        assert_eq!(rules, expected);
    }

    const CALLS: &str = "{% for c in messages[-1].tool_calls %}";

    #[test]
    fn a_name_before_an_object() {
        check(
            &format!(
                "{CALLS}[[{{{{ c.function.name }}}}]]\n{{{{ c.function.arguments | tojson }}}}\n[[/]]{{% endfor %}}"
            ),
            "call = \"[[\" name \"]]\" ws(\"\\n\") json ws(\"\\n\") \"[[/]]\"\n",
        );
    }

    #[test]
    fn an_object_that_holds_the_name() {
        check(
            &format!(
                "{CALLS}<fn>{{{{ {{'id': c.id, 'do': {{'what': c.function.name, 'with': c.function.arguments}}}} | tojson }}}}</fn>{{% endfor %}}"
            ),
            "call = \"<fn>\" ws object(name: do.what, args: do.with, id: id) ws \"</fn>\"\n",
        );
    }

    #[test]
    fn parameters_with_keys() {
        check(
            &format!(
                "{CALLS}<do {{{{ c.function.name }}}}>\n{{% for k, v in c.function.arguments.items() %}}<p n={{{{ k }}}}>{{{{ v }}}}</p>\n{{% endfor %}}</do>{{% endfor %}}"
            ),
            "call = \"<do \" name \">\" ws(\"\\n\") (\"<p n=\" key \">\" raw \"</p>\" ws(\"\\n\"))* \"</do>\"\n",
        );
        check(
            &format!(
                "{CALLS}<{{{{ c.function.name }}}}>{{% for k, v in c.function.arguments.items() %}}<{{{{ k }}}}>{{{{ v }}}}</{{{{ k }}}}>{{% endfor %}}</{{{{ c.function.name }}}}>{{% endfor %}}"
            ),
            "call = \"<\" name \">\" (\"<\" key \">\" raw \"</{key}>\")* \"</{name}>\"\n",
        );
    }

    #[test]
    fn what_has_no_such_form_is_refused_with_the_call() {
        let template = format!("{CALLS}{{{{ c.function.name }}}}: one two and 31{{% endfor %}}");
        let error = draft(&template, "mine").expect_err("no form");
        assert!(matches!(error, ImportError::NoDraft { call: Some(call) } if call.contains(TOOL)));
        let error = draft("Hello {{ name }}!", "mine").expect_err("no call");
        assert_eq!(error, ImportError::NoDraft { call: None });
    }
}
