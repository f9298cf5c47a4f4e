//! What the reader of commands finds in every text of a table: what runs, what is written, and which paths are named.
//!
//! `data/surveys.txt` has the spellings of a shell, `data/programs.txt` the options of the programs that run others.
//! Both have the expected answers, which `TOOLGLOT_BLESS=1` writes anew.

use std::fmt::Write as _;

use toolglot_policy::{CommandFact, CommandLine, Join, NotLiteral, Stream, Streams, Survey};

/// A text in one line, with the escapes `\n`, `\t` and `\\`, and with `␀` for a part that only a shell knows.
fn escaped(text: &str) -> String {
    let mut line = String::new();
    for c in text.chars() {
        match c {
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            '\\' => line.push_str("\\\\"),
            '\0' => line.push('␀'),
            c if toolglot_policy::is_hidden(c) || c == ' ' && line.is_empty() => {
                write!(line, "\\u{{{:x}}}", u32::from(c)).expect("a string takes all");
            }
            c => line.push(c),
        }
    }
    line
}

/// The text of an escaped line.
fn unescaped(line: &str) -> String {
    let mut text = String::new();
    let mut rest = line.chars();
    while let Some(c) = rest.next() {
        match c {
            '␀' => text.push('\0'),
            '\\' => match rest.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some('u') => {
                    let digits: String = rest.by_ref().skip(1).take_while(|c| *c != '}').collect();
                    let number = u32::from_str_radix(&digits, 16).expect("a number");
                    text.push(char::from_u32(number).expect("a character"));
                }
                other => text.extend(other),
            },
            c => text.push(c),
        }
    }
    text
}

fn words<'a>(words: impl IntoIterator<Item = &'a String>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| escaped(word)).collect();
    words.join("·")
}

/// A line of literal words as its pipelines, or where it needs a shell.
fn literal(line: Result<CommandLine, NotLiteral>) -> String {
    let line = match line {
        Ok(line) => line,
        Err(error) => {
            let hopeless = if error.is_hopeless {
                " and refused"
            } else {
                ""
            };
            return format!("a shell, at byte {}{hopeless}", error.at);
        }
    };
    let mut text = String::new();
    for pipeline in &line.pipelines {
        text.push_str(match pipeline.join {
            Join::Then => "; ",
            Join::And => "&& ",
            Join::Or => "|| ",
        });
        for (index, command) in pipeline.commands.iter().enumerate() {
            let streams = pipeline.streams[index];
            text.push_str(&words(command));
            if streams != Streams::default() {
                let name = |stream| match stream {
                    Stream::Output => "output",
                    Stream::Error => "error",
                    Stream::Null => "nowhere",
                };
                write!(text, " [{}, {}]", name(streams.output), name(streams.error))
                    .expect("a string takes all");
            }
            for pattern in pipeline
                .patterns
                .iter()
                .filter(|pattern| pattern.command == index)
            {
                write!(
                    text,
                    " [{}: {} at {}]",
                    pattern.word,
                    escaped(&pattern.pattern),
                    pattern.at
                )
                .expect("a string takes all");
            }
            text.push_str(" | ");
        }
    }
    text.trim_end_matches(" | ").to_owned()
}

/// What is found in a text, a line for each kind of finding.
fn answer(text: &str) -> String {
    let fact = CommandFact::of(text);
    let Survey {
        commands,
        targets,
        needs_shell,
        doubts,
    } = &fact.survey;
    let mut lines = vec![format!("> {}", escaped(text))];
    lines.extend(
        commands
            .iter()
            .map(|command| format!("runs {}", words(command))),
    );
    if !doubts.is_empty() {
        lines.push(format!("doubts {}", doubts.len()));
    }
    if !targets.is_empty() {
        lines.push(format!("redirects {}", words(targets)));
    }
    if *needs_shell {
        lines.push("has operators".to_owned());
    }
    let line = literal(CommandLine::read_patterns(text));
    // For a line of one plain command both answers are the same.
    if commands
        .first()
        .map(|command| format!("; {}", words(command)))
        != Some(line.clone())
    {
        lines.push(format!("literal {line}"));
    }
    for away in fact.away() {
        let moves = away
            .moves
            .map_or("any directory".to_owned(), |moves| words(&moves));
        lines.push(format!("away {} from {moves}", escaped(&away.path)));
    }
    lines.join("\n") + "\n\n"
}

/// Compares the expected answers of a table with the current answers.
fn check(name: &str, n_least: usize) {
    let file = format!("{}/tests/data/{name}", env!("CARGO_MANIFEST_DIR"));
    let table = std::fs::read_to_string(&file).expect("the table is there");
    let texts = table.lines().filter_map(|line| line.strip_prefix("> "));
    let answers: Vec<String> = texts.map(|line| answer(&unescaped(line))).collect();
    assert!(answers.len() >= n_least, "only {}", answers.len());
    if std::env::var_os("TOOLGLOT_BLESS").is_some() {
        std::fs::write(file, answers.concat()).expect("written");
        return;
    }
    let wrong: Vec<String> = answers
        .iter()
        .zip(table.split_inclusive("\n\n"))
        .filter(|(answer, expected)| answer != expected)
        .map(|(answer, expected)| format!("now:\n{answer}before:\n{expected}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.concat());
    assert_eq!(answers.concat(), table);
}

#[test]
fn every_spelling_is_read_as_the_table_says() {
    check("surveys.txt", 1400);
}

#[test]
fn every_program_carries_what_the_table_says() {
    check("programs.txt", 3000);
}
