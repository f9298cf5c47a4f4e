//! The meaning of finished words by their position.

use super::list::{Case, Kind, Next};
use super::reader::{Document, Reader};
use super::{Input, Script, Simple, is_unknown};

/// Keywords after which a command starts.
const BEFORE_COMMANDS: &[&str] = &[
    "!", "{", "}", "if", "then", "elif", "else", "fi", "do", "done", "while", "until",
];

/// Keywords that start a compound command.
const COMPOUND: &[&str] = &["{", "if", "while", "until", "for", "case", "select", "[["];

impl Reader {
    pub(super) fn end_word(&mut self) {
        let Some(word) = self.list().word.take() else {
            return;
        };
        let word = word.finish();
        let depth = self.lists.len();
        let Reader {
            script,
            lists,
            bodies,
            documents,
            ..
        } = self;
        let list = lists.last_mut().expect("the text itself is never closed");
        let plain = if word.is_plain {
            word.text.as_str()
        } else {
            ""
        };
        let is_known = !is_unknown(&word.text);
        match list.next {
            Next::Target { is_input } => {
                list.next = Next::Word;
                if is_input {
                    list.command.input = Input::Unknown;
                }
                if !word.text.chars().all(|c| c.is_ascii_digit() || c == '-') {
                    script.targets.push(word.text);
                }
                return;
            }
            Next::HereString => {
                list.next = Next::Word;
                list.command.input = if is_known {
                    Input::Text(word.text)
                } else {
                    Input::Unknown
                };
                return;
            }
            Next::Delimiter { strips } => {
                list.next = Next::Word;
                if !is_known {
                    script.doubt("a here-document whose end is not literal");
                }
                list.command.input = Input::Document(bodies.len());
                documents.push(Document {
                    delimiter: word.text,
                    is_plain: word.is_plain,
                    strips,
                    number: bodies.len(),
                    depth,
                });
                bodies.push(None);
                return;
            }
            Next::Variable => {
                list.variable = word.text;
                list.next = Next::In;
                return;
            }
            Next::In => {
                list.next = match plain {
                    "in" => Next::Items,
                    "do" => Next::Word,
                    _ => {
                        script.doubt("a loop that cannot be read");
                        Next::Word
                    }
                };
                if list.next == Next::Word {
                    // Without `in` the loop goes through the script's arguments.
                    script.variables.texts.insert(list.variable.clone());
                }
                return;
            }
            Next::Items => {
                if !word.text.chars().all(|c| c.is_ascii_digit()) {
                    script.variables.texts.insert(list.variable.clone());
                }
                return;
            }
            Next::Subject => {
                list.next = Next::CaseIn;
                return;
            }
            Next::CaseIn => {
                if plain != "in" {
                    script.doubt("a `case` that cannot be read");
                }
                list.next = Next::Word;
                list.cases.push(Case::Patterns);
                return;
            }
            Next::Function => {
                list.next = Next::Word;
                return;
            }
            Next::Word => {}
        }
        if list.kind == Kind::Array {
            if word.text.starts_with('[') {
                script.doubt("an index inside of a list of values");
            }
            return;
        }
        if let Some(test) = &mut list.test {
            if plain == "]]" {
                let words = list.test.take().unwrap_or_default();
                check_test(&words, script);
            } else {
                test.push(word.text);
            }
            return;
        }
        if list.is_in_patterns() {
            if plain == "esac" {
                list.cases.pop();
            }
            return;
        }
        if list.is_coproc && list.command.words.len() == 1 && COMPOUND.contains(&plain) {
            list.command = Simple::default();
            list.is_split = false;
        }
        if list.is_fresh() && word.is_plain && self.is_grammar(&word.text) {
            return;
        }
        let Reader { script, lists, .. } = self;
        let list = lists.last_mut().expect("the text itself is never closed");
        if list.command.words.is_empty() {
            if let Some(set) = word.assignment() {
                if !set.is_number {
                    script.variables.texts.insert(set.name.to_owned());
                }
                let is_plain_index = |index: &str| index.chars().all(|c| c.is_ascii_digit());
                if set.index.is_some_and(|index| !is_plain_index(index)) {
                    script.doubt("an index that is computed");
                }
                list.command
                    .assignments
                    .push((set.name.to_owned(), set.value.to_owned()));
                return;
            }
            list.is_split = word.is_split;
        }
        list.command.words.push(word.text);
    }

    /// Whether a word at the start of a command is a keyword. If so, it opens its construct.
    pub(super) fn is_grammar(&mut self, word: &str) -> bool {
        if BEFORE_COMMANDS.contains(&word) {
            return true;
        }
        let next = self.chars[self.at - 1..]
            .iter()
            .take(64)
            .find(|c| **c != ' ' && **c != '\t');
        let has_options = next == Some(&'-');
        let list = self.list();
        match word {
            // With options `time` is the program of that name.
            "time" => return !has_options,
            "coproc" => list.is_coproc = true,
            "for" | "select" => list.next = Next::Variable,
            "case" => list.next = Next::Subject,
            "function" => list.next = Next::Function,
            "[[" => list.test = Some(Vec::new()),
            "esac" => {
                if list.cases.pop().is_none() {
                    self.script.doubt("`esac` without a `case`");
                }
            }
            _ => return false,
        }
        true
    }

    pub(super) fn end_command(&mut self) {
        self.end_word();
        let list = self.list();
        match list.next {
            Next::Items => list.next = Next::Word,
            Next::Word | Next::In | Next::CaseIn => {}
            _ => {
                list.next = Next::Word;
                self.script.doubt("a word that is missing");
            }
        }
        if self.list().test.is_some() {
            return;
        }
        let (slot, command, is_split) = self.list().take();
        if let Some(program) = command.words.first() {
            let name = program.rsplit('/').next().unwrap_or(program);
            if is_split || is_unknown(name) || name.is_empty() {
                let program = super::shown(program);
                self.script
                    .doubt(format!("`{program}` where a program belongs"));
            }
        }
        if let Some(place) = slot.and_then(|slot| self.commands.get_mut(slot))
            && !(command.words.is_empty() && command.assignments.is_empty())
        {
            *place = Some(command);
        }
    }
}

/// Operators of `[[ .. ]]` that compute with their operands.
const COMPUTES: &[&str] = &["-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-v", "-R"];

fn check_test(words: &[String], script: &mut Script) {
    let is_number = |word: &String| {
        word.chars()
            .all(|c| c.is_ascii_digit() || matches!(c, '-' | '.'))
    };
    let computes = |word: &String| COMPUTES.contains(&word.as_str());
    if words.iter().any(computes) && !words.iter().all(|word| computes(word) || is_number(word)) {
        script.doubt("`[[` that computes with a variable: write `[`");
    }
}
