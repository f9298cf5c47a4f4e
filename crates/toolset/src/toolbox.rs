//! Tools and their names.

use std::collections::{BTreeMap, HashSet};
use std::fmt;

use toolglot_engine::{Fields, Shape, Tool, ToolSet};
#[cfg(feature = "validate")]
use toolglot_schema::{SchemaError, Validator};
use toolglot_value::{Map, Value};

use crate::elements;
#[cfg(feature = "validate")]
use crate::tool_validator::ToolValidator;

/// The effect of running a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// It reads and changes nothing.
    Read,
    /// It changes files.
    Write,
    /// It removes files.
    Delete,
    /// It accesses another machine.
    Network,
    /// It runs a program, which may do anything.
    Execute,
    /// It hands over to the user, with a question or a result: the message ends with a pending item.
    Ask,
    /// No trusted source states the effect.
    #[default]
    Unknown,
}

impl Effect {
    /// The effect for a word in a file of `data/`.
    pub(crate) fn named(word: &str) -> Option<Effect> {
        Some(match word {
            "read" => Effect::Read,
            "write" => Effect::Write,
            "delete" => Effect::Delete,
            "network" => Effect::Network,
            "execute" => Effect::Execute,
            "ask" => Effect::Ask,
            "unknown" => Effect::Unknown,
            _ => return None,
        })
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Delete => "delete",
            Effect::Network => "network",
            Effect::Execute => "execute",
            Effect::Ask => "ask",
            Effect::Unknown => "unknown",
        })
    }
}

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSpec {
    /// The name that calls of it are brought to.
    pub name: String,
    /// What it does, for a model to read.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
    /// The effect of running it.
    pub effect: Effect,
}

/// A tool, and how models call it.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) spec: ToolSpec,
    /// The parameters as the engine types them, made from the schema once.
    pub(crate) fields: Fields,
    pub(crate) habits: Habits,
    #[cfg(feature = "validate")]
    validator: ToolValidator,
}

/// How models call a tool other than as it is declared.
#[derive(Clone, Debug, Default)]
pub(crate) struct Habits {
    /// Other names of the tool.
    pub(crate) aliases: Vec<String>,
    /// Other names of each parameter, the more usual first.
    pub(crate) parameter_aliases: BTreeMap<String, Vec<String>>,
    /// Parameters that hold several files, each of which gets a read of its own.
    pub(crate) file_lists: Vec<String>,
    /// Parameters that may be written as a row of elements, and the elements' name.
    pub(crate) element_lists: BTreeMap<String, String>,
    /// Parameters that models were taught to write and that the tool does not need.
    pub(crate) needless: Vec<String>,
    /// Whether the API gives and takes one raw text for it: the parameter [`INPUT`].
    pub(crate) is_freeform: bool,
    /// The grammar of that text: its language, and the grammar in it.
    pub(crate) input_grammar: Option<(String, String)>,
}

/// The one parameter of a freeform tool.
pub(crate) const INPUT: &str = "input";

/// An ordered set of tools, with the other names that models use for them.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    entries: Vec<Entry>,
    ignore_case: bool,
    /// Entries of the list that are not tools of this set.
    left_out: Vec<String>,
}

/// Adds tools without other names after the existing ones. Of two with one name the first stays.
impl Extend<ToolSpec> for Toolbox {
    fn extend<I: IntoIterator<Item = ToolSpec>>(&mut self, specs: I) {
        for spec in specs {
            if self.get(&spec.name).is_none() {
                self.entries.push(Entry::new(spec, Habits::default()));
            }
        }
    }
}

/// Tools without other names. Of two with one name the first stays.
impl FromIterator<ToolSpec> for Toolbox {
    fn from_iter<I: IntoIterator<Item = ToolSpec>>(specs: I) -> Toolbox {
        Toolbox::new(
            specs
                .into_iter()
                .map(|spec| Entry::new(spec, Habits::default())),
            false,
        )
    }
}

