//! Readers for texts of editors, debuggers and clients. Each reader knows the commands that run nothing; any other
//! command may run something.

use super::super::Inner;
use super::Runs;

fn runs_unless(is_harmless: bool) -> Runs {
    if is_harmless {
        Runs::Nothing
    } else {
        Runs::Commands
    }
}

/// Commands of vi and similar editors that are known to run nothing.
const VI: &[&str] = &[
    "", "$", "colo", "d", "e", "noh", "q", "qa", "qall", "quit", "retab", "se", "set", "sort",
    "syntax", "w", "wa", "wq", "wqa", "wqall", "x", "xa",
];

/// A command line of vi.
pub(super) fn vi(text: &str, _: &mut Vec<Inner>) -> Runs {
    let text = text.trim().trim_start_matches(':');
    if text.starts_with('/') {
        return runs_unless(!text.contains(['|', '\n']));
    }
    let command = text.trim_start_matches(|c: char| c.is_ascii_digit() || "%$.,+-".contains(c));
    let is_substitution = command
        .strip_prefix('s')
        .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_punctuation()));
    let end = command.find(|c: char| !c.is_ascii_alphabetic());
    let (name, rest) = command.split_at(end.unwrap_or(command.len()));
    // `\=` computes the replacement, and `!` runs a command unless it is directly after a name.
    let is_plain =
        !command.contains(['|', '\n', '`']) && !command.contains("\\=") && !rest.contains('=')
            || (matches!(name, "se" | "set") && !rest.contains(['|', '\n', '`', '(']));
    let rest = rest.strip_prefix('!').unwrap_or(rest);
    let is_name = VI.contains(&name) && (!name.is_empty() || rest.is_empty());
    let is_known = is_substitution || (is_name && !rest.contains('!'));
    runs_unless(is_known && is_plain)
}

/// Commands of `gdb` that only look at the program and run it.
const GDB: &[&str] = &[
    "b",
    "backtrace",
    "bt",
    "break",
    "c",
    "continue",
    "disas",
    "disassemble",
    "down",
    "f",
    "finish",
    "frame",
    "h",
    "help",
    "i",
    "info",
    "kill",
    "l",
    "list",
    "n",
    "next",
    "q",
    "quit",
    "s",
    "step",
    "thread",
    "up",
    "watch",
    "where",
];

/// Commands of `lldb` that only look at the program and run it.
const LLDB: &[&str] = &[
    "b",
    "bt",
    "c",
    "continue",
    "disassemble",
    "down",
    "f",
    "finish",
    "frame",
    "h",
    "help",
    "kill",
    "l",
    "list",
    "n",
    "next",
    "q",
    "quit",
    "s",
    "step",
    "thread",
    "up",
];

/// Commands that start the program. A shell reads their arguments.
const START: &[&str] = &["r", "run", "start", "starti"];

/// Harmless commands after `apply`, which runs one for each thread or frame.
const APPLIED: &[&str] = &["backtrace", "bt", "where"];

/// A command of `gdb`.
pub(super) fn debugger(text: &str, _: &mut Vec<Inner>) -> Runs {
    runs_unless(text.lines().all(|line| only_looks(line, GDB)))
}

/// A command of `lldb`.
pub(super) fn lldb(text: &str, _: &mut Vec<Inner>) -> Runs {
    runs_unless(text.lines().all(|line| only_looks(line, LLDB)))
}

