//! The words in texts for users and models: no replaced word, no sentence above 25 words, in help, notes, messages and
//! documents. Messages are the string literals of the crates' sources that hold three words or more.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use toolglot_engine::Code;

use crate::book::prose;
use crate::cli::toolglot;

/// How many words a sentence may have.
const LONGEST: usize = 25;

/// Phrases that are not used, each with the field's word.
const REPLACED: &str = include_str!("replaced.txt");

/// Texts that are excused, each with a reason.
const EXCEPTIONS: &str = include_str!("exceptions.txt");

/// Phrases that documents may use: they name the steps of a session, and are ordinary English elsewhere.
const OF_MESSAGES: &[&str] = &["judge", "judges", "judged", "kept"];

/// Documents that are not read: this one is written from data by another test.
const UNREAD: &[&str] = &["docs/dialects.md"];

/// A text, and its origin.
struct Shown {
    origin: String,
    text: String,
}

#[test]
fn messages_and_help_use_the_words_of_the_field() {
    let phrases: Vec<(Vec<String>, &str)> = rows(REPLACED)
        .map(|(phrase, word)| (words(phrase), word))
        .collect();
    let exceptions: Vec<(&str, &str, &str)> = rows(EXCEPTIONS)
        .map(|(text, reason)| {
            let (file, fragment) = text.split_once(": ").expect("`file: fragment = reason`");
            (file, fragment, reason)
        })
        .collect();
    let mut texts = messages();
    let n_messages = texts.len();
    texts.extend(help());
    texts.extend(notes());
    assert!(n_messages > 1_500, "only {n_messages} messages were found");
    let of_documents: Vec<(Vec<String>, &str)> = phrases
        .iter()
        .filter(|(phrase, _)| !OF_MESSAGES.contains(&phrase.join(" ").as_str()))
        .cloned()
        .collect();
    let documents = documents();
    assert!(documents.len() > 2_000, "only {} lines", documents.len());
    let all = texts
        .iter()
        .map(|text| (text, &phrases))
        .chain(documents.iter().map(|text| (text, &of_documents)));

    let mut used = BTreeSet::new();
    let mut faults = Vec::new();
    for (Shown { origin, text }, phrases) in all {
        let mut found = faults_of(text, phrases);
        let excuse = exceptions.iter().position(|(file, fragment, _)| {
            origin.split(':').next() == Some(file) && text.contains(fragment)
        });
        if let Some(excuse) = excuse.filter(|_| !found.is_empty()) {
            used.insert(excuse);
            found.clear();
        }
        faults.extend(
            found
                .iter()
                .map(|fault| format!("{origin}: {fault}: {text:?}")),
        );
    }
    for (number, (file, fragment, _)) in exceptions.iter().enumerate() {
        if !used.contains(&number) {
            faults.push(format!(
                "exceptions.txt: `{file}: {fragment}` is not needed"
            ));
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults in {} texts:\n{}",
        faults.len(),
        texts.len() + documents.len(),
        faults.join("\n")
    );
}

#[test]
fn replaced_words_and_long_sentences_are_found() {
    let phrases: Vec<(Vec<String>, &str)> = rows(REPLACED)
        .map(|(phrase, word)| (words(phrase), word))
        .collect();
    for text in [
        "the line goes on behind the call",
        "`nope` is no dialect",
        "what follows is none",
        "Nothing was told",
        "the name stands in brackets",
        &"word ".repeat(LONGEST + 1),
    ] {
        assert!(!faults_of(text, &phrases).is_empty(), "{text}");
    }
    for text in [
        "there is no call",
        "`begin` follows",
        "node no longer runs it: it is no longer there",
        "`x` stands for a home",
        "utf-8 with a byte order mark",
        &"word ".repeat(LONGEST),
    ] {
        assert_eq!(faults_of(text, &phrases), Vec::<String>::new(), "{text}");
    }
    let source = "// \"a comment of words\"\nlet c = '\"';\nsay(\"one two \\\n    three `x`\");\nraw(r#\"four \"five\" six\"#);\n";
    let found: Vec<String> = literals(source).into_iter().map(|(_, text)| text).collect();
    assert_eq!(found, ["one two three `x`", "four \"five\" six"]);
}

/// The rows `left = right` of a file, without comments.
fn rows(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| line.split_once(" = ").expect("`left = right`"))
}

