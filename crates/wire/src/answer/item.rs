//! The items of an answer, in order.

/// A text, reasoning or a call.
#[derive(Clone, Debug)]
pub(super) enum AnswerItem {
    Text { id: String, text: String },
    Reasoning { id: String, text: String },
    Call(ItemCall),
}

/// A call as the client gets it.
#[derive(Clone, Debug)]
pub(super) struct ItemCall {
    /// The index of the call in the answer.
    pub(super) index: u32,
    pub(super) call_id: String,
    /// The id of the item, which only the Responses API has.
    pub(super) item_id: String,
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) is_freeform: bool,
    /// JSON text, or the input of a freeform tool.
    pub(super) arguments: String,
}

impl AnswerItem {
    pub(super) fn add(&mut self, piece: &str) {
        match self {
            AnswerItem::Text { text, .. } | AnswerItem::Reasoning { text, .. } => text,
            AnswerItem::Call(call) => &mut call.arguments,
        }
        .push_str(piece);
    }

    /// The input in the complete arguments of a freeform tool. If the arguments are another object, it is their text.
    pub(super) fn input_of(&self, arguments: &str) -> Option<String> {
        match self {
            AnswerItem::Call(call) if call.is_freeform => {
                let input = crate::conversation::input_of(arguments);
                Some(input.unwrap_or_else(|| arguments.to_owned()))
            }
            _ => None,
        }
    }
}
