//! What the trust store has to know of a file.

use std::borrow::Cow;

use toolglot_tool_signature::{Style, body, digest};

use crate::Space;

/// Where a text is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of a space.
    File,
    /// The definition of a server in `.mcp.json`.
    Server,
    /// A tool of an approved server, as it was approved.
    ServerTool,
}

/// A text of which one asks whether it may run.
pub trait Subject {
    /// The id that it is found as: `work/greet-it`.
    fn id(&self) -> &str;

    /// Whose it is.
    fn space(&self) -> Space;

    /// All of it.
    fn text(&self) -> &str;

    /// How its signature is written.
    fn style(&self) -> Style;

    /// Where its text is from.
    fn origin(&self) -> Origin {
        Origin::File
    }

    /// The extension of its file, without the dot; with the id it names the file.
    fn extension(&self) -> &str;

    /// How it is called in messages, and where it is pinned outside of a project.
    fn name(&self) -> String {
        format!("{}.{}", self.id(), self.extension())
    }

    /// The SHA-256 of what a signature covers.
    fn digest(&self) -> Cow<'_, str> {
        Cow::Owned(digest(body(self.text(), self.style())))
    }

    /// The SHA-256 of all of the text.
    fn whole_digest(&self) -> Cow<'_, str> {
        Cow::Owned(digest(self.text()))
    }

    /// The server, and the tool of it, that a text would stand for in the place of this one.
    fn server_tool_in(&self, _text: &str) -> Option<(String, String)> {
        None
    }

    /// Whether it does nothing but call a server's tool.
    fn is_server_tool(&self) -> bool {
        self.server_tool().is_some()
    }

    /// The server, and the tool of it, that it stands for.
    fn server_tool(&self) -> Option<(String, String)> {
        self.server_tool_in(self.text())
    }
}

/// A text and its place: all that a program needs which only verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The id that it is found as.
    pub id: String,
    /// Whose it is.
    pub space: Space,
    /// The extension of its file, without the dot.
    pub extension: String,
    /// How its signature is written.
    pub style: Style,
    /// All of it.
    pub text: String,
}

impl Subject for TextFile {
    fn id(&self) -> &str {
        &self.id
    }

    fn space(&self) -> Space {
        self.space
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn style(&self) -> Style {
        self.style
    }

    fn extension(&self) -> &str {
        &self.extension
    }
}
