//! Converts the contents of messages, in any parts of a client, to the form of Chat Completions.

use toolglot_value::{Map, Value, json};

use super::RequestError;

/// The separator between the texts of two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    /// Nothing, for the pieces of an answer.
    None,
    /// A line break if there is none, for paragraphs that a client joined.
    Line,
}

/// A content with its texts as one string, if it has only texts.
///
/// Parts that are calls, results or reasoning of another API are unchanged.
///
/// # Errors
/// If a part has no form in Chat Completions.
pub(super) fn content(content: &Value, seam: Seam, at: &str) -> Result<Value, RequestError> {
    let parts = match content {
        Value::Null | Value::String(_) => return Ok(content.clone()),
        Value::Array(parts) => parts,
        other => {
            return Err(RequestError::expected(
                at,
                "a string or a list of parts",
                other,
            ));
        }
    };
    let mut converted: Vec<Value> = Vec::with_capacity(parts.len());
    for (n, item) in parts.iter().enumerate() {
        let Some(part) = part(item, &format!("{at}[{n}]"))? else {
            continue;
        };
        match converted.last_mut().filter(|last| is_text(last)) {
            Some(last) if is_text(&part) => {
                let before = last["text"].as_str().unwrap_or_default();
                let is_apart = seam == Seam::None || before.is_empty() || before.ends_with('\n');
                let gap = if is_apart { "" } else { "\n" };
                let after = part["text"].as_str().unwrap_or_default();
                *last = json!({"type": "text", "text": format!("{before}{gap}{after}")});
            }
            _ => converted.push(part),
        }
    }
    match converted.as_slice() {
        [] => Ok(Value::from("")),
        [only] if is_text(only) => Ok(only["text"].clone()),
        _ => Ok(Value::Array(converted)),
    }
}

fn is_text(part: &Value) -> bool {
    part["type"] == "text"
}

/// One part; `None` for a part without content for the model.
fn part(part: &Value, at: &str) -> Result<Option<Value>, RequestError> {
    if let Value::String(text) = part {
        return Ok(Some(json!({"type": "text", "text": text})));
    }
    let Value::Object(fields) = part else {
        return Err(RequestError::expected(at, "an object", part));
    };
    let kind = match fields.get("type") {
        None if part["text"].is_string() => "text",
        Some(Value::String(kind)) => kind.as_str(),
        other => {
            let found = other.unwrap_or(&Value::Null);
            return Err(RequestError::expected(
                format!("{at}.type"),
                "a string",
                found,
            ));
        }
    };
    let text_at = |field: &str| match &part[field] {
        Value::String(text) => Ok(Some(json!({"type": "text", "text": text}))),
        other => Err(RequestError::expected(
            format!("{at}.{field}"),
            "a string",
            other,
        )),
    };
    match kind {
        "text" | "input_text" | "output_text" => text_at("text"),
        "refusal" => text_at("refusal"),
        "redacted_thinking" => Ok(None),
        // Forms of Chat Completions, and parts that are not content.
        "image_url" | "input_audio" | "file" | "video_url" | "audio_url" | "tool_use"
        | "tool_result" | "thinking" => Ok(Some(part.clone())),
        "input_image" => input_image(part, at).map(Some),
        "image" => source(part, at).map(|url| Some(image(&url, None))),
        "input_file" => input_file(part, at).map(Some),
        "document" if part["source"]["type"] == "text" => match &part["source"]["data"] {
            Value::String(text) => Ok(Some(json!({"type": "text", "text": text}))),
            other => {
                let at = format!("{at}.source.data");
                Err(RequestError::expected(at, "a string", other))
            }
        },
        "document" => source(part, at).map(|data| {
            let name = part["title"].as_str().unwrap_or("document");
            Some(json!({"type": "file", "file": {"filename": name, "file_data": data}}))
        }),
        other => Err(RequestError::new(
            format!("{at}.type"),
            format!("no upstream of Chat Completions takes a part of the type `{other}`"),
        )),
    }
}

fn image(url: &str, detail: Option<&Value>) -> Value {
    let mut inner = Map::new();
    inner.insert("url".to_owned(), Value::from(url));
    if let Some(detail) = detail.filter(|detail| detail.is_string()) {
        inner.insert("detail".to_owned(), detail.clone());
    }
    json!({"type": "image_url", "image_url": inner})
}

/// An image of the Responses API.
fn input_image(part: &Value, at: &str) -> Result<Value, RequestError> {
    match part["image_url"].as_str() {
        Some(url) => Ok(image(url, part.get("detail"))),
        None => Err(RequestError::new(
            format!("{at}.image_url"),
            "an image is given by its URL: no file is stored here",
        )),
    }
}

/// A file of the Responses API.
fn input_file(part: &Value, at: &str) -> Result<Value, RequestError> {
    let Some(data) = part["file_data"].as_str() else {
        let why = "a file is given by its data: no file is stored here";
        return Err(RequestError::new(format!("{at}.file_data"), why));
    };
    let name = part["filename"].as_str().unwrap_or("file");
    Ok(json!({"type": "file", "file": {"filename": name, "file_data": data}}))
}

/// The URL of a block's source in Anthropic's API.
fn source(part: &Value, at: &str) -> Result<String, RequestError> {
    let source = &part["source"];
    let field = |name: &str| match &source[name] {
        Value::String(text) => Ok(text.as_str()),
        other => {
            let at = format!("{at}.source.{name}");
            Err(RequestError::expected(at, "a string", other))
        }
    };
    match source["type"].as_str() {
        Some("base64") => Ok(format!(
            "data:{};base64,{}",
            field("media_type")?,
            field("data")?
        )),
        Some("url") => Ok(field("url")?.to_owned()),
        _ => Err(RequestError::new(
            format!("{at}.source.type"),
            "must be `base64` or `url`: no file is stored here",
        )),
    }
}

/// The first part of a content that is not text, for models that read only text.
pub(super) fn first_other(content: &Value) -> Option<(usize, &str)> {
    let parts = content.as_array()?;
    let at = parts.iter().position(|part| !is_text(part))?;
    Some((at, parts[at]["type"].as_str().unwrap_or_default()))
}
