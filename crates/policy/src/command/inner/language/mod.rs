//! Programs with a language of their own that can run commands: which of their words hold a text of it, and who reads that.
//!
//! A text that is read here shows its commands, or that it has none. A text that nobody reads here, a file and an input may
//! run anything: then it cannot be told what runs.

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
    /// Commands that are made while it runs.
    Commands,
    /// It is not read here.
    Unread,
}

/// What the words of a program are that are no options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operands {
    /// The first is a text unless an option gives one, the others are data, and options may stand among them: `sed`.
    Text,
    /// The same, and nothing after it is an option: `awk`.
    TextOnce,
    /// The first is a file that is run, and all after it are its own; without one the input is: `python3`. Such a file is
    /// a program like any other.
    Script,
    /// The first is data, those after it are texts; without one the input is: `sqlite3`.
    DataThenTexts,
    /// All are data; without a text the input is one: `psql`.
    DataOrInput,
    /// All are data; what is given as input is a text: `ed`.
    DataAndInput,
    /// All are data, and the input is too: `tcpdump`.
    Data,
}

/// A row of [`LANGUAGES`].
struct Language {
    /// Programs, without the version at the end of their names.
    names: &'static [&'static str],
    operands: Operands,
    /// Options whose value is a text.
    texts: &'static [&'static str],
    /// Options whose value is a file of texts, or that make one be run.
    files: &'static [&'static str],
    /// Options whose value is something else.
    values: &'static [&'static str],
    /// Letters of options whose value, if there is one, stands in the same word.
    attached: &'static str,
    /// Words after which nothing is an option or a text any more: subcommands and modules, and options that only inform.
    last: &'static [&'static str],
    /// What a text runs; commands in it are added to the list.
    read: fn(&str, &mut Vec<Inner>) -> Runs,
}

/// Modules of Python that run texts.
const MODULES: &[&str] = &["IPython", "asyncio", "code", "idlelib", "pdb", "timeit"];

/// What a program runs by the texts among its words and by its input.
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
    };
    walk.words(arguments, found);
    walk.input(input, found);
}

/// A way through a program's words.
struct Walk<'a> {
    name: &'a str,
    language: &'static Language,
    has_text: bool,
    n_operands: usize,
    /// Whether what runs is decided, and the input is no text.
    is_over: bool,
}

