//! A file that was found and read, and the files beside it that it imports.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use toolglot_schema::{SchemaError, Validator};
use toolglot_tool_files::{ItemId, Language, ReturnContract, ToolFile};
use toolglot_tool_signature::{BOM, Header, Style, body, digest};
use toolglot_tool_trust::{Origin, SERVERS, Space, Subject};

use crate::Entry;

/// The extension of a file that is made from a server's definition; no file on a disk has it.
pub(crate) const SERVER_EXTENSION: &str = "mcp";

/// A file that was found and read: its text, and the values that are computed from the text on first use. It never
/// changes, and all copies share it.
#[derive(Clone, Debug)]
pub struct ToolSource {
    /// The id that it is called by.
    pub id: ItemId,
    /// The space that it is in.
    pub space: Space,
    /// Its extension.
    pub extension: &'static str,
    /// Its language.
    pub language: Language,
    /// Its path, for people; `None` if it came with toolglot or from an approved server.
    pub path: Option<PathBuf>,
    known: Arc<Known>,
}

/// A text, and the values computed from it, each once.
#[derive(Debug, Default)]
struct Known {
    text: String,
    digest: OnceLock<String>,
    whole: OnceLock<String>,
    tool: OnceLock<ToolFile>,
    siblings: OnceLock<Vec<Sibling>>,
    /// One for the tool itself, then one for each action in order.
    validators: OnceLock<Vec<OnceLock<Validator>>>,
    contract: OnceLock<Arc<ReturnContract>>,
}

impl Known {
    fn of(text: String) -> Arc<Known> {
        Arc::new(Known {
            text,
            ..Known::default()
        })
    }
}

impl ToolSource {
    pub(crate) fn new(
        entry: Entry,
        language: Language,
        path: Option<PathBuf>,
        text: String,
    ) -> ToolSource {
        let Entry {
            id,
            space,
            extension,
        } = entry;
        ToolSource {
            id,
            space,
            extension,
            language,
            path,
            known: Known::of(text),
        }
    }

    /// The whole text. Nothing reads the file again.
    pub fn text(&self) -> &str {
        &self.known.text
    }

    /// The text that the runtime reads, with the same lines: without a byte order mark, and with a shebang below the
    /// signature as a comment.
    pub fn code(&self) -> Cow<'_, str> {
        let text = self.text();
        let text = text.strip_prefix(BOM).unwrap_or(text);
        if self.language.signature_style() == Style::Slashes
            && let Some((first, rest)) = text.split_once('\n')
            && let Some(rest) = rest.strip_prefix("#!")
            && Header::find(first, Style::Slashes).is_some()
        {
            return Cow::Owned(format!("{first}\n//{rest}"));
        }
        Cow::Borrowed(text)
    }

    /// The same file with another text.
    #[must_use]
    pub fn with_text(self, text: String) -> ToolSource {
        ToolSource {
            known: Known::of(text),
            ..self
        }
    }

    /// The SHA-256 of the text that a signature covers: not the byte order mark, shebang and signature line.
    pub fn digest(&self) -> &str {
        let hash = || digest(body(self.text(), self.language.signature_style()));
        self.known.digest.get_or_init(hash)
    }

    /// The SHA-256 of the whole text, for trust and the lock.
    pub fn whole_digest(&self) -> &str {
        self.known.whole.get_or_init(|| digest(self.text()))
    }

    /// The metadata of the file and the errors that prevent a call; read on first use and cached.
    pub fn tool(&self) -> &ToolFile {
        let read = || ToolFile::read_to_run(&self.id, self.language, self.text());
        self.known.tool.get_or_init(read)
    }

    /// All diagnostics of the file, warnings included; read again at each call.
    pub fn checked(&self) -> ToolFile {
        ToolFile::read(&self.id, self.language, self.text()).checked()
    }

    /// The validator of the tool's arguments, or of one of its actions' arguments; made on first use and cached.
    ///
    /// # Errors
    /// If the schema is invalid.
    pub fn validator(&self, action: Option<&str>) -> Result<&Validator, SchemaError> {
        let tool = self.tool();
        let at = tool
            .actions
            .iter()
            .position(|known| Some(known.name.as_str()) == action);
        let schema = at.map_or(&tool.schema.input, |at| &tool.actions[at].input);
        let places = || (0..=tool.actions.len()).map(|_| OnceLock::new()).collect();
        let place = &self.known.validators.get_or_init(places)[at.map_or(0, |at| at + 1)];
        if let Some(validator) = place.get() {
            return Ok(validator);
        }
        let made = Validator::new(schema)?;
        Ok(place.get_or_init(|| made))
    }

    /// The contract of the tool's result; made on first use and cached.
    ///
    /// # Errors
    /// If its schema is invalid.
    pub fn contract(&self) -> Result<Arc<ReturnContract>, SchemaError> {
        if let Some(contract) = self.known.contract.get() {
            return Ok(Arc::clone(contract));
        }
        let made = Arc::new(ReturnContract::new(self.tool().schema.output.as_ref())?);
        Ok(Arc::clone(self.known.contract.get_or_init(|| made)))
    }

    /// The files beside it that it may import: by name in Python, by path in JavaScript and TypeScript.
    pub fn siblings(&self) -> &[Sibling] {
        self.known.siblings.get_or_init(|| self.imported())
    }

    fn imported(&self) -> Vec<Sibling> {
        let category = self.id.category();
        let files = |name: &str| match self.language {
            Language::Python => Some(vec![(within(category, name)?, "py")]),
            _ => Some(by_path(category, name)),
        };
        let sibling = |name: &String| {
            Some(Sibling {
                files: files(name)?,
                name: name.clone(),
            })
        };
        self.tool().imports().iter().filter_map(sibling).collect()
    }

    /// The name of the file in messages.
    pub fn name(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None if self.extension == SERVER_EXTENSION => {
                format!("(approved)/{}", self.id)
            }
            None => format!("(system)/{}.{}", self.id, self.extension),
        }
    }
}

