//! Token requests and responses (RFC 6749 section 5, RFC 8707 for the resource).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use toolglot_value::Value;

use super::address::{encoded, form};
use super::assertion;
use super::discovery::{ask, object, text};
use super::error::{AuthError, shown};
use super::net::{Net, Question, TIME};
use super::register::{Client, Method};
use super::secret::Secret;

/// The longest accepted lifetime of a token, in seconds.
const MAX_LIFE: u64 = 365 * 24 * 3600;

/// A token endpoint, and the client that uses it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Teller<'a> {
    pub(super) net: &'a dyn Net,
    pub(super) endpoint: &'a str,
    pub(super) issuer: &'a str,
    pub(super) client: &'a Client,
    pub(super) key: Option<&'a Secret>,
    /// The current time in seconds of Unix.
    pub(super) now: u64,
}

/// The response of the token endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) access: Secret,
    pub(super) refresh: Option<Secret>,
    /// The expiry of the token, in seconds of Unix.
    pub(super) until: Option<u64>,
    pub(super) scope: Option<String>,
}

impl Teller<'_> {
    /// Requests a token.
    pub(super) fn token(&self, pairs: &[(&str, &str)]) -> Result<Given, AuthError> {
        let Client { id, secret, method } = self.client;
        let secret = secret.as_ref().map(Secret::reveal).unwrap_or_default();
        let mut pairs = pairs.to_vec();
        let mut headers = vec![
            (
                "Content-Type".to_owned(),
                "application/x-www-form-urlencoded".to_owned(),
            ),
            ("Accept".to_owned(), "application/json".to_owned()),
        ];
        let signed;
        if *method == Method::Basic {
            let both = format!("{}:{}", encoded(id), encoded(secret));
            headers.push((
                "Authorization".to_owned(),
                format!("Basic {}", STANDARD.encode(both)),
            ));
        } else {
            pairs.push(("client_id", id));
        }
        match (method, self.key) {
            (Method::Post, _) => pairs.push(("client_secret", secret)),
            (Method::Signed, Some(key)) => {
                signed = assertion::signed(key, id, self.issuer, self.now)?;
                pairs.push(("client_assertion_type", assertion::KIND));
                pairs.push(("client_assertion", &signed));
            }
            (Method::Signed, None) => {
                return Err(AuthError::Client("it has no key any more".to_owned()));
            }
            _ => {}
        }
        let body = form(&pairs);
        let question = Question {
            method: "POST",
            url: self.endpoint,
            headers,
            body: body.as_bytes(),
            time: TIME,
        };
        let answer = ask(self.net, &question)?;
        let status = answer.status;
        if status != 200 {
            let said = object(self.endpoint, answer).unwrap_or_default();
            let word = |key: &str| said.get(key).and_then(Value::as_str).map(shown);
            // The error description may repeat a secret of the request.
            let has_secret = |text: &String| {
                pairs
                    .iter()
                    .any(|(_, value)| value.len() >= 8 && text.contains(value))
            };
            return Err(AuthError::Refused {
                what: "a token",
                code: word("error")
                    .filter(|said| !has_secret(said))
                    .unwrap_or_else(|| format!("HTTP {status}")),
                said: word("error_description").filter(|said| !has_secret(said)),
            });
        }
        let said = object(self.endpoint, answer)?;
        let unusable = |why: &str| AuthError::Unusable {
            url: shown(self.endpoint),
            why: why.to_owned(),
        };
        let token = |key: &str| {
            text(&said, key)
                .filter(|token| is_token(token))
                .map(Secret::new)
        };
        let kind = text(&said, "token_type").unwrap_or_default();
        if !kind.eq_ignore_ascii_case("bearer") {
            return Err(unusable("its token is not of type `Bearer`"));
        }
        let life = match said.get("expires_in") {
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_u64(),
            None => None,
        };
        Ok(Given {
            access: token("access_token").ok_or_else(|| unusable("it gave no `access_token`"))?,
            refresh: token("refresh_token"),
            until: life.map(|life| self.now + life.min(MAX_LIFE)),
            scope: text(&said, "scope"),
        })
    }
}

/// Whether a text is valid in a header: letters, digits and punctuation, no blanks.
fn is_token(text: &str) -> bool {
    (1..=64 << 10).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}
