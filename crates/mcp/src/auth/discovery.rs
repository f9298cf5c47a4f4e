//! Finds the issuer of tokens for a server. The sources are the metadata of the resource (RFC 9728), then the metadata
//! of its issuer (RFC 8414, OpenID Connect Discovery 1.0). Each metadata document counts only for its own subject.

use toolglot_value::{Map, Value};

use super::address::{canonical, covers, is_same_origin, parts};
use super::challenge::{Challenge, scopes};
use super::error::{AuthError, shown};
use super::net::{MAX_BYTES, Net, Question, TIME};
use super::settings::Settings;
use crate::web::{Answer, WebError};

/// Only the first authorization servers of a longer list are tried.
const MAX_ISSUERS: usize = 4;

/// The issuer of tokens for a server, and its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    /// The server's name for itself, verbatim.
    pub(super) resource: String,
    /// The scopes of its metadata.
    pub(super) scopes: Vec<String>,
    pub(super) issuer: Issuer,
}

/// An authorization server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Issuer {
    /// Its name, byte for byte.
    pub(super) name: String,
    pub(super) authorization_endpoint: Option<String>,
    pub(super) token_endpoint: String,
    pub(super) registration_endpoint: Option<String>,
    /// How clients authenticate; the standard's default if the issuer lists none.
    pub(super) methods: Option<Vec<String>>,
    pub(super) scopes: Vec<String>,
    /// Whether it verifies PKCE challenges with S256.
    pub(super) has_s256: bool,
    /// Whether every answer names the issuer (RFC 9207).
    pub(super) says_iss: bool,
    /// Whether it reads client metadata documents.
    pub(super) reads_clients: bool,
}

/// Finds the issuer of tokens for the server at `server`.
pub(super) fn find(
    net: &dyn Net,
    server: &str,
    challenge: &Challenge,
    settings: &Settings,
) -> Result<Found, AuthError> {
    let (url, resource) = resource(net, server, challenge)?;
    let unusable = |why: &str| AuthError::Unusable {
        url: url.clone(),
        why: why.to_owned(),
    };
    let said = text(&resource, "resource").ok_or_else(|| unusable("it has no `resource`"))?;
    if !covers(&said, server) {
        return Err(AuthError::OtherResource {
            said: shown(&said),
            asked: server.to_owned(),
        });
    }
    let issuers = texts(&resource, "authorization_servers").unwrap_or_default();
    let chosen: Vec<&String> = match &settings.issuer {
        Some(own) => {
            let own = issuers
                .iter()
                .find(|name| *name == own)
                .ok_or_else(|| AuthError::OtherIssuer(own.clone()))?;
            vec![own]
        }
        None => issuers.iter().take(MAX_ISSUERS).collect(),
    };
    let mut first = None;
    for name in chosen {
        match issuer(net, name) {
            Ok(issuer) => {
                let scopes = texts(&resource, "scopes_supported").unwrap_or_default();
                return Ok(Found {
                    resource: said,
                    scopes: plain(&scopes),
                    issuer,
                });
            }
            Err(error) => first = first.or(Some(error)),
        }
    }
    Err(first.unwrap_or_else(|| unusable("it names no `authorization_servers`")))
}

fn plain(list: &[String]) -> Vec<String> {
    list.iter()
        .flat_map(|text| scopes(text))
        .take(100)
        .map(str::to_owned)
        .collect()
}

/// The metadata of the server, and its address.
fn resource(
    net: &dyn Net,
    server: &str,
    challenge: &Challenge,
) -> Result<(String, Map<String, Value>), AuthError> {
    let places = match &challenge.resource_metadata {
        // A server's own metadata must be at its own origin: elsewhere it could send us anywhere.
        Some(place) if is_same_origin(place, server) => vec![place.clone()],
        Some(place) => {
            return Err(AuthError::Unasked {
                url: shown(place),
                why: "the metadata of a server is looked for at its own origin".to_owned(),
            });
        }
        None => {
            let parts = parts(server)
                .ok_or_else(|| AuthError::Here(format!("invalid address {server:?}")))?;
            let known = format!("{}/.well-known/oauth-protected-resource", parts.origin);
            let path = parts.path.strip_suffix('/').unwrap_or(parts.path);
            let query = parts
                .query
                .map_or(String::new(), |query| format!("?{query}"));
            let mut places = vec![format!("{known}{path}{query}")];
            if !(path.is_empty() && query.is_empty()) {
                places.push(known);
            }
            places
        }
    };
    first_of(
        net,
        &places,
        "the server says of itself no `oauth-protected-resource`",
    )
}

