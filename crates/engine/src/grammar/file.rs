//! Parses a file into dialects: headers, settings, own rules and inherited rules.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;

use super::ast::{Rule, Term, TermKind};
use super::bounds::{DIALECTS, FILE, NAMES, TERMS};
use super::{Dialect, GrammarError, IdForm, Values, lists, parse, words};

pub(super) fn read(file: &str, known: &[Dialect]) -> Result<Vec<Dialect>, GrammarError> {
    if file.len() > FILE {
        return Err(
            GrammarError::new(FILE..FILE, format!("the file is longer than {FILE} bytes"))
                .help("a dialect is a few lines: put several into files of their own"),
        );
    }
    let mut dialects: Vec<Dialect> = Vec::new();
    let mut inherited: Vec<Rule> = Vec::new();
    // The terms of the current dialect, and the place of its header.
    let mut n_terms = 0;
    let mut place = 0..0;
    rule_names(file)?;
    for (line, at) in logical_lines(file) {
        let mut words = line.trim().splitn(2, char::is_whitespace);
        let first = words.next().unwrap_or("");
        if first.is_empty() || first.starts_with('#') {
            // The comments of a dialect are part of its source.
            if let Some(dialect) = dialects.last_mut().filter(|_| !first.is_empty()) {
                let source = Arc::make_mut(&mut dialect.source);
                source.push_str(line.trim_end());
                source.push('\n');
            }
            continue;
        }
        if first == "dialect" {
            if let Some(dialect) = dialects.last_mut() {
                complete(dialect, &mut inherited, &place)?;
            }
            let (dialect, base_rules) =
                header(words.next().unwrap_or(""), line, at, known, &dialects)?;
            if dialects.len() == DIALECTS {
                return Err(GrammarError::new(
                    at..at + line.trim_end().len(),
                    format!("the file holds more than {DIALECTS} dialects"),
                )
                .help("put some into a file of their own"));
            }
            inherited = base_rules;
            n_terms = inherited.iter().map(|rule| 1 + rule.alt.n_terms()).sum();
            dialects.push(dialect);
            place = at..at + line.trim_end().len();
            continue;
        }
        let Some(dialect) = dialects.last_mut() else {
            return Err(
                GrammarError::new(at..at + line.len(), "a rule before any `dialect NAME`")
                    .help("start the file with `dialect NAME`"),
            );
        };
        let source = Arc::make_mut(&mut dialect.source);
        source.push_str(line.trim_end());
        source.push('\n');
        let name = dialect.name.clone();
        if let Some(setting) = first.strip_suffix(':') {
            let at = at + line.len() - line.trim_start().len();
            set(dialect, setting, &line.trim_start()[first.len()..], at)
                .map_err(|e| e.of(&name))?;
        } else {
            let mut rule = parse::rule(line, at).map_err(|e| e.of(&name))?;
            n_terms += 1 + rule.alt.n_terms();
            if n_terms > TERMS {
                return Err(GrammarError::new(
                    rule.span,
                    format!("the rules hold more than {TERMS} terms"),
                )
                .help("what is repeated is a rule of its own, and `( .. )*` repeats it")
                .of(&name));
            }
            // Without the rules that it refers to, which may stand for more terms than are allowed.
            let rules = core::mem::take(&mut dialect.rules);
            lists::divide_separators(dialect, &mut rule.alt);
            lists::distribute_closers(dialect, &mut rule.alt);
            dialect.rules = rules;
            Arc::make_mut(&mut dialect.rules).push(rule);
        }
    }
    if let Some(dialect) = dialects.last_mut() {
        complete(dialect, &mut inherited, &place)?;
    }
    Ok(dialects)
}

/// Checks the names of all rules before any rule's body: an outdated word in one rule may be the name of another rule.
fn rule_names(file: &str) -> Result<(), GrammarError> {
    for (line, at) in logical_lines(file) {
        let start = line.len() - line.trim_start().len();
        let line = line.trim_start();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
        let name = &line[..line.find(|c| !is_name(c)).unwrap_or(line.len())];
        let rest = line[name.len()..].trim_start();
        let is_rule = rest
            .trim_start_matches(is_name)
            .trim_start()
            .starts_with('=');
        if is_rule && !name.is_empty() {
            words::rule_name(name, at + start..at + start + name.len())?;
        }
    }
    Ok(())
}

/// Lines with their places. A line that starts with blanks and `|` is joined to the line before it.
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

