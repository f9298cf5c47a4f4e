//! The facts about a file that the trust store needs.

use std::borrow::Cow;

use toolglot_tool_signature::{Style, body, digest};

use crate::Space;

/// The source of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file of a space.
    File,
    /// The definition of a server in `.mcp.json`.
    Server,
    /// A tool of an approved server, as it was approved.
    ServerTool,
}

/// A text for which the store decides whether it may run.
pub trait Subject {
    /// The id under which it is found: `work/greet-it`.
    fn id(&self) -> &str;

    /// The space that it is in.
    fn space(&self) -> Space;

    /// The whole text.
    fn text(&self) -> &str;

    /// How its signature is written.
    fn style(&self) -> Style;

    /// The source of its text.
    fn origin(&self) -> Origin {
        Origin::File
    }

    /// The extension of its file, without the dot; with the id it names the file.
    fn extension(&self) -> &str;

    /// Its name in messages, and in pins outside of a project.
    fn name(&self) -> String {
        format!("{}.{}", self.id(), self.extension())
    }

    /// The SHA-256 of what a signature covers.
    fn digest(&self) -> Cow<'_, str> {
        Cow::Owned(digest(body(self.text(), self.style())))
    }

    /// The SHA-256 of the whole text.
    fn whole_digest(&self) -> Cow<'_, str> {
        Cow::Owned(digest(self.text()))
    }

    /// The server and its tool that another text of this file would wrap.
    fn server_tool_in(&self, _text: &str) -> Option<(String, String)> {
        None
    }

    /// Whether it only calls a server's tool.
    fn is_server_tool(&self) -> bool {
        self.server_tool().is_some()
    }

    /// The server and its tool that it wraps.
    fn server_tool(&self) -> Option<(String, String)> {
        self.server_tool_in(self.text())
    }
}

/// A text and its place, for a program that only verifies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFile {
    /// The id under which it is found.
    pub id: String,
    /// The space that it is in.
    pub space: Space,
    /// The extension of its file, without the dot.
    pub extension: String,
    /// How its signature is written.
    pub style: Style,
    /// The whole text.
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
