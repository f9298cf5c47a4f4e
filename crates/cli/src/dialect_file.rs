//! Dialect files of the user's own.

use std::path::Path;

use toolglot::{Dialect, GrammarError, Limits, Program, ToolSet};

use crate::failure::Failure;
use crate::human::snippet;
use crate::response_template::{self, Imported};
use crate::source;

/// What is wrong with a dialect file, and where.
#[derive(Debug)]
pub(crate) struct Fault {
    error: GrammarError,
    /// The file's text, which the error points into.
    text: String,
    /// The file's name.
    name: String,
}

impl Fault {
    /// The error under the text that it points into.
    pub(crate) fn report(&self, is_colored: bool) -> String {
        snippet::grammar(&self.error, &self.text, &self.name, is_colored)
    }
}

/// The dialects of a file, each of which makes a program.
///
/// # Errors
/// Outside, if the file cannot be read; inside, what is wrong with it.
pub(crate) fn read(path: &Path) -> Result<Result<Vec<Dialect>, Box<Fault>>, Failure> {
    let text = source::document(path)?;
    // No dialect file begins with a brace: a chat template does, and a checkpoint's own declaration, which is JSON.
    let begin = text.trim_start();
    if ["{%", "{{", "{#"].iter().any(|tag| begin.starts_with(tag)) {
        return Err(Failure::ChatTemplate(source::name(path)));
    }
    let text = if begin.starts_with('{') {
        imported(&text, path, "imported")?
    } else {
        text
    };
    Ok(sound(&text).map_err(|error| {
        Box::new(Fault {
            error,
            text,
            name: source::name(path),
        })
    }))
}

/// The dialect that a `response_template` declares, as text.
///
/// # Errors
/// What of it the notation cannot say.
pub(crate) fn imported(text: &str, path: &Path, name: &str) -> Result<String, Failure> {
    let origin = source::name(path);
    let config = serde_json::from_str(text).map_err(|source| Failure::Json {
        origin: origin.clone(),
        source,
    })?;
    let unfit = |why| Failure::Import {
        origin: origin.clone(),
        why,
    };
    let imported = Imported::of(&config, name).map_err(unfit)?;
    let dialect = &imported.text;
    match sound(dialect) {
        Ok(dialects) => {
            for dialect in &dialects {
                imported.try_out(dialect).map_err(unfit)?;
            }
            Ok(imported.text)
        }
        Err(error) => {
            // The notation is ours; what it was written for is the template's.
            let before = dialect.get(..error.span.start).unwrap_or_default();
            let begin = before.rfind('\n').map_or(0, |at| at + 1);
            let rule = dialect[begin..].lines().next().unwrap_or_default();
            let field = response_template::field_of(rule);
            let rule = response_template::shown(rule);
            Err(unfit(format!(
                "field `{field}`: {}, in the rule `{rule}`",
                error.message
            )))
        }
    }
}

fn sound(text: &str) -> Result<Vec<Dialect>, GrammarError> {
    let dialects = Dialect::parse(text, toolglot_dialects::all())?;
    if dialects.is_empty() {
        return Err(GrammarError {
            message: "the file holds no dialect".to_owned(),
            help: Some(
                "begin with `dialect NAME`, as `toolglot dialects new NAME` does".to_owned(),
            ),
            span: 0..0,
            dialect: None,
        });
    }
    for dialect in &dialects {
        // Each alone: what is wrong then is wrong in this file.
        Program::compile(
            std::slice::from_ref(dialect),
            &ToolSet::default(),
            Limits::default(),
        )?;
    }
    Ok(dialects)
}
