//! Provides the token of one server, and requests another one if the server requires it.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use super::address::canonical;
use super::challenge::{Challenge, scopes};
use super::code::Attempt;
use super::discovery::{self, Found};
use super::error::AuthError;
use super::grant::{Grant, Store};
use super::loopback::Loopback;
use super::net::Net;
use super::register;
use super::register::Client;
use super::secret::Secret;
use super::settings::Settings;
use super::token::{Given, Teller};

/// The maximum number of new tokens in one session, renewals not counted.
const MAX_TOKENS: usize = 3;
/// How long before its expiry a token is renewed, in seconds.
const AHEAD: u64 = 30;

/// A person who can log in.
pub struct Person {
    /// Shows the address that the person has to visit.
    pub show: Box<dyn Fn(&str) + Send + Sync>,
    /// The local port of the redirect; 0 is any port.
    pub port: u16,
    /// How long to wait for the person.
    pub time: Duration,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Person")
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}

/// Provides the token of one server.
#[derive(Debug)]
pub struct Authorizer {
    server: String,
    settings: Settings,
    net: Box<dyn Net>,
    store: Box<dyn Store>,
    person: Option<Person>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The requested scopes, the user's own included.
    asked: BTreeSet<String>,
    n_tokens: usize,
    /// The token of the last renewal: if the server rejects it, another renewal does not help.
    renewed: Option<Secret>,
}

impl Authorizer {
    /// For the server at `server`. Without a person, an interactive login is an error.
    ///
    /// # Errors
    /// If `server` is not an HTTP address.
    pub fn new(
        server: &str,
        settings: Settings,
        net: Box<dyn Net>,
        store: Box<dyn Store>,
        person: Option<Person>,
    ) -> Result<Authorizer, AuthError> {
        let server = canonical(server)
            .ok_or_else(|| AuthError::Here(format!("invalid address {server:?}")))?;
        Ok(Authorizer {
            server,
            settings,
            net,
            store,
            person,
            state: Mutex::default(),
        })
    }

    /// The token for a request to the server, if there is one; renewed if it expires soon. The stored grant counts, so
    /// that a login or logout takes effect from the next request on.
    ///
    /// # Errors
    /// If the stored grant cannot be read.
    pub fn token(&self) -> Result<Option<Secret>, AuthError> {
        let mut state = self.state();
        let Some(grant) = self.kept()? else {
            return Ok(None);
        };
        if grant.until.is_some_and(|until| until <= now() + AHEAD) {
            // A token that cannot be renewed is sent as it is: the server decides about it.
            let _ = self.renew(&mut state, &grant.access);
            return Ok(self.kept()?.map(|grant| grant.access));
        }
        Ok(Some(grant.access))
    }

    /// The server rejected `shown`, with that status and challenge. Gets another token, so that the request can be
    /// repeated.
    ///
    /// # Errors
    /// If no other token can be obtained.
    pub fn challenged(
        &self,
        status: u16,
        challenge: &Challenge,
        shown: Option<&Secret>,
    ) -> Result<(), AuthError> {
        let mut state = self.state();
        let kept = self.kept()?;
        if let Some(kept) = &kept {
            if Some(&kept.access) != shown {
                // Another request, or another process, replaced the token meanwhile.
                return Ok(());
            }
            state
                .asked
                .extend(scopes(kept.scope.as_deref().unwrap_or_default()).map(str::to_owned));
            if status == 401 && self.renew(&mut state, &kept.access).is_ok() {
                return Ok(());
            }
        }
        let wanted = challenge.scope.as_deref().unwrap_or_default();
        if status == 403 && scopes(wanted).all(|scope| state.asked.contains(scope)) {
            return Err(AuthError::ScopeAgain(super::error::shown(wanted)));
        }
        self.ask_anew(&mut state, challenge, status == 403)
    }

    /// Gets a new token, whatever is stored, for these scopes and the previously requested ones.
    ///
    /// # Errors
    /// If no token can be obtained.
    pub fn again(&self, scope: &str) -> Result<(), AuthError> {
        let mut state = self.state();
        if let Some(kept) = self.kept()? {
            state
                .asked
                .extend(scopes(kept.scope.as_deref().unwrap_or_default()).map(str::to_owned));
        }
        let challenge = Challenge {
            scope: Some(scope.to_owned()),
            ..Challenge::default()
        };
        self.ask_anew(&mut state, &challenge, true)
    }

