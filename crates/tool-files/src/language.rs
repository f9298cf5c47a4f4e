//! The languages that tools are written in.

use toolglot_tool_signature::Style;

/// A language of tool files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Language {
    /// `.py`
    Python,
    /// `.yaml`, `.yml`
    Yaml,
    /// `.js`, `.mjs`, `.cjs`
    JavaScript,
    /// `.ts`
    TypeScript,
    /// `.sh`
    Bash,
    /// `.toml`
    Toml,
}

/// Every extension of a tool file, in lookup order: of two files that differ only in the extension the earlier one is
/// the tool.
pub const EXTENSIONS: &[(&str, Language)] = &[
    ("py", Language::Python),
    ("yaml", Language::Yaml),
    ("yml", Language::Yaml),
    ("js", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("cjs", Language::JavaScript),
    ("ts", Language::TypeScript),
    ("sh", Language::Bash),
    ("toml", Language::Toml),
];

impl Language {
    /// The language of an extension, in any letter case.
    pub fn of_extension(extension: &str) -> Option<Language> {
        EXTENSIONS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(extension))
            .map(|(_, language)| *language)
    }

    /// The language with that name or extension.
    pub fn named(word: &str) -> Option<Language> {
        let word = &*word.to_ascii_lowercase();
        match word {
            "python" => Some(Language::Python),
            "javascript" | "node" => Some(Language::JavaScript),
            "typescript" => Some(Language::TypeScript),
            "bash" | "shell" => Some(Language::Bash),
            _ => Language::of_extension(word.trim_start_matches('.')),
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::Yaml => "yaml",
            Language::JavaScript => "javascript",
            Language::TypeScript => "typescript",
            Language::Bash => "bash",
            Language::Toml => "toml",
        }
    }

    /// The extension that new files get.
    pub fn extension(self) -> &'static str {
        EXTENSIONS
            .iter()
            .find(|(_, language)| *language == self)
            .map_or("", |(extension, _)| extension)
    }

    /// The text that starts a line comment.
    pub fn comment(self) -> &'static str {
        match self {
            Language::JavaScript | Language::TypeScript => "//",
            _ => "#",
        }
    }

    /// How a signature is written in a file of the language.
    pub fn signature_style(self) -> Style {
        match self.comment() {
            "//" => Style::Slashes,
            _ => Style::Hash,
        }
    }

    /// Whether its metadata use YAML's field names (`tool_id`), not variables (`__version__`).
    pub fn is_configuration(self) -> bool {
        matches!(self, Language::Yaml | Language::Toml)
    }
}