fn only_looks(line: &str, known: &[&str]) -> bool {
    // A call in an expression runs a function, and the other signs mean a shell.
    if line.contains(['(', '|', '!', '`', ';', '&', '<', '>']) {
        return false;
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    let Some((name, rest)) = words.split_first() else {
        return true;
    };
    if START.contains(name) {
        return rest.is_empty();
    }
    // `thread apply all -q bt`, `frame apply 3 bt`.
    let applied = rest.iter().position(|word| "apply".starts_with(word));
    let is_applied = |at: usize| {
        let options =
            |word: &&&str| word.starts_with('-') || word.bytes().all(|b| b.is_ascii_digit());
        let mut rest = rest[at + 1..].iter();
        rest.find(|word| !matches!(**word, "all" | "level") && !options(word))
            .is_some_and(|name| APPLIED.contains(name))
    };
    known.contains(name)
        && match applied {
            Some(at) if matches!(*name, "thread" | "frame" | "f") => is_applied(at),
            _ => true,
        }
}

/// Commands of `ed`: a command with `!` runs a program; lines of input are not commands.
pub(super) fn ed(text: &str, _: &mut Vec<Inner>) -> Runs {
    let mut is_input = false;
    for line in text.lines() {
        // After a failed command there is no input, and the line is a command.
        if line.trim_start().starts_with('!') {
            return Runs::Commands;
        }
        if is_input {
            is_input = line != ".";
            continue;
        }
        if line.contains('!') {
            return Runs::Commands;
        }
        let command =
            line.trim_start_matches(|c: char| c.is_ascii_digit() || ".$,;+- ".contains(c));
        is_input = matches!(command, "a" | "c" | "i");
    }
    Runs::Nothing
}

/// Commands of clients of files: `!` runs a command, `|` and `&` pass data to one, and `source` runs a file.
pub(super) fn bang(text: &str, _: &mut Vec<Inner>) -> Runs {
    let mut words = text.split(|c: char| c.is_whitespace() || c == ';');
    let runs_file = words.any(|word| matches!(word, "." | "at" | "local" | "queue" | "source"));
    runs_unless(!text.contains(['!', '|', '&']) && !runs_file)
}

/// A program of `dc`: `!` runs the rest of its line, except in `!<`, `!>` and `!=`.
pub(super) fn dc(text: &str, _: &mut Vec<Inner>) -> Runs {
    let mut calls = text.match_indices('!').map(|(at, _)| &text[at + 1..]);
    runs_unless(calls.all(|rest| rest.starts_with(['<', '>', '='])))
}

/// A text of `m4`: `syscmd` and `esyscmd` run a command.
pub(super) fn m4(text: &str, _: &mut Vec<Inner>) -> Runs {
    // Macros that make or change texts can build these names.
    let makers = [
        "sys", "include", "indir", "builtin", "translit", "patsubst", "format",
    ];
    runs_unless(!makers.iter().any(|maker| text.contains(maker)))
}

/// Commands of `sqlite3` that run nothing.
const SQLITE: &[&str] = &[
    ".backup",
    ".bail",
    ".changes",
    ".databases",
    ".dbinfo",
    ".dump",
    ".echo",
    ".eqp",
    ".exit",
    ".explain",
    ".fullschema",
    ".header",
    ".headers",
    ".help",
    ".import",
    ".indexes",
    ".indices",
    ".limit",
    ".lint",
    ".mode",
    ".nullvalue",
    ".once",
    ".output",
    ".print",
    ".quit",
    ".schema",
    ".separator",
    ".show",
    ".stats",
    ".tables",
    ".timeout",
    ".timer",
    ".width",
];

/// SQL and commands of `sqlite3`.
pub(super) fn sqlite(text: &str, _: &mut Vec<Inner>) -> Runs {
    let lower = text.to_ascii_lowercase();
    let mut lines = text.lines().map(str::trim_start);
    let is_harmless = |line: &str| {
        let name = line.split_whitespace().next().unwrap_or_default();
        let mut words = line.split_whitespace().skip(1);
        let has_option = words.any(|word| word.trim_start_matches(['"', '\'']).starts_with('-'));
        // A file that starts with `|` is a command; a `\` in quotes can hide the `|`. `-e` and `-x` start a program.
        let is_command = line.contains('|')
            || (name != ".print" && line.contains('\\'))
            || (name != ".import" && has_option);
        !name.starts_with('.') || (SQLITE.contains(&name) && !is_command)
    };
    let has_function = lower.contains("edit(") || lower.contains("load_extension");
    runs_unless(lines.all(is_harmless) && !has_function)
}

/// SQL and commands of `psql`.
pub(super) fn psql(text: &str, _: &mut Vec<Inner>) -> Runs {
    let lower = text.to_ascii_lowercase();
    let is_harmless = |rest: &str| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '+');
        let (name, value) = rest.split_at(end.unwrap_or(rest.len()));
        let is_known = name.starts_with('d')
            || matches!(
                name,
                "c" | "conninfo"
                    | "copy"
                    | "echo"
                    | "l"
                    | "l+"
                    | "n"
                    | "pset"
                    | "q"
                    | "r"
                    | "set"
                    | "t"
                    | "timing"
                    | "x"
                    | "z"
            );
        is_known && !value.contains(['`', '|'])
    };
    let mut commands = lower.match_indices('\\').map(|(at, _)| &lower[at + 1..]);
    // A string follows the word, with or without something between them.
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = lower.match_indices("program").map(|(at, word)| {
        let (before, after) = (&lower[..at], &lower[at + word.len()..]);
        !before.ends_with(is_word) && !after.starts_with(is_word)
    });
    let runs_program = words.any(|is_program| is_program);
    runs_unless(commands.all(is_harmless) && !(runs_program && lower.contains("copy")))
}

