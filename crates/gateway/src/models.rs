//! What is known about models: one TOML file, or the same for all.

use serde::Deserialize;

use crate::error::GatewayError;

/// How the tools reach a model, and how its calls come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Mode {
    /// The upstream's own template writes the tools, and its text comes back unparsed.
    Raw,
    /// The upstream gets the tools and parses; calls that it leaves in its text are read all the same.
    Recover,
    /// The upstream's template knows no tools: instructions teach a dialect, and the history is text.
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

/// When a call leaves for the client.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CallEmission {
    /// Once it is complete; calls of tools that are known to only read leave as they are read.
    #[default]
    Atomic,
    /// As it is read. Of a call that is cut off, the client gets an unfinished prefix.
    Stream,
}

/// What becomes of a call whose structure or a value of which was guessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecoveredCalls {
    /// The model is asked once more; then the call becomes text. Calls of tools that are known to only read are sent.
    #[default]
    Ask,
    /// It is sent.
    Send,
}

/// What is known about a model, or about all of a pattern.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
#[non_exhaustive]
pub struct ModelSettings {
    /// The mode; `None`: the first that works.
    pub mode: Option<Mode>,
    /// The dialect that is read, and taught where the mode is `emulate`; `None`: all are read.
    pub dialect: Option<String>,
    /// The name that the upstream has for the model; `None`: the client's.
    pub upstream_model: Option<String>,
    /// Whether the prompt opens the reasoning, so that an answer starts inside of it.
    pub reasoning_open: bool,
    /// When a call leaves.
    pub emission: CallEmission,
    /// What becomes of a call that was recovered.
    pub recovered: RecoveredCalls,
}

/// Settings by patterns of models' names. The first pattern that fits counts; `*` in it stands for any text.
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
    /// The text is no TOML, or it has another table, key or value.
    pub fn from_toml(text: &str) -> Result<Models, GatewayError> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct File {
            #[serde(default)]
            models: toml::Table,
        }
        let file: File = toml::from_str(text)?;
        let rows = file.models.into_iter();
        let rows = rows.map(|(pattern, settings)| match settings.try_into() {
            Ok(settings) => Ok((pattern, settings)),
            Err(source) => Err(GatewayError::ModelSettings { pattern, source }),
        });
        Ok(Models {
            rows: rows.collect::<Result<_, _>>()?,
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

    /// All patterns with their settings, and `*` for all others.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (&str, &ModelSettings)> {
        let rows = self.rows.iter();
        let rows = rows.map(|(pattern, settings)| (pattern.as_str(), settings));
        rows.chain([("*", &self.others)])
    }
}

/// Whether a pattern fits a name as a whole.
fn fits(pattern: &str, name: &str) -> bool {
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
        for (text, words) in [
            ("[model]", "unknown field `model`"),
            ("[models.a]\nmode = \"fast\"", "unknown variant `fast`"),
            ("[models.a]\nmodes = \"raw\"", "unknown field `modes`"),
            ("models =", "TOML"),
        ] {
            let error = Models::from_toml(text).expect_err("it is wrong");
            let source = std::error::Error::source(&error).map(ToString::to_string);
            let told = format!("{error} {}", source.unwrap_or_default());
            assert!(told.contains(words), "{told}");
        }
    }
}
