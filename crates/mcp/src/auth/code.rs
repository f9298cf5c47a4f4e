//! The authorization code flow in a person's browser. PKCE (RFC 7636), a state and the issuer (RFC 9207) bind the code
//! to the attempt.

use sha2::{Digest, Sha256};

use super::address::form;
use super::discovery::Issuer;
use super::error::{AuthError, shown};
use super::register::Client;
use super::secret::{base64url, random};

/// One attempt.
#[derive(Debug)]
pub(super) struct Attempt {
    /// The PKCE verifier: it proves the attempt at the end, and is sent only then.
    verifier: String,
    pub(super) state: String,
    pub(super) redirect: String,
}

impl Attempt {
    pub(super) fn new(redirect: String) -> Result<Attempt, AuthError> {
        Ok(Attempt {
            verifier: random::<32>()?,
            state: random::<24>()?,
            redirect,
        })
    }

    /// The address for the person's browser.
    pub(super) fn address(
        &self,
        issuer: &Issuer,
        client: &Client,
        resource: &str,
        scope: Option<&str>,
    ) -> Result<String, AuthError> {
        let unusable = |why: &str| AuthError::Unusable {
            url: shown(&issuer.name),
            why: why.to_owned(),
        };
        let endpoint = issuer
            .authorization_endpoint
            .as_ref()
            .ok_or_else(|| unusable("it has no `authorization_endpoint`"))?;
        if !issuer.has_s256 {
            return Err(unusable(
                "it does not say that it proves S256 of PKCE, without which a code could be stolen",
            ));
        }
        let challenge = base64url(&Sha256::digest(self.verifier.as_bytes()));
        let mut pairs = vec![
            ("response_type", "code"),
            ("client_id", &client.id),
            ("redirect_uri", &self.redirect),
            ("state", &self.state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
            ("resource", resource),
        ];
        if let Some(scope) = scope {
            pairs.push(("scope", scope));
            if scope.split(' ').any(|one| one == "offline_access") {
                // A server that issues tokens for offline use must prompt the person (OpenID Connect Core section 11).
                pairs.push(("prompt", "consent"));
            }
        }
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        Ok(format!("{endpoint}{separator}{}", form(&pairs)))
    }

    /// The returned code, if the answer is this issuer's answer to this attempt.
    pub(super) fn code(
        &self,
        issuer: &Issuer,
        answer: &[(String, String)],
    ) -> Result<String, AuthError> {
        let of = |name: &str| {
            answer
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        let forged = |why: &str| Err(AuthError::Forged(why.to_owned()));
        if of("state") != Some(&self.state) {
            return forged("is not to this login");
        }
        match of("iss") {
            Some(iss) if iss != issuer.name => {
                return forged(&format!("says that it is of {:?}", shown(iss)));
            }
            None if issuer.says_iss => {
                return forged(
                    "does not say of whom it is, which its authorization server promised",
                );
            }
            _ => {}
        }
        if let Some(code) = of("error") {
            return Err(AuthError::Refused {
                what: "the login",
                code: shown(code),
                said: of("error_description").map(shown),
            });
        }
        match of("code") {
            Some(code) if !code.is_empty() => Ok(code.to_owned()),
            _ => forged("holds no code"),
        }
    }

    /// The parameters of the token request.
    pub(super) fn exchange<'a>(
        &'a self,
        code: &'a str,
        resource: &'a str,
    ) -> [(&'a str, &'a str); 5] {
        [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &self.redirect),
            ("code_verifier", &self.verifier),
            ("resource", resource),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::{Method, address};

    fn issuer() -> Issuer {
        Issuer {
            name: "https://as.test".into(),
            authorization_endpoint: Some("https://as.test/authorize?tenant=1".into()),
            has_s256: true,
            ..Issuer::default()
        }
    }

    #[test]
    fn the_address_binds_the_attempt() {
        let attempt = Attempt::new("http://127.0.0.1:1/callback".into()).expect("random");
        let client = Client {
            id: "me".into(),
            secret: None,
            method: Method::None,
        };
        let url = attempt
            .address(&issuer(), &client, "https://s/mcp", Some("a b"))
            .expect("an address");
        let (start, query) = url.split_once('?').expect("a query");
        let query = address::query(query).expect("read");
        let of = |name: &str| {
            query
                .iter()
                .find(|(key, _)| key == name)
                .map(|(_, value)| value.as_str())
        };
        assert_eq!(start, "https://as.test/authorize");
        assert_eq!(of("tenant"), Some("1"));
        assert_eq!(
            of("code_challenge"),
            Some(base64url(&Sha256::digest(&attempt.verifier)).as_str())
        );
        assert_eq!(
            (of("scope"), of("resource")),
            (Some("a b"), Some("https://s/mcp"))
        );
        assert!(!url.contains(&attempt.verifier) && attempt.verifier.len() == 43);
        let without = Issuer {
            has_s256: false,
            ..issuer()
        };
        assert!(
            attempt
                .address(&without, &client, "https://s", None)
                .is_err()
        );
    }

    #[test]
    fn answers_of_others_are_no_answers() {
        let attempt = Attempt::new("http://127.0.0.1:1/callback".into()).expect("random");
        let state = attempt.state.clone();
        let read = |text: &str| address::query(&text.replace("STATE", &state)).expect("read");
        let strict = Issuer {
            says_iss: true,
            ..issuer()
        };
        for (issuer, answer, is_taken) in [
            (&issuer(), "code=1&state=STATE", true),
            (&issuer(), "code=1&state=STATE&iss=https://as.test", true),
            (&strict, "code=1&state=STATE&iss=https://as.test", true),
            (&strict, "code=1&state=STATE", false),
            (&strict, "code=1&state=STATE&iss=https://as.test/", false),
            (&issuer(), "code=1&state=STATE&iss=https://evil.test", false),
            (&issuer(), "code=1&state=other", false),
            (&issuer(), "code=1", false),
            (&issuer(), "state=STATE", false),
            (&issuer(), "code=&state=STATE", false),
            (&issuer(), "error=access_denied&code=1&state=STATE", false),
        ] {
            assert_eq!(
                attempt.code(issuer, &read(answer)).is_ok(),
                is_taken,
                "{answer}"
            );
        }
    }
}
