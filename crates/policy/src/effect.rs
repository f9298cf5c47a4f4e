//! What a tool does to the world.

/// What a tool does to the world, as its description declares.
///
/// A new effect is a new major version: a program that decides by effects has to decide on each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// The tool only reads, inside the root.
    Read,
    /// The tool creates or changes files inside the root.
    Write,
    /// The tool removes files inside the root.
    Delete,
    /// The tool starts a program.
    Execute,
    /// The tool sends requests to another machine.
    Network,
    /// The tool ends the message with a pending item: a question to the user, or the result of the task.
    Ask,
    /// No description declares an effect.
    Unknown,
}

impl Effect {
    /// The capability that the effect needs, as policies name it.
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

    /// Whether the effect changes anything. `Ask` does not: it leaves an item for the user.
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
