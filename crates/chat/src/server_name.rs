//! Servers whose tools are those of this machine.

use toolglot_dialects::System;

/// The name of this machine among servers.
const LOCAL_SERVER: &str = "local";

/// The server of a call of `dialect` that names no server.
pub fn default_server(dialect: &str) -> Option<&'static str> {
    System::of(dialect).server
}

/// Whether the tools of `server` are those of this machine.
pub fn is_local_server(server: &str) -> bool {
    // Some templates put all tools in a namespace of this name.
    [LOCAL_SERVER, "functions"].contains(&server)
}