/// What is wrong with a text.
fn faults_of(text: &str, phrases: &[(Vec<String>, &str)]) -> Vec<String> {
    let text = without_code(text);
    let mut faults = Vec::new();
    let all = words(&text);
    for (phrase, word) in phrases {
        let is_used = |at: usize| {
            let before = at.checked_sub(1).map_or("", |at| all[at].as_str());
            let after = all.get(at + phrase.len()).map_or("", String::as_str);
            // Phrases of plain English: `there is no call`, `no longer`, `stands for`, `byte order mark`.
            let is_english = match phrase.last().map(String::as_str) {
                Some("no") => before == "there" || matches!(after, "longer" | "more"),
                Some("stand" | "stands") => after == "for",
                Some("mark") => before == "order",
                _ => false,
            };
            !is_english
        };
        let found = all
            .windows(phrase.len())
            .enumerate()
            .any(|(at, window)| window == phrase && is_used(at));
        if found {
            faults.push(format!("`{}`: write {word}", phrase.join(" ")));
        }
    }
    let longest = sentences(&text)
        .map(|sentence| sentence.split_whitespace().count())
        .max();
    if let Some(longest) = longest.filter(|&longest| longest > LONGEST) {
        faults.push(format!("a sentence of {longest} words"));
    }
    faults
}

/// Lower-case words, without what separates them.
fn words(text: &str) -> Vec<String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '_')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

/// The text with each span of code, and each hole of a format, as one word.
fn without_code(text: &str) -> String {
    let mut plain = String::new();
    let mut until = None;
    for c in text.chars() {
        match (until, c) {
            (Some(end), c) if c == end => until = None,
            (Some(_), _) => {}
            (None, '`') => (until, plain) = (Some('`'), plain + "_"),
            (None, '{') => (until, plain) = (Some('}'), plain + "_"),
            (None, c) => plain.push(c),
        }
    }
    plain
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split('\n')
        .flat_map(|line| line.split_inclusive(". ").flat_map(|part| part.split("? ")))
}

