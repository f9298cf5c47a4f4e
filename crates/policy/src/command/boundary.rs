//! Words that name a place outside of the directory that a command runs in, as AXE's boundary counts them.
//!
//! AXE's document requires absolute paths inside the project and no `..` out of it. The check applies to every word of
//! every command in a text, to the part after `=`, `@` or an option's letter, and to redirections.

use super::inner::Inner;
use super::shell::Simple;
use super::{CommandLine, Join, Survey};

/// Programs whose first operand is a pattern or a program unless an option gives it, and their options of one letter
/// that have a value. `-e` gives the pattern, `-f` names a file of patterns.
const PATTERNS: &[(&str, &str)] = &[
    ("ack", "ABCm"),
    ("ag", "ABCm"),
    ("awk", "Fv"),
    ("egrep", "ABCmdD"),
    ("fgrep", "ABCmdD"),
    ("gawk", "Fv"),
    ("grep", "ABCmdD"),
    ("mawk", "Fv"),
    ("nawk", "Fv"),
    ("rg", "ABCmgjMtTEr"),
    ("sed", "l"),
];

/// Programs without operands that are paths.
const NO_PATHS: &[&str] = &["tr"];

/// The one place outside that any command may name.
const NOWHERE: &str = "/dev/null";

/// Programs that change to the directory after their option `-C` before they read the words after it.
const MOVING: &[&str] = &[
    "bsdtar", "cargo", "env", "git", "gmake", "gtar", "make", "meson", "ninja", "pnpm", "poetry",
    "tar",
];

/// Programs of [`MOVING`] for which `-C` is that option only before their first operand.
const MOVING_FIRST: &[&str] = &["cargo", "env", "git", "meson", "pnpm", "poetry"];

/// Options before the first operand whose value is the next word.
const WITH_VALUE: &[&str] = &[
    "-C",
    "-c",
    "-u",
    "--config",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--super-prefix",
    "--unset",
    "--work-tree",
];

/// A path in the words of a command that is absolute or contains `..`, as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AwayPath {
    /// The path.
    pub path: String,
    /// The changes of directory before the path is resolved, in order. `None`: the text does not show which apply.
    pub moves: Option<Vec<String>>,
}

/// The paths in a text's words that are absolute or contain `..`. The caller, which has the file system, finds out
/// whether they lead out of the root.
pub(super) fn paths(line: Option<&CommandLine>, survey: &Survey) -> Vec<AwayPath> {
    let mut found: Vec<AwayPath> = Vec::new();
    let mut outer: Vec<&[String]> = Vec::new();
    for pipeline in line
        .iter()
        .flat_map(|line| &line.pipelines)
        .zip(line.into_iter().flat_map(moves))
    {
        let (pipeline, moves) = pipeline;
        for words in &pipeline.commands {
            in_command(words, moves.as_deref(), &mut found);
            outer.push(words);
        }
    }
    // The commands that a command runs, and all commands of a text for a shell.
    for words in &survey.commands {
        if !outer.contains(&words.as_slice()) {
            in_command(words, None, &mut found);
        }
    }
    for target in &survey.targets {
        let mut own = Vec::new();
        parts(target, &mut own);
        found.extend(own.into_iter().map(|path| AwayPath {
            path: path.to_owned(),
            moves: None,
        }));
    }
    found.retain(|away| leads_away(&away.path) && away.path != NOWHERE);
    found
}

/// For each pipeline of a line the changes of directory before it; `None` after a `cd` that may not have run.
fn moves(line: &CommandLine) -> Vec<Option<Vec<String>>> {
    let mut moves = Some(Vec::new());
    let mut before = Vec::new();
    for pipeline in &line.pipelines {
        let has_moved = moves
            .as_ref()
            .is_none_or(|moves: &Vec<String>| !moves.is_empty());
        if has_moved && pipeline.join != Join::And {
            moves = None;
        }
        before.push(moves.clone());
        if let [words] = pipeline.commands.as_slice()
            && words[0] == "cd"
        {
            moves = moves.filter(|_| pipeline.join != Join::Or);
            if let Some(moves) = &mut moves {
                moves.extend(words.get(1).cloned());
            }
        }
    }
    before
}

/// Adds the paths that the words of one command name.
fn in_command(words: &[String], moves: Option<&[String]>, found: &mut Vec<AwayPath>) {
    let Some((program, operands)) = words.split_first() else {
        return;
    };
    let name = program.rsplit('/').next().unwrap_or(program);
    if NO_PATHS.contains(&name) {
        return;
    }
    let pattern = PATTERNS.iter().find(|(known, _)| *known == name);
    let mut patterns = pattern.map(|(_, options)| Patterns::new(options));
    let inner = Simple {
        words: words.to_vec(),
        ..Simple::default()
    };
    let inner = super::inner::inner(&inner);
    let mut moves = moves.map(<[String]>::to_vec);
    let end = options_end(operands);
    for (at, word) in operands.iter().enumerate() {
        let is_pattern = patterns
            .as_mut()
            .is_some_and(|patterns| patterns.takes(word));
        if !is_pattern && !is_program(&inner, &operands[at..]) {
            let mut own = Vec::new();
            parts(word, &mut own);
            found.extend(own.into_iter().map(|path| AwayPath {
                path: path.to_owned(),
                moves: moves.clone(),
            }));
        }
        if at > 0 && operands[at - 1] == "-C" && MOVING.contains(&name) {
            // This `-C` may be another option, or the value of the option before it: then the directory does not
            // change.
            let is_sure = if MOVING_FIRST.contains(&name) {
                at <= end
            } else {
                let before = at.checked_sub(2).map(|at| operands[at].as_str());
                before.is_none_or(|before| !before.starts_with('-') || before.contains('='))
            };
            moves = moves.filter(|_| is_sure);
            if let Some(moves) = &mut moves {
                moves.push(word.clone());
            }
        }
    }
}