/// Adds inherited rules after the own ones. An own rule replaces the inherited rules of its name, but `not_in_results`
/// rules add up. The rules that a base's model was taught are left out if the dialect has calls of its own.
fn complete(
    dialect: &mut Dialect,
    inherited: &mut Vec<Rule>,
    place: &Range<usize>,
) -> Result<(), GrammarError> {
    if dialect.rules.is_empty() && inherited.is_empty() {
        let what = format!("dialect `{}` has no rules", dialect.name);
        return Err(GrammarError::new(place.clone(), what)
            .help("say how a call is written: `call = \"<call \" name \">\" json \"</call>\"`"));
    }
    let mut missing = None;
    for rule in &*dialect.rules {
        rule.alt.each_reference(&mut |name, place| {
            let is_there = |rule: &Rule| rule.name == name && rule.tool.is_none();
            if missing.is_none() && !dialect.rules.iter().chain(&*inherited).any(is_there) {
                missing = Some((name.to_string(), place.clone()));
            }
        });
    }
    if let Some((name, place)) = missing {
        let rules = dialect.rules.iter().chain(&*inherited);
        let rules = rules.map(|rule| rule.name.as_str());
        return Err(words::no_rule(&name, rules, place).of(&dialect.name));
    }
    let has_other_calls = dialect
        .rules
        .iter()
        .any(|own| matches!(own.name.as_str(), "block" | "call" | "param") || own.is_taught());
    // Only own rules count, not those added here: a base may have several rules of one name.
    let n_own = dialect.rules.len();
    let base = Dialect {
        name: String::new(),
        settings: Arc::default(),
        values: Values::default(),
        rules: Arc::new(core::mem::take(inherited)),
        source: Arc::default(),
    };
    let parts = base.parts(|_| true).into_iter().map(String::from);
    let parts: BTreeSet<String> = parts.collect();
    for rule in base.rules.iter().cloned() {
        let is_replaced = dialect.rules[..n_own].iter().any(|own| {
            own.name == rule.name && own.tool == rule.tool && own.name != "not_in_results"
        });
        let is_foreign = has_other_calls && rule.is_taught();
        if !is_replaced && !is_foreign {
            Arc::make_mut(&mut dialect.rules).push(rule);
        }
    }
    unthought(dialect, n_own);
    // A part of a replaced rule must not become an entry. The same holds for the parts of such a part.
    let mut n_uses: BTreeMap<String, usize> = BTreeMap::new();
    for rule in &*dialect.rules {
        rule.alt.each_reference(&mut |name, _| {
            *n_uses.entry(name.into()).or_default() += 1;
        });
    }
    let is_part = |rule: &Rule| {
        rule.tool.is_none()
            && !matches!(rule.name.as_str(), "call" | "think" | "say" | "stop")
            && parts.contains(&rule.name)
    };
    let mut idle: Vec<String> = dialect.rules[n_own..]
        .iter()
        .filter(|rule| is_part(rule) && !n_uses.contains_key(&rule.name))
        .map(|rule| rule.name.clone())
        .collect();
    while let Some(name) = idle.pop() {
        let mut n = 0;
        Arc::make_mut(&mut dialect.rules).retain(|rule| {
            n += 1;
            let is_dropped = n > n_own && rule.name == name && is_part(rule);
            if is_dropped {
                rule.alt.each_reference(&mut |used, _| {
                    let left = n_uses.get_mut(used).expect("every use was counted");
                    *left -= 1;
                    if *left == 0 {
                        idle.push(used.into());
                    }
                });
            }
            !is_dropped
        });
    }
    Ok(())
}

/// Adds the closers of the dialect's own reasoning to the base's rule for the end of reasoning that the prompt opened.
fn unthought(dialect: &mut Dialect, n_own: usize) {
    let has_own = |name: &str| dialect.rules[..n_own].iter().any(|rule| rule.name == name);
    if has_own("unthought") || !has_own("think") {
        return;
    }
    let think = dialect.rules_named("think").flat_map(|rule| &rule.alt.0);
    let closers: Vec<Vec<Term>> = think.flat_map(|seq| closers(dialect, seq)).collect();
    let mut rules = Arc::make_mut(&mut dialect.rules).iter_mut();
    let rule = rules.find(|rule| rule.name == "unthought");
    if let Some(rule) = rule {
        for closer in closers {
            let is_same = |seq: &Vec<Term>| {
                seq.len() == closer.len() && seq.iter().zip(&closer).all(|(a, b)| a.kind == b.kind)
            };
            if !rule.alt.0.iter().any(is_same) {
                rule.alt.0.push(closer);
            }
        }
    }
}

