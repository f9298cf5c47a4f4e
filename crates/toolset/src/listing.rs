//! External tool lists: OpenAI's two shapes, MCP's, and a plain map.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use toolglot_value::{Map, Value, json};

use crate::toolbox::{Effect, Entry, Habits, INPUT, ToolSpec, Toolbox};

/// The longest name that a call can carry: the engine's cap on a capture.
const MAX_NAME: usize = 160;

/// Why a tool list was refused. `at` names the entry, as in `tools[3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolError {
    /// The document is neither a list of tools nor a map of them.
    NotAList {
        /// The type of the document.
        found: &'static str,
    },
    /// An entry is not an object.
    NotAnObject {
        /// The entry.
        at: String,
        /// The type of the entry.
        found: &'static str,
    },
    /// An entry has no name.
    MissingName {
        /// The entry.
        at: String,
    },
    /// An entry's name cannot be written in a call.
    BadName {
        /// The entry.
        at: String,
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Two entries have one name.
    DoubleName {
        /// The later entry.
        at: String,
        /// The name.
        name: String,
        /// The earlier entry.
        first: String,
    },
    /// The parameters of an entry are not JSON Schema.
    BadParameters {
        /// The entry.
        at: String,
        /// Its name.
        name: String,
        /// The type of the parameters.
        found: &'static str,
    },
    /// The description of an entry is not text.
    BadDescription {
        /// The entry.
        at: String,
        /// Its name.
        name: String,
        /// The type of the description.
        found: &'static str,
    },
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ToolError::NotAList { found } => {
                write!(f, "a tool list is an array or an object, not {found}")
            }
            ToolError::NotAnObject { at, found } => {
                write!(f, "{at} is {found}, where a tool is an object")
            }
            ToolError::MissingName { at } => write!(f, "{at} has no `name`"),
            ToolError::BadName { at, name, why } => write!(f, "{at} is called {name:?}: {why}"),
            ToolError::DoubleName { at, name, first } => {
                write!(f, "{at} is called `{name}`, as {first} is")
            }
            ToolError::BadParameters { at, name, found } => write!(
                f,
                "the parameters of {at} (`{name}`) are {found}, where a JSON Schema is an object"
            ),
            ToolError::BadDescription { at, name, found } => write!(
                f,
                "the description of {at} (`{name}`) is {found}, where text belongs"
            ),
        }
    }
}

impl std::error::Error for ToolError {}

impl ToolError {
    /// The JSON pointer of the entry in `list`, the document that was refused.
    pub fn pointer(&self, list: &Value) -> String {
        let at = match self {
            ToolError::NotAList { .. } => return String::new(),
            ToolError::NotAnObject { at, .. }
            | ToolError::MissingName { at }
            | ToolError::BadName { at, .. }
            | ToolError::DoubleName { at, .. }
            | ToolError::BadParameters { at, .. }
            | ToolError::BadDescription { at, .. } => at,
        };
        // The document is a single tool.
        if let Some(steps) = at.strip_prefix("the tool") {
            return steps.replace('.', "/");
        }
        let steps = at.strip_prefix("tools").unwrap_or(at);
        // In a map a name may hold any character.
        if let Some(name) = steps.strip_prefix('.') {
            return format!("/{}", name.replace('~', "~0").replace('/', "~1"));
        }
        let list = if list.is_array() {
            ""
        } else if list.get("result").is_some() {
            "/result/tools"
        } else {
            "/tools"
        };
        let steps = steps.replace(['[', '.'], "/").replace(']', "");
        format!("{list}{steps}")
    }
}

