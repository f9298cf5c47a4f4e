//! Shell scripts: a header of comments, after the shebang and the signature.
//!
//! Two forms are read. YAML's fields, from the first `# key:` line to the end of the comments:
//!
//! ```text
//! #!/usr/bin/env bash
//! # tool_id: count-lines
//! # version: "1.0.0"
//! ```
//!
//! and Python's variables, from the first `# __name__ = ..` line on. Prose may come before either, and after it too.
//! Between two lines `# ---` nothing but fields stands. How many `#` and blanks the first field has, others have as well.
//! Before a header stand no commands but those that set up the shell: `set -e`.

use std::ops::Range;

use super::code::{Code, WorksOn};
use super::reading::Reading;
use super::{python, yaml};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::fields;
use crate::rule;
use toolglot_tool_signature::BOM;

pub(super) fn read(source: &str, diagnostics: &mut Diagnostics) -> Reading {
    let header = Header::of(source);
    let mut inner = Diagnostics::default();
    let mut reading = Reading::default();
    match header.form {
        Form::Yaml => {
            reading.is_yaml = true;
            if let Some(document) = yaml::document(&header.text, &mut inner) {
                yaml::fill(&document, &mut reading, &mut inner);
            }
        }
        Form::Variables => reading = python::literal(&header.text, &mut inner),
        Form::None => match late(source) {
            Some(span) => diagnostics.help(
                rule::SYNTAX,
                span,
                "the fields of the tool come after its code".to_owned(),
                "put the comment under the shebang".to_owned(),
            ),
            None => diagnostics.help(
                rule::SYNTAX,
                0..source.find('\n').unwrap_or(source.len()),
                "no comment at the start of the script describes the tool".to_owned(),
                "write `# tool_id: ..` and the other fields under the shebang".to_owned(),
            ),
        },
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
    if let Some(span) = header.passed_over {
        diagnostics.help(
            rule::UNKNOWN_FIELD,
            span,
            "a field comes after the header, where no fields are read".to_owned(),
            "put it beside the other fields: prose ends them".to_owned(),
        );
    }
    if let Some(span) = facts(source, &mut reading.code) {
        diagnostics.help(
            rule::SYNTAX,
            span,
            "the line ends with a carriage return, which is a part of its last word to a shell"
                .to_owned(),
            "save the file with line ends of Unix: `sed -i 's/\\r$//' FILE`".to_owned(),
        );
    }
    reading
}

/// What a script's text tells: which path of a parameter it uses, what it fetches, whether a failure is one. No shell is
/// read here, so it is recognized by words, and only where nothing speaks against it. The first line of code that ends with a carriage
/// return.
fn facts(source: &str, code: &mut Code) -> Option<Range<usize>> {
    let mut returns = None;
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
        if line.ends_with("\r\n") && returns.is_none() {
            returns = Some(at - 2..at - 1);
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
    returns
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

/// Whether a line only ends what another started.
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

/// The header without its comment signs, and where each of its lines is in the file.
struct Header {
    form: Form,
    text: String,
    /// Start in `text`, start in the file.
    lines: Vec<(usize, usize)>,
    /// A line after it that could be one of its fields.
    passed_over: Option<Range<usize>>,
}

impl Header {
    fn of(source: &str) -> Header {
        let mut header = Header {
            form: Form::None,
            text: String::new(),
            lines: Vec::new(),
            passed_over: None,
        };
        let mut reader = Reader::default();
        let mut at = 0;
        for line in source.split_inclusive('\n') {
            let mut start = at;
            at += line.len();
            let mut plain = line.trim_end_matches(['\n', '\r']);
            if let Some(rest) = plain.strip_prefix(BOM).filter(|_| start == 0) {
                start += BOM.len_utf8();
                plain = rest;
            }
            if start <= BOM.len_utf8() && plain.starts_with("#!") {
                continue;
            }
            if plain.trim().is_empty() {
                reader.is_apart = true;
                continue;
            }
            if !plain.starts_with('#') {
                if header.form == Form::None && is_setting(plain) {
                    continue;
                }
                break;
            }
            if toolglot_tool_signature::is_signature_like(plain) {
                continue;
            }
            match reader.line(plain, &mut header.form) {
                Line::Ends => {
                    header.passed_over = field_of(&source[start..], header.form)
                        .map(|span| start + span.start..start + span.end);
                    break;
                }
                Line::Other => {}
                Line::Field(body) => {
                    let begin = start + (plain.len() - body.len());
                    header.lines.push((header.text.len(), begin));
                    let inside = body.trim_start_matches('\t');
                    // YAML takes no tabs to indent by; a blank for each keeps every place where it is.
                    let tabs = body.len() - inside.len();
                    header.text.extend(std::iter::repeat_n(' ', tabs));
                    header.text.push_str(inside);
                    header.text.push('\n');
                }
            }
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

/// What a comment is to a header.
enum Line<'a> {
    /// A part of it, without the signs of the comment.
    Field(&'a str),
    /// No part of it.
    Other,
    /// After it.
    Ends,
}

/// How the comments of a header are read, as far as the lines before tell.
#[derive(Default)]
struct Reader {
    is_fenced: bool,
    /// The `#` and the blanks before the first field: those before others as well.
    hashes: usize,
    blanks: usize,
    /// Brackets that are open.
    depth: usize,
    is_behind_empty: bool,
    /// Whether a line without a comment comes before this one.
    is_apart: bool,
}

impl Reader {
    fn line<'a>(&mut self, plain: &'a str, form: &mut Form) -> Line<'a> {
        let bare = plain.trim_start_matches('#');
        let body = bare.trim_start_matches([' ', '\t']);
        if body.trim_end() == "---" {
            if self.is_fenced {
                return Line::Ends;
            }
            self.is_fenced = *form == Form::None;
            return Line::Other;
        }
        // It is for those who read the code.
        if ["shellcheck ", "vim:", "-*-"]
            .iter()
            .any(|word| body.starts_with(word))
        {
            return Line::Other;
        }
        if *form == Form::None {
            *form = self::form(body);
            if *form == Form::None {
                return Line::Other;
            }
            self.hashes = plain.len() - bare.len();
            self.blanks = bare.len() - body.len();
        }
        let own = plain.len() - bare.len();
        let bare = &plain[own.min(self.hashes)..];
        let blanks = bare.len() - bare.trim_start_matches([' ', '\t']).len();
        let body = &bare[blanks.min(self.blanks)..];
        let is_outside = self.depth == 0 && !self.is_fenced;
        // After an empty line of the file only a field continues with what is written in fields.
        if std::mem::take(&mut self.is_apart) && is_outside && self::form(body) != *form {
            return Line::Ends;
        }
        if body.trim().is_empty() {
            self.is_behind_empty = true;
        } else if is_outside && !body.starts_with([' ', '\t']) && self.is_prose(body, *form) {
            return Line::Ends;
        } else {
            self.is_behind_empty = false;
        }
        self.brackets(body, *form);
        Line::Field(body)
    }

    /// Whether a line that is not indented can be no part of what fields are written in.
    fn is_prose(&self, body: &str, form: Form) -> bool {
        if body.starts_with(['#', ']', '}', ')']) {
            return false;
        }
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .chars()
                    .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '"' | '\'' | '<'))
        };
        match form {
            Form::Variables => {
                let name = body.split_once('=').map(|(name, _)| name);
                // `X: dict = ..` has a type.
                let name = name.map(|name| name.split(':').next().unwrap_or(name));
                !name.is_some_and(|name| is_word(name.trim_end()))
            }
            Form::Yaml | Form::None => {
                let is_item = body.starts_with("- ") || body.trim_end() == "-";
                let key = body.split_once(':').filter(|(key, value)| {
                    is_word(key) && (value.is_empty() || value.starts_with([' ', '\t']))
                });
                let is_field = |(key, _): (&str, &str)| {
                    // What stands apart is prose, unless it is a field.
                    fields::FIELDS.contains(&key) || !self.is_behind_empty
                };
                !(is_item || key.is_some_and(is_field))
            }
        }
    }

    /// Follows the brackets of a line, without those in quotes.
    fn brackets(&mut self, body: &str, form: Form) {
        if form == Form::Yaml && self.depth == 0 {
            // In a text brackets are letters.
            let value = body.split_once(": ").or_else(|| body.split_once("- "));
            let value = value.map_or("", |(_, value)| value.trim_start());
            if !value.starts_with(['[', '{']) {
                return;
            }
        }
        let mut quote = None;
        let mut is_escaped = false;
        for c in body.chars() {
            match quote {
                _ if is_escaped => is_escaped = false,
                Some('"') if c == '\\' => is_escaped = true,
                Some(mark) => quote = Some(mark).filter(|mark| *mark != c),
                None => match c {
                    '"' | '\'' => quote = Some(c),
                    '[' | '{' | '(' => self.depth += 1,
                    ']' | '}' | ')' => self.depth = self.depth.saturating_sub(1),
                    '#' => return,
                    _ => {}
                },
            }
        }
    }
}

/// Whether a line of a script only says how the shell continues: a header may come after it.
fn is_setting(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(word, "set" | "shopt" | "umask" | ":")
}

/// The first line of the comments that `text` starts with which is written as a field of that form.
fn field_of(text: &str, wanted: Form) -> Option<Range<usize>> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        if !plain.is_empty() && !plain.starts_with('#') {
            return None;
        }
        let body = plain.trim_start_matches('#').trim_start();
        if form(body) == wanted {
            return Some(start..start + plain.len());
        }
    }
    None
}

/// The first comment of a script that could start a header, had it a header's place.
fn late(source: &str) -> Option<Range<usize>> {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let plain = line.trim_end();
        let body = plain.trim_start_matches('#').trim_start();
        if plain.starts_with('#') && form(body) != Form::None {
            return Some(start..start + plain.len());
        }
    }
    None
}

/// The form that a header has which starts with this line.
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

/// Moves a literal to where it is in the file. As deep as literals nest.
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
