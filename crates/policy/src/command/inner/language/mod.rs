//! Programs with their own language that can run commands: which of their words are texts of it, and the reader of such
//! texts.
//!
//! A reader finds the commands of a text, or that it has none. A text without a reader, a file and an input may run
//! anything: then it is unknown what runs.

mod awk;
mod editors;
mod rows;
mod sed;

use super::super::shell::{Input, is_unknown};
use super::Inner;
use rows::LANGUAGES;

/// What a text of a language runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runs {
    /// Nothing besides the commands that were found in it.
    Nothing,
    /// Commands that the text makes while it runs.
    Commands,
    /// The text is not read here.
    Unread,
}

/// The meaning of the words of a program that are not options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    /// The first is a text unless an option gives one, the others are data, and options may come among them: `sed`.
    Text,
    /// The same, but nothing after the first is an option: `awk`.
    TextOnce,
    /// The first is a script file, and all after it are its arguments; without a file the input is the script:
    /// `python3`. A script file counts as an ordinary program.
    Script,
    /// The first is data, those after it are texts; without one the input is a text: `sqlite3`.
    DataThenTexts,
    /// All are data; without a text in an option the input is a text: `psql`.
    DataOrInput,
    /// All are data; the input is a text: `ed`.
    DataAndInput,
    /// All are script files, and options may come among them; without a file the input is the script: `gnuplot`.
    Scripts,
    /// The first is a subcommand, which has options of its own: `rails`.
    Subcommand,
    /// All are data, and the input is too: `emacs`.
    Data,
}

/// A row of [`LANGUAGES`]. An option that is in none of its columns may run anything.
struct Language {
    /// Programs, without the version at the end of their names.
    names: &'static [&'static str],
    operands: Operands,
    /// Options whose value is a text.
    texts: &'static [&'static str],
    /// Options whose value is a file of texts, or that run such a file.
    files: &'static [&'static str],
    /// Options whose value is the script file, which counts as an ordinary program.
    scripts: &'static [&'static str],
    /// Options whose value is something else.
    values: &'static [&'static str],
    /// Letters of options whose value, if there is one, is in the same word.
    attached: &'static str,
    /// Letters of options without a value that run nothing.
    flags: &'static str,
    /// Options without a value in the next word that run nothing. A `*` at the end matches any rest.
    plain: &'static [&'static str],
    /// Options without a value after which the input is not a text.
    modes: &'static [&'static str],
    /// Options after which the program ends or runs another program's words: no later word is its option.
    last: &'static [&'static str],
    /// Letters of options whose value is a module, which gets the words after it.
    modules: &'static str,
    /// Words before the script that are not a script.
    verbs: &'static [&'static str],
    /// The reader of a text; it adds the commands of the text to the list.
    read: fn(&str, &mut Vec<Inner>) -> Runs,
}

/// Modules of Python that run texts.
const MODULES: &[&str] = &[
    "IPython", "_pyrepl", "asyncio", "bpython", "code", "idlelib", "ipdb", "pdb", "ptpython",
    "pudb", "timeit", "xonsh",
];

/// Modules of Python that run another module, which their words name.
const CARRIERS: &[&str] = &[
    "cProfile",
    "coverage",
    "kernprof",
    "profile",
    "profiling",
    "runpy",
    "trace",
    "viztracer",
];

/// Adds what a program runs by the texts among its words and by its input.
pub(super) fn runs(name: &str, arguments: &[String], input: &Input, found: &mut Vec<Inner>) {
    let Some(language) = of(name) else {
        return;
    };
    let mut walk = Walk {
        name,
        language,
        has_text: false,
        n_operands: 0,
        is_over: false,
        has_script: false,
        reads_input: false,
    };
    walk.words(arguments, found);
    walk.input(input, found);
}

/// The state of a pass through a program's words.
struct Walk<'a> {
    name: &'a str,
    language: &'static Language,
    has_text: bool,
    n_operands: usize,
    /// Whether it is decided what runs, so that the input is not a text.
    is_over: bool,
    /// Whether a script or a subcommand was read: options after it may be its own.
    has_script: bool,
    /// Whether the input was named as a script.
    reads_input: bool,
}

