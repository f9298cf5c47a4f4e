//! The three APIs of clients.

/// An API of clients.
///
/// A new API is a new major version: a program that creates requests or reads answers of each API must know its form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// OpenAI's Chat Completions: `/v1/chat/completions`.
    Chat,
    /// OpenAI's Responses: `/v1/responses`.
    Responses,
    /// Anthropic's Messages: `/v1/messages`.
    Messages,
}

impl Api {
    /// All APIs.
    pub const ALL: [Api; 3] = [Api::Chat, Api::Responses, Api::Messages];

    /// The name in reports and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Api::Chat => "chat",
            Api::Responses => "responses",
            Api::Messages => "messages",
        }
    }

    /// The path of its requests.
    pub fn path(self) -> &'static str {
        match self {
            Api::Chat => "/v1/chat/completions",
            Api::Responses => "/v1/responses",
            Api::Messages => "/v1/messages",
        }
    }
}