/// SQL and commands of `mysql`.
pub(super) fn mysql(text: &str, _: &mut Vec<Inner>) -> Runs {
    let lower = text.to_ascii_lowercase();
    let short = ["\\!", "\\.", "\\p", "\\e", "\\t"];
    let long = ["edit", "pager", "source", "system", "tee"];
    let mut statements = lower.split([';', '\n']);
    let is_command = |statement: &str| {
        let name = statement.split_whitespace().next().unwrap_or_default();
        long.contains(&name)
    };
    runs_unless(!statements.any(is_command) && !short.iter().any(|sign| lower.contains(sign)))
}

#[cfg(test)]
mod tests {
    use super::*;

    type Read = fn(&str, &mut Vec<Inner>) -> Runs;

    #[test]
    fn what_may_run_is_told_from_what_runs_nothing() {
        let rows: &[(Read, &[&str], &[&str])] = &[
            (
                vi,
                &[
                    "wq",
                    ":q!",
                    "12",
                    "$",
                    "/a",
                    "%s/a/b/ge",
                    "set nu ts=4",
                    "1,5d",
                    "sort u",
                    "",
                ],
                &[
                    "!rm x",
                    "r!rm x",
                    "%!rm",
                    "call system('rm x')",
                    "%s/a/\\=system('rm')/",
                    "lua os.execute('rm')",
                    "so f",
                    "exe 'x'",
                    "q|!rm",
                    "set makeprg=rm|make",
                    "norm :!rm",
                    "w !rm x",
                ],
            ),
            (
                debugger,
                &[
                    "run",
                    "bt full",
                    "b main",
                    "info locals",
                    "thread apply all bt",
                    "thread apply all -q bt full",
                    "frame 2",
                    "\n",
                ],
                &[
                    "shell rm",
                    "!rm",
                    "p system(\"rm\")",
                    "python x",
                    "source f",
                    "pipe bt | rm",
                    "info line (f())",
                    "run `rm x`",
                    "run < f",
                    "r a",
                    "thread apply all shell rm x",
                    "frame apply 3 shell rm x",
                    "frame app all -q -s !rm",
                    "t apply all shell rm",
                ],
            ),
            (
                ed,
                &["1,3d\nw\nq", "a\nhello!\n.\nwq", "s/a/b/"],
                &[
                    "!rm x",
                    "r !rm x",
                    "w !rm",
                    "a\nx\n.\n!rm",
                    "/xa\n!rm",
                    "5a\n!rm\n.",
                ],
            ),
            (
                bang,
                &["get a\nput b"],
                &["!rm x", "get a\n!rm", "cat f | sh", "get f |rm", "source f"],
            ),
            (
                dc,
                &["1 2 + p", "[q]sa 1 2 !<a"],
                &["!rm x", "1p !rm", "1 !>a !rm"],
            ),
            (
                m4,
                &["define(`a', `b')a"],
                &["syscmd(`rm')", "esyscmd(`rm')", "include(`f')"],
            ),
            (
                sqlite,
                &[
                    "select '.shell x' from t;",
                    ".tables",
                    ".import a.csv t --skip 1",
                    ".mode csv",
                    ".schema t",
                ],
                &[
                    ".shell rm",
                    " .system rm",
                    ".sy rm",
                    ".import '|rm' t",
                    ".once -x",
                    ".output |rm",
                    ".once \"\\174rm x\"",
                    ".import \"\\174rm x\" t",
                    ".once\t-x",
                    ".once \"-x\"",
                    ".read f",
                    "select EDIT('a', 'rm')",
                    "select 1;\n.shell rm",
                    ".load x",
                ],
            ),
            (
                psql,
                &[
                    "select 1 != 2",
                    "\\dt+",
                    "\\d t",
                    "\\copy t to 'f'",
                    "select program from t",
                ],
                &[
                    "\\! rm",
                    "\\o |rm",
                    "\\g |rm",
                    "\\copy t from program 'rm'",
                    "COPY t TO PROGRAM 'rm'",
                    "copy t to program'rm x'",
                    "copy t to program\n'rm x'",
                    "copy t to program/**/'rm x'",
                    "\\i f",
                    "\\set x `rm`",
                ],
            ),
            (
                mysql,
                &[
                    "select 1",
                    "select * from system_t; show tables",
                    "select 'a\\nb'",
                ],
                &[
                    "\\! rm",
                    "system rm",
                    "select 1; system rm",
                    "source f",
                    "\\. f",
                    "pager rm",
                    "\\P rm",
                ],
            ),
        ];
        for (read, harmless, others) in rows {
            for text in *harmless {
                assert_eq!(read(text, &mut Vec::new()), Runs::Nothing, "{text:?}");
            }
            for text in *others {
                assert_eq!(read(text, &mut Vec::new()), Runs::Commands, "{text:?}");
            }
        }
    }
}
