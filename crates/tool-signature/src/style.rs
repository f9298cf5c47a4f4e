//! The kinds of files that are signed, and how each writes its signature.

/// The byte order mark that some editors put before a text. It is not a part of the text.
pub const BOM: char = '\u{feff}';

/// How a kind of file writes its signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `# ..`, on line 1 or after a shebang: Python, YAML, shell, TOML.
    Hash,
    /// `// ..`, on line 1 only: JavaScript and TypeScript.
    Slashes,
    /// `<!-- .. -->`, on line 1 only: Markdown.
    Markdown(Item),
}

/// The kind of a Markdown file, which decides what part of the file is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Everything but the signature line and the front matter between two `---`.
    Knowledge,
    /// The text from the first `<directive` to the last `</directive>`.
    Directive,
}

impl Style {
    /// The text before the words of the signature, including one blank.
    pub fn prefix(self) -> &'static str {
        match self {
            Style::Hash => "# ",
            Style::Slashes => "// ",
            Style::Markdown(_) => "<!-- ",
        }
    }

    /// The text after the words of the signature.
    pub fn suffix(self) -> &'static str {
        match self {
            Style::Markdown(_) => " -->",
            _ => "",
        }
    }
}
