//! The settings of models: one TOML file, or the same settings for all.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::constraint::Constrain;
use crate::error::GatewayError;
use crate::tool_program;

/// How the tools reach a model, and how its calls come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// The upstream's own template writes the tools, and its text comes back unparsed.
    Raw,
    /// The upstream gets the tools and parses calls; calls that it leaves in its text are read as well.
    Recover,
    /// The upstream's template has no tools: instructions teach a dialect, and the history is text.
    Emulate,
    /// Nothing is changed or read.
    Passthrough,
}

impl Mode {
    /// The word in a configuration file.
    pub fn word(self) -> &'static str {
        match self {
            Mode::Raw => "raw",
            Mode::Recover => "recover",
            Mode::Emulate => "emulate",
            Mode::Passthrough => "passthrough",
        }
    }
}

/// When a call is sent to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallEmission {
    /// Once it is complete, and no later text can show that it is in reasoning.
    Atomic,
    /// While it is read. If the call is cut off, the client gets an unfinished prefix.
    Stream,
}

/// The treatment of calls whose structure or value was guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoveredCalls {
    /// The model is asked again; if that fails, the call becomes text. Calls of tools that are known to be read-only
    /// are sent.
    #[default]
    Ask,
    /// The call is sent.
    Send,
}

impl ModelSettings {
    /// Whether the tool is known to be read-only.
    pub(crate) fn only_reads(&self, tool: &str) -> bool {
        let mut patterns = self.read_only_tools.iter();
        patterns.any(|pattern| fits(pattern, tool))
    }
}

/// The settings of a model, or of all models that match a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[non_exhaustive]
pub struct ModelSettings {
    /// The mode; `None`: the first that works.
    pub mode: Option<Mode>,
    /// The dialect that is read, and taught in mode `emulate`; `None`: all dialects are read.
    #[serde(deserialize_with = "dialect")]
    pub dialect: Option<String>,
    /// The upstream's name for the model; `None`: the client's name.
    pub upstream_model: Option<String>,
    /// Whether the prompt opens the reasoning, so that an answer starts inside it; `None`: the upstream's template
    /// decides, if it is known.
    pub reasoning_open: Option<bool>,
    /// When calls are sent; `None`: calls of read-only tools while they are read, and all others once complete.
    pub emission: Option<CallEmission>,
    /// Patterns for the names of read-only tools.
    pub read_only_tools: Vec<String>,
    /// The treatment of recovered calls.
    pub recovered: RecoveredCalls,
    /// How the upstream gets the grammar of the allowed calls. It needs a `dialect`, or the mode `emulate`.
    pub constrain: Constrain,
}

/// Settings by patterns of model names. The first matching pattern counts; `*` matches any text.
///
/// ```
/// use toolglot_gateway::{Mode, Models};
///
/// let models = Models::from_toml(r#"
///     [models."qwen3*"]
///     mode = "raw"
///     dialect = "hermes"
///
///     [models."*"]
///     mode = "recover"
/// "#)?;
/// assert_eq!(models.get("qwen3:8b").mode, Some(Mode::Raw));
/// assert_eq!(models.get("llama3").mode, Some(Mode::Recover));
/// # Ok::<(), toolglot_gateway::GatewayError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Models {
    rows: Vec<(String, ModelSettings)>,
    others: ModelSettings,
}

impl Models {
    /// The same settings for all models.
    pub fn all(settings: ModelSettings) -> Models {
        Models {
            rows: Vec::new(),
            others: settings,
        }
    }

    /// Settings from the text of a TOML file with one table `[models."PATTERN"]` for each pattern.
    ///
    /// # Errors
    /// If the text is not TOML, or has an unknown table, key, value or dialect.
    pub fn from_toml(text: &str) -> Result<Models, GatewayError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default, deserialize_with = "rows")]
            models: Vec<(String, ModelSettings)>,
        }
        let file: File = toml::from_str(text).map_err(|error| misplaced(text, &error))?;
        Ok(Models {
            rows: file.models,
            others: ModelSettings::default(),
        })
    }

    /// The settings of a model.
    pub fn get(&self, model: &str) -> &ModelSettings {
        let row = self.rows.iter().find(|(pattern, _)| fits(pattern, model));
        row.map_or(&self.others, |(_, settings)| settings)
    }

    /// Whether requests for any model pass through.
    pub(crate) fn has_passthrough(&self) -> bool {
        let mut rows = self.rows();
        rows.any(|(_, settings)| settings.mode == Some(Mode::Passthrough))
    }

    /// All patterns with their settings, and `*` for the other models.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&str, &ModelSettings)> {
        let rows = self.rows.iter();
        let rows = rows.map(|(pattern, settings)| (pattern.as_str(), settings));
        rows.chain([("*", &self.others)])
    }
}

