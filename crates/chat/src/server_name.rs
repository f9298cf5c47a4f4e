//! Servers whose tools are those of this machine.

/// Dialects whose calls name a server, which is this machine where none is written.
const NAMING: &[&str] = &["forge", "forge_hybrid"];

/// The server's name where a dialect's system writes one.
const LOCAL_SERVER: &str = "local";

/// The server that a call of `dialect` means where it names none.
pub fn default_server(dialect: &str) -> Option<&'static str> {
    NAMING.contains(&dialect).then_some(LOCAL_SERVER)
}

/// Whether the tools of `server` are those of this machine.
pub fn is_local_server(server: &str) -> bool {
    // Some templates put all tools in a name space of this name.
    [LOCAL_SERVER, "functions"].contains(&server)
}