    /// The stored grant, if it is for this server and of the issuer that the user named.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn kept(&self) -> Result<Option<Grant>, AuthError> {
        let kept = self.store.load().map_err(AuthError::Here)?;
        let is_own = |grant: &Grant| {
            let issuer = self.settings.issuer.as_ref();
            grant.server == self.server && issuer.is_none_or(|issuer| *issuer == grant.issuer)
        };
        Ok(kept.filter(is_own))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Renews the token `shown` at its token endpoint, unless another process did.
    fn renew(&self, state: &mut State, shown: &Secret) -> Result<(), AuthError> {
        let _alone = self.store.alone().map_err(AuthError::Here)?;
        let grant = self.kept()?.ok_or(AuthError::NotLoggedIn)?;
        if grant.access != *shown {
            return Ok(());
        }
        let refresh = grant
            .refresh
            .clone()
            .filter(|_| state.renewed.as_ref() != Some(shown));
        let refresh = refresh.ok_or(AuthError::NotLoggedIn)?;
        let teller = Teller {
            net: &*self.net,
            endpoint: &grant.token_endpoint,
            issuer: &grant.issuer,
            client: &grant.client,
            key: self.settings.private_key.as_ref(),
            now: now(),
        };
        let given = teller.token(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", refresh.reveal()),
            ("resource", &grant.resource),
        ]);
        match given {
            Ok(given) => {
                state.renewed = Some(given.access.clone());
                let new = Grant {
                    access: given.access,
                    refresh: given.refresh.or(Some(refresh)),
                    until: given.until,
                    ..grant
                };
                self.store.save(&new).map_err(AuthError::Here)
            }
            Err(error) => {
                if matches!(&error, AuthError::Refused { code, .. } if code == "invalid_grant") {
                    // The refresh token is invalid and is not sent again.
                    let spent = Grant {
                        refresh: None,
                        ..grant
                    };
                    self.store.save(&spent).map_err(AuthError::Here)?;
                }
                Err(error)
            }
        }
    }

    fn ask_anew(
        &self,
        state: &mut State,
        challenge: &Challenge,
        adds: bool,
    ) -> Result<(), AuthError> {
        if !self.settings.is_machine && self.person.is_none() {
            return Err(match (&challenge.scope, adds) {
                (Some(scope), true) => AuthError::Scope(super::error::shown(scope)),
                _ => AuthError::NotLoggedIn,
            });
        }
        if state.n_tokens == MAX_TOKENS {
            return Err(AuthError::TooOften(MAX_TOKENS));
        }
        state.n_tokens += 1;
        let found = discovery::find(&*self.net, &self.server, challenge, &self.settings)?;
        let scope = self.scope(&mut state.asked, challenge, &found, adds);
        let (client, given) = match &self.person {
            Some(person) if !self.settings.is_machine => {
                self.by_person(person, &found, scope.as_deref())?
            }
            _ => self.by_machine(&found, scope.as_deref())?,
        };
        let grant = Grant {
            server: self.server.clone(),
            resource: found.resource,
            issuer: found.issuer.name,
            token_endpoint: found.issuer.token_endpoint,
            client,
            access: given.access,
            refresh: given.refresh,
            until: given.until,
            scope: scope.or(given.scope),
        };
        self.store.save(&grant).map_err(AuthError::Here)
    }

    /// The scopes to request: the user's own, or those of the challenge, or those of the server's metadata, or none. If
    /// the server requires more scopes, the previously requested ones are added.
    fn scope(
        &self,
        asked: &mut BTreeSet<String>,
        challenge: &Challenge,
        found: &Found,
        adds: bool,
    ) -> Option<String> {
        let of = |text: &str| scopes(text).map(str::to_owned).collect::<BTreeSet<_>>();
        let mut wanted = match (&self.settings.scope, &challenge.scope) {
            (Some(own), _) => of(own),
            (None, Some(scope)) => of(scope),
            (None, None) => found.scopes.iter().cloned().collect(),
        };
        if adds {
            wanted.extend(of(challenge.scope.as_deref().unwrap_or_default()));
            wanted.extend(asked.iter().cloned());
        }
        asked.clone_from(&wanted);
        let offline = "offline_access";
        if !(wanted.is_empty() || self.settings.is_machine)
            && found.issuer.scopes.iter().any(|scope| scope == offline)
        {
            wanted.insert(offline.to_owned());
        }
        (!wanted.is_empty()).then(|| wanted.into_iter().collect::<Vec<_>>().join(" "))
    }

    fn teller<'a>(&'a self, found: &'a Found, client: &'a Client) -> Teller<'a> {
        Teller {
            net: &*self.net,
            endpoint: &found.issuer.token_endpoint,
            issuer: &found.issuer.name,
            client,
            key: self.settings.private_key.as_ref(),
            now: now(),
        }
    }

    fn by_person(
        &self,
        person: &Person,
        found: &Found,
        scope: Option<&str>,
    ) -> Result<(Client, Given), AuthError> {
        let door = Loopback::open(person.port)?;
        let attempt = Attempt::new(door.redirect())?;
        let client = register::client(
            &*self.net,
            &self.settings,
            &found.issuer,
            Some(&attempt.redirect),
        )?;
        let address = attempt.address(&found.issuer, &client, &found.resource, scope)?;
        let barred = |why| AuthError::Unasked {
            url: super::error::shown(&address),
            why,
        };
        self.net.may_visit(&address).map_err(barred)?;
        (person.show)(&address);
        let answer = door.wait(&attempt.state, person.time)?;
        let code = attempt.code(&found.issuer, &answer)?;
        let given = self
            .teller(found, &client)
            .token(&attempt.exchange(&code, &found.resource))?;
        Ok((client, given))
    }

    fn by_machine(&self, found: &Found, scope: Option<&str>) -> Result<(Client, Given), AuthError> {
        let client = register::client(&*self.net, &self.settings, &found.issuer, None)?;
        let mut pairs = vec![
            ("grant_type", "client_credentials"),
            ("resource", found.resource.as_str()),
        ];
        pairs.extend(scope.map(|scope| ("scope", scope)));
        let given = self.teller(found, &client).token(&pairs)?;
        // Such a token is requested again, not renewed (RFC 6749 section 4.4.3).
        Ok((
            client,
            Given {
                refresh: None,
                ..given
            },
        ))
    }
}

/// The current time in seconds of Unix.
fn now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_secs())
}
