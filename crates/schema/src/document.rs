//! A schema document: its references, followed inside it and no further.

use toolglot_value::Value;

/// The maximum number of schemas that one query may visit, references followed. Real tool schemas have some dozens; a
/// document of a few hundred bytes can unfold to billions.
const MAX_VISITS: usize = 10_000;

/// A schema, and the remaining work budget of one query.
#[derive(Debug)]
pub struct Document<'a> {
    root: &'a Value,
    visits_left: usize,
}

impl<'a> Document<'a> {
    pub fn new(root: &'a Value) -> Document<'a> {
        Document {
            root,
            visits_left: MAX_VISITS,
        }
    }

    /// A document for one query with a smaller budget.
    pub(crate) fn with_visits(root: &'a Value, visits_left: usize) -> Document<'a> {
        Document { root, visits_left }
    }

    /// Whether the budget is used up.
    pub(crate) fn is_used_up(&self) -> bool {
        self.visits_left == 0
    }

    /// Whether one more schema may be visited; counts the visit.
    pub fn visit(&mut self) -> bool {
        let allowed = self.visits_left > 0;
        self.visits_left = self.visits_left.saturating_sub(1);
        allowed
    }

    /// The schema that `reference` (`#`, `#/$defs/name`) names, if it is in this document.
    pub fn resolve(&self, reference: &str) -> Option<&'a Value> {
        let pointer = reference.strip_prefix('#')?;
        if pointer.contains('%') {
            return self.root.pointer(&percent_decoded(pointer)?);
        }
        self.root.pointer(pointer)
    }
}

/// RFC 6901, section 6: a pointer in a URI fragment is percent-encoded.
fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let (digits, after) = rest.split_at_checked(2)?;
        rest = after;
        let digits = std::str::from_utf8(digits).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn resolves_inside_the_document_only() {
        let root = json!({"$defs": {"a b": 1, "c/d": 2, "e": 3}});
        let document = Document::new(&root);
        let found = |reference| document.resolve(reference).cloned();
        assert_eq!(found("#"), Some(root.clone()));
        assert_eq!(found("#/$defs/e"), Some(json!(3)));
        assert_eq!(found("#/$defs/a%20b"), Some(json!(1)));
        assert_eq!(found("#/$defs/c~1d"), Some(json!(2)));
        for outside in [
            "#/$defs/f",
            "#anchor",
            "other.json",
            "https://example.com/#/a",
            "#/%2",
            "#/%zz",
            "",
        ] {
            assert_eq!(found(outside), None, "{outside}");
        }
    }
}
