//! Assigns the results after a message to its calls if ids do not.

use toolglot_value::Value;

/// The position of a result: the index of its message, and its index in the message.
pub(super) type ResultAt = (usize, usize);

/// A result after a message of the assistant.
#[derive(Clone, Debug)]
pub(super) struct ResultBlock {
    pub(super) at: ResultAt,
    /// The id in its message.
    pub(super) id: Option<String>,
    /// The tool's name in its message.
    pub(super) name: Option<String>,
    /// The text as written, with its frame.
    pub(super) text: String,
}

impl ResultBlock {
    pub(super) fn new(message: &Value, at: ResultAt, text: String) -> ResultBlock {
        let field = |key: &str| message[key].as_str().map(str::to_owned);
        ResultBlock {
            at,
            id: field("tool_call_id"),
            name: field("name"),
            text,
        }
    }
}

/// Whether a result may answer a call.
type Match<'w> = &'w dyn Fn(usize, &ResultBlock) -> bool;

/// A call that a result may answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallKey<'t> {
    pub(super) name: &'t str,
    pub(super) id: Option<&'t str>,
}

/// The result of each call, for results that no id assigns: by the name in the message or in the frame (`fits`), then
/// by order.
pub(super) fn owners<'u>(
    asked: &[CallKey<'_>],
    units: &'u [ResultBlock],
    fits: impl Fn(usize, &ResultBlock) -> bool,
) -> Vec<Option<&'u ResultBlock>> {
    let mut owned: Vec<Option<&ResultBlock>> = vec![None; asked.len()];
    // A result with the id of a call belongs to no other call.
    let mut has_own = vec![false; asked.len()];
    let mut open: Vec<&ResultBlock> = Vec::new();
    for unit in units {
        let of_id = asked.iter().zip(&has_own).position(|(call, has_own)| {
            !has_own && unit.id.is_some() && call.id == unit.id.as_deref()
        });
        match of_id {
            Some(call) => has_own[call] = true,
            None => open.push(unit),
        }
    }
    let is_named = |call: usize, unit: &ResultBlock| unit.name.as_deref() == Some(asked[call].name);
    let ways: [Match<'_>; 3] = [&is_named, &|call, unit| fits(call, unit), &|_, _| true];
    for way in ways {
        open.retain(|unit| {
            let call = (0..asked.len()).find(|&call| {
                let is_free = !has_own[call] && owned[call].is_none();
                // A call with a different id waits for its own result.
                let may = unit.id.is_none() || asked[call].id.is_none();
                is_free && may && way(call, unit)
            });
            if let Some(call) = call {
                owned[call] = Some(unit);
            }
            call.is_none()
        });
    }
    owned
}