impl Subject for ToolSource {
    fn id(&self) -> &str {
        self.id.as_str()
    }

    fn space(&self) -> Space {
        self.space
    }

    fn text(&self) -> &str {
        self.text()
    }

    fn style(&self) -> Style {
        self.language.signature_style()
    }

    fn origin(&self) -> Origin {
        if self.extension != SERVER_EXTENSION {
            Origin::File
        } else if self.id.category() == SERVERS {
            Origin::Server
        } else {
            Origin::ServerTool
        }
    }

    fn extension(&self) -> &str {
        self.extension
    }

    fn name(&self) -> String {
        self.name()
    }

    fn digest(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.digest())
    }

    fn whole_digest(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.whole_digest())
    }

    fn is_server_tool(&self) -> bool {
        self.tool().metadata.tool_type.as_deref() == Some("mcp")
    }

    fn server_tool_in(&self, text: &str) -> Option<(String, String)> {
        wrapped(&self.clone().with_text(text.to_owned()))
    }

    fn server_tool(&self) -> Option<(String, String)> {
        wrapped(self)
    }
}

/// An import of a file beside the importing one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Sibling {
    /// As written: the name of a module, or a path.
    pub name: String,
    /// The ids and extensions of files it may be; the first that exists counts. Empty if it leads out of the tools.
    pub files: Vec<(ItemId, &'static str)>,
}

fn within(category: &str, name: &str) -> Option<ItemId> {
    if category.is_empty() {
        ItemId::new(name).ok()
    } else {
        ItemId::new(&format!("{category}/{name}")).ok()
    }
}

/// The files that a path in JavaScript may mean, seen from a category. Without an extension they are those of
/// `require`.
fn by_path(category: &str, path: &str) -> Vec<(ItemId, &'static str)> {
    const SCRIPTS: &[&str] = &["js", "mjs", "cjs", "ts"];
    let mut parts: Vec<&str> = category
        .split('/')
        .filter(|part| !part.is_empty())
        .collect();
    for part in path.split('/') {
        match part {
            "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return Vec::new();
                }
            }
            part => parts.push(part),
        }
    }
    let whole = parts.join("/");
    let script = |extension: &str| SCRIPTS.iter().find(|known| **known == extension).copied();
    match whole
        .rsplit_once('.')
        .map(|(stem, extension)| (stem, script(extension)))
    {
        Some((stem, Some(extension))) => {
            let mut files: Vec<_> = ItemId::new(stem)
                .into_iter()
                .map(|id| (id, extension))
                .collect();
            // An import of a TypeScript file may name the `js` file that TypeScript would make of it.
            if extension == "js" {
                files.extend(ItemId::new(stem).into_iter().map(|id| (id, "ts")));
            }
            files
        }
        _ => ["js", "cjs", "ts"]
            .iter()
            .filter_map(|extension| Some((ItemId::new(&whole).ok()?, *extension)))
            .collect(),
    }
}

/// The server and its tool that a tool file wraps.
pub(crate) fn wrapped(found: &ToolSource) -> Option<(String, String)> {
    let config = found.tool().metadata.config.as_ref()?;
    let text = |key: &str| config.get(key)?.as_str().map(str::to_owned);
    Some((text("server")?, text("tool_name")?))
}
