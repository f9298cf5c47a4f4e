//! Selects the client: one that the user registered, one with a metadata document, or one that registers itself (RFC
//! 7591), in this order.

use toolglot_value::{Value, json};

use super::discovery::{Issuer, ask, object, text};
use super::error::{AuthError, shown};
use super::net::{Net, Question, TIME};
use super::secret::Secret;
use super::settings::Settings;

/// A client of an authorization server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its id there.
    pub id: String,
    /// Its secret, if it has one.
    pub secret: Option<Secret>,
    /// How it authenticates.
    pub method: Method,
}

/// How a client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By its id alone.
    None,
    /// By its secret, in a header.
    Basic,
    /// By its secret, in the body.
    Post,
    /// By a signature (RFC 7523).
    Signed,
}

impl Method {
    const ALL: &[(Method, &str)] = &[
        (Method::None, "none"),
        (Method::Basic, "client_secret_basic"),
        (Method::Post, "client_secret_post"),
        (Method::Signed, "private_key_jwt"),
    ];

    /// The name in the standards.
    pub fn word(self) -> &'static str {
        Method::ALL
            .iter()
            .find(|(method, _)| *method == self)
            .map_or("none", |(_, word)| word)
    }

    /// The method with this name.
    pub fn of(word: &str) -> Option<Method> {
        Method::ALL
            .iter()
            .find(|(_, known)| *known == word)
            .map(|(method, _)| *method)
    }
}

impl Issuer {
    /// The first of these methods that the issuer takes. By default an issuer takes secrets in a header (RFC 8414
    /// section 2), and clients without a secret.
    fn first_of(&self, methods: &[Method]) -> Option<Method> {
        let takes = |method: &Method| match &self.methods {
            Some(said) => said.iter().any(|word| word == method.word()),
            None => matches!(method, Method::None | Method::Basic),
        };
        methods.iter().copied().find(takes)
    }
}

/// The client for `issuer`; if necessary it registers itself, with the redirect address `redirect`.
pub(super) fn client(
    net: &dyn Net,
    settings: &Settings,
    issuer: &Issuer,
    redirect: Option<&str>,
) -> Result<Client, AuthError> {
    let document = settings
        .client_id
        .as_ref()
        .filter(|id| id.starts_with("https://"));
    match (&settings.client_id, document) {
        (Some(id), Some(_)) if issuer.reads_clients => Ok(Client {
            id: id.clone(),
            secret: None,
            method: Method::None,
        }),
        (Some(id), None) => known(settings, issuer, id),
        _ => registered(
            net,
            issuer,
            redirect.ok_or_else(|| AuthError::NoClient(issuer.name.clone()))?,
        ),
    }
}

fn known(settings: &Settings, issuer: &Issuer, id: &str) -> Result<Client, AuthError> {
    let unfit = |what: &str| {
        let said = issuer
            .methods
            .as_ref()
            .map(|said| shown(&said.join(", ")))
            .unwrap_or_default();
        AuthError::Client(format!(
            "it has {what}, and the authorization server takes {said}"
        ))
    };
    let (methods, what): (&[Method], &str) = match (&settings.private_key, &settings.client_secret)
    {
        (Some(_), _) => (&[Method::Signed], "a key"),
        (None, Some(_)) => (&[Method::Basic, Method::Post], "a secret"),
        (None, None) => (&[Method::None], "neither a secret nor a key"),
    };
    let method = issuer.first_of(methods).ok_or_else(|| unfit(what))?;
    let secret = settings
        .client_secret
        .clone()
        .filter(|_| matches!(method, Method::Basic | Method::Post));
    Ok(Client {
        id: id.to_owned(),
        secret,
        method,
    })
}

fn registered(net: &dyn Net, issuer: &Issuer, redirect: &str) -> Result<Client, AuthError> {
    let url = issuer
        .registration_endpoint
        .as_ref()
        .ok_or_else(|| AuthError::NoClient(issuer.name.clone()))?;
    let wanted = issuer.first_of(&[Method::None, Method::Basic, Method::Post]);
    let wanted = wanted.ok_or_else(|| AuthError::NoClient(issuer.name.clone()))?;
    let body = json!({
        "client_name": "toolglot",
        "application_type": "native",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted.word(),
    });
    let body = body.to_string();
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
    ];
    let question = Question {
        method: "POST",
        url,
        headers: headers
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        body: body.as_bytes(),
        time: TIME,
    };
    let answer = ask(net, &question)?;
    let status = answer.status;
    if !matches!(status, 200 | 201) {
        let said = object(url, answer).unwrap_or_default();
        let word = |key: &str| said.get(key).and_then(Value::as_str).map(shown);
        return Err(AuthError::Refused {
            what: "registering this client",
            code: word("error").unwrap_or_else(|| format!("HTTP {status}")),
            said: word("error_description"),
        });
    }
    let said = object(url, answer)?;
    let unusable = |why: &str| AuthError::Unusable {
        url: shown(url),
        why: why.to_owned(),
    };
    let id = text(&said, "client_id")
        .filter(|id| !id.is_empty())
        .ok_or_else(|| unusable("it gave no `client_id`"))?;
    let secret = text(&said, "client_secret")
        .filter(|secret| !secret.is_empty())
        .map(Secret::new);
    let method = match text(&said, "token_endpoint_auth_method") {
        Some(word) => {
            Method::of(&word).ok_or_else(|| unusable("it registered a method that is not known"))?
        }
        None => wanted,
    };
    match (method, &secret) {
        (Method::Basic | Method::Post, None) => Err(unusable("it gave no secret, and wants one")),
        (Method::Signed, _) => Err(unusable("it wants a key that it does not know")),
        (Method::None, _) => Ok(Client {
            id,
            secret: None,
            method,
        }),
        _ => Ok(Client { id, secret, method }),
    }
}
