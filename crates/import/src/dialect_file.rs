//! Dialect files: checked as a user writes them, and written from a response template.

use serde_json::Value;
use toolglot_engine::{Dialect, GrammarError, Limits, Program, ToolSet};

use crate::ImportError;
use crate::response_template::{self, Imported};

/// The dialects of a file, each of which makes a program by itself. They may build on those that are built in.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn dialects(text: &str) -> Result<Vec<Dialect>, GrammarError> {
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

/// The dialect file, of one dialect called `name`, that a `tokenizer_config.json` or a `response_template` alone declares.
///
/// The dialect was tried: it reads messages that were made from the template as the template says, and writes a call that the
/// template reads.
///
/// # Errors
/// [`ImportError::ResponseTemplate`]: what of it the notation cannot say.
pub fn from_response_template(config: &Value, name: &str) -> Result<String, ImportError> {
    let unsupported = |why| ImportError::ResponseTemplate { why };
    let imported = Imported::of(config, name).map_err(unsupported)?;
    let text = &imported.text;
    match dialects(text) {
        Ok(dialects) => {
            for dialect in &dialects {
                imported.try_out(dialect).map_err(unsupported)?;
            }
            Ok(imported.text)
        }
        Err(error) => {
            // The notation is ours; what it was written for is the template's.
            let before = text.get(..error.span.start).unwrap_or_default();
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let rule = text[start..].lines().next().unwrap_or_default();
            let field = response_template::field_of(rule);
            let rule = response_template::shown(rule);
            Err(unsupported(format!(
                "field `{field}`: {}, in the rule `{rule}`",
                error.message
            )))
        }
    }
}