/// The terms that end the reasoning of a sequence, except calls.
fn closers(dialect: &Dialect, seq: &[Term]) -> Vec<Vec<Term>> {
    let text = seq
        .iter()
        .position(|term| matches!(term.kind, TermKind::Raw(..)));
    let after = text.map_or(&[][..], |at| &seq[at + 1..]);
    match after {
        [] => Vec::new(),
        [term] => match &term.kind {
            TermKind::Group(alt) => {
                let all = alt.0.iter();
                all.filter(|seq| !seq.iter().any(|term| dialect.reaches_call(term)))
                    .cloned()
                    .collect()
            }
            TermKind::Optional(inner, _) => vec![vec![inner.as_ref().clone()]],
            _ if dialect.reaches_call(term) => Vec::new(),
            _ => vec![vec![term.clone()]],
        },
        terms => vec![terms.to_vec()],
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
            GrammarError::new(place, format!("invalid dialect name `{name}`"))
                .help("lower-case letters, digits and `_`: `dialect qwen3_coder`"),
        );
    }
    if earlier.iter().any(|dialect| dialect.name == name) {
        return Err(
            GrammarError::new(place, format!("dialect `{name}` is there twice"))
                .help("give one of them another name"),
        );
    }
    let mut dialect = Dialect {
        name: name.into(),
        settings: Arc::default(),
        values: Values::default(),
        rules: Arc::default(),
        source: Arc::new(format!("{}\n", line.trim_end())),
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
            .help("a dialect builds on one that comes before it"));
        };
        dialect.settings = Arc::clone(&found.settings);
        Arc::make_mut(&mut dialect.settings).retain(|(key, _)| {
            matches!(
                key.as_str(),
                "values"
                    | "case"
                    | "tools"
                    | "split"
                    | "not_tools"
                    | "no_tool"
                    | "stop_strings"
                    | "empty_if_absent"
                    | "between_calls"
                    | "id_spelling"
                    | "id_form"
            )
        });
        dialect.values = found.values.clone();
        rules.clone_from(&*found.rules);
    }
    Ok((dialect, rules))
}

fn set(dialect: &mut Dialect, setting: &str, value: &str, at: usize) -> Result<(), GrammarError> {
    let place = at..at + setting.len() + 1;
    words::setting(setting, at..at + setting.len())?;
    let value_at = at + setting.len() + 1;
    if matches!(setting, "id_spelling" | "values") {
        words::holes(value, value, value_at)?;
        if let Some(found) = value.find("schema|kind(") {
            let found = value_at + found + "schema|".len();
            return Err(words::replaced("kind", "type", found..found + 4));
        }
    }
    let value = value.trim().to_string();
    if setting == "id_spelling" && !value.contains("{id}") {
        return Err(GrammarError::new(
            place,
            format!("`id_spelling: {value}` does not hold `{{id}}`"),
        )
        .help("write the id around what `id` captures: `functions.{name}:{id}`"));
    }
    if setting == "id_form" && IdForm::parse(&value).is_none() {
        return Err(
            GrammarError::new(place, format!("unknown form of an id `id_form: {value}`"))
                .help("write `id_form: count` or `id_form: letters 9`: 8 to 64 letters and digits"),
        );
    }
    if setting == "auto_without" && value != "say" {
        return Err(GrammarError::new(
            place,
            format!("`auto_without: {value}` names no such rules"),
        )
        .help(
            "write `auto_without: say`: only `say` may be read only where one dialect is named",
        ));
    }
    if setting == "between_calls" && value != "nothing" {
        return Err(
            GrammarError::new(place, format!("`between_calls: {value}` is not known"))
                .help("write `between_calls: nothing`; without it each call starts a line"),
        );
    }
    if setting == "empty_if_absent" && !value.split('|').all(|named| named.contains('.')) {
        return Err(
            GrammarError::new(place, format!("`empty_if_absent: {value}` names no tool"))
                .help("write the tool before each argument: `empty_if_absent: write_file.content`"),
        );
    }
    if matches!(setting, "tools" | "not_tools" | "no_tool") && value.contains(',') {
        return Err(GrammarError::new(
            place,
            format!("`{setting}: {value}` has a comma in a name"),
        )
        .help(format!("separate names by `|`: `{setting}: search|ping`")));
    }
    if value.split('|').count() > NAMES {
        return Err(
            GrammarError::new(place, format!("`{setting}` lists more than {NAMES} names"))
                .help("a tool set has its own names: `--tools FILE`"),
        );
    }
    if setting == "values" {
        dialect.values = Values::parse(&value).map_err(|message| {
            // A message may have a line of help.
            let help = "the parts have commas between them: `values: schema|infer, lists(\";\"), entities`";
            let (message, help) = message.split_once('\n').unwrap_or((&message, help));
            GrammarError::new(place, message).help(help)
        })?;
    }
    let settings = Arc::make_mut(&mut dialect.settings);
    settings.retain(|(key, _)| key != setting);
    settings.push((setting.into(), value));
    Ok(())
}
