//! Which dialects a chat template teaches.

mod jinja;
mod score;
pub(crate) mod template_run;

use std::cmp::Reverse;

use toolglot_engine::Dialect;
use toolglot_value::Value;

use crate::ImportError;
use jinja::{TemplateText, bounds};
use score::{Score, heads};
use template_run::RenderedCalls;

/// The dialects that a chat template teaches, as far as its text and its rendered calls show.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Detection {
    /// Dialects whose calls the template writes, or whose literals are in it, the best first.
    pub candidates: Vec<Candidate>,
    /// A call that the template renders, if the best candidate was chosen because it reads that call.
    pub call: Option<String>,
    /// A call that the template renders, if no candidate reads it.
    pub unread_call: Option<String>,
}

/// A dialect that a chat template may teach.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Candidate {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// Its literals that are in the template, in order.
    pub literals: Vec<FoundLiteral>,
    /// How it compares with the best candidate.
    pub rank: Rank,
}

/// A literal of a dialect, and where it is in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundLiteral {
    /// The literal, without blanks at its ends.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
}

/// How a candidate compares with the best one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Rank {
    /// It is the best.
    Best,
    /// It reads less of the call that the template renders.
    ReadsLess,
    /// It does not read that call.
    ReadsNoCall,
    /// Less of its text is in the template.
    FewerLiterals,
    /// As much of its text is there. These of its literals are not, and the best candidate has none of them.
    Lacks(Vec<&'static str>),
    /// Nothing distinguishes it from the best.
    Alike,
}

/// The dialects that a chat template teaches. The document is Jinja, or a `tokenizer_config.json` with a template.
///
/// Dialects that read most of the rendered call come first, or else those with most bytes of literals in the template.
/// Ties are broken in this order: literals of its own, a named model, calls with these blanks, a model's own dialect
/// before one for any model, more of all literals present, fewer missing.
///
/// The template runs with a budget of steps, bytes and time, on its own thread.
///
/// # Errors
/// [`ImportError::ChatTemplate`]: the template is too large, or takes too long.
///
/// ```
/// let template = "{% for call in message.tool_calls %}<tool_call>\n\
///     {\"name\": \"{{ call.name }}\", \"arguments\": {{ call.arguments | tojson }}}\n</tool_call>{% endfor %}";
/// let detection = toolglot_import::detect(template)?;
/// assert_eq!(detection.candidates[0].dialect.name(), "hermes");
/// # Ok::<(), toolglot_import::ImportError>(())
/// ```
pub fn detect(document: &str) -> Result<Detection, ImportError> {
    let source = template(document);
    let calls = rendered_calls(&source)?.calls;
    let TemplateText {
        text: template,
        places,
    } = TemplateText::of(&source);
    let mut scores: Vec<Score> = toolglot_dialects::union()
        .into_iter()
        .filter_map(|dialect| Score::in_template(dialect, &template, &source, &calls))
        .collect();
    // The sort is stable: a family's head comes before its followers.
    scores.sort_by_key(|one| {
        let (weight, present) = (Reverse(one.weight()), Reverse(one.present));
        let kind = usize::from(one.is_any()).max(heads(one.dialect).count());
        let own = Reverse(one.own(&template));
        let named = Reverse(one.is_named);
        let missing = one.absent.len();
        let written = Reverse(one.written);
        (weight, own, named, written, kind, present, missing)
    });
    // Reading the rendered call ranks before matching the text, unless the call is bare and the text teaches a marker.
    let is_marked = scores.first().is_some_and(|best| best.is_marked);
    let by_call = !(is_marked && calls.iter().any(|call| template_run::is_bare(call)));
    if by_call {
        scores.sort_by_key(|one| Reverse(one.covered));
    }
    let Some(best) = scores.first() else {
        return Ok(Detection::default());
    };
    let is_read = scores.iter().any(|one| one.covered.is_some());
    let call = calls.into_iter().next();
    let unread_call = call.clone().filter(|_| !is_read);
    let call = call.filter(|_| by_call && best.covered.is_some());
    let candidates = scores.iter().enumerate().map(|(n, one)| Candidate {
        dialect: one.dialect,
        literals: (one.evidence.iter())
            .map(|literal| {
                let (line, column) = place(&source, places[literal.at]);
                FoundLiteral {
                    text: literal.literal.clone(),
                    line,
                    column,
                }
            })
            .collect(),
        rank: match n {
            0 => Rank::Best,
            _ => rank(one, best, by_call),
        },
    });
    Ok(Detection {
        candidates: candidates.collect(),
        call,
        unread_call,
    })
}

/// The calls that a template renders, within its limits.
///
/// # Errors
/// [`ImportError::ChatTemplate`]: the template is too large, or takes too long.
pub(crate) fn rendered_calls(source: &str) -> Result<RenderedCalls, ImportError> {
    let too_much = |at: usize, what: String| {
        let (line, column) = place(source, at);
        ImportError::ChatTemplate { line, column, what }
    };
    bounds::check(source).map_err(|excess| too_much(excess.at, excess.what))?;
    template_run::rendered_calls(source).map_err(|what| too_much(0, what))
}

/// Whether a dialect reads the calls of a chat template.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateMatch {
    /// Whether the dialect reads the template's call with the values that were given to the template.
    pub is_match: bool,
    /// A call that the template renders; `None` if it renders none.
    pub call: Option<String>,
}

/// Renders a call with a chat template, and parses it with the given dialect.
///
/// # Errors
/// [`ImportError::ChatTemplate`]: the template is too large, or takes too long.
pub fn match_template(document: &str, dialect: &Dialect) -> Result<TemplateMatch, ImportError> {
    let calls = rendered_calls(&template(document))?.calls;
    Ok(TemplateMatch {
        is_match: template_run::covered(dialect, &calls).is_some(),
        call: calls.into_iter().next(),
    })
}

fn rank(one: &Score, best: &Score, by_call: bool) -> Rank {
    if by_call && one.covered < best.covered {
        return match one.covered {
            Some(_) => Rank::ReadsLess,
            None => Rank::ReadsNoCall,
        };
    }
    if one.weight() < best.weight() {
        return Rank::FewerLiterals;
    }
    match one.misses(best) {
        misses if misses.is_empty() => Rank::Alike,
        misses => Rank::Lacks(misses),
    }
}

/// The text of a template: Jinja as it is, or the templates in a `tokenizer_config.json`.
pub(crate) fn template(text: &str) -> String {
    let Ok(Value::Object(config)) = toolglot_value::from_str(text) else {
        return text.to_owned();
    };
    match &config.get("chat_template") {
        Some(Value::String(template)) => template.clone(),
        // Several templates by name.
        Some(Value::Array(all)) => all
            .iter()
            .filter_map(|one| one["template"].as_str())
            .collect::<Vec<_>>()
            .join("\n"),
        _ => text.to_owned(),
    }
}

/// Line and column of a byte, from 1.
fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..at];
    let line = before.matches('\n').count() + 1;
    let column = before
        .rsplit('\n')
        .next()
        .map_or(0, |line| line.chars().count())
        + 1;
    (line, column)
}
