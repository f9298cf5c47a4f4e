//! Servers whose tools are those of this machine.

/// Dialects whose calls name a server, which is this machine where none is written.
const NAMING: &[&str] = &["forge", "forge_hybrid"];

/// The server's name where a dialect's system writes one.
pub(crate) const LOCAL: &str = "local";

/// The server that a call of `dialect` means where it names none.
pub(crate) fn default_of(dialect: &str) -> Option<&'static str> {
    NAMING.contains(&dialect).then_some(LOCAL)
}

/// Whether the tools of `server` are those of this machine.
pub(crate) fn is_local(server: &str) -> bool {
    // Some templates put all tools in a name space of this name.
    [LOCAL, "functions"].contains(&server)
}
