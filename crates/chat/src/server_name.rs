//! Servers whose tools are those of this machine.

use toolglot_dialects::System;

/// The name of this machine among servers.
const LOCAL_SERVER: &str = "local";

/// The server that a call of `dialect` means where it names none.
pub fn default_server(dialect: &str) -> Option<&'static str> {
    System::of(dialect).server
}

/// Whether the tools of `server` are those of this machine.
pub fn is_local_server(server: &str) -> bool {
    // Some templates put all tools in a name space of this name.
    [LOCAL_SERVER, "functions"].contains(&server)
}
