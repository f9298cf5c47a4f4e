//! Words that name a place outside of the directory that a command runs in, as AXE's boundary counts them.
//!
//! AXE's document wants absolute paths inside the project and no `..` out of it. Here that is asked of every word of every
//! command in a text, of what stands after a `=` or an `@` in it or right after the letter of an option, and of redirections.

use super::Survey;

/// Programs whose first operand is a pattern or a program unless an option gives it, and their options of one letter that have
/// a value. `-e` gives the pattern, `-f` names a file of them.
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

/// Programs none of whose operands is a path.
const NO_PATHS: &[&str] = &["tr"];

/// The one place outside that any command may name.
const NOWHERE: &str = "/dev/null";

/// The paths in a text's words that are absolute or climb, as they are written. Whether they lead out of the root is for those
/// to find out who hold the file system.
pub(super) fn paths(survey: &Survey) -> Vec<&str> {
    let mut found = Vec::new();
    for words in &survey.commands {
        let Some((program, operands)) = words.split_first() else {
            continue;
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        if NO_PATHS.contains(&name) {
            continue;
        }
        let pattern = PATTERNS.iter().find(|(known, _)| *known == name);
        let mut patterns = pattern.map(|(_, options)| Patterns::new(options));
        for (at, word) in operands.iter().enumerate() {
            let is_pattern = patterns
                .as_mut()
                .is_some_and(|patterns| patterns.takes(word));
            if !is_pattern && !is_program(survey, &operands[at..]) {
                parts(word, &mut found);
            }
        }
    }
    for target in &survey.targets {
        parts(target, &mut found);
    }
    found.retain(|path| leads_away(path) && *path != NOWHERE);
    found
}

/// Whether what begins here is a command that another runs (`env /usr/bin/make x`): its program is no word of anybody.
fn is_program(survey: &Survey, words: &[String]) -> bool {
    let is_installed = |path: &str| {
        let mut names = path.rsplit('/').skip(1);
        path.starts_with('/') && matches!(names.next(), Some("bin" | "sbin"))
    };
    is_installed(&words[0]) && survey.commands.iter().any(|command| command == words)
}

/// Whether a path is absolute, a home or climbs.
fn leads_away(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|name| name == "..")
}

/// What of a word may be a path.
fn parts<'a>(word: &'a str, found: &mut Vec<&'a str>) {
    if let Some((scheme, rest)) = word.split_once("://") {
        let is_local = scheme.rsplit('=').next() == Some("file");
        found.extend(rest.find('/').filter(|_| is_local).map(|at| &rest[at..]));
        return;
    }
    found.push(word);
    if let Some(option) = word.strip_prefix('-')
        && !option.starts_with('-')
    {
        // `-I/usr/include`; but `-d/` gives a sign that separates.
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

/// Which words of a program are patterns.
struct Patterns<'a> {
    /// Options of one letter that have a value.
    options: &'a str,
    /// Whether a pattern is still to come as an operand.
    is_due: bool,
    /// Whether the next word is an option's value that is no path.
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

    /// Whether this word, the next one, is no path.
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
            // A pattern is no path.
            ("sed -n '/a/,/b/p' /etc/x", "/etc/x"),
            ("sed -n -e /a/p -e '/b/d' -i a.txt", ""),
            ("sed -f /etc/x a", "/etc/x"),
            ("grep -rn -A 3 /api/v1 src", ""),
            ("grep -e /a --regexp /b --regexp=/c /etc/x", "/etc/x"),
            ("grep -f /etc/x /etc/y", "/etc/x /etc/y"),
            ("awk -F / -v a=/b '/x/ {print}' /etc/y", "/etc/y"),
        ] {
            let survey = Survey::of(text);
            let mut found = paths(&survey);
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
}
