//! Dialect files written from a response template.

use toolglot_value::Value;

use crate::ImportError;
use crate::response_template::{self, Imported};

/// The dialect file, with one dialect called `name`, for a `tokenizer_config.json` or a `response_template` alone.
///
/// The dialect is tested: it reads messages that are made from the template as the template specifies, and writes a
/// call that the template reads.
///
/// # Errors
/// [`ImportError::ResponseTemplate`]: the part that the notation cannot express.
pub fn from_response_template(config: &Value, name: &str) -> Result<String, ImportError> {
    let unsupported = |why| ImportError::ResponseTemplate { why };
    let imported = Imported::of(config, name).map_err(unsupported)?;
    let text = &imported.text;
    match toolglot_dialects::parse(text) {
        Ok(dialects) => {
            for dialect in &dialects {
                imported.try_out(dialect).map_err(unsupported)?;
            }
            Ok(imported.text)
        }
        Err(error) => {
            // The rule is generated, so the error names the field of the template.
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
