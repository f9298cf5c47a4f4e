//! The authorization of servers: settings, and the addresses that token requests may go to.

use std::sync::Arc;

use toolglot_builtins::web;
use toolglot_mcp::auth::{Authorizer, Net, Person, Question, Secret, Settings, Store};
use toolglot_mcp::client::{Answer, WebError};
use toolglot_policy::{HostPort, is_public};
use toolglot_tool_files::template;
use toolglot_value::{Map, Value};

use super::definition::Definition;
use super::request::{asked, unasked};
use super::tokens::Tokens;
use crate::runner::ToolRunner;

/// The keys of `oauth`.
const KEYS: &[&str] = &[
    "client_id",
    "client_secret",
    "private_key",
    "issuer",
    "scope",
    "grant",
];

/// The authorizer of a definition's server.
pub(super) fn authorizer(
    runner: &ToolRunner,
    definition: &Definition,
    url: &str,
    person: Option<Person>,
) -> Result<Arc<Authorizer>, String> {
    let said = definition.settings.get("oauth");
    let text = |value: &Value| {
        let text = value.as_str()?;
        Some(template::variables(text, &runner.variables).map_err(|unset| unset.to_string()))
    };
    let settings = settings(said, &text)?;
    let home = runner
        .trust
        .read()
        .home()
        .map_err(|error| error.to_string())?;
    authorizer_of(url, settings, Box::new(Tokens::of(&home, url)?), person)
}

/// The authorizer of the server at `url`.
///
/// # Errors
/// If `url` is not an address.
pub fn authorizer_of(
    url: &str,
    settings: Settings,
    store: Box<dyn Store>,
    person: Option<Person>,
) -> Result<Arc<Authorizer>, String> {
    let server = HostPort::of(url).map_err(|error| error.to_string())?;
    let net = Box::new(Judged { server });
    let authorizer = Authorizer::new(url, settings, net, store, person);
    authorizer.map(Arc::new).map_err(|error| error.to_string())
}

/// Reads `oauth` of a definition.
fn settings(
    said: Option<&Value>,
    text: &dyn Fn(&Value) -> Option<Result<String, String>>,
) -> Result<Settings, String> {
    let empty = Map::new();
    let said = match said {
        None => &empty,
        Some(said) => said.as_object().ok_or("`oauth` is not a map")?,
    };
    let mut read = Map::new();
    for (key, value) in said {
        if !KEYS.contains(&key.as_str()) {
            return Err(format!(
                "`oauth.{key}` is not known: it holds {}",
                KEYS.join(", ")
            ));
        }
        let value = text(value).ok_or_else(|| format!("`oauth.{key}` is not a string"))??;
        read.insert(key.clone(), Value::String(value));
    }
    let of = |key: &str| read.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_machine = match of("grant").as_deref() {
        None | Some("authorization_code") => false,
        Some("client_credentials") => true,
        Some(_) => {
            return Err("`oauth.grant` is `authorization_code` or `client_credentials`".to_owned());
        }
    };
    let settings = Settings {
        client_id: of("client_id"),
        client_secret: of("client_secret").map(Secret::new),
        private_key: of("private_key").map(Secret::new),
        issuer: of("issuer"),
        scope: of("scope"),
        is_machine,
    };
    let has_secret = settings.client_secret.is_some() || settings.private_key.is_some();
    if (has_secret || is_machine) && settings.client_id.is_none() {
        return Err("`oauth.client_id` is missing".to_owned());
    }
    // Otherwise the server could name its own issuer, which would get the secret.
    if has_secret && settings.issuer.is_none() {
        return Err(
            "`oauth.issuer` is missing: a secret is for the one authorization server that knows it"
                .to_owned(),
        );
    }
    if is_machine && !has_secret {
        return Err(
            "`oauth.client_secret` or `oauth.private_key` is missing: the client needs one to identify itself"
                .to_owned(),
        );
    }
    Ok(settings)
}

/// Sends requests to the addresses that a server names, if they are allowed.
#[derive(Debug)]
struct Judged {
    server: HostPort,
}

fn is_loopback(place: &HostPort) -> bool {
    let is_own = place
        .address
        .is_some_and(|address| address.to_canonical().is_loopback());
    place.name == "localhost" || is_own
}