/// The string literals of three words or more in the crates' sources, but for tests and reasons of lints.
fn messages() -> Vec<Shown> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    let mut folders = vec![crates.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("crates can be read") {
            let path = entry.expect("crates can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_source = path.components().any(|part| part.as_os_str() == "src");
            if path.is_dir() && name != "tests" && name != "target" {
                folders.push(path);
            } else if is_source && name.ends_with(".rs") && name != "tests.rs" {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut messages = Vec::new();
    for path in files {
        let source = fs::read_to_string(&path).expect("sources are text");
        let file = path.strip_prefix(&crates).expect("it is below").display();
        for (line, text) in literals(&source) {
            let is_prose = text.contains(' ')
                && words(&without_code(&text))
                    .iter()
                    .filter(|word| word.len() > 1 && word.chars().all(char::is_alphabetic))
                    .count()
                    >= 3;
            if is_prose && !text.trim_start().starts_with(['<', '{']) {
                let origin = format!("{file}:{line}");
                messages.push(Shown { origin, text });
            }
        }
    }
    messages
}

/// The string literals of a source with their lines, up to its tests.
fn literals(source: &str) -> Vec<(usize, String)> {
    let source = source
        .find("\n#[cfg(test)]\nmod ")
        .map_or(source, |end| &source[..end]);
    let mut found = Vec::new();
    let mut at = 0;
    while at < source.len() {
        let rest = &source[at..];
        let after_word = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if rest.starts_with('r') && !after_word && raw_opener(rest).is_some() {
            let n_signs = raw_opener(rest).unwrap_or_default();
            let closer = format!("\"{}", "#".repeat(n_signs));
            let inside = &rest[n_signs + 2..];
            let end = inside.find(&closer).unwrap_or(inside.len());
            found.push((line_of(source, at), inside[..end].to_owned()));
            at += n_signs + 2 + end + closer.len();
        } else if let Some(inside) = rest.strip_prefix('"') {
            let end = end_of_string(inside);
            if !source[..at].trim_end().ends_with("reason =") {
                found.push((line_of(source, at), unescaped(&inside[..end])));
            }
            at += end + 2;
        } else if rest.starts_with('\'') {
            at += character(rest);
        } else {
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
    }
    found
}

fn line_of(source: &str, at: usize) -> usize {
    source[..at].matches('\n').count() + 1
}

/// How many `#` a raw string that starts here has.
fn raw_opener(rest: &str) -> Option<usize> {
    let signs = rest[1..].len() - rest[1..].trim_start_matches('#').len();
    rest[1 + signs..].starts_with('"').then_some(signs)
}

fn end_of_string(inside: &str) -> usize {
    let mut escaped = false;
    inside
        .char_indices()
        .find(|&(_, c)| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
        .map_or(inside.len(), |(at, _)| at)
}

/// The length of a character literal, or 1 for the quote of a lifetime.
fn character(rest: &str) -> usize {
    let mut chars = rest.char_indices().skip(1);
    match chars.next() {
        Some((_, '\\')) => rest[3..].find('\'').map_or(1, |end| end + 4),
        Some(_) => match chars.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

/// A literal as it is printed: a backslash at a line's end takes the blanks after it, `\n` is a line break.
fn unescaped(inside: &str) -> String {
    let mut text = String::new();
    let mut rest = inside;
    while let Some(at) = rest.find('\\') {
        text.push_str(&rest[..at]);
        let escape = rest[at + 1..].chars().next().unwrap_or(' ');
        rest = &rest[(at + 1 + escape.len_utf8()).min(rest.len())..];
        match escape {
            '\n' => rest = rest.trim_start(),
            'n' => text.push('\n'),
            'u' => rest = rest.split_once('}').map_or(rest, |(_, rest)| rest),
            escape => text.push(escape),
        }
    }
    text + rest
}

/// The help of every command.
fn help() -> Vec<Shown> {
    let mut texts = Vec::new();
    let mut commands: Vec<Vec<String>> = vec![Vec::new()];
    while let Some(command) = commands.pop() {
        let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
        arguments.push("--help");
        let ran = toolglot(&arguments, "");
        assert_eq!(ran.code, 0, "{command:?}: {}", ran.err);
        let listed = ran.out.split("\nCommands:\n").nth(1).unwrap_or_default();
        for line in listed.lines().take_while(|line| !line.is_empty()) {
            let name = line.trim_start().split(' ').next().unwrap_or_default();
            if line.starts_with("  ") && !line.starts_with("   ") && name != "help" {
                let mut below = command.clone();
                below.push(name.to_owned());
                commands.push(below);
            }
        }
        // Lines are wrapped: an item is a line and the lines after it that are set in as far.
        let mut item = String::new();
        let mut depth = 0;
        for line in ran.out.lines().chain([""]) {
            let inner = line.len() - line.trim_start().len();
            let is_entry = line.trim_start().starts_with('-') || line.trim().contains("  ");
            if line.is_empty() || is_entry || inner != depth {
                let text = std::mem::take(&mut item);
                if !text.is_empty() {
                    let origin = format!("help: toolglot {}", command.join(" "));
                    texts.push(Shown { origin, text });
                }
                depth = inner;
            }
            item.push_str(line.trim());
            item.push(' ');
        }
    }
    assert!(texts.len() > 200, "only {} texts of help", texts.len());
    texts
}

/// The lines and cells of the documents, outside of fences, without links' targets. Each clause has its own line, since a
/// clause after a colon or a semicolon may be as long as a sentence.
fn documents() -> Vec<Shown> {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let is_checked = |file: &Path| !UNREAD.iter().any(|name| file == repository.join(name));
    let mut files: Vec<PathBuf> = ["docs", "docs/formats", "."]
        .iter()
        .flat_map(|folder| pages(&repository.join(folder)))
        .chain(pages_of_crates(&repository))
        .collect();
    files.retain(|file| is_checked(file));
    let mut found = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).expect("documents are text");
        let name = file.strip_prefix(&repository).expect("it is below");
        for (number, line) in prose(&text) {
            let line = without_targets(line);
            let cells = line.split('|').filter(|_| line.starts_with('|'));
            let whole = Some(line.as_str()).filter(|line| !line.starts_with('|'));
            for cell in cells.chain(whole) {
                found.push(Shown {
                    origin: format!("{}:{number}", name.display()),
                    text: without_code(cell).replace(": ", ":\n").replace("; ", ";\n"),
                });
            }
        }
    }
    found.retain(|shown| shown.text.contains(char::is_alphabetic));
    found
}

/// The Markdown files of a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let mut pages: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .collect();
    pages.sort();
    pages
}

fn pages_of_crates(repository: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository.join("crates")).expect("crates can be read");
    let readmes = entries.map(|entry| entry.expect("it can be read").path().join("README.md"));
    let mut readmes: Vec<PathBuf> = readmes.collect();
    readmes.sort();
    readmes
}

/// The line without the targets of links.
fn without_targets(line: &str) -> String {
    let mut parts = line.split("](");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push(']');
        plain.push_str(part.split_once(')').map_or("", |(_, rest)| rest));
    }
    plain
}

/// The one-line text of each note.
fn notes() -> Vec<Shown> {
    Code::ALL
        .iter()
        .map(|code| Shown {
            origin: format!("notes: N{:03}", code.number()),
            text: code.what().to_owned(),
        })
        .collect()
}