/// What an option is, and its value where that stands in the same word.
enum Kind<'a> {
    Text(Option<&'a str>),
    File(Option<&'a str>),
    Value(Option<&'a str>),
    Last,
    Plain,
}

impl Walk<'_> {
    fn words(&mut self, arguments: &[String], found: &mut Vec<Inner>) {
        let mut words = arguments.iter();
        let mut has_options = true;
        while let Some(word) = words.next() {
            let is_named = |list: &[&str]| list.contains(&word.as_str());
            // A few say it by a word without a sign: `deno eval`.
            let is_option = has_options
                && ((word.len() > 1 && word.starts_with(['-', '+']))
                    || is_named(self.language.texts)
                    || is_named(self.language.files));
            if is_named(self.language.last) && word != "-m" {
                self.is_over = true;
                return;
            }
            if is_data(word) {
                found.push(self.unread());
            }
            if has_options && word == "--" {
                has_options = false;
            } else if is_option {
                // The value is in the word, or is the next one.
                match self.option(word) {
                    Kind::Text(value) => {
                        let value = value.or_else(|| words.next().map(String::as_str));
                        self.text(value.unwrap_or_default(), found);
                    }
                    Kind::File(value) => {
                        let value = value.or_else(|| words.next().map(String::as_str));
                        self.file(value.unwrap_or_default(), found);
                    }
                    Kind::Value(None) => {
                        if words.next().is_some_and(|value| is_data(value)) {
                            found.push(self.unread());
                        }
                    }
                    Kind::Last => {
                        let module = word.get(2..).filter(|module| !module.is_empty());
                        let module = module.or_else(|| words.next().map(String::as_str));
                        if module.is_some_and(|module| MODULES.contains(&module)) {
                            found.push(self.unread());
                        }
                        self.is_over = true;
                        return;
                    }
                    Kind::Value(Some(_)) | Kind::Plain => {}
                }
            } else if self.operand(word, found) {
                return;
            }
        }
    }

    /// What an option of this spelling is.
    fn option<'a>(&self, word: &'a str) -> Kind<'a> {
        let language = self.language;
        if word.starts_with("--") {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (word, None),
            };
            // A long option may be cut short.
            let is_in = |list: &[&str]| {
                let is_it = |known: &&str| known.starts_with("--") && known.starts_with(name);
                list.contains(&name) || (name.len() > 3 && list.iter().any(is_it))
            };
            return if is_in(language.texts) {
                Kind::Text(value)
            } else if is_in(language.files) {
                Kind::File(value)
            } else if is_in(language.values) {
                Kind::Value(value)
            } else {
                Kind::Plain
            };
        }
        if let Some(command) = word.strip_prefix('+') {
            let is_text = language.texts.contains(&"+");
            return if is_text {
                Kind::Text(Some(command))
            } else {
                Kind::Plain
            };
        }
        // `-eval`, of programs whose long options have one sign.
        let exact = |list: &[&str]| list.contains(&word);
        if exact(language.texts) {
            return Kind::Text(None);
        }
        if exact(language.files) {
            return Kind::File(None);
        }
        if exact(language.values) {
            return Kind::Value(None);
        }
        let all = language.texts.iter().chain(language.files);
        if all.into_iter().any(|known| is_single_dash(known)) {
            return Kind::Plain;
        }
        for (at, letter) in word.char_indices().skip(1) {
            let after = &word[at + letter.len_utf8()..];
            let value = Some(after).filter(|after| !after.is_empty());
            let is_in = |list: &[&str]| {
                let mut short = list.iter().filter(|known| known.len() == 2);
                short.any(|known| known.starts_with(&word[..1]) && known.ends_with(letter))
            };
            if is_in(language.texts) {
                return Kind::Text(value);
            }
            if is_in(language.files) {
                return Kind::File(value);
            }
            if is_in(language.values) {
                return Kind::Value(value);
            }
            // A module's name that holds more than a name is a text: `perl -M'POSIX;system(..)'`.
            if language.attached.contains(letter) {
                let is_name = |c: char| c.is_ascii_alphanumeric() || "_:,=./+-~* ".contains(c);
                let is_module = matches!(letter, 'M' | 'm');
                return if !is_module || after.chars().all(is_name) {
                    Kind::Plain
                } else {
                    Kind::Text(value)
                };
            }
            if letter == 'm' && language.last.contains(&"-m") {
                return Kind::Last;
            }
        }
        Kind::Plain
    }

    /// A word that is no option. Whether what follows is none of this program's.
    fn operand(&mut self, word: &str, found: &mut Vec<Inner>) -> bool {
        self.n_operands += 1;
        match self.language.operands {
            Operands::Text | Operands::TextOnce => {
                if !self.has_text {
                    self.text(word, found);
                }
                self.language.operands == Operands::TextOnce
            }
            Operands::Script => {
                if is_unknown(word) {
                    let name = self.name;
                    found.push(Inner::Unknown(format!(
                        "`{name}` with a word that the text does not tell"
                    )));
                }
                self.is_over = !is_stream(word);
                true
            }
            Operands::DataThenTexts if self.n_operands > 1 => {
                self.text(word, found);
                false
            }
            _ => false,
        }
    }

    fn text(&mut self, text: &str, found: &mut Vec<Inner>) {
        self.has_text = true;
        let name = self.name;
        if is_unknown(text) {
            found.push(Inner::Unknown(format!(
                "`{name}` runs a text that is not told in full"
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
        // No file at all, for editors.
        if matches!(file, "NONE" | "NORC" | "DEFAULTS") {
            return;
        }
        let name = self.name;
        found.push(Inner::Unknown(format!(
            "`{name}` runs what stands in `{}`",
            super::super::shell::shown(file)
        )));
    }

    fn unread(&self) -> Inner {
        Inner::Unknown(format!("`{}` runs a text that is not read here", self.name))
    }

    /// The input, where that is a text.
    fn input(&mut self, input: &Input, found: &mut Vec<Inner>) {
        let is_text = match self.language.operands {
            Operands::Text | Operands::TextOnce | Operands::Data => false,
            Operands::Script => !self.is_over && !self.has_text,
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

/// Whether a file's name stands for what the program reads, or what another one writes.
pub(super) fn is_stream(file: &str) -> bool {
    file == "-" || is_unknown(file) || file.starts_with("/dev/") || file.starts_with("/proc/")
}

/// Whether a word is a program in an address.
fn is_data(word: &str) -> bool {
    word.contains("data:text/")
}

/// The file that a program of this name runs, if it runs one.
pub(super) fn script<'a>(name: &str, arguments: &'a [String]) -> Option<&'a String> {
    let language = of(name).filter(|language| language.operands == Operands::Script)?;
    let mut words = arguments.iter();
    loop {
        let word = words.next()?;
        if language.values.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            return Some(word);
        }
    }
}

/// The language of a program.
fn of(name: &str) -> Option<&'static Language> {
    let family = name.trim_end_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-'));
    let is_it = |row: &&Language| row.names.contains(&name) || row.names.contains(&family);
    LANGUAGES.iter().find(is_it)
}

/// Whether a long option has one sign: `-eval`.
fn is_single_dash(option: &str) -> bool {
    option.len() > 2 && option.starts_with('-') && !option.starts_with("--")
}

/// Nothing of it is read here.
fn unread(_: &str, _: &mut Vec<Inner>) -> Runs {
    Runs::Unread
}
