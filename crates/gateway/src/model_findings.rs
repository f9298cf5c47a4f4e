//! The findings about one model, as a table of a configuration file.

use std::fmt::Write as _;

use toolglot_value::Value;

use crate::models::Mode;

/// The most characters of an upstream's text in a comment.
const QUOTED_CHARS: usize = 160;

/// The settings that suit a model, and what was tried.
#[derive(Clone, Debug)]
pub(crate) struct ModelFindings {
    name: String,
    pub(crate) mode: Mode,
    pub(crate) reasoning_open: bool,
    /// The dialect that the model wrote; a comment suggests it.
    pub(crate) dialect: Option<String>,
    tried: Vec<String>,
}

impl ModelFindings {
    pub(crate) fn new(name: &str) -> ModelFindings {
        ModelFindings {
            name: name.to_owned(),
            mode: Mode::Recover,
            reasoning_open: false,
            dialect: None,
            tried: Vec::new(),
        }
    }

    /// Adds an attempt and its outcome.
    pub(crate) fn add(&mut self, tried: impl Into<String>) {
        self.tried.push(tried.into());
    }

    /// Appends the table.
    pub(crate) fn write(&self, out: &mut String) {
        let _ = writeln!(out, "\n[models.{}]", quoted(&self.name));
        for tried in &self.tried {
            comment(tried, out);
        }
        let _ = writeln!(out, "mode = \"{}\"", self.mode.word());
        if self.reasoning_open {
            out.push_str("reasoning-open = true\n");
        }
        if let Some(dialect) = &self.dialect {
            comment(
                "Its calls are read without this line. With it, no other dialect is read:",
                out,
            );
            comment(&format!("dialect = {}", quoted(dialect)), out);
        }
    }
}

/// Appends a comment. Control characters become blanks, so that it stays one line.
pub(crate) fn comment(text: &str, out: &mut String) {
    let text: String = text
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let _ = writeln!(out, "# {}", text.trim());
}

/// The start of a text of the upstream, on one line.
pub(crate) fn shortened(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().take(QUOTED_CHARS).collect()
}

/// A TOML string. JSON has the same escapes except for one character.
fn quoted(text: &str) -> String {
    let json = Value::from(text).to_string();
    json.replace('\u{7f}', "\\u007f")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models::Models;

    #[test]
    fn any_name_makes_a_file_that_is_read() {
        for name in ["m", "Qwen/Qwen3-8B", "a\"b\\c\n\t\u{7f}\u{1b}[31mé", ""] {
            let mut findings = ModelFindings::new(name);
            findings.mode = Mode::Emulate;
            findings.reasoning_open = true;
            findings.dialect = Some("hermes".to_owned());
            findings.add("400: \"no\n[models.x]\nmode = 'raw'\u{1b}\"");
            let mut text = String::new();
            findings.write(&mut text);
            let models = Models::from_toml(&text).expect("TOML");
            let settings = models.get(name);
            assert_eq!(settings.mode, Some(Mode::Emulate), "{text}");
            assert!(settings.reasoning_open == Some(true) && settings.dialect.is_none());
            assert_eq!(models.rows().count(), 2, "{text}");
        }
    }
}