impl Toolbox {
    /// The tools of a list in one of the usual shapes:
    ///
    /// - an array of OpenAI tools, `{"type": "function", "function": {..}}` or with the name at top; an entry with
    ///   `tools` inside is a namespace: its tools are called `namespace__tool`, and by the last part alone if no other
    ///   tool has that name;
    /// - freeform tools in the same array, `{"type": "custom", "name": ..}` or `{"type": "custom", "custom": {..}}`:
    ///   they have one parameter, `input`, a string, and their description includes its grammar;
    /// - MCP's answer to `tools/list`, `{"tools": [{"name", "inputSchema"}]}`, also inside its JSON-RPC response;
    /// - a map from names to JSON Schemas.
    ///
    /// An entry without a name and of another type than `function`, such as `{"type": "web_search"}`, is the server's
    /// own: no text calls it. [`Toolbox::left_out`] lists such entries.
    ///
    /// Every tool's effect is [`Effect::Unknown`]: an external list cannot vouch for itself. Schemas are not compiled
    /// here: `toolglot_schema::Validator` reports their faults.
    ///
    /// # Errors
    /// [`ToolError`], naming the entry.
    pub fn from_json(list: &Value) -> Result<Toolbox, ToolError> {
        let mut listing = Listing::default();
        match list {
            Value::Array(entries) => listing.entries(entries, "tools", "")?,
            Value::Object(object) => {
                let tools = object
                    .get("tools")
                    .or_else(|| object.get("result")?.get("tools"));
                match tools {
                    Some(Value::Array(entries)) => listing.entries(entries, "tools", "")?,
                    _ if object
                        .get("type")
                        .is_some_and(|word| word == "function" || word == CUSTOM) =>
                    {
                        listing.entry(list, "the tool".into(), "")?;
                    }
                    _ => listing.map(object)?,
                }
            }
            other => return Err(ToolError::NotAList { found: kind(other) }),
        }
        listing.short_names();
        let entries = listing.found.into_iter().map(|found| found.entry);
        Ok(Toolbox::new(entries, false).without(listing.left_out))
    }
}

/// The tools found so far.
#[derive(Default)]
struct Listing {
    found: Vec<ListedTool>,
    /// The index of each tool by its name.
    by_name: HashMap<String, usize>,
    /// Entries that no call can name.
    left_out: Vec<String>,
}

/// A tool of the list.
struct ListedTool {
    /// Its place in the list, as in `tools[3]`.
    at: String,
    /// The length of the namespace in its name, with the separator, in bytes.
    space: usize,
    entry: Entry,
}

impl Listing {
    fn entries(&mut self, entries: &[Value], list: &str, prefix: &str) -> Result<(), ToolError> {
        for (i, entry) in entries.iter().enumerate() {
            self.entry(entry, format!("{list}[{i}]"), prefix)?;
        }
        Ok(())
    }

    fn entry(&mut self, entry: &Value, at: String, prefix: &str) -> Result<(), ToolError> {
        let Value::Object(entry) = entry else {
            return Err(ToolError::NotAnObject {
                at,
                found: kind(entry),
            });
        };
        let is_freeform = entry.get("type").is_some_and(|word| word == CUSTOM);
        let inner = if is_freeform { CUSTOM } else { "function" };
        let tool = match entry.get(inner) {
            None => entry,
            Some(Value::Object(tool)) => tool,
            Some(other) => {
                return Err(ToolError::NotAnObject {
                    at: format!("{at}.{inner}"),
                    found: kind(other),
                });
            }
        };
        let Some(name) = tool.get("name").and_then(Value::as_str) else {
            return match entry.get("type").and_then(Value::as_str) {
                Some(kind) if kind != "function" && !tool.contains_key("name") => {
                    self.left_out.push(format!("{at} of the type `{kind}`"));
                    Ok(())
                }
                _ => Err(ToolError::MissingName { at }),
            };
        };
        let name = format!("{prefix}{name}");
        // A namespace inside a namespace is an entry without parameters.
        if let (Some(Value::Array(tools)), true) = (tool.get("tools"), prefix.is_empty()) {
            return self.entries(tools, &format!("{at}.tools"), &format!("{name}__"));
        }
        if is_freeform {
            let description = freeform_description(tool);
            let listed = self.add(at, name, description.as_ref(), &freeform_parameters())?;
            listed.space = prefix.len();
            listed.entry.habits.is_freeform = true;
            listed.entry.habits.input_grammar = input_grammar(tool)
                .map(|(syntax, definition)| (syntax.to_owned(), definition.to_owned()));
            return Ok(());
        }
        let parameters = ["parameters", "inputSchema", "input_schema"]
            .iter()
            .find_map(|key| tool.get(key))
            .unwrap_or(&Value::Null);
        let listed = self.add(at, name, tool.get("description"), parameters)?;
        listed.space = prefix.len();
        Ok(())
    }

