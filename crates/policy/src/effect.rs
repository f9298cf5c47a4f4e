//! What a tool does to the world.

/// What a tool does to the world, as its description declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It only reads, inside the root.
    Read,
    /// It creates or changes files inside the root.
    Write,
    /// It starts a program.
    Execute,
    /// It ends the message with a pending item: a question to the user, or the result of the task.
    Ask,
    /// Nobody declared it.
    Unknown,
}
