//! Shell scripts: a header of comments, behind the shebang and the signature.
//!
//! Two forms are read. YAML's fields, from the first `# key:` line to the end of the comments:
//!
//! ```text
//! #!/usr/bin/env bash
//! # tool_id: count-lines
//! # version: "1.0.0"
//! ```
//!
//! and Python's variables, from the first `# __name__ = ..` line on. Prose may stand before either, and behind it too
//! after an empty line of the file. Between two lines `# ---` nothing but fields stands.

use std::ops::Range;

use super::code::{Code, WorksOn};
use super::{Reading, python, yaml};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fields;
use crate::rules;

pub(super) fn read(source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let header = Header::of(source);
    let mut inner = Diagnostics::default();
    let mut reading = Reading::default();
    match header.form {
        Form::Yaml => {
            if let Some(document) = yaml::document(&header.text, &mut inner) {
                yaml::fill(&document, &mut reading, &mut inner);
            }
        }
        Form::Variables => reading = python::literal(&header.text, &mut inner),
        Form::None => diagnostics.help(
            rules::SYNTAX,
            0..source.find('\n').unwrap_or(source.len()),
            "no comment at the begin of the script says what the tool is".to_owned(),
            "write `# tool_id: ..` and the other fields under the shebang".to_owned(),
        ),
    }
    for diagnostic in inner.sorted() {
        diagnostics.push(Diagnostic {
            span: header.range(diagnostic.span),
            ..diagnostic
        });
    }
    for field in &mut reading.fields {
        field.name_span = header.range(field.name_span.clone());
        relocate(&mut field.value, &header);
    }
    // A script is a program by itself.
    reading.code.has_main_block = true;
    facts(source, &mut reading.code);
    reading
}

/// What a script's text tells: which path of a parameter it uses, what it fetches, whether a failure is one. No shell is
/// read here, so it is told by words, and only where nothing speaks against it.
fn facts(source: &str, code: &mut Code) {
    let (mut n_commands, mut stops, mut checks) = (0, false, false);
    let (mut first, mut at, mut heredoc) = (None, 0, None);
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim();
        if let Some(end) = &heredoc {
            if plain == end {
                heredoc = None;
            }
            continue;
        }
        if plain.is_empty() || plain.starts_with('#') {
            continue;
        }
        if let Some((_, behind)) = plain.split_once("<<").filter(|(_, b)| !b.starts_with('<')) {
            let word = behind.trim_start_matches('-').trim_start();
            let word = word
                .split([' ', ';', '|', ')', '>'])
                .next()
                .unwrap_or_default();
            heredoc = Some(word.trim_matches(['"', '\'']).to_owned());
        }
        let begin = start + (line.len() - line.trim_start().len());
        let span = begin..begin + plain.len();
        let own: Vec<&str> = words(plain).collect();
        stops |= plain.contains("||")
            || own.contains(&"exit")
            || own.contains(&"trap")
            || plain.contains("\"success\"")
            || (own.first() == Some(&"set") && own.iter().any(|word| sets_errexit(word)))
            || plain.contains("errexit");
        checks |= own.contains(&"realpath") || plain.contains("readlink -f");
        if own.first() != Some(&"set") && !closes(plain) {
            n_commands += 1;
            first = first.or(Some(span.clone()));
        }
        if own.iter().any(|word| is_fetcher(word)) {
            code.works_on
                .entry(WorksOn::Network)
                .or_insert(span.clone());
        }
        if code.uses_paths.is_none() && names_path(plain) {
            code.uses_paths = Some(span);
        }
    }
    code.checks_paths = checks;
    code.goes_on = first.filter(|_| n_commands > 1 && !stops);
}

/// The words of a command line, without what a shell makes of them.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && !"-_./+".contains(c))
        .filter(|word| !word.is_empty())
}

/// Whether a word is a program that asks the network.
pub(crate) fn is_fetcher(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    ["curl", "wget", "scp", "sftp", "ssh", "rsync", "ncat"].contains(&name)
}

/// `-e`, `-euo`; not `--`.
fn sets_errexit(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|letters| !letters.starts_with('-') && letters.contains('e'))
}

/// Whether a line only ends what another began.
fn closes(line: &str) -> bool {
    ["fi", "done", "esac", "}", ";;", "else", "then", "do"].contains(&line)
}

/// Whether a line speaks of a parameter that is named as paths are.
fn names_path(line: &str) -> bool {
    line.match_indices("TOOLGLOT_PARAM_").any(|(at, prefix)| {
        let rest = &line[at + prefix.len()..];
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = rest[..end.unwrap_or(rest.len())].to_ascii_lowercase();
        ["path", "file", "dir", "directory", "folder"]
            .iter()
            .any(|word| name == *word || name.ends_with(&format!("_{word}")))
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    None,
    Yaml,
    Variables,
}

/// The header without its comment signs, and where each of its lines stands in the file.
struct Header {
    form: Form,
    text: String,
    /// Begin in `text`, begin in the file.
    lines: Vec<(usize, usize)>,
}

impl Header {
    fn of(source: &str) -> Header {
        let mut header = Header {
            form: Form::None,
            text: String::new(),
            lines: Vec::new(),
        };
        let mut at = 0;
        let mut is_fenced = false;
        for line in source.split_inclusive('\n') {
            let start = at;
            at += line.len();
            let plain = line.trim_end_matches(['\n', '\r']);
            if start == 0 && plain.starts_with("#!") {
                continue;
            }
            let Some(comment) = plain.strip_prefix('#') else {
                if plain.trim().is_empty() && header.form == Form::None {
                    continue;
                }
                break;
            };
            let body = comment.strip_prefix(' ').unwrap_or(comment);
            if crate::sign::is_signature_like(plain) {
                continue;
            }
            if body.trim_end() == "---" {
                if is_fenced {
                    break;
                }
                is_fenced = header.form == Form::None;
                continue;
            }
            if header.form == Form::None {
                header.form = form(body);
                if header.form == Form::None {
                    continue;
                }
            }
            header
                .lines
                .push((header.text.len(), start + (plain.len() - body.len())));
            header.text.push_str(body);
            header.text.push('\n');
        }
        header
    }

    fn at(&self, at: usize) -> usize {
        let line = self.lines.partition_point(|(begin, _)| *begin <= at);
        match line.checked_sub(1).and_then(|line| self.lines.get(line)) {
            Some((begin, in_file)) => in_file + (at - begin),
            None => 0,
        }
    }

    fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.at(range.start);
        start..self.at(range.end).max(start)
    }
}

/// The form that a header has which begins with this line.
fn form(line: &str) -> Form {
    if let Some((variable, _)) = line.split_once('=')
        && fields::of_variable(variable.trim()).is_some()
    {
        return Form::Variables;
    }
    match line.split_once(':') {
        Some((key, value))
            if fields::FIELDS.contains(&key) && (value.is_empty() || value.starts_with(' ')) =>
        {
            Form::Yaml
        }
        _ => Form::None,
    }
}

/// Moves a literal to where it stands in the file. As deep as literals nest.
fn relocate(literal: &mut crate::literal::Literal, header: &Header) {
    use crate::literal::Content;
    literal.span = header.range(literal.span.clone());
    match &mut literal.content {
        Content::List(items) => items.iter_mut().for_each(|item| relocate(item, header)),
        Content::Map(members) => {
            for member in members {
                member.key_span = header.range(member.key_span.clone());
                relocate(&mut member.value, header);
            }
        }
        _ => {}
    }
}
