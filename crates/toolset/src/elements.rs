//! A row of XML-like elements inside a raw value: `<suggest mode="code">Go on</suggest> <suggest>..</suggest>`.

use toolglot_value::Value;

/// One element of a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    pub(crate) name: &'a str,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
    /// The text between the tags, verbatim.
    pub(crate) inner: &'a str,
}

/// The elements of `text`; `None` if any text but white space is beside them, or one is not closed.
pub(crate) fn elements(text: &str) -> Option<Vec<Element<'_>>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (element, after) = element(rest)?;
        found.push(element);
        rest = after.trim_start();
    }
    Some(found)
}

fn element(text: &str) -> Option<(Element<'_>, &str)> {
    let (tag, body) = text.strip_prefix('<')?.split_once('>')?;
    let (name, attributes) = match tag.split_once(|c: char| c.is_ascii_whitespace()) {
        Some((name, attributes)) => (name, self::attributes(attributes)?),
        None => (tag, Vec::new()),
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let (inner, after) = body.split_once(&format!("</{name}>"))?;
    Some((
        Element {
            name,
            attributes,
            inner,
        },
        after,
    ))
}

fn attributes(text: &str) -> Option<Vec<(&str, &str)>> {
    let mut found = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (name, after) = rest.split_once('=')?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
        let (value, after) = after[1..].split_once(quote)?;
        found.push((name.trim_end(), value));
        rest = after.trim_start();
    }
    Some(found)
}

/// Writes a list as a row of elements, one on each line, as [`elements`] and [`plain_text`] read it.
/// An item is `{"text": .., "mode": ..}` or a plain string; `None` if an item is of another kind.
pub(crate) fn row(items: &[Value], name: &str) -> Option<String> {
    let element = |item: &Value| {
        let (text, attributes) = match item {
            Value::String(text) => (text.as_str(), String::new()),
            Value::Object(members) => {
                let others = members.iter().filter(|(key, _)| *key != "text");
                let attribute = |(key, value): (&String, &Value)| {
                    let value = value.as_str().filter(|value| !value.contains(['"', '>']))?;
                    Some(format!(" {key}=\"{value}\""))
                };
                let attributes: String = others.map(attribute).collect::<Option<_>>()?;
                (members.get("text")?.as_str()?, attributes)
            }
            _ => return None,
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        Some(format!("<{name}{attributes}>{text}</{name}>"))
    };
    let row: Option<Vec<String>> = items.iter().map(element).collect();
    Some(row?.join("\n"))
}

/// The text of an element: trimmed, XML's five entities decoded.
pub(crate) fn plain_text(inner: &str) -> String {
    const ENTITIES: [(&str, &str); 5] = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ];
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.trim();
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = ENTITIES.iter().find(|(entity, _)| rest.starts_with(entity));
        let (entity, character) = entity.unwrap_or(&("&", "&"));
        text.push_str(character);
        rest = &rest[entity.len()..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn a_list_is_written_as_it_is_read() {
        let items = [json!({"text": "a < b & c", "mode": "code"}), json!("plain")];
        let text = row(&items, "s").expect("text");
        assert_eq!(text, "<s mode=\"code\">a &lt; b &amp; c</s>\n<s>plain</s>");
        let read = elements(&text).expect("elements");
        assert_eq!(plain_text(read[0].inner), "a < b & c");
        assert_eq!(row(&[json!(1)], "s"), None);
        assert_eq!(row(&[json!({"text": "a", "n": 1})], "s"), None);
    }

    #[test]
    fn rows_of_elements_are_read_and_all_else_is_refused() {
        let element = |name, attributes, inner| Element {
            name,
            attributes,
            inner,
        };
        assert_eq!(elements(" \n"), Some(vec![]));
        assert_eq!(
            elements("<s a='1' b=\"x>\">"),
            None,
            "an attribute with `>` is beyond this, and the element is not closed"
        );
        assert_eq!(
            elements("<s mode = \"code\" n='2'> a <b>c</b> </s>\n<t></t>"),
            Some(vec![
                element("s", vec![("mode", "code"), ("n", "2")], " a <b>c</b> "),
                element("t", vec![], ""),
            ])
        );
        for odd in [
            "text",
            "<s>a</s> and",
            "<s>a",
            "<s a>b</s>",
            "<s a=b>c</s>",
            "<>a</>",
            "< s>a</s>",
        ] {
            assert_eq!(elements(odd), None, "{odd}");
        }
    }

    #[test]
    fn entities_are_decoded_once() {
        assert_eq!(
            plain_text(" a &lt; b &amp;lt; c & d &nbsp; "),
            "a < b &lt; c & d &nbsp;"
        );
    }
}
