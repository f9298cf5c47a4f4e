//! The tool sets that come with toolglot: the files in `data/`.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use toolglot_engine::{Fields, Shape, Tool, ToolSet};
use toolglot_value::{Map, Value};

use crate::toolbox::{Effect, Entry, Habits, ToolSpec, Toolbox};

const WORKSPACE: &str = include_str!("../data/workspace.json");
const VOCABULARY: &str = include_str!("../data/vocabulary.json");
const ROO: &str = include_str!("../data/roo.json");
const FORGE: &str = include_str!("../data/forge.json");
const AXE: &str = include_str!("../data/axe.json");
const TOOL_CALL: &str = include_str!("../data/tool_call.json");

/// A file of `data/`. Its field `about`, for people, names the source of the set.
struct Catalog {
    /// Whether the names of tools ignore letter case.
    ignore_case: bool,
    /// Parameters that a call of any tool may have.
    parameters_of_all: Vec<String>,
    tools: Vec<CatalogTool>,
}

/// A tool's habits are beside its specification, each field under its own name.
struct CatalogTool {
    name: String,
    description: String,
    effect: Effect,
    parameters: Value,
    aliases: Vec<String>,
    parameter_aliases: BTreeMap<String, Vec<String>>,
    file_lists: Vec<String>,
    element_lists: BTreeMap<String, String>,
    needless: Vec<String>,
}

impl Catalog {
    /// `None` where a field is missing, unknown or of another type.
    fn read(file: &str) -> Option<Catalog> {
        let mut fields = object(toolglot_value::from_str(file).ok()?)?;
        string(fields.shift_remove("about")?)?;
        let flag = fields.shift_remove("ignore_case");
        let catalog = Catalog {
            ignore_case: flag.map_or(Some(false), |flag| flag.as_bool())?,
            parameters_of_all: strings(fields.shift_remove("parameters_of_all"))?,
            tools: array(fields.shift_remove("tools"))?
                .into_iter()
                .map(CatalogTool::read)
                .collect::<Option<_>>()?,
        };
        fields.is_empty().then_some(catalog)
    }
}

impl CatalogTool {
    fn read(tool: Value) -> Option<CatalogTool> {
        let mut fields = object(tool)?;
        let parameter_aliases = object(fields.shift_remove("parameter_aliases")?)?;
        let element_lists = fields.shift_remove("element_lists");
        let tool = CatalogTool {
            name: string(fields.shift_remove("name")?)?,
            description: string(fields.shift_remove("description")?)?,
            effect: Effect::named(fields.shift_remove("effect")?.as_str()?)?,
            parameters: fields.shift_remove("parameters")?,
            aliases: strings(Some(fields.shift_remove("aliases")?))?,
            parameter_aliases: parameter_aliases
                .into_iter()
                .map(|(name, aliases)| Some((name, strings(Some(aliases))?)))
                .collect::<Option<_>>()?,
            file_lists: strings(fields.shift_remove("file_lists"))?,
            element_lists: element_lists
                .map_or(Some(Map::new()), object)?
                .into_iter()
                .map(|(list, element)| Some((list, string(element)?)))
                .collect::<Option<_>>()?,
            needless: strings(fields.shift_remove("needless"))?,
        };
        fields.is_empty().then_some(tool)
    }
}

fn object(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

fn string(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        _ => None,
    }
}

/// The items of an array; none if there is no value.
fn array(value: Option<Value>) -> Option<Vec<Value>> {
    match value {
        None => Some(Vec::new()),
        Some(Value::Array(items)) => Some(items),
        Some(_) => None,
    }
}

fn strings(value: Option<Value>) -> Option<Vec<String>> {
    array(value)?.into_iter().map(string).collect()
}

/// The files of each set.
const FILES: [(&str, &[&str]); 6] = [
    ("workspace", &[WORKSPACE]),
    ("vocabulary", &[WORKSPACE, VOCABULARY]),
    ("roo", &[ROO]),
    ("forge", &[FORGE]),
    ("axe", &[AXE]),
    ("tool_call", &[TOOL_CALL]),
];

impl Toolbox {
    /// The names of the sets that are built in.
    pub const BUILTIN: &'static [&'static str] = &[
        "workspace",
        "vocabulary",
        "roo",
        "forge",
        "axe",
        "tool_call",
    ];

    /// A set that is built in:
    ///
    /// - `workspace`: the tools of `toolglot run`, under the names that all other names are brought to.
    /// - `vocabulary`: the same, and all other tools that models of the known systems call. Calls are normalized
    ///   against it before a policy decision, so that a command is refused as a command and not as an unknown name.
    /// - `roo`, `forge`, `axe`, `tool_call`: the tools that those systems teach, under their names.
    pub fn builtin(name: &str) -> Option<Toolbox> {
        // Copies share the compiled schemas of the set.
        set(name).cloned()
    }

    /// The set that models were taught with a dialect, if the dialect belongs to one system.
    pub fn taught(dialect: &str) -> Option<&'static Toolbox> {
        set(match dialect {
            "roo" => "roo",
            "forge" | "forge_hybrid" => "forge",
            "axe" => "axe",
            "tool_call" | "tool_call_xml" => "tool_call",
            _ => return None,
        })
    }
}

/// A built-in set. Each is made once, as every message uses some.
fn set(name: &str) -> Option<&'static Toolbox> {
    static SETS: [OnceLock<Toolbox>; FILES.len()] = [const { OnceLock::new() }; FILES.len()];
    let at = FILES.iter().position(|(known, _)| *known == name)?;
    let set = SETS[at].get_or_init(|| {
        let catalogs: Vec<Catalog> = FILES[at].1.iter().map(|file| catalog(file)).collect();
        let ignore_case = catalogs.iter().all(|catalog| catalog.ignore_case);
        let tools = catalogs.into_iter().flat_map(|catalog| catalog.tools);
        Toolbox::new(tools.map(CatalogTool::into_entry), ignore_case)
    });
    Some(set)
}

/// The tools in the parsers of Roo's versions: their names, and the parameters that a call of any of them may have, as
/// text.
pub fn roo_names() -> ToolSet {
    let roo = catalog(ROO);
    let text = |name: &String| (name.clone(), Shape::Text);
    let parameters = Fields {
        properties: roo.parameters_of_all.iter().map(text).collect(),
        others: None,
    };
    // Roo's parser accepts this name for `write_to_file`.
    let alias = core::iter::once(String::from("write_file"));
    let tools = roo.tools.into_iter().map(|tool| tool.name).chain(alias);
    ToolSet::new(tools.map(|name| Tool {
        name,
        parameters: parameters.clone(),
    }))
}

fn catalog(file: &str) -> Catalog {
    Catalog::read(file).expect("each file of data/ is read by a test")
}

impl CatalogTool {
    fn into_entry(self) -> Entry {
        let CatalogTool {
            name,
            description,
            effect,
            parameters,
            ..
        } = self;
        let habits = Habits {
            aliases: self.aliases,
            parameter_aliases: self.parameter_aliases,
            file_lists: self.file_lists,
            element_lists: self.element_lists,
            needless: self.needless,
            is_freeform: false,
            input_grammar: None,
        };
        Entry::new(
            ToolSpec {
                name,
                description,
                parameters,
                effect,
            },
            habits,
        )
    }
}