/// The kind of an option, and its value if that is in the same word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind<'a> {
    Text(Option<&'a str>),
    File(Option<&'a str>),
    Script(Option<&'a str>),
    Value(Option<&'a str>),
    Module(Option<&'a str>),
    Last,
    Mode,
    Plain,
    /// In no column.
    Unlisted,
    /// Abbreviated and ambiguous.
    Unsure,
}

impl Walk<'_> {
    fn words(&mut self, arguments: &[String], found: &mut Vec<Inner>) {
        let mut words = arguments.iter();
        let mut has_options = true;
        while let Some(word) = words.next() {
            let is_named = |list: &[&str]| list.contains(&word.as_str());
            let has_sign = word.starts_with('-')
                || (word.starts_with('+') && self.language.texts.contains(&"+"));
            // A few programs use a word without a dash: `deno eval`.
            let is_option = has_options
                && ((word.len() > 1 && has_sign)
                    || is_named(self.language.texts)
                    || is_named(self.language.files)
                    || is_named(self.language.last));
            if self.is_program(word) {
                found.push(self.unread());
            }
            if has_options && word == "--" && !is_named(self.language.last) {
                has_options = false;
            } else if is_option {
                let kind = self.option(word);
                let mut value_of = |value: Option<&'_ str>| {
                    let value = value.map(str::to_owned);
                    value.or_else(|| words.next().cloned()).unwrap_or_default()
                };
                match kind {
                    Kind::Text(value) => self.text(&value_of(value), found),
                    Kind::File(value) => self.file(&value_of(value), found),
                    Kind::Script(value) => self.script(&value_of(value), found),
                    Kind::Value(None) => {
                        if self.is_program(&value_of(None)) {
                            found.push(self.unread());
                        }
                    }
                    Kind::Module(value) => {
                        self.module(&value_of(value), words.as_slice(), found);
                        self.is_over = true;
                        return;
                    }
                    Kind::Last => {
                        self.is_over = true;
                        return;
                    }
                    Kind::Mode => self.is_over = true,
                    Kind::Value(Some(_)) | Kind::Plain => {}
                    Kind::Unlisted if self.has_script => {}
                    Kind::Unlisted | Kind::Unsure => found.push(Inner::Unknown(format!(
                        "`{}` with `{}` runs an unknown program",
                        self.name,
                        super::super::shell::shown(word)
                    ))),
                }
            } else if self.operand(word, found) {
                return;
            }
        }
    }

    /// Whether a word is a URL with a program in it, for a program that accepts such URLs.
    fn is_program(&self, word: &str) -> bool {
        self.language.operands == Operands::Script && is_data(word)
    }

    /// The kind of an option in this spelling.
    fn option<'a>(&self, word: &'a str) -> Kind<'a> {
        let language = self.language;
        if let Some(command) = word.strip_prefix('+') {
            return Kind::Text(Some(command));
        }
        if language.plain.contains(&word) {
            return Kind::Plain;
        }
        let (name, value) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (word, None),
        };
        // `-eval`: some programs have long options with one dash, or two.
        let has_one_sign = language.has_one_sign();
        if word.starts_with("--") || has_one_sign || !word.starts_with('-') {
            let bare = |option: &'static str| option.trim_start_matches('-');
            let same = |known: &str| {
                known == name
                    || (has_one_sign
                        && !known.is_empty()
                        && known.trim_start_matches('-') == name.trim_start_matches('-'))
            };
            let columns = language.columns(value);
            let exact = columns
                .iter()
                .find(|(_, list)| list.iter().any(|known| same(known)));
            if let Some((kind, _)) = exact {
                return *kind;
            }
            if language.is_plain(word) {
                return Kind::Plain;
            }
            let is_start = |known: &&'static str| {
                (known.starts_with("--") || has_one_sign)
                    && !known.ends_with('*')
                    && bare(known).len() > 1
                    && super::is_shortened(name.trim_start_matches('-'), bare(known))
            };
            let mut kinds = columns
                .iter()
                .filter(|(_, list)| list.iter().any(is_start))
                .map(|(kind, _)| *kind);
            // An abbreviated option must be unambiguous, and it must be known what its value is.
            return match (kinds.next(), kinds.next()) {
                (Some(kind @ (Kind::Text(_) | Kind::Plain | Kind::Mode)), None) => kind,
                (None, None) => Kind::Unlisted,
                _ => Kind::Unsure,
            };
        }
        if language.last.contains(&word) {
            return Kind::Last;
        }
        if language.is_plain(word) {
            return Kind::Plain;
        }
        self.letters(word)
    }

    /// The kind of a cluster of short options.
    fn letters<'a>(&self, word: &'a str) -> Kind<'a> {
        let language = self.language;
        let mut kind = Kind::Plain;
        for (at, letter) in word.char_indices().skip(1) {
            let after = &word[at + letter.len_utf8()..];
            let value = Some(after).filter(|after| !after.is_empty());
            if language.modules.contains(letter) {
                return Kind::Module(value);
            }
            let is_it = |known: &&str| {
                let mut letters = known.chars();
                letters.next() == Some('-') && letters.next() == Some(letter) && known.len() == 2
            };
            let columns = language.columns(value);
            let column = columns.iter().find(|(_, list)| list.iter().any(is_it));
            match column {
                Some((Kind::Plain, _)) => {}
                Some((Kind::Mode, _)) => kind = Kind::Mode,
                Some((kind, _)) => return *kind,
                // A module's name that contains more than a name is a text: `perl -M'POSIX;system(..)'`.
                None if language.attached.contains(letter) => {
                    let is_name = |c: char| c.is_ascii_alphanumeric() || "_:,=./+-~* ".contains(c);
                    let is_module = matches!(letter, 'M' | 'm');
                    return if !is_module || after.chars().all(is_name) {
                        kind
                    } else {
                        Kind::Text(value)
                    };
                }
                None if language.flags.contains(letter) => {}
                None => return Kind::Unlisted,
            }
        }
        kind
    }

    /// Handles a module of Python, and the words that it gets.
    fn module(&self, module: &str, words: &[String], found: &mut Vec<Inner>) {
        let first = |name: &str| name.split('.').next().unwrap_or_default().to_owned();
        let runs_text = |name: &str| MODULES.contains(&first(name).as_str());
        // The name may be in one word with its option.
        let is_named = |word: &String| {
            let bare = word.rsplit('=').next().unwrap_or_default();
            let bare = bare.trim_start_matches('-');
            runs_text(bare) || bare.find('m').is_some_and(|at| runs_text(&bare[at + 1..]))
        };
        let carries = CARRIERS.contains(&first(module).as_str()) && words.iter().any(is_named);
        if is_unknown(module) || runs_text(module) || carries {
            found.push(self.unread());
        }
    }

    /// Handles a word that is not an option. Returns whether the rest of the words is not for this program.
    fn operand(&mut self, word: &str, found: &mut Vec<Inner>) -> bool {
        self.n_operands += 1;
        match self.language.operands {
            Operands::Text | Operands::TextOnce => {
                if !self.has_text {
                    self.text(word, found);
                }
                self.language.operands == Operands::TextOnce
            }
            Operands::Script if self.language.verbs.contains(&word) && self.n_operands == 1 => {
                false
            }
            Operands::Script | Operands::Scripts => {
                self.script(word, found);
                self.has_script = true;
                self.language.operands == Operands::Script
            }
            Operands::Subcommand => {
                self.has_script = true;
                false
            }
            Operands::DataThenTexts if self.n_operands > 1 => {
                self.text(word, found);
                false
            }
            _ => false,
        }
    }

    /// Handles a script file, which may be the input.
    fn script(&mut self, word: &str, found: &mut Vec<Inner>) {
        if is_unknown(word) {
            let name = self.name;
            found.push(Inner::Unknown(format!(
                "`{name}` with a word that is not literal"
            )));
        }
        // An expression of Clojure.
        if word.starts_with('(') {
            found.push(self.unread());
        }
        if is_stream(word) {
            self.is_over = false;
            self.reads_input = true;
        } else {
            self.is_over = !self.reads_input;
        }
    }

    fn text(&mut self, text: &str, found: &mut Vec<Inner>) {
        self.has_text = true;
        let name = self.name;
        if is_unknown(text) {
            found.push(Inner::Unknown(format!(
                "`{name}` runs a text that is not fully literal"
            )));
            return;
        }
        match (self.language.read)(text, found) {
            Runs::Nothing => {}
            Runs::Commands => {
                found.push(Inner::Unknown(format!("`{name}` runs commands of its own")));
            }
            Runs::Unread => found.push(self.unread()),
        }
    }

    fn file(&mut self, file: &str, found: &mut Vec<Inner>) {
        self.has_text = true;
        // For editors these names mean no file.
        if matches!(file, "NONE" | "NORC" | "DEFAULTS") {
            return;
        }
        let name = self.name;
        found.push(Inner::Unknown(format!(
            "`{name}` runs the contents of `{}`",
            super::super::shell::shown(file)
        )));
    }

    fn unread(&self) -> Inner {
        Inner::Unknown(format!("`{}` runs a text that is not read here", self.name))
    }

    /// Handles the input, if it is a text.
    fn input(&mut self, input: &Input, found: &mut Vec<Inner>) {
        let is_text = match self.language.operands {
            _ if self.reads_input => true,
            Operands::Text | Operands::TextOnce | Operands::Subcommand | Operands::Data => false,
            Operands::Script | Operands::Scripts => !self.is_over && !self.has_text,
            Operands::DataThenTexts | Operands::DataOrInput => !self.is_over && !self.has_text,
            Operands::DataAndInput => *input != Input::Inherited,
        };
        if !is_text {
            return;
        }
        match input {
            Input::Text(text) => self.text(text, found),
            _ => found.push(Inner::Unknown(format!(
                "`{}` runs what it reads",
                self.name
            ))),
        }
    }
}