impl Judged {
    /// The host of an allowed address: https or this machine, and a local host only if the server is there.
    fn place(&self, url: &str) -> Result<HostPort, String> {
        let place = HostPort::of(url).map_err(|error| error.to_string())?;
        if !(place.is_encrypted || is_loopback(&place)) {
            return Err("only `https` is asked for tokens, or this machine".to_owned());
        }
        let is_near =
            is_loopback(&place) || place.address.is_some_and(|address| !is_public(address));
        let is_where_the_server_is =
            place.name == self.server.name || is_loopback(&place) && is_loopback(&self.server);
        if is_near && !is_where_the_server_is {
            return Err("it is not of the public network, where the server is".to_owned());
        }
        Ok(place)
    }
}

impl Net for Judged {
    fn ask(&self, question: &Question<'_>) -> Result<Answer, WebError> {
        let place = self.place(question.url).map_err(WebError::Barred)?;
        // A name that resolves to a local address is refused here.
        let way = web::Web::to(&place).map_err(unasked)?;
        asked(
            &way,
            &web::Ask {
                url: question.url,
                method: question.method,
                headers: &question.headers,
                body: question.body,
                time: question.time,
            },
        )
    }

    fn may_visit(&self, url: &str) -> Result<(), String> {
        self.place(url).map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn addresses_lead_nearby_only_where_the_server_is() {
        let near = "http://127.0.0.1:8080/mcp";
        let private = "https://10.0.0.5/mcp";
        let public = "https://mcp.example.org/mcp";
        for (server, url, is_asked) in [
            (public, "https://as.example.org/token", true),
            (public, "http://as.example.org/token", false),
            (public, "https://127.0.0.1/token", false),
            (public, "http://localhost:9/token", false),
            (public, "https://10.0.0.5/token", false),
            (public, "https://169.254.169.254/latest", false),
            (public, "http://[::1]/token", false),
            (public, "https://[::ffff:127.0.0.1]/token", false),
            (public, "file:///etc/passwd", false),
            (public, "javascript:alert(1)", false),
            (public, "https://user@as.example.org/", false),
            (near, "http://localhost:9/token", true),
            (near, "http://[::1]:9/token", true),
            (near, "https://as.example.org/token", true),
            (near, "http://as.example.org/token", false),
            (near, "https://10.0.0.5/token", false),
            (private, "https://10.0.0.5:8443/token", true),
            (private, "http://10.0.0.5/token", false),
            (private, "https://10.0.0.6/token", false),
            (private, "http://127.0.0.1/token", false),
        ] {
            let net = Judged {
                server: HostPort::of(server).expect(server),
            };
            assert_eq!(
                net.place(url).is_ok(),
                is_asked,
                "{server} {url}: {:?}",
                net.place(url)
            );
        }
    }

    #[test]
    fn a_secret_names_whose_it_is() {
        let text = |value: &Value| value.as_str().map(|text| Ok(text.to_owned()));
        let of = |said: &Value| settings(Some(said), &text);
        for said in [
            json!({}),
            json!({"client_id": "https://me.test/client.json", "scope": "a b"}),
            json!({"client_id": "me", "client_secret": "s", "issuer": "https://as.test"}),
            json!({"client_id": "me", "private_key": "k", "issuer": "https://as.test", "grant": "client_credentials"}),
        ] {
            assert!(of(&said).is_ok(), "{said}: {:?}", of(&said));
        }
        for said in [
            json!("x"),
            json!({"clientId": "me"}),
            json!({"client_id": 1}),
            json!({"client_id": "me", "client_secret": "s"}),
            json!({"client_secret": "s", "issuer": "https://as.test"}),
            json!({"client_id": "me", "grant": "client_credentials"}),
            json!({"grant": "password"}),
        ] {
            let error = of(&said).expect_err("refused");
            assert!(error.contains("oauth"), "{said}: {error}");
        }
        assert!(
            !format!(
                "{:?}",
                of(&json!({"client_id": "me", "client_secret": "hidden", "issuer": "i"}))
            )
            .contains("hidden")
        );
    }
}
