//! Tools of MCP servers: a server is a program in the sandbox, or is reached over HTTP.
//!
//! ```text
//!  tool file ── config.server ──▶ server file ──▶ valid?  trusted? allowed? ──▶ a session of the pool, or a new one
//!                                                                                     │
//!  the pin, the approved tool ◀── equal? ── the tool's description by server ◀────────┘ ──▶ tools/call ──▶ result
//! ```
//!
//! A tool is pinned by its server's description; a changed tool is refused until the user approves it. The descriptions
//! are requested at the start of a session, when the server reports a change, and every minute. A session stays open
//! until the host ends, so that the next call need not start one.

mod call;
mod definition;
mod login;
mod oauth;
mod offer;
mod open;
#[cfg(target_os = "linux")]
mod pipes;
mod private_files;
#[cfg(target_os = "linux")]
mod program;
#[cfg(not(target_os = "linux"))]
#[path = "program_elsewhere.rs"]
mod program;
mod request;
mod result;
mod session_error;
mod tokens;
mod web;

pub(crate) use call::attempt;
pub(crate) use definition::{check_variables, requires};
pub use login::LoggedIn;
pub use oauth::authorizer_of;
pub use offer::Offer;
pub use web::wire_to;