/// Whether a file's name means the input of the program, or the output of another program.
pub(super) fn is_stream(file: &str) -> bool {
    file == "-" || is_unknown(file) || file.starts_with("/dev/") || file.starts_with("/proc/")
}

/// Whether a word is a URL with a program in it, or a URL that reads a program from a stream.
fn is_data(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let data = lower.find("data:").map(|at| &lower[at..]);
    data.is_some_and(|data| data.contains(','))
        || ["php://", "expect://"]
            .iter()
            .any(|start| lower.contains(start))
}

/// The file that a program of this name runs, if it runs one.
pub(super) fn script<'a>(name: &str, arguments: &'a [String]) -> Option<&'a String> {
    let is_script = |operands| matches!(operands, Operands::Script | Operands::Scripts);
    let language = of(name).filter(|language| is_script(language.operands))?;
    let mut words = arguments.iter();
    loop {
        let word = words.next()?;
        if language.values.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') && !language.verbs.contains(&word.as_str()) {
            return Some(word);
        }
    }
}

/// The language of a program.
fn of(name: &str) -> Option<&'static Language> {
    let row = |name: &str| LANGUAGES.iter().find(|row| row.names.contains(&name));
    row(name).or_else(|| row(family(name)?))
}

/// A program's name without its version, and without the text after it: `python3.12-dbg`, `vim.basic`. A helper has a
/// name of its own: `python3-config`.
fn family(name: &str) -> Option<&str> {
    let end = name.find(|c: char| c.is_ascii_digit() || c == '.')?;
    let is_other = name.ends_with("-config");
    (!is_other).then(|| name[..end].trim_end_matches('-'))
}