/// The number of words before the first operand.
fn options_end(words: &[String]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += match word.as_str() {
            "--" => return at,
            word if WITH_VALUE.contains(&word) => 2,
            word if word.starts_with('-') || word.contains('=') => 1,
            _ => return at,
        };
    }
    at
}

/// Whether `words` is a command that this command runs (`env /usr/bin/make x`): its program is not an argument.
fn is_program(inner: &[Inner], words: &[String]) -> bool {
    let is_installed = |path: &str| {
        let mut names = path.rsplit('/').skip(1);
        path.starts_with('/') && matches!(names.next(), Some("bin" | "sbin"))
    };
    is_installed(&words[0])
        && inner
            .iter()
            .any(|inner| matches!(inner, Inner::Command(command) if command == words))
}

/// Whether a path is absolute, starts at a home or contains `..`.
fn leads_away(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|name| name == "..")
}

/// Adds the parts of a word that may be a path.
fn parts<'a>(word: &'a str, found: &mut Vec<&'a str>) {
    if let Some((before, rest)) = word.split_once("://")
        && let Some(scheme) = scheme(before)
        && !rest.split(['/', '\\']).any(|name| name == "..")
    {
        // A URL: only a local one names a path; the text before the URL may be a path too.
        let is_local = scheme.eq_ignore_ascii_case("file");
        found.extend(rest.find('/').filter(|_| is_local).map(|at| &rest[at..]));
        let before = before[..before.len() - scheme.len()].trim_end_matches(',');
        if !before.is_empty() {
            parts(before, found);
        }
        return;
    }
    found.push(word);
    if let Some(option) = word.strip_prefix('-')
        && !option.starts_with('-')
    {
        // `-I/usr/include` names a path; `-d/` gives a separator.
        let value = option.find(['/', '~', '.']).map(|at| &option[at..]);
        found.extend(value.filter(|value| value.len() > 1));
    }
    let signs = word.match_indices(['=', '@']);
    found.extend(
        signs
            .map(|(at, _)| &word[at + 1..])
            .filter(|part| part.len() > 1),
    );
}

/// The scheme of a URL at the end of a text. A scheme has at least two letters; a single letter is an ordinary name.
fn scheme(text: &str) -> Option<&str> {
    let is_of = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
    let scheme = &text[text.trim_end_matches(is_of).len()..];
    let is_real = scheme.len() > 1 && scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    is_real.then_some(scheme)
}

/// Finds the words of a program that are patterns.
struct Patterns<'a> {
    /// Options of one letter that have a value.
    options: &'a str,
    /// Whether the next operand is a pattern.
    is_due: bool,
    /// Whether the next word is an option's value that is not a path.
    is_value: bool,
}