impl Toolbox {
    /// Of two tools with one name the first stays.
    pub(crate) fn new(entries: impl IntoIterator<Item = Entry>, ignore_case: bool) -> Toolbox {
        let mut toolbox = Toolbox {
            ignore_case,
            ..Toolbox::default()
        };
        let mut names: HashSet<String> = HashSet::new();
        for entry in entries {
            if names.insert(entry.spec.name.clone()) {
                toolbox.entries.push(entry);
            }
        }
        toolbox
    }

    /// The same set, made from a list that also had these entries.
    pub(crate) fn without(self, left_out: Vec<String>) -> Toolbox {
        Toolbox { left_out, ..self }
    }

    /// The tools for which `fits` holds, with their other names.
    #[must_use]
    pub fn only(mut self, fits: impl Fn(&ToolSpec) -> bool) -> Toolbox {
        self.entries.retain(|entry| fits(&entry.spec));
        self
    }

    /// The entries of the source list that no call can name: `tools[1] of the type `web_search``.
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// Whether the tool lacks that parameter although models were taught to write it.
    pub fn is_needless(&self, tool: &str, parameter: &str) -> bool {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        entry.is_some_and(|entry| entry.habits.needless.iter().any(|have| have == parameter))
    }

    /// The arguments, with each list that models of a system write as a row of elements written so:
    /// `<suggest>..</suggest>`. [`normalize`](crate::normalize) makes it a list again.
    pub fn with_rows(&self, tool: &str, mut arguments: Map<String, Value>) -> Map<String, Value> {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        for (key, element) in entry.iter().flat_map(|entry| &entry.habits.element_lists) {
            if let Some(value) = arguments.get_mut(key)
                && let Some(row) = value
                    .as_array()
                    .and_then(|items| elements::row(items, element))
            {
                *value = Value::String(row);
            }
        }
        arguments
    }

    /// Whether models write any list as a row of elements.
    pub fn has_rows(&self) -> bool {
        let mut entries = self.entries.iter();
        entries.any(|entry| !entry.habits.element_lists.is_empty())
    }

    /// Whether models write that list as a row of elements.
    pub fn has_row(&self, tool: &str, parameter: &str) -> bool {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        entry.is_some_and(|entry| entry.habits.element_lists.contains_key(parameter))
    }

    /// Whether that parameter names several files, each of which gets a read of its own.
    pub fn has_files(&self, tool: &str, parameter: &str) -> bool {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        entry.is_some_and(|entry| entry.habits.file_lists.iter().any(|list| list == parameter))
    }

    /// Whether an API has one raw text for a call of that tool, not an object: the value of its one parameter, `input`.
    pub fn is_freeform(&self, name: &str) -> bool {
        let entry = self.entry(name);
        entry.is_some_and(|entry| entry.habits.is_freeform)
    }

    /// The grammars of freeform tools for their one text: the tool, the language (`lark`, `regex`), and the grammar.
    pub fn input_grammars(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.entries.iter().filter_map(|entry| {
            let (syntax, definition) = entry.habits.input_grammar.as_ref()?;
            Some((&*entry.spec.name, &**syntax, &**definition))
        })
    }

    /// The tool of exactly that name.
    pub fn get(&self, name: &str) -> Option<&ToolSpec> {
        self.iter().find(|spec| spec.name == name)
    }

    /// The tools, in order, without aliases.
    pub fn iter(&self) -> impl Iterator<Item = &ToolSpec> {
        self.entries.iter().map(|entry| &entry.spec)
    }

    /// Whether there is no tool.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The tool that a model means by `written`, and whether that is another name than the tool's own.
    pub fn canonical(&self, written: &str) -> Option<(&ToolSpec, bool)> {
        self.entry(written)
            .map(|entry| (&entry.spec, entry.spec.name != written))
    }

