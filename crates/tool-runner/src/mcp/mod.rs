//! A tool of an MCP server: one that is started, in the sandbox as any program, or one that is asked over HTTP.
//!
//! ```text
//!  tool file ── config.server ──▶ server file ──▶ in order? trusted? ruled? ──▶ a session of the pool, or a new one
//!                                                                                     │
//!  the pin, what was approved ◀── equal? ── what the server says of the tool ◀────────┘ ──▶ tools/call ──▶ result
//! ```
//!
//! A tool is pinned by what its server says of it; what changes is refused until the user approves it. What it says is asked
//! when a session starts, when the server says that its tools changed, and every minute. A session stays until the host
//! goes, so that the next call need not start one.

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
