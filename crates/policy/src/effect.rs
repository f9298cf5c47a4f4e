//! What a tool does to the world.

/// What a tool does to the world, as its description declares.
///
/// A new effect is a new major version: a program that decides by effects has to decide on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It only reads, inside the root.
    Read,
    /// It creates or changes files inside the root.
    Write,
    /// It removes files inside the root.
    Delete,
    /// It starts a program.
    Execute,
    /// It talks to another machine.
    Network,
    /// It ends the message with a pending item: a question to the user, or the result of the task.
    Ask,
    /// Nobody declared it.
    Unknown,
}

impl Effect {
    /// The capability that it needs, as policies name it.
    pub fn capability(self) -> &'static str {
        match self {
            Effect::Read => "read",
            Effect::Write => "write",
            Effect::Delete => "delete",
            Effect::Execute => "exec",
            Effect::Network => "network",
            Effect::Ask => "ask",
            Effect::Unknown => "unknown",
        }
    }

    /// Whether it changes anything. `Ask` does not: it leaves an item for the user.
    pub fn acts(self) -> bool {
        match self {
            Effect::Read | Effect::Ask => false,
            Effect::Write
            | Effect::Delete
            | Effect::Execute
            | Effect::Network
            | Effect::Unknown => true,
        }
    }
}
