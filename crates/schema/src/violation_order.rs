//! The order of violations: the order in which the model wrote the members.
//!
//! The `jsonschema` crate keeps the properties of a schema in a sorted map. If arguments have more members than the
//! schema has properties, it walks that map, and its errors come in alphabetical order.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use toolglot_value::Value;

/// The source of one violation.
pub(crate) struct Finding<'e, 'i> {
    pub(crate) error: &'e ValidationError<'i>,
    /// One of the unexpected members, if the error is about such members.
    pub(crate) unexpected: Option<&'e str>,
    /// The index of its member or item, at each level of the arguments.
    place: Vec<usize>,
}

/// The findings of errors, in the model's order.
pub(crate) fn findings<'e, 'i>(
    errors: &'e [ValidationError<'i>],
    arguments: &Value,
) -> Vec<Finding<'e, 'i>> {
    let mut found = Vec::with_capacity(errors.len());
    for error in errors {
        let (place, value) = place(error.instance_path().as_str(), arguments);
        let (ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected }) = error.kind()
        else {
            found.push(Finding {
                error,
                unexpected: None,
                place,
            });
            continue;
        };
        found.extend(unexpected.iter().map(|name| {
            let member = value.and_then(|value| value.as_object()?.index_of(name));
            Finding {
                error,
                unexpected: Some(name),
                place: place.iter().copied().chain(member).collect(),
            }
        }));
    }
    in_order(found, 0)
}

/// The indices of the members and items on the path to a value, and the value.
fn place<'v>(path: &str, arguments: &'v Value) -> (Vec<usize>, Option<&'v Value>) {
    let mut place = Vec::new();
    let mut value = arguments;
    for step in path.split('/').skip(1) {
        let next = match value {
            Value::Object(members) => {
                let name = step.replace("~1", "/").replace("~0", "~");
                members.index_of(&name).zip(members.get(&name))
            }
            Value::Array(items) => {
                let index: Option<usize> = step.parse().ok();
                index.and_then(|index| Some((index, items.get(index)?)))
            }
            _ => None,
        };
        let Some((index, next)) = next else {
            return (place, None);
        };
        place.push(index);
        value = next;
    }
    (place, Some(value))
}

/// The findings about members of the value at `depth`, in the order of the members. Findings about the value itself
/// keep their places among them.
fn in_order<'e, 'i>(found: Vec<Finding<'e, 'i>>, depth: usize) -> Vec<Finding<'e, 'i>> {
    if found.len() < 2 {
        return found;
    }
    let member = |finding: &Finding<'_, '_>| finding.place.get(depth).copied();
    let is_of_member: Vec<bool> = found.iter().map(|one| member(one).is_some()).collect();
    let (mut of_members, own): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|one| member(one).is_some());
    of_members.sort_by_key(member);
    let mut sorted = Vec::with_capacity(of_members.len());
    let mut of_members = of_members.into_iter().peekable();
    while let Some(first) = of_members.next() {
        let at = member(&first);
        let mut of_one = vec![first];
        while let Some(next) = of_members.next_if(|next| member(next) == at) {
            of_one.push(next);
        }
        sorted.extend(in_order(of_one, depth + 1));
    }
    let (mut own, mut sorted) = (own.into_iter(), sorted.into_iter());
    let next = |is_of_member| {
        if is_of_member {
            sorted.next()
        } else {
            own.next()
        }
    };
    is_of_member.into_iter().filter_map(next).collect()
}
