//! What stands for sessions with servers where the feature `mcp` is off.

/// Sessions with servers: none.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Servers {}

impl Servers {
    /// Takes leave of all servers.
    pub fn end(&self) {}
}