    /// The tool set for the engine: every name and every key that a model may write. Aliases come after the tools' own
    /// names.
    ///
    /// A parameter that takes a row of elements or files is a list or a text: [`normalize`](crate::normalize) splits the text.
    pub fn tool_set(&self) -> ToolSet {
        let own = self.entries.iter().map(|entry| (&entry.spec.name, entry));
        let other = self
            .entries
            .iter()
            .flat_map(|entry| entry.habits.aliases.iter().map(move |alias| (alias, entry)));
        ToolSet::new(own.chain(other).map(|(name, entry)| Tool {
            name: name.clone(),
            parameters: entry.written_fields(),
        }))
    }

    /// Other names of the tool of that name.
    pub fn aliases(&self, tool: &str) -> &[String] {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        entry.map_or(&[], |entry| &entry.habits.aliases)
    }

    /// Other names under which models write `parameter` of the tool of that name.
    pub fn other_names(&self, tool: &str, parameter: &str) -> &[String] {
        let entry = self.entries.iter().find(|entry| entry.spec.name == tool);
        let aliases = entry.map(|entry| &entry.habits.parameter_aliases);
        aliases
            .and_then(|aliases| aliases.get(parameter))
            .map_or(&[], Vec::as_slice)
    }

    /// The validator of the arguments of the tool of exactly that name. It is made on first use, and copies of this set
    /// share it.
    ///
    /// A tool that lists its parameters takes no others, unless its schema says so.
    ///
    /// # Errors
    /// If the schema cannot be used.
    #[cfg(feature = "validate")]
    pub fn validator(&self, name: &str) -> Option<Result<&Validator, &SchemaError>> {
        let mut entries = self.entries.iter();
        let entry = entries.find(|entry| entry.spec.name == name)?;
        Some(entry.validator.get(&entry.spec.parameters))
    }

    pub(crate) fn entry(&self, written: &str) -> Option<&Entry> {
        let by = |same: fn(&str, &str) -> bool| {
            let own = self
                .entries
                .iter()
                .find(|entry| same(&entry.spec.name, written));
            own.or_else(|| {
                self.entries.iter().find(|entry| {
                    entry
                        .habits
                        .aliases
                        .iter()
                        .any(|alias| same(alias, written))
                })
            })
        };
        let exact = by(|a, b| a == b);
        if self.ignore_case {
            exact.or_else(|| by(str::eq_ignore_ascii_case))
        } else {
            exact
        }
    }
}

impl Entry {
    pub(crate) fn new(spec: ToolSpec, habits: Habits) -> Entry {
        let fields = toolglot_schema::fields(&spec.parameters);
        Entry {
            spec,
            fields,
            habits,
            #[cfg(feature = "validate")]
            validator: ToolValidator::default(),
        }
    }

    /// Whether models are taught to write a parameter of that name.
    pub(crate) fn writes(&self, parameter: &str) -> bool {
        let mut aliases = self.habits.parameter_aliases.values().flatten();
        self.fields.get(parameter).is_some() || aliases.any(|alias| alias == parameter)
    }

    /// The parameters under all the names that a model may write.
    fn written_fields(&self) -> Fields {
        let mut fields = self.fields.clone();
        let mut set = |name: &str, shape: Shape| match fields
            .properties
            .iter_mut()
            .find(|(known, _)| known == name)
        {
            Some((_, known)) => *known = shape,
            None => fields.properties.push((name.to_owned(), shape)),
        };
        let lists = self
            .habits
            .file_lists
            .iter()
            .chain(self.habits.element_lists.keys());
        // The list that the schema declares, or a text that encodes the list.
        let list_or_text = |declared: Option<&Shape>| match declared {
            Some(list) => Shape::OneOf(vec![Shape::Text, list.clone()]),
            None => Shape::Text,
        };
        for list in lists {
            set(list, list_or_text(self.fields.get(list)));
        }
        for (parameter, aliases) in &self.habits.parameter_aliases {
            let declared = self.fields.get(parameter);
            let shape = if self.habits.element_lists.contains_key(parameter) {
                list_or_text(declared)
            } else {
                declared.cloned().unwrap_or(Shape::Any)
            };
            for alias in aliases {
                set(alias, shape.clone());
            }
        }
        fields
    }
}
