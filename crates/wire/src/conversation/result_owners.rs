//! Which call each of the results after a message answers, where ids do not tell.

use toolglot_value::Value;

/// A result: the message that it is in, and which of the results there it is.
pub(super) type ResultAt = (usize, usize);

/// A result after a message of the assistant.
#[derive(Clone, Debug)]
pub(super) struct ResultBlock {
    pub(super) at: ResultAt,
    /// The id that its message has.
    pub(super) id: Option<String>,
    /// The tool that its message names.
    pub(super) name: Option<String>,
    /// As it is there, in its frame.
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

/// For each call the result that answers it, of those that no id gives to a call: first what a name says, the message's own or
/// the one in the frame (`fits`), then the order.
pub(super) fn owners<'u>(
    asked: &[CallKey<'_>],
    units: &'u [ResultBlock],
    fits: impl Fn(usize, &ResultBlock) -> bool,
) -> Vec<Option<&'u ResultBlock>> {
    let mut owned: Vec<Option<&ResultBlock>> = vec![None; asked.len()];
    // What an id has a result for is no other result's.
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
                // A call of another id waits for its own.
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
