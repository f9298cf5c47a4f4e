//! The kinds of files that are signed, and how each writes its signature.

/// What some editors put before a text. It is not a part of it.
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

/// What a Markdown file is; that says which part of it is signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// Everything but the signature line and the front matter between two `---`.
    Knowledge,
    /// What stands from the first `<directive` to the last `</directive>`.
    Directive,
}

impl Style {
    /// What comes before the words of the signature: one blank is part of it.
    pub fn prefix(self) -> &'static str {
        match self {
            Style::Hash => "# ",
            Style::Slashes => "// ",
            Style::Markdown(_) => "<!-- ",
        }
    }

    /// What comes after them.
    pub fn suffix(self) -> &'static str {
        match self {
            Style::Markdown(_) => " -->",
            _ => "",
        }
    }
}
