//! The APIs that clients speak, by path.

/// One API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Api {
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Anthropic's Messages.
    Messages,
    /// Whatever is passed on as it is.
    Other,
}

impl Api {
    /// The API whose requests go to this path.
    pub(crate) fn of(path: &str) -> Api {
        match path {
            "/v1/chat/completions" => Api::Chat,
            "/v1/responses" => Api::Responses,
            "/v1/messages" | "/v1/messages/count_tokens" => Api::Messages,
            _ => Api::Other,
        }
    }

    /// Its name in metrics.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Api::Chat => "chat",
            Api::Responses => "responses",
            Api::Messages => "messages",
            Api::Other => "other",
        }
    }
}
