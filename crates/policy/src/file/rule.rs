//! One rule of a policy file.

use std::path::Path;

use super::PolicyError;
use super::capability::{covers, is_kin};
use super::options::Options;
use super::pattern::{HostPattern, Place, Word};
use super::rule_text::{RuleText, Token};
use super::subcommand;
use crate::command::is_unknown;
use crate::{CommandFact, CommandLine, Decision, HostPort, Inside, PathFact, Survey};

/// One thing that a call does. Each item is decided alone, and the strictest decision is the call's.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// The call touches a place: a path below the root.
    Path(String),
    /// The call runs a program with arguments.
    Command(Vec<String>),
    /// The call runs a text in a shell; the commands found in the text are further items.
    Shell(String),
    /// The call sends a request to a host.
    Host(HostPort),
    /// The call needs a capability that the tool's description declares.
    Capability(String),
    /// The call does none of these.
    Nothing,
}

/// The call that an item belongs to, as rules match it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The name of the tool, and its other names.
    pub(crate) tool: &'a str,
    pub(crate) names: &'a [String],
    /// The capability that the call needs.
    pub(crate) capability: &'a str,
    /// The command that the item belongs to, with the places of its words.
    pub(crate) command: Option<&'a CommandFact>,
}

impl<'a> Asked<'a> {
    /// A call of a tool with one name, and without a command.
    pub(crate) fn new(tool: &'a str, capability: &'a str) -> Asked<'a> {
        Asked {
            tool,
            names: &[],
            capability,
            command: None,
        }
    }
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) id: String,
    pub(crate) decision: Decision,
    pub(crate) because: Option<String>,
    tools: Option<Vec<Word>>,
    capabilities: Option<Vec<String>>,
    /// The patterns of `paths` and `except` as they are written.
    written_places: Vec<String>,
    paths: Option<Vec<Place>>,
    except: Vec<Place>,
    argv: Option<Vec<Vec<Vec<Word>>>>,
    /// For each line of `argv`, whether any arguments may follow.
    is_open: Vec<bool>,
    options: Options,
    hosts: Option<Vec<HostPattern>>,
}

/// Matches any arguments that no other setting refuses.
const REST: &str = "...";