impl Language {
    /// The columns of options, each with the kind of its options, with this value in the same word.
    fn columns<'a>(&self, value: Option<&'a str>) -> [(Kind<'a>, &'static [&'static str]); 7] {
        [
            (Kind::Text(value), self.texts),
            (Kind::File(value), self.files),
            (Kind::Script(value), self.scripts),
            (Kind::Value(value), self.values),
            (Kind::Last, self.last),
            (Kind::Mode, self.modes),
            (Kind::Plain, self.plain),
        ]
    }

    /// Whether the program has long options with one dash: `-eval`.
    fn has_one_sign(&self) -> bool {
        let mut all = self.texts.iter().chain(self.files).chain(self.values);
        all.any(|option| option.len() > 2 && option.starts_with('-') && !option.starts_with("--"))
    }

    /// Whether a word starts like an option that runs nothing.
    fn is_plain(&self, word: &str) -> bool {
        let mut starts = self
            .plain
            .iter()
            .filter_map(|plain| plain.strip_suffix('*'));
        starts.any(|start| word.starts_with(start))
    }
}

/// The reader of a language that is not read here.
fn unread(_: &str, _: &mut Vec<Inner>) -> Runs {
    Runs::Unread
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A text that runs something, in the language of a row.
    fn payload(language: &Language) -> &'static str {
        match language.names[0] {
            "sed" => "1e rm x",
            "awk" | "gawk" => "BEGIN{system(\"rm x\")}",
            "gdb" | "lldb" => "shell rm x",
            "sqlite" => ".shell rm x",
            "psql" => "\\! rm x",
            "mysql" => "system rm x",
            "m4" => "syscmd(rm x)",
            _ => "!rm x",
        }
    }

    fn is_found(name: &str, words: &[String]) -> bool {
        let mut found = Vec::new();
        let input = Input::Text(String::new());
        runs(name, words, &input, &mut found);
        !found.is_empty()
    }

    fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
        words.map(str::to_owned).to_vec()
    }

    /// The ways to write an option with a text.
    fn spellings(language: &Language, option: &str, text: &str) -> Vec<Vec<String>> {
        let mut all = vec![words([option, text])];
        if let Some(long) = option.strip_prefix("--") {
            all.push(words([&format!("{option}={text}")]));
            for (end, _) in long.char_indices().skip(1) {
                let short = format!("--{}", &long[..end]);
                // Another option may have just this name.
                let columns = language.columns(None);
                let mut known = columns.iter().flat_map(|(_, list)| *list);
                if known.any(|known| known.trim_start_matches('-') == &long[..end]) {
                    continue;
                }
                all.push(words([&format!("{short}={text}")]));
                all.push(words([&short, text]));
            }
        } else if option == "+" {
            all = vec![words([&format!("+{text}")])];
        } else if option.len() == 2 && !language.has_one_sign() {
            let letter = &option[1..];
            all.push(words([&format!("{option}{text}")]));
            for flag in language.flags.chars() {
                all.push(words([&format!("-{flag}{letter}"), text]));
                all.push(words([&format!("-{flag}{letter}{text}")]));
            }
        }
        all
    }

    /// Words that may come before an option, and end nothing.
    fn harmless(language: &Language) -> Vec<Vec<String>> {
        let mut all = vec![Vec::new()];
        let whole = |word: &str| word.replace('*', "x");
        let plain = language.plain.iter().chain(language.modes);
        all.extend(plain.map(|word| words([&whole(word)])));
        let letters = language.flags.chars().chain(language.attached.chars());
        all.extend(letters.map(|letter| words([&format!("-{letter}")])));
        let values = language.values.iter().chain(language.scripts);
        all.extend(values.map(|option| words([option, "v"])));
        if matches!(
            language.operands,
            Operands::Text
                | Operands::DataThenTexts
                | Operands::DataOrInput
                | Operands::DataAndInput
                | Operands::Data
                | Operands::Scripts
                | Operands::Subcommand
        ) {
            all.push(words(["v"]));
        }
        all
    }

    #[test]
    fn a_text_is_found_in_every_spelling_and_after_every_harmless_word() {
        let mut n = 0;
        let mut missed = Vec::new();
        for language in LANGUAGES {
            let text = payload(language);
            for option in language.texts {
                for before in harmless(language) {
                    for spelling in spellings(language, option, text) {
                        let all = [before.clone(), spelling].concat();
                        n += 1;
                        if !is_found(language.names[0], &all) {
                            missed.push(format!("{} {option} {all:?}", language.names[0]));
                        }
                    }
                }
            }
        }
        assert!(
            missed.is_empty(),
            "{}: {:#?}",
            missed.len(),
            &missed[..missed.len().min(40)]
        );
        assert!(n > 1_000, "only {n}");
    }

    #[test]
    fn an_option_that_no_row_has_is_a_doubt() {
        for language in LANGUAGES {
            for option in ["--zzz", "--zzz=1", "-\u{e9}"] {
                let mut found = Vec::new();
                runs(
                    language.names[0],
                    &words([option, "v"]),
                    &Input::Text(String::new()),
                    &mut found,
                );
                assert!(!found.is_empty(), "{} {option}", language.names[0]);
            }
        }
    }

    #[test]
    fn an_input_that_is_named_as_the_script_is_a_text() {
        for language in LANGUAGES {
            if !matches!(language.operands, Operands::Script | Operands::Scripts) {
                continue;
            }
            for before in harmless(language) {
                let all = [before, words(["-"])].concat();
                let mut found = Vec::new();
                let is_script = |word: &String| language.scripts.contains(&word.as_str());
                let input = Input::Text("!rm x".to_owned());
                runs(language.names[0], &all, &input, &mut found);
                let has_script = all.iter().any(is_script);
                assert!(
                    has_script || !found.is_empty(),
                    "{} {all:?}",
                    language.names[0]
                );
            }
        }
    }

    #[test]
    fn a_name_is_cut_after_its_version() {
        for (name, expected) in [
            ("python3.12-dbg", Some("python")),
            ("vim.basic", Some("vim")),
            ("perl5.36-x86_64-linux-gnu", Some("perl")),
            ("lua5.4", Some("lua")),
            ("python3-config", None),
            ("node-gyp", None),
        ] {
            assert_eq!(of(name).is_some(), expected.is_some(), "{name}");
            assert_eq!(
                family(name).filter(|_| expected.is_some()),
                expected,
                "{name}"
            );
        }
    }
}