    /// A tool of a namespace also has a short name, if no other tool has that name.
    fn short_names(&mut self) {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for listed in &self.found {
            let name = &listed.entry.spec.name;
            let short = match listed.space {
                // Other lists write a namespace into the name; a short name may mean such a tool as well.
                0 => name.split_once("__").map(|(_, short)| short),
                space => Some(&name[space..]),
            };
            for name in std::iter::once(name.as_str()).chain(short) {
                *counts.entry(name.to_owned()).or_default() += 1;
            }
        }
        for listed in self.found.iter_mut().filter(|listed| listed.space > 0) {
            let short = &listed.entry.spec.name[listed.space..];
            if counts.get(short) == Some(&1) {
                listed.entry.habits.aliases.push(short.to_owned());
            }
        }
    }

    fn map(&mut self, tools: &Map<String, Value>) -> Result<(), ToolError> {
        for (name, schema) in tools {
            self.add(
                format!("tools.{name}"),
                name.clone(),
                schema.get("description"),
                schema,
            )?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        at: String,
        name: String,
        description: Option<&Value>,
        parameters: &Value,
    ) -> Result<&mut ListedTool, ToolError> {
        if let Some(why) = unwritable(&name) {
            return Err(ToolError::BadName { at, name, why });
        }
        if let Some(first) = self.by_name.get(&name) {
            let first = self.found[*first].at.clone();
            return Err(ToolError::DoubleName { at, name, first });
        }
        let description = match description {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                return Err(ToolError::BadDescription {
                    at,
                    name,
                    found: kind(other),
                });
            }
        };
        let parameters = match parameters {
            Value::Null => json!({"type": "object", "properties": {}}),
            schema @ (Value::Object(_) | Value::Bool(_)) => schema.clone(),
            other => {
                return Err(ToolError::BadParameters {
                    at,
                    name,
                    found: kind(other),
                });
            }
        };
        let spec = ToolSpec {
            name,
            description,
            parameters,
            effect: Effect::Unknown,
        };
        let index = self.found.len();
        self.by_name.insert(spec.name.clone(), index);
        self.found.push(ListedTool {
            at,
            space: 0,
            entry: Entry::new(spec, Habits::default()),
        });
        Ok(&mut self.found[index])
    }
}

/// The type of tools whose calls have one raw text.
const CUSTOM: &str = "custom";

fn freeform_parameters() -> Value {
    let input = json!({"type": "string", "description": "The whole input, one text."});
    json!({"type": "object", "properties": {INPUT: input}, "required": [INPUT], "additionalProperties": false})
}

/// The grammar of a freeform tool's input: `{"syntax", "definition"}`; in Chat Completions it is under `grammar`.
fn input_grammar(tool: &Map<String, Value>) -> Option<(&str, &str)> {
    let format = tool.get("format")?;
    let grammar = format.get("grammar").unwrap_or(format);
    let syntax = grammar["syntax"].as_str().unwrap_or_default();
    Some((syntax, grammar["definition"].as_str()?))
}

/// The description of a freeform tool, with the grammar of its input.
fn freeform_description(tool: &Map<String, Value>) -> Option<Value> {
    let given = tool.get("description");
    let Some((syntax, definition)) = input_grammar(tool) else {
        return given.cloned();
    };
    let words = match given {
        None | Some(Value::Null) => "",
        Some(Value::String(words)) => words.trim_end(),
        // A description that is not text is refused, as for any tool.
        other => return other.cloned(),
    };
    let grammar = format!(
        "The input fits this grammar:\n\n```{syntax}\n{}\n```",
        definition.trim_end()
    );
    let gap = if words.is_empty() { "" } else { "\n\n" };
    Some(format!("{words}{gap}{grammar}").into())
}

/// Why no call can name a tool; `None` if a call can.
fn unwritable(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("a name is not empty")
    } else if name.len() > MAX_NAME {
        Some("a name has at most 160 bytes")
    } else if name.starts_with('/') {
        Some("a name does not start with `/`")
    } else if name
        .chars()
        .any(|c| c.is_whitespace() || c.is_control() || "<>\"'`{}".contains(c))
    {
        Some("a name has no blanks, brackets or quotes")
    } else {
        None
    }
}

/// The type of a value, for a message.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
