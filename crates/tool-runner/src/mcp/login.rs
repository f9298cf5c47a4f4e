//! Login to a server over HTTP, and logout.

use std::time::{Duration, Instant};

use toolglot_mcp::auth::Person;
use toolglot_mcp::client::{Client, Profile, Terms};
use toolglot_tool_trust::{Space, server_name};

use super::definition::{Definition, read, transport};
use super::session_error::{SessionError, login_help};
use super::tokens::Tokens;
use super::{oauth, web};
use crate::failure::CallError;
use crate::runner::ToolRunner;

/// The time limit for the server, in addition to the person's.
const TIME: Duration = Duration::from_secs(60);

/// The result of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoggedIn {
    /// The server's address, in the form in which the token is bound to it.
    pub url: String,
    /// The issuer of the token; `None` if the server requires none.
    pub issuer: Option<String>,
    /// The requested scopes.
    pub scope: Option<String>,
    /// How many tools the server lists.
    pub n_tools: usize,
}

impl ToolRunner {
    /// Logs in to a server: requests its tools, and gets a token with a person's help if the server requires one.
    /// `scope` is requested in addition to the server's scopes.
    ///
    /// # Errors
    /// If there is no such server, or no token.
    pub fn login(
        &self,
        server: &str,
        scope: Option<&str>,
        person: Person,
    ) -> Result<LoggedIn, CallError> {
        let definition = read(self, Space::Project, server)?;
        let id = definition.found.id.to_string();
        let bad = |why: String| CallError::Config {
            id: id.clone(),
            why,
        };
        is_over_http(&definition).map_err(bad)?;
        let place = web::place(self, &definition).map_err(|failed| match failed {
            SessionError::Refused(error) => error,
            SessionError::Trouble(trouble) => bad(trouble.to_string()),
        })?;
        if place.has_token() {
            return Err(bad(
                "its definition names a token in `headers`, which is what it is shown".to_owned(),
            ));
        }
        let time = person.time + TIME;
        let authorizer =
            oauth::authorizer(self, &definition, &place.url, Some(person)).map_err(bad)?;
        if let Some(scope) = scope {
            authorizer
                .again(scope)
                .map_err(|error| bad(error.to_string()))?;
        }
        let wire = web::wire_to(&place.url, place.headers, Some(authorizer.clone()), time)
            .map_err(|trouble| bad(trouble.to_string()))?;
        let terms = Terms {
            until: Instant::now() + time,
            stop: &|| self.watch.is_cancelled(),
            tell: None,
        };
        let tools = Client::open(wire, Profile::default(), &terms)
            .and_then(|mut client| client.tools(&terms));
        let tools = tools.map_err(|trouble| {
            bad(format!(
                "{trouble}{}",
                login_help(server_name(server), &trouble)
            ))
        })?;
        let grant = authorizer.kept().map_err(|error| bad(error.to_string()))?;
        Ok(LoggedIn {
            url: toolglot_mcp::auth::canonical(&place.url).unwrap_or(place.url),
            issuer: grant.as_ref().map(|grant| grant.issuer.clone()),
            scope: grant.and_then(|grant| grant.scope),
            n_tools: tools.len(),
        })
    }

    /// Removes the token of a server. Returns whether there was one.
    ///
    /// # Errors
    /// If there is no such server, or the token cannot be removed.
    pub fn logout(&self, server: &str) -> Result<bool, CallError> {
        let definition = read(self, Space::Project, server)?;
        let id = definition.found.id.to_string();
        let bad = |why: String| CallError::Config {
            id: id.clone(),
            why,
        };
        is_over_http(&definition).map_err(bad)?;
        let home = self
            .trust
            .read()
            .home()
            .map_err(|error| bad(error.to_string()))?;
        let url = web::url(self, &definition)?.unwrap_or_default();
        Tokens::of(&home, &url)
            .and_then(|tokens| tokens.remove())
            .map_err(bad)
    }
}

fn is_over_http(definition: &Definition) -> Result<(), String> {
    match transport(&definition.settings) {
        "http" => Ok(()),
        _ => Err("it is started here, and needs no login".to_owned()),
    }
}