impl Rule {
    /// Reads a rule and checks its examples.
    pub(crate) fn new(written: RuleText) -> Result<Rule, PolicyError> {
        let id = written.id.clone();
        let pattern = |what: &'static str, pattern: &str, problem: String| PolicyError::Pattern {
            rule: id.clone(),
            what,
            pattern: pattern.to_owned(),
            problem,
        };
        let words = |what, list: &[String]| -> Result<Vec<Word>, PolicyError> {
            list.iter()
                .map(|text| Word::new(text).map_err(|problem| pattern(what, text, problem)))
                .collect()
        };
        let places = |what, list: &[String]| -> Result<Vec<Place>, PolicyError> {
            list.iter()
                .map(|text| Place::new(text).map_err(|problem| pattern(what, text, problem)))
                .collect()
        };
        written.check()?;
        let mut is_open = Vec::new();
        let argv = written
            .argv
            .as_ref()
            .map(|lines| {
                lines
                    .iter()
                    .map(|line| {
                        let is_rest =
                            |token: &Token| matches!(token, Token::One(word) if word == REST);
                        is_open.push(line.last().is_some_and(is_rest));
                        let n_fixed = line.len() - usize::from(line.last().is_some_and(is_rest));
                        if n_fixed == 0 || line[..n_fixed].iter().any(is_rest) {
                            return Err(pattern(
                                "argv",
                                REST,
                                "it is at the end of a line, after a program".to_owned(),
                            ));
                        }
                        line[..n_fixed]
                            .iter()
                            .map(|token| match token {
                                Token::One(word) => words("argv", std::slice::from_ref(word)),
                                Token::OneOf(list) => words("argv", list),
                            })
                            .collect::<Result<Vec<_>, _>>()
                    })
                    .collect::<Result<Vec<_>, _>>()
            })
            .transpose()?;
        let written_places = written.paths.iter().flatten().chain(&written.except);
        let rule = Rule {
            written_places: written_places.cloned().collect(),
            decision: written.decision.into(),
            because: written.because,
            tools: written
                .tools
                .as_deref()
                .map(|list| words("tools", list))
                .transpose()?,
            paths: written
                .paths
                .as_deref()
                .map(|list| places("paths", list))
                .transpose()?,
            except: places("except", &written.except)?,
            argv,
            is_open,
            options: Options {
                allowed: written
                    .allow_args
                    .as_deref()
                    .map(|list| words("allow_args", list))
                    .transpose()?,
                with_value: words("value_args", &written.value_args)?,
                forbidden: words("forbid_args", &written.forbid_args)?,
                exact: words("exact_args", &written.exact_args)?,
            },
            hosts: written
                .hosts
                .as_deref()
                .map(|list| {
                    list.iter()
                        .map(|text| {
                            HostPattern::new(text)
                                .map_err(|problem| pattern("hosts", text, problem))
                        })
                        .collect()
                })
                .transpose()?,
            capabilities: written.capabilities,
            id: id.clone(),
        };
        let alone = |what, with| {
            let rule = id.clone();
            Err(PolicyError::Alone { rule, what, with })
        };
        if rule.argv.is_none() && rule.options.is_any() {
            return alone("allow_args` or `forbid_args", "argv");
        }
        if rule.options.allowed.is_none() && !rule.options.with_value.is_empty() {
            return alone("value_args", "allow_args");
        }
        if rule.options.forbidden.is_empty() && !rule.options.exact.is_empty() {
            return alone("exact_args", "forbid_args");
        }
        if rule.paths.is_none() && !rule.except.is_empty() {
            return Err(PolicyError::Alone {
                rule: id,
                what: "except",
                with: "paths",
            });
        }
        for (examples, expected) in [(&written.matches, true), (&written.not_match, false)] {
            for example in examples {
                if rule.fits_example(example) != expected {
                    return Err(PolicyError::Example {
                        rule: id,
                        example: example.clone(),
                        expected,
                    });
                }
            }
        }
        Ok(rule)
    }

    /// Whether the rule matches this item of a call.
    ///
    /// A rule that allows matches a shell only if it names the capability `shell`, and all of its selectors must match.
    /// In a rule that denies or asks, each selector matches alone.
    pub(crate) fn fits(&self, call: Asked<'_>, item: &Item) -> bool {
        if !self.is_of(call) {
            return false;
        }
        let is_refusing = self.decision != Decision::Allow;
        let needs = match item {
            Item::Shell(_) => "shell",
            Item::Capability(name) => name,
            // A host needs the capability `network`, whatever else the tool does.
            Item::Host(_) => "network",
            _ => call.capability,
        };
        match &self.capabilities {
            Some(list) => {
                let is_named = |name: &String| {
                    let is_host = matches!(item, Item::Host(_));
                    covers(name, needs) || ((is_refusing || is_host) && is_kin(name, needs))
                };
                if !list.iter().any(is_named) {
                    return false;
                }
            }
            None if !is_refusing && matches!(item, Item::Shell(_) | Item::Capability(_)) => {
                return false;
            }
            None => {}
        }
        let has_selector = self.paths.is_some() || self.argv.is_some() || self.hosts.is_some();
        // A rule that allows does not match if it has a selector for another kind of item.
        let alone = |others: [bool; 2]| is_refusing || others == [false, false];
        match item {
            Item::Path(path) => match &self.paths {
                Some(_) => {
                    alone([self.argv.is_some(), self.hosts.is_some()]) && self.fits_place(path)
                }
                None => !has_selector,
            },
            Item::Command(words) => match &self.argv {
                Some(_) => self.fits_command(words, call.command),
                None => !has_selector,
            },
            Item::Host(host) => match &self.hosts {
                Some(hosts) => {
                    alone([self.argv.is_some(), self.paths.is_some()])
                        && hosts.iter().any(|pattern| pattern.fits(host, is_refusing))
                }
                None => !has_selector,
            },
            Item::Shell(_) | Item::Capability(_) | Item::Nothing => !has_selector,
        }
    }

    /// Whether the rule applies to the tool, under any of its names.
    fn is_of(&self, call: Asked<'_>) -> bool {
        self.tools.as_ref().is_none_or(|tools| {
            tools
                .iter()
                .any(|word| word.fits(call.tool) || call.names.iter().any(|name| word.fits(name)))
        })
    }

    fn fits_place(&self, path: &str) -> bool {
        let is_refusing = self.decision != Decision::Allow;
        let mut places = self.paths.iter().flatten();
        places.any(|place| place.fits(path, is_refusing))
            // An exception from a denial is matched as strictly as a permission.
            && !self.except.iter().any(|place| place.fits(path, !is_refusing))
    }

    /// The patterns of places, as they are written.
    pub(crate) fn written_places(&self) -> impl Iterator<Item = &str> {
        self.written_places.iter().map(String::as_str)
    }

    /// The patterns of tools.
    pub(crate) fn tool_patterns(&self) -> &[Word] {
        self.tools.as_deref().unwrap_or_default()
    }

    /// Whether the rule names hosts.
    pub(crate) fn has_hosts(&self) -> bool {
        self.hosts.is_some()
    }

    /// Whether the rule names places.
    pub(crate) fn has_places(&self) -> bool {
        self.paths.is_some()
    }

    /// Whether the rule denies, or asks about, commands of this tool by their words.
    pub(crate) fn is_about_commands(&self, tool: &str) -> bool {
        let has_tool = |tools: &Vec<Word>| tools.iter().any(|word| word.fits(tool));
        self.decision != Decision::Allow
            && self.argv.is_some()
            && self.tools.as_ref().is_none_or(has_tool)
    }

    fn fits_command(&self, words: &[String], command: Option<&CommandFact>) -> bool {
        if self.decision == Decision::Allow {
            self.allows(words, command)
        } else {
            self.refuses(words)
        }
    }

    /// Whether a rule that allows matches: its words must match exactly, and no word may be unknown.
    fn allows(&self, words: &[String], command: Option<&CommandFact>) -> bool {
        let lines = self.argv.iter().flatten().zip(&self.is_open);
        let fits_word = |(alternatives, word): (&Vec<Word>, &String)| {
            !is_unknown(word) && alternatives.iter().any(|pattern| pattern.fits(word))
        };
        let line = lines.into_iter().find(|(line, is_open)| {
            (words.len() == line.len() || (**is_open && words.len() > line.len()))
                && line.iter().zip(words).all(fits_word)
        });
        let Some((line, _)) = line else { return false };
        let rest = &words[line.len()..];
        // An unknown word may be any option.
        let is_known = !words.iter().any(|word| is_unknown(word));
        (is_known || !self.options.is_any())
            && !self.options.forbid(&words[1..])
            && self.options.allow(rest)
            && self.reaches(line, words, command)
    }

    /// Whether the words name only places and hosts of the rule, if the rule has any. Each word must be a literal of
    /// the rule, an allowed option, or such a place or host. At least one must be a place or host.
    fn reaches(&self, line: &[Vec<Word>], words: &[String], command: Option<&CommandFact>) -> bool {
        if self.paths.is_none() && self.hosts.is_none() {
            return true;
        }
        let Some(command) = command.filter(|command| command.outside.is_empty()) else {
            return false;
        };
        let is_spelled = |index: usize, word: &String| {
            let mut alternatives = line.get(index).into_iter().flatten();
            alternatives.any(|pattern| pattern.exact() == Some(word))
                || (word.starts_with('-')
                    && self
                        .options
                        .allowed
                        .iter()
                        .flatten()
                        .any(|pattern| pattern.fits(word)))
        };
        let is_place = |word: &String| {
            let mut places = command.places.iter().filter(|fact| fact.written == *word);
            let mut n = 0;
            self.paths.is_some()
                && places.all(|fact| {
                    n += 1;
                    let path = fact.inside().map(Path::to_string_lossy);
                    path.is_some_and(|path| self.fits_place(&path))
                })
                && n > 0
        };
        let is_host = |word: &String| {
            let host = HostPort::of(word).ok().filter(|_| word.contains("://"));
            let mut hosts = self.hosts.iter().flatten();
            host.is_some_and(|host| hosts.any(|pattern| pattern.fits(&host, false)))
        };
        let mut n_named = 0;
        let mut numbered = words.iter().enumerate().skip(1);
        numbered.all(|(index, word)| {
            is_spelled(index, word) || {
                n_named += 1;
                is_place(word) || is_host(word)
            }
        }) && n_named > 0
    }

    /// Whether a rule that denies or asks may match: the program under any path, options before the subcommand, unknown
    /// words.
    fn refuses(&self, words: &[String]) -> bool {
        let Some((program, arguments)) = words.split_first() else {
            return false;
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        let lines = self.argv.iter().flatten().zip(&self.is_open);
        let rest = lines.into_iter().find_map(|(line, is_open)| {
            let (first, line) = line.split_first()?;
            let is_program = |pattern: &Word| pattern.fits(program) || pattern.may_fit(name);
            if !first.iter().any(is_program) {
                return None;
            }
            subcommand::starts(name, arguments, line)
                .into_iter()
                .find_map(|rest| behind(line, *is_open, rest))
        });
        let Some(rest) = rest else { return false };
        let is_excepted = |pattern: &Word| {
            arguments
                .iter()
                .any(|word| !is_unknown(word) && pattern.is_option(word))
        };
        !self.options.forbidden.iter().any(is_excepted)
            && self.options.allowed.as_ref().is_none_or(|list| {
                rest.iter()
                    .all(|word| list.iter().any(|pattern| pattern.may_fit(word)))
            })
    }

    /// Whether an example matches: a command line for `argv`, a path for `paths`, a URL or host for `hosts`, otherwise
    /// a tool.
    fn fits_example(&self, example: &str) -> bool {
        let capability = self
            .capabilities
            .as_ref()
            .and_then(|list| list.first())
            .map_or("", String::as_str);
        let any_tool = Rule {
            tools: None,
            ..self.clone()
        };
        let command = self.argv.is_some().then(|| CommandFact {
            places: places_of_words(example),
            ..CommandFact::of(example)
        });
        let fits = |item: &Item| {
            let call = Asked {
                command: command.as_ref(),
                ..Asked::new(
                    "*",
                    if self.argv.is_some() {
                        "exec"
                    } else {
                        capability
                    },
                )
            };
            any_tool.fits(call, item)
        };
        if self.argv.is_some() {
            let is_fitting = |words: &Vec<String>| fits(&Item::Command(words.clone()));
            return match self.decision {
                // Every command must be allowed, and the line must be literal.
                Decision::Allow => {
                    CommandLine::read(example).is_ok()
                        && Survey::of(example).commands.iter().all(is_fitting)
                }
                Decision::Ask | Decision::Deny => {
                    Survey::of(example).commands.iter().any(is_fitting)
                }
            };
        }
        if self.paths.is_some() {
            return fits(&Item::Path(example.to_owned()));
        }
        if self.hosts.is_some() {
            let url = if example.contains("://") {
                example.to_owned()
            } else {
                format!("https://{example}")
            };
            return HostPort::of(&url).is_ok_and(|host| fits(&Item::Host(host)));
        }
        self.tools
            .as_ref()
            .is_none_or(|tools| tools.iter().any(|word| word.fits(example)))
    }
}

/// The words after an `argv` line of a rule that denies or asks, if the line may match `words`.
fn behind<'a>(line: &[Vec<Word>], is_open: bool, words: &'a [String]) -> Option<&'a [String]> {
    for (index, alternatives) in line.iter().enumerate() {
        let word = words.get(index)?;
        if !alternatives.iter().any(|pattern| pattern.may_fit(word)) {
            return None;
        }
        if is_unknown(word) {
            // The unknown word may expand to all that is missing.
            return Some(&[]);
        }
    }
    let rest = &words[line.len()..];
    (is_open || rest.iter().all(|word| is_unknown(word))).then_some(rest)
}

/// The places that the words of an example name, without a file system.
fn places_of_words(example: &str) -> Vec<PathFact> {
    let fact = CommandFact::of(example);
    let place = |word: &str| {
        let path = fact.absolute(word);
        let is_inside = !path.starts_with(['/', '~']) && !path.starts_with("..");
        is_inside.then(|| PathFact {
            written: word.to_owned(),
            found: Ok(Inside {
                path: path.into(),
                ..Inside::default()
            }),
        })
    };
    fact.words().into_iter().filter_map(place).collect()
}
