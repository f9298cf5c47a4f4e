//! OAuth 2.1 for the client over HTTP, as the protocol requires it.
//!
//! ```text
//!  401 ──▶ Challenge ──▶ metadata of the resource ──▶ metadata of its issuer ──▶ a client there ──▶ a token ──▶ the request again
//!          (WWW-Authenticate)  (RFC 9728)                  (RFC 8414, OpenID)         │                 ▲
//!                                                                                     └── a person's ───┘
//!                                                                                     browser, PKCE (or no person)
//! ```
//!
//! A server's addresses come from a stranger: every address goes to a [`Net`], which checks it before the request, and
//! no redirect is followed. A token is for one resource of one issuer. It goes only to the server that it was requested
//! for, at the user's address. Nothing here writes a secret to readable output: [`Secret`] does not implement
//! `Display`.
//!
//! Source: <https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization>, read 2026-11.

mod address;
mod assertion;
mod authorizer;
mod challenge;
mod code;
mod discovery;
mod error;
mod grant;
mod loopback;
mod net;
mod register;
mod secret;
mod settings;
mod token;

pub use address::canonical;
pub use authorizer::{Authorizer, Person};
pub use challenge::Challenge;
pub use error::AuthError;
pub use grant::{Grant, Store};
pub use net::{Net, Question};
pub use register::{Client, Method};
pub use secret::Secret;
pub use settings::Settings;
