//! The challenge of a server in `WWW-Authenticate` (RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 9728 section 5.1).

use std::collections::BTreeMap;

use crate::web::Answer;

/// The challenge of a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Challenge {
    /// The address of the metadata of the resource.
    pub resource_metadata: Option<String>,
    /// The scopes that the server requires.
    pub scope: Option<String>,
    /// The error of the token that the server received: `invalid_token`, `insufficient_scope`.
    pub error: Option<String>,
}

impl Challenge {
    /// The bearer challenge of a response; an empty challenge if there is none.
    pub fn of(answer: &Answer) -> Challenge {
        let headers = answer.headers.iter();
        let mut found = headers
            .filter(|(name, _)| name.eq_ignore_ascii_case("www-authenticate"))
            .flat_map(|(_, value)| challenges(value))
            .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"));
        let mut said = found.next().map(|(_, said)| said).unwrap_or_default();
        Challenge {
            resource_metadata: said.remove("resource_metadata"),
            scope: said.remove("scope"),
            error: said.remove("error"),
        }
    }
}

/// The scopes of a list; invalid ones are left out (RFC 6749 appendix A.4).
pub(super) fn scopes(text: &str) -> impl Iterator<Item = &str> {
    let is_letter = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    text.split(' ').filter(move |scope| {
        !scope.is_empty() && scope.len() <= 200 && scope.bytes().all(is_letter)
    })
}

/// The schemes of a header, each with its parameters; of a duplicate name the first counts.
fn challenges(header: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut out: Vec<(String, BTreeMap<String, String>)> = Vec::new();
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let end = rest.find(|c: char| !is_token(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if word.is_empty() {
            // The rest of a malformed header is ignored.
            return out;
        }
        let Some(value) = after.trim_start_matches([' ', '\t']).strip_prefix('=') else {
            out.push((word.to_owned(), BTreeMap::new()));
            rest = after;
            continue;
        };
        let value = value.trim_start_matches([' ', '\t']);
        let Some((value, after)) = value_of(value) else {
            return out;
        };
        if let Some((_, said)) = out.last_mut() {
            said.entry(word.to_ascii_lowercase()).or_insert(value);
        }
        rest = after;
    }
}

/// A quoted text or a word, and the rest of the text.
fn value_of(text: &str) -> Option<(String, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        // A `token68` value may end with `=`; no parameter that is read here has such a value.
        let end = text
            .find(|c: char| !(is_token(c) || "/=:".contains(c)))
            .unwrap_or(text.len());
        return Some((text[..end].to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((value, &quoted[at + 1..])),
            '\\' => value.push(letters.next()?.1),
            other => value.push(other),
        }
    }
    None
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[&str]) -> Challenge {
        Challenge::of(&Answer {
            status: 401,
            headers: headers
                .iter()
                .map(|value| ("WWW-Authenticate".to_owned(), (*value).to_owned()))
                .collect(),
            body: Box::new(std::io::empty()),
        })
    }

    #[test]
    fn a_challenge_is_read_among_others() {
        let wanted = Challenge {
            resource_metadata: Some("https://a/x?b,c".into()),
            scope: Some("read \"all".into()),
            error: Some("invalid_token".into()),
        };
        for headers in [
            &[
                r#"Bearer resource_metadata="https://a/x?b,c", scope="read \"all", error=invalid_token"#,
            ][..],
            &[
                "Negotiate YWJj==",
                r#"Basic realm="x", Bearer error="invalid_token", scope="read \"all", resource_metadata="https://a/x?b,c", DPoP algs="ES256""#,
            ],
            &[
                r#"Bearer scope="read \"all", scope="other", error="invalid_token", resource_metadata="https://a/x?b,c""#,
            ],
        ] {
            assert_eq!(of(headers), wanted, "{headers:?}");
        }
        for header in [
            "",
            "Basic realm=x",
            "Bearer",
            "\"Bearer",
            "Bearer scope=\"x",
            ",,,,",
            "Bearer =x",
            "é scope=x",
        ] {
            assert_eq!(of(&[header]), Challenge::default(), "{header}");
        }
    }

    #[test]
    fn scopes_are_words_without_quotes() {
        assert_eq!(
            scopes("a  b:c/d \"x\" \u{7f} é").collect::<Vec<_>>(),
            ["a", "b:c/d"]
        );
    }
}
