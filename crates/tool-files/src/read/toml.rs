//! TOML: the fields of the YAML form.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::reading::Reading;
use super::yaml;
use crate::diagnostic::Diagnostics;
use crate::literal::{Content, Literal, MAX_DEPTH, Member, integer, number};
use crate::rule;

pub(super) fn read(source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let mut reading = Reading::default();
    let (table, errors) = DeTable::parse_recoverable(source);
    for error in &errors {
        let at = error.span().unwrap_or(0..0);
        diagnostics.add(
            rule::SYNTAX,
            at,
            format!("this is not TOML: {}", error.message()),
        );
    }
    if !errors.is_empty() {
        return reading;
    }
    let span = table.span();
    let members = members(table.get_ref(), 0, diagnostics);
    let document = Literal::new(span, Content::Map(members));
    yaml::fill(&document, &mut reading, diagnostics);
    reading
}

fn members(table: &DeTable<'_>, depth: usize, diagnostics: &mut Diagnostics) -> Vec<Member> {
    let mut members: Vec<Member> = table
        .iter()
        .map(|(key, value)| Member {
            key: key.get_ref().to_string(),
            key_span: key.span(),
            value: literal(value, depth, diagnostics),
        })
        .collect();
    members.sort_by_key(|member| member.key_span.start);
    members
}

fn literal(value: &Spanned<DeValue<'_>>, depth: usize, diagnostics: &mut Diagnostics) -> Literal {
    let span = value.span();
    if depth >= MAX_DEPTH {
        diagnostics.add(rule::SYNTAX, span.clone(), "this nests too deep".to_owned());
        return Literal::computed(span);
    }
    let parsed = match value.get_ref() {
        DeValue::String(text) => Some(Content::Text(text.to_string())),
        DeValue::Boolean(flag) => Some(Content::Bool(*flag)),
        DeValue::Integer(written) => {
            let text = written.as_str();
            let (sign, digits) = match text.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", text.trim_start_matches('+')),
            };
            integer(digits, written.radix())
                .and_then(|number| format!("{sign}{number}").parse().ok())
                .map(Content::Number)
        }
        DeValue::Float(written) => written
            .as_str()
            .parse()
            .ok()
            .and_then(|float| number(float, false))
            .map(Content::Number),
        DeValue::Datetime(moment) => Some(Content::Text(moment.to_string())),
        DeValue::Array(items) => Some(Content::List(
            items
                .iter()
                .map(|item| literal(item, depth + 1, diagnostics))
                .collect(),
        )),
        DeValue::Table(table) => Some(Content::Map(members(table, depth + 1, diagnostics))),
    };
    let Some(content) = parsed else {
        diagnostics.add(
            rule::COMPUTED,
            span.clone(),
            "JSON cannot carry this number".to_owned(),
        );
        return Literal::computed(span);
    };
    Literal::new(span, content)
}