/// The metadata of an issuer, which must name exactly this issuer.
fn issuer(net: &dyn Net, name: &str) -> Result<Issuer, AuthError> {
    let unusable = |why: String| AuthError::Unusable {
        url: shown(name),
        why,
    };
    let parts = parts(name).filter(|parts| parts.query.is_none());
    let parts =
        parts.ok_or_else(|| unusable("not an address of an authorization server".to_owned()))?;
    let path = parts.path.strip_suffix('/').unwrap_or(parts.path);
    let at = |known: &str, path: &str| format!("{}/.well-known/{known}{path}", parts.origin);
    let mut places = vec![
        at("oauth-authorization-server", path),
        at("openid-configuration", path),
    ];
    if !path.is_empty() {
        places.push(format!(
            "{}{path}/.well-known/openid-configuration",
            parts.origin
        ));
    }
    let (url, said) = first_of(net, &places, "it has no metadata")?;
    let of = text(&said, "issuer").unwrap_or_default();
    if of != name {
        return Err(AuthError::Unusable {
            url,
            why: format!("it is about {:?}, not about {:?}", shown(&of), shown(name)),
        });
    }
    // All endpoints are checked before the first request: no flow starts that ends at a forbidden address.
    let endpoint = |key: &str| {
        let Some(place) = text(&said, key) else {
            return Ok(None);
        };
        let allowed = match canonical(&place) {
            Some(_) => net.may_visit(&place),
            None => Err("invalid address".to_owned()),
        };
        let barred = |why| AuthError::Unasked {
            url: shown(&place),
            why: format!("as `{key}`, {why}"),
        };
        allowed.map(|()| Some(place.clone())).map_err(barred)
    };
    let is = |key: &str| said.get(key) == Some(&Value::Bool(true));
    let pkce = texts(&said, "code_challenge_methods_supported").unwrap_or_default();
    Ok(Issuer {
        name: of,
        authorization_endpoint: endpoint("authorization_endpoint")?,
        token_endpoint: endpoint("token_endpoint")?
            .ok_or_else(|| unusable("it has no `token_endpoint`".to_owned()))?,
        registration_endpoint: endpoint("registration_endpoint")?,
        methods: texts(&said, "token_endpoint_auth_methods_supported"),
        scopes: plain(&texts(&said, "scopes_supported").unwrap_or_default()),
        has_s256: pkce.iter().any(|method| method == "S256"),
        says_iss: is("authorization_response_iss_parameter_supported"),
        reads_clients: is("client_id_metadata_document_supported"),
    })
}

/// The first of these places with an object. A place without an object is skipped, a forbidden place is an error.
fn first_of(
    net: &dyn Net,
    places: &[String],
    none: &str,
) -> Result<(String, Map<String, Value>), AuthError> {
    for place in places {
        let question = Question {
            method: "GET",
            url: place,
            headers: vec![("Accept".to_owned(), "application/json".to_owned())],
            body: &[],
            time: TIME,
        };
        let answer = ask(net, &question)?;
        match answer.status {
            200 => return Ok((place.clone(), object(place, answer)?)),
            300..=399 => {
                return Err(AuthError::Unusable {
                    url: shown(place),
                    why: format!(
                        "it leads elsewhere (HTTP {}), which is not followed",
                        answer.status
                    ),
                });
            }
            _ => {}
        }
    }
    Err(AuthError::Unusable {
        url: shown(places.first().map_or("", String::as_str)),
        why: none.to_owned(),
    })
}

pub(super) fn ask(net: &dyn Net, question: &Question<'_>) -> Result<Answer, AuthError> {
    net.ask(question).map_err(|error| AuthError::Unasked {
        url: shown(question.url),
        why: match error {
            WebError::Barred(why) => why,
            WebError::Unanswered(why) => format!("it did not answer: {why}"),
        },
    })
}

/// The JSON object in a response.
pub(super) fn object(url: &str, answer: Answer) -> Result<Map<String, Value>, AuthError> {
    use std::io::Read as _;
    let unusable = |why: String| AuthError::Unusable {
        url: shown(url),
        why,
    };
    let mut bytes = Vec::new();
    let read = answer.body.take(MAX_BYTES + 1).read_to_end(&mut bytes);
    read.map_err(|error| unusable(format!("its answer broke off: {error}")))?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(unusable(format!("it has more than {MAX_BYTES} bytes")));
    }
    // The fault is not quoted: a response may contain a token.
    match toolglot_value::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(unusable("not a JSON object".to_owned())),
    }
}

pub(super) fn text(object: &Map<String, Value>, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}

fn texts(object: &Map<String, Value>, key: &str) -> Option<Vec<String>> {
    let list = object.get(key)?.as_array()?;
    Some(
        list.iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    )
}