impl<'a> Patterns<'a> {
    fn new(options: &'a str) -> Patterns<'a> {
        Patterns {
            options,
            is_due: true,
            is_value: false,
        }
    }

    /// Whether the next word, `word`, is not a path.
    fn takes(&mut self, word: &str) -> bool {
        if std::mem::take(&mut self.is_value) {
            return true;
        }
        if let Some(long) = word.strip_prefix("--") {
            let (name, value) = match long.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (long, None),
            };
            let is_text = matches!(name, "regexp" | "expression");
            self.is_due &= !is_text && name != "file";
            self.is_value = is_text && value.is_none();
            return is_text;
        }
        if let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let decisive = |c: char| c == 'e' || c == 'f' || self.options.contains(c);
            let Some(at) = letters.find(decisive) else {
                return false;
            };
            let is_file = letters[at..].starts_with('f');
            self.is_due &= !letters[at..].starts_with(['e', 'f']);
            self.is_value = !is_file && letters.len() == at + 1;
            return !is_file;
        }
        std::mem::take(&mut self.is_due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absolute_paths_are_found_wherever_they_stand() {
        for (text, expected) in [
            ("cat /etc/passwd", "/etc/passwd"),
            ("cat a b/c ./d", ""),
            ("cat 'my /etc' '/my file'", "/my file"),
            ("grep --file=/etc/passwd x", "/etc/passwd"),
            ("dd if=/dev/zero of=x", "/dev/zero"),
            (
                "curl -d @/etc/passwd file:///etc/hosts http://a.test/x?y=/z",
                "/etc/passwd /etc/hosts",
            ),
            ("gcc -I/usr/include -o../x a.c", "/usr/include ../x"),
            ("ls > /tmp/x 2>/dev/null < /etc/hosts", "/tmp/x /etc/hosts"),
            ("ls /dev/null; cut -d/ -f1 a", ""),
            ("tr / _", ""),
            ("ls / ..", "/ .."),
            ("cat ../a a/../../b a..b", "../a a/../../b"),
            ("git diff main..dev HEAD~1 -- a", ""),
            ("ls ~/x", "~/x"),
            ("/usr/bin/env /usr/bin/make x && /bin/ls", ""),
            ("timeout 5 /usr/bin/cat /etc/x", "/etc/x"),
            ("bash -c 'cat /etc/x'", "/etc/x"),
            ("echo $(cat /etc/x)", "/etc/x"),
            // A pattern is not a path.
            ("sed -n '/a/,/b/p' /etc/x", "/etc/x"),
            ("sed -n -e /a/p -e '/b/d' -i a.txt", ""),
            ("sed -f /etc/x a", "/etc/x"),
            ("grep -rn -A 3 /api/v1 src", ""),
            ("grep -e /a --regexp /b --regexp=/c /etc/x", "/etc/x"),
            ("grep -f /etc/x /etc/y", "/etc/x /etc/y"),
            ("awk -F / -v a=/b '/x/ {print}' /etc/y", "/etc/y"),
            // A URL is not a path, but a URL with `..`, or the text before a URL, may be one.
            ("cat x://../../etc/passwd", "x://../../etc/passwd"),
            ("cat http://../../etc/passwd", "http://../../etc/passwd"),
            ("cat x:///etc/passwd", ""),
            ("a --f=/etc/passwd,http://h", "/etc/passwd"),
            ("a --f=/etc/passwd:http://h", "/etc/passwd:"),
            ("curl -o/tmp/x http://a.test/b git+ssh://h/x", "/tmp/x"),
            ("curl --url=FILE:///etc/hosts", "/etc/hosts"),
            // A program's own path may be named where the program is run, but not as an argument.
            ("cat /opt/bin/key || /opt/bin/key", "/opt/bin/key"),
            ("env /opt/bin/make x", ""),
        ] {
            let survey = Survey::of(text);
            let line = CommandLine::read(text);
            let found = paths(line.as_ref().ok(), &survey);
            let mut found: Vec<&str> = found.iter().map(|away| away.path.as_str()).collect();
            found.sort_unstable();
            found.dedup();
            let mut expected: Vec<&str> = expected.split_terminator(' ').collect();
            if text.contains("my file") {
                expected = vec!["/my file"];
            }
            expected.sort_unstable();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_path_counts_from_the_directory_in_force() {
        for (text, expected) in [
            ("cd sub && cat ../a", "sub:../a"),
            ("cat ../secret && cd sub", ":../secret"),
            ("cat ../secret -C sub", ":../secret"),
            ("git -C sub show ../a", "sub:../a"),
            ("git show ../a -C sub", ":../a"),
            ("git -C a -C b show ../a", "a/b:../a"),
            ("git -c a.b=c -C sub show ../a", "sub:../a"),
            ("git --git-dir x -C sub show ../a", "sub:../a"),
            // Another option with this letter.
            ("git diff --no-index -C sub ../a", "?:../a"),
            ("git blame -C sub ../a", "?:../a"),
            ("git commit -C sub -F ../a", "?:../a"),
            ("git -- -C sub ../a", "?:../a"),
            ("env A=1 -C sub cat ../a", "sub:../a ?:../a"),
            ("env x -C sub ../a", "?:../a ?:../a"),
            ("tar --exclude -C sub ../a", "?:../a"),
            ("tar -cf x -C sub ../a", "sub:../a"),
            ("tar -C sub -cf x ../a", "sub:../a"),
            ("grep -C 3 ../secret", ""),
            ("grep x ../secret -C sub", ":../secret"),
            ("cd sub; cat ../a", "?:../a"),
            ("cd a || cat ../b", "?:../b"),
            ("x || cd a && cat ../b", "?:../b"),
            ("x && cd a && cd b && cat ../c", "a/b:../c"),
            ("cd a && cd .. && cat ../c", "a:.. a/..:../c"),
            ("cd a && x; cat ../c", "?:../c"),
            ("cd a && x | cat ../c", "a:../c"),
            ("cd a && env cat ../c", "a:../c ?:../c"),
            ("cd a && cat ../c > x", "?:../c"),
        ] {
            let line = CommandLine::read(text);
            let found = paths(line.as_ref().ok(), &Survey::of(text));
            let found = found.iter().map(|away| {
                let moves = away.moves.as_ref().map(|moves| moves.join("/"));
                format!("{}:{}", moves.as_deref().unwrap_or("?"), away.path)
            });
            assert_eq!(found.collect::<Vec<_>>().join(" "), expected, "{text}");
        }
    }
}
