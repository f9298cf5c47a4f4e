//! A row of XML-like elements inside a raw value: `<suggest mode="code">Go on</suggest> <suggest>..</suggest>`.

/// One element of a row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Element<'a> {
    pub(crate) name: &'a str,
    pub(crate) attributes: Vec<(&'a str, &'a str)>,
    /// What stands between the tags, verbatim.
    pub(crate) inner: &'a str,
}

/// The elements of `text`; `None` if anything but white space stands beside them, or one is not closed.
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
    use super::*;

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
