//! Errors of sessions with servers.

use toolglot_mcp::auth::AuthError;
use toolglot_mcp::client::Trouble;

use crate::failure::CallError;

/// Why a server gave no response.
pub(crate) enum SessionError {
    Refused(CallError),
    Trouble(Trouble),
}

impl From<Trouble> for SessionError {
    fn from(trouble: Trouble) -> SessionError {
        SessionError::Trouble(trouble)
    }
}

impl From<CallError> for SessionError {
    fn from(error: CallError) -> SessionError {
        SessionError::Refused(error)
    }
}

/// The help after an error about missing authorization.
pub(super) fn login_help(server: &str, trouble: &Trouble) -> String {
    match trouble {
        Trouble::Unauthorized(_) => ": the token that its definition names is not taken".to_owned(),
        Trouble::NoToken(AuthError::NotLoggedIn) => {
            format!(": `toolglot mcp login {server}` does that")
        }
        Trouble::NoToken(AuthError::Scope(scope)) => {
            format!(": `toolglot mcp login {server} --scope {scope:?}` asks for them")
        }
        _ => String::new(),
    }
}
