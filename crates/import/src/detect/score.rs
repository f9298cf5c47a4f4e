//! How much of a dialect is in a template.

use toolglot_engine::form::Forms;
use toolglot_engine::{Dialect, Evidence};

use super::template_run;

/// A dialect with literals in the template, or one that reads its rendered call.
pub(super) struct Score {
    pub(super) dialect: &'static Dialect,
    pub(super) evidence: Vec<Evidence>,
    /// Bytes of all its literals in the template, also of those for reasoning, answers and ends of turns.
    pub(super) present: usize,
    /// Its literals that are not in the template.
    pub(super) absent: Vec<&'static str>,
    /// Bytes of the literals of its written calls, blanks included: those in the template, minus those that are not.
    pub(super) written: isize,
    /// Whether the template names a model of the dialect.
    pub(super) is_named: bool,
    /// Whether one of its literals in the template is a marker.
    pub(super) is_marked: bool,
    /// If it reads the rendered call: the number of characters of the call and its markers.
    pub(super) covered: Option<usize>,
}

impl Score {
    /// `template` is the text that `source` writes; `calls` are the calls that it renders.
    pub(super) fn in_template(
        dialect: &'static Dialect,
        template: &str,
        source: &str,
        calls: &[String],
    ) -> Option<Score> {
        let covered = template_run::covered(dialect, calls);
        let mut evidence = dialect.found_in(template);
        // Words of prose are not markers, except one before a bracket.
        let nexts = evidence.iter().skip(1).map(Some).chain([None]);
        let counts: Vec<bool> = evidence
            .iter()
            .zip(nexts)
            .map(|(one, next)| {
                !is_word(&one.literal) || next.is_some_and(|next| next.literal == "[")
            })
            .collect();
        let mut counts = counts.into_iter();
        evidence.retain(|_| counts.next().unwrap_or_default());
        let is_marked = match &evidence[..] {
            [only] => is_marker(&only.literal) && !is_label(&only.literal),
            all => all.iter().any(|one| is_marker(&one.literal)),
        };
        let is_taught = is_marked || is_bare_call(&evidence, template);
        if !is_taught && covered.is_none() {
            return None;
        }
        let (present, absent): (Vec<&str>, Vec<&str>) = (dialect.literals().into_iter())
            .filter(|literal| !is_word(literal))
            .partition(|literal| template.contains(literal));
        let literals = Forms::new(dialect).literals().into_iter();
        let written = literals.map(|literal| {
            let length = literal.len().cast_signed();
            if template.contains(&literal) {
                length
            } else if template.contains(literal.trim()) {
                0
            } else {
                -length
            }
        });
        Some(Score {
            dialect,
            evidence,
            present: present.iter().map(|literal| literal.len()).sum(),
            absent,
            written: written.sum(),
            is_named: names_model(dialect, source),
            is_marked,
            covered,
        })
    }

    /// Bytes of its literals in the template that the head of all its families lacks.
    pub(super) fn own(&self, template: &str) -> usize {
        let Some(head) = heads(self.dialect).last() else {
            return 0;
        };
        let theirs = head.literals();
        let own = self.dialect.literals().into_iter();
        own.filter(|literal| !theirs.contains(literal) && template.contains(literal))
            .map(str::len)
            .sum()
    }

    pub(super) fn weight(&self) -> usize {
        self.evidence.iter().map(|one| one.literal.len()).sum()
    }

    /// Whether the dialect is for any model.
    pub(super) fn is_any(&self) -> bool {
        let models = self.dialect.setting("models");
        models.is_some_and(|models| models.starts_with("any"))
    }

    /// Its literals that are neither in the template nor among those of `other`.
    pub(super) fn misses(&self, other: &Score) -> Vec<&'static str> {
        let theirs = other.dialect.literals();
        let own = self.absent.iter().copied();
        own.filter(|literal| !theirs.contains(literal)).collect()
    }
}

/// The dialect that is preferred if both read the same bytes, the one preferred to that one, and so on.
pub(super) fn heads(dialect: &Dialect) -> impl Iterator<Item = &'static Dialect> {
    let next = |one: &Dialect| {
        let family = one
            .setting("auto_prefers")
            .filter(|&name| name != one.name());
        family.and_then(toolglot_dialects::get)
    };
    std::iter::successors(next(dialect), move |one| next(one))
}

/// A quoted key alone is not a marker, as every template with tools has it. Any prose may have a fence.
fn is_marker(literal: &str) -> bool {
    literal.len() > 2 && !literal.starts_with('"') && !literal.chars().all(|c| c == '`')
}

/// Longest text between the name of a bare call and the key of its arguments, in bytes.
const HEAD: usize = 160;

/// Whether the template writes an object with only a name and arguments: a call without a marker.
fn is_bare_call(evidence: &[Evidence], template: &str) -> bool {
    let has = |key: &&str| evidence.iter().any(|one| one.literal == *key);
    let keys = ["\"parameters\"", "\"arguments\""];
    let key = keys.iter().find(|key| has(key));
    let opener = "{\"name\":";
    has(&"\"name\"")
        && key.is_some_and(|key| {
            template.match_indices(opener).any(|(at, _)| {
                // After a tag, the object is the content of that tag.
                let is_bare = !template[..at].trim_end().ends_with(['>', ']']);
                let rest = &template[at + opener.len()..];
                let between = rest.find(key).map(|end| &rest[..end]);
                is_bare
                    && between.is_some_and(|between| {
                        between.len() < HEAD
                            && !between.contains(['{', '}', '['])
                            && !between.contains("\"description\"")
                    })
            })
        })
}

/// Words with punctuation: `functions.`, `, and`.
fn is_word(literal: &str) -> bool {
    let is_sign = |c: char| matches!(c, '_' | '.' | ',' | '-' | ' ');
    literal.contains(char::is_alphanumeric)
        && literal.chars().all(|c| c.is_alphanumeric() || is_sign(c))
}

/// The label of a field in any form: `Answer: `. Two of them are a marker.
fn is_label(literal: &str) -> bool {
    literal.trim_end().strip_suffix(':').is_some_and(is_word)
}

/// The shortest word that identifies a model without its number.
const TELLING: usize = 5;

/// Whether the template names a model of the dialect's: `Laguna`, `Granite 3.3` without its number, `GLM-4.7` with it.
fn names_model(dialect: &Dialect, template: &str) -> bool {
    let plain = |text: &str| -> String {
        let letters = text.chars().filter(|c| !matches!(c, ' ' | '-'));
        letters.flat_map(char::to_lowercase).collect()
    };
    let template = plain(template);
    let models = dialect.setting("models").unwrap_or_default();
    models.split(',').map(plain).any(|model| {
        let word = model.split(|c: char| c.is_ascii_digit()).next();
        let word = word.filter(|word| word.len() >= TELLING).unwrap_or(&model);
        word.len() >= TELLING && template.contains(word)
    })
}
