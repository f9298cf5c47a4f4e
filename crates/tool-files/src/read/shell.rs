//! Shell scripts: a header of comments, after the shebang and the signature.
//!
//! Two forms are read. The first is YAML's fields, from the first `# key:` line to the end of the comments:
//!
//! ```text
//! #!/usr/bin/env bash
//! # tool_id: count-lines
//! # version: "1.0.0"
//! ```
//!
//! The other is Python's variables, from the first `# __name__ = ..` line on. Prose may come before and after both.
//! Between two `# ---` lines there are only fields. Every field has as many `#` and blanks before it as the first.
//! Only commands that set up the shell may come before a header: `set -e`.

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
    // A script can always start as a program.
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

/// Collects facts from a script's text: path parameters, network access, whether a failure stops the script. Without a
/// shell parser, words decide, and only where no other word contradicts. Returns the carriage return of the first code
/// line that ends with one.
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
        if let Some((_, after)) = plain.split_once("<<").filter(|(_, b)| !b.starts_with('<')) {
            let word = after.trim_start_matches('-').trim_start();
            let word = word
                .split([' ', ';', '|', ')', '>'])
                .next()
                .unwrap_or_default();
            heredoc = Some(word.trim_matches(['"', '\'']).to_owned());
        }
        let from = start + (line.len() - line.trim_start().len());
        let span = from..from + plain.len();
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

/// The words of a command line, without shell syntax.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| !c.is_ascii_alphanumeric() && !"-_./+".contains(c))
        .filter(|word| !word.is_empty())
}

/// Whether a word is a program that accesses the network.
pub(crate) fn is_fetcher(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    ["curl", "wget", "scp", "sftp", "ssh", "rsync", "ncat"].contains(&name)
}

/// `-e`, `-euo`; not `--`.
fn sets_errexit(word: &str) -> bool {
    word.strip_prefix('-')
        .is_some_and(|letters| !letters.starts_with('-') && letters.contains('e'))
}

/// Whether a line is only a keyword or bracket of a compound command.
fn closes(line: &str) -> bool {
    ["fi", "done", "esac", "}", ";;", "else", "then", "do"].contains(&line)
}

/// Whether a line uses a parameter that is a path by its name.
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

/// The header without its comment signs, and the place of each of its lines in the file.
struct Header {
    form: Form,
    text: String,
    /// Start in `text`, start in the file.
    lines: Vec<(usize, usize)>,
    /// A line after the header that could be one of its fields.
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
                    let from = start + (plain.len() - body.len());
                    header.lines.push((header.text.len(), from));
                    let inside = body.trim_start_matches('\t');
                    // YAML allows no tabs in indentation; one blank for each tab keeps every column.
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
        let line = self.lines.partition_point(|(from, _)| *from <= at);
        match line.checked_sub(1).and_then(|line| self.lines.get(line)) {
            Some((from, in_file)) => in_file + (at - from),
            None => 0,
        }
    }

    fn range(&self, range: Range<usize>) -> Range<usize> {
        let start = self.at(range.start);
        start..self.at(range.end).max(start)
    }
}

/// How a comment relates to a header.
enum Line<'a> {
    /// A part of the header, without the comment signs.
    Field(&'a str),
    /// Not a part of the header.
    Other,
    /// A comment after the header.
    Ends,
}

/// The state of the header's reader after the lines before.
#[derive(Default)]
struct Reader {
    is_fenced: bool,
    /// The `#` and the blanks before the first field; as many are removed from the other lines.
    hashes: usize,
    blanks: usize,
    /// The number of open brackets.
    depth: usize,
    is_after_empty: bool,
    /// Whether a line without a comment is directly before this one.
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
        // Such a comment is for editors and linters.
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
        // After an empty line of the file, only a field of the same form continues the header.
        if std::mem::take(&mut self.is_apart) && is_outside && self::form(body) != *form {
            return Line::Ends;
        }
        if body.trim().is_empty() {
            self.is_after_empty = true;
        } else if is_outside && !body.starts_with([' ', '\t']) && self.is_prose(body, *form) {
            return Line::Ends;
        } else {
            self.is_after_empty = false;
        }
        self.brackets(body, *form);
        Line::Field(body)
    }

    /// Whether a line without indentation cannot be part of a field.
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
                // `X: dict = ..` has a type annotation.
                let name = name.map(|name| name.split(':').next().unwrap_or(name));
                !name.is_some_and(|name| is_word(name.trim_end()))
            }
            Form::Yaml | Form::None => {
                let is_item = body.starts_with("- ") || body.trim_end() == "-";
                let key = body.split_once(':').filter(|(key, value)| {
                    is_word(key) && (value.is_empty() || value.starts_with([' ', '\t']))
                });
                let is_field = |(key, _): (&str, &str)| {
                    // A key after an empty comment line is prose, unless it is a field.
                    fields::FIELDS.contains(&key) || !self.is_after_empty
                };
                !(is_item || key.is_some_and(is_field))
            }
        }
    }

    /// Counts the brackets of a line, except those in quotes.
    fn brackets(&mut self, body: &str, form: Form) {
        if form == Form::Yaml && self.depth == 0 {
            // In plain text brackets are ordinary characters.
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
                Some(opener) => quote = Some(opener).filter(|opener| *opener != c),
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

/// Whether a line of a script only sets up the shell: a header may come after it.
fn is_setting(line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    matches!(word, "set" | "shopt" | "umask" | ":")
}

/// The first line in the leading comments of `text` that is a field of that form.
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

/// The first comment of a script that could start a header if it were at the right place.
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

/// The form of a header that starts with this line.
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

/// Moves a literal to its place in the file. The recursion is as deep as literals nest.
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