/// The tables in file order; errors keep their position in the file.
fn rows<'de, D: Deserializer<'de>>(file: D) -> Result<Vec<(String, ModelSettings)>, D::Error> {
    struct Rows;
    impl<'de> Visitor<'de> for Rows {
        type Value = Vec<(String, ModelSettings)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a table for each pattern of models")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut rows = Vec::new();
            while let Some((pattern, settings)) = map.next_entry::<String, ModelSettings>()? {
                if settings.constrain != Constrain::Off
                    && settings.dialect.is_none()
                    && settings.mode != Some(Mode::Emulate)
                {
                    return Err(A::Error::custom(format!(
                        "`constrain` of `{pattern}` needs a `dialect`: a grammar has one form of calls"
                    )));
                }
                rows.push((pattern, settings));
            }
            Ok(rows)
        }
    }
    file.deserialize_map(Rows)
}

/// The name of a dialect that can be read and taught, or a list of names.
fn dialect<'de, D: Deserializer<'de>>(file: D) -> Result<Option<String>, D::Error> {
    let dialect = String::deserialize(file)?;
    tool_program::check(&dialect).map_err(D::Error::custom)?;
    Ok(Some(dialect))
}

/// A configuration error with its position.
fn misplaced(text: &str, error: &toml::de::Error) -> GatewayError {
    let at = error.span().map_or(0, |span| span.start);
    let before = text.get(..at).unwrap_or_default();
    let line_start = before.rfind('\n').map_or(0, |end| end + 1);
    GatewayError::Configuration {
        line: 1 + before.matches('\n').count(),
        column: 1 + before[line_start..].chars().count(),
        why: error.message().trim_end().replace('\n', ", "),
    }
}

/// Whether a pattern matches a whole name.
pub(crate) fn fits(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = name.find(piece) else {
            return false;
        };
        name = &name[at + piece.len()..];
    }
    name.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, expected) in [
            ("*", "", true),
            ("*", "a", true),
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "ab", true),
            ("*b", "ab", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("Qwen/*", "Qwen/Qwen3-8B", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_wrong_file_is_refused() {
        for (text, place, words) in [
            ("[model]", (1, 2), "unknown field `model`"),
            (
                "[models.a]\nmode = \"fast\"",
                (2, 8),
                "unknown variant `fast`",
            ),
            (
                "\n[models.a]\nmodes = \"raw\"",
                (3, 1),
                "unknown field `modes`",
            ),
            (
                "[models.a]\ndialect = \"hermse\"",
                (2, 11),
                "unknown dialect `hermse`",
            ),
            (
                "[models.a]\nconstrain = \"ebnf\"",
                (2, 13),
                "unknown variant `ebnf`",
            ),
            (
                "[models.a]\nconstrain = \"gbnf\"",
                (1, 2),
                "`constrain` of `a` needs a `dialect`",
            ),
            ("models =", (1, 9), "string values must be quoted"),
        ] {
            let error = Models::from_toml(text).expect_err("it is wrong");
            let GatewayError::Configuration { line, column, why } = error else {
                panic!("{error}");
            };
            assert_eq!((line, column), place, "{why}");
            assert!(why.contains(words), "{why}");
            assert!(!why.contains('\n'), "{why}");
        }
    }

    #[test]
    fn the_first_pattern_of_the_file_counts() {
        let text =
            "[models.\"b*\"]\nmode = \"raw\"\n[models.\"*\"]\nmode = \"emulate\"\n[models.b1]";
        let models = Models::from_toml(text).expect("TOML");
        let patterns: Vec<&str> = models.rows().map(|(pattern, _)| pattern).collect();
        assert_eq!(patterns, ["b*", "*", "b1", "*"]);
        assert_eq!(models.get("b1").mode, Some(Mode::Raw));
    }
}
