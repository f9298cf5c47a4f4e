//! References that lead only to each other.

use std::collections::HashMap;

use toolglot_value::Value;

/// The longest chain of references: longer than any author writes, and than a validator should follow.
const LONGEST_CHAIN: usize = 100;

/// Keywords whose schemas apply to the same value, in lists and alone; other subschemas apply to a smaller value.
const LISTS: [&str; 3] = ["allOf", "anyOf", "oneOf"];
const ALONE: [&str; 4] = ["not", "if", "then", "else"];
const NAMED: [&str; 1] = ["dependentSchemas"];

/// A reference of the schema that leads back to itself for the same value: through references, and through `allOf` and
/// its like. Recursion through a property is not a cycle: the value gets smaller there. Complexity: the schema's size.
pub(crate) fn circle(schema: &Value) -> Option<String> {
    let mut pending = vec![schema];
    let mut seen: HashMap<*const Value, State> = HashMap::new();
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(map) => {
                if let Some(found) = is_circle(schema, value, &mut seen) {
                    return Some(found);
                }
                pending.extend(map.values());
            }
            Value::Array(list) => pending.extend(list),
            _ => {}
        }
    }
    None
}

#[derive(Clone, Copy)]
enum State {
    /// On the current path.
    Open,
    /// Finished, without a cycle; the longest chain of references from here.
    Done(usize),
}

/// A schema on the current path.
struct Frame<'a> {
    at: &'a Value,
    /// The reference that led to this schema.
    reference: Option<&'a str>,
    ahead: std::vec::IntoIter<(&'a Value, Option<&'a str>)>,
    /// The longest chain of references from here that is known so far.
    longest: usize,
}

/// The reference of a schema to a place in the same document.
fn reference(schema: &Value) -> Option<&str> {
    schema
        .get("$ref")?
        .as_str()
        .filter(|reference| reference.starts_with('#'))
}

/// The schemas that apply to the same value as `schema`, each with the reference that leads to it.
fn steps<'a>(document: &'a Value, schema: &'a Value) -> Vec<(&'a Value, Option<&'a str>)> {
    let mut steps = Vec::new();
    if let Some(reference) = reference(schema)
        && let Some(target) = document.pointer(&reference[1..])
    {
        steps.push((target, Some(reference)));
    }
    let lists = LISTS.iter().filter_map(|key| schema.get(key)?.as_array());
    steps.extend(lists.flatten().map(|schema| (schema, None)));
    let alone = ALONE.iter().filter_map(|key| schema.get(key));
    steps.extend(alone.map(|schema| (schema, None)));
    let named = NAMED.iter().filter_map(|key| schema.get(key)?.as_object());
    steps.extend(
        named
            .flat_map(toolglot_value::Map::values)
            .map(|schema| (schema, None)),
    );
    steps
}

/// Depth-first search from `first` over unvisited schemas, without recursion. Returns the last reference of a cycle, or
/// of a chain that is too long.
fn is_circle<'a>(
    document: &'a Value,
    first: &'a Value,
    seen: &mut HashMap<*const Value, State>,
) -> Option<String> {
    let frame = |at, reference| Frame {
        at,
        reference,
        ahead: steps(document, at).into_iter(),
        longest: 0,
    };
    if seen.contains_key(&std::ptr::from_ref(first)) {
        return None;
    }
    seen.insert(first, State::Open);
    let mut way = vec![frame(first, None)];
    while let Some(last) = way.last_mut() {
        let Some((next, reference)) = last.ahead.next() else {
            let done = way.pop().expect("it was just there");
            seen.insert(done.at, State::Done(done.longest));
            if let Some(above) = way.last_mut() {
                let longest = done.longest + usize::from(done.reference.is_some());
                above.longest = above.longest.max(longest);
                if longest > LONGEST_CHAIN {
                    return Some(done.reference.unwrap_or("#").to_owned());
                }
            }
            continue;
        };
        match seen.get(&std::ptr::from_ref(next)) {
            Some(State::Open) => {
                // Schemas contain each other in one direction only, so the path has a reference.
                let before = way.iter().rev().find_map(|frame| frame.reference);
                return Some(reference.or(before).unwrap_or("#").to_owned());
            }
            Some(State::Done(longest)) => {
                let longest = longest + usize::from(reference.is_some());
                last.longest = last.longest.max(longest);
                if longest > LONGEST_CHAIN {
                    return Some(reference.unwrap_or("#").to_owned());
                }
            }
            None => {
                seen.insert(next, State::Open);
                way.push(frame(next, reference));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::circle;

    #[test]
    fn only_references_without_a_value_between_are_circles() {
        let defs = json!({"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}});
        assert!(circle(&json!({"$defs": defs, "$ref": "#/$defs/a"})).is_some());
        assert!(circle(&json!({"$ref": "#"})).is_some());
        assert!(circle(&json!({"properties": {"c": {"$ref": "#"}}})).is_none());
        assert!(circle(&json!({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "object"}}})).is_none());
        assert!(circle(&json!({"properties": {"$ref": {"type": "string"}}})).is_none());
    }

    #[test]
    fn what_is_about_the_same_value_makes_it_no_smaller() {
        for around in ["allOf", "anyOf", "oneOf"] {
            let through = json!({"$defs": {"a": {around: [{"type": "null"}, {"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"});
            assert!(circle(&through).is_some(), "{around}");
            let twice = json!({around: [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}], "$defs": {"a": {"type": "null"}}});
            assert!(circle(&twice).is_none(), "{around}");
        }
        for around in ["not", "if", "then", "else"] {
            let through = json!({"properties": {"x": {"$ref": "#/$defs/a"}}, "$defs": {"a": {around: {"$ref": "#/$defs/a"}}}});
            assert_eq!(circle(&through).as_deref(), Some("#/$defs/a"), "{around}");
        }
        let ring = json!({"$defs": {"a": {"allOf": [{"$ref": "#/$defs/b"}]}, "b": {"not": {"$ref": "#/$defs/a"}}}});
        assert!(circle(&ring).is_some());
        // A list of itself, and a tree.
        let list = json!({"anyOf": [{"type": "null"}, {"items": {"$ref": "#"}}]});
        assert!(circle(&list).is_none());
        let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"allOf": [{"properties": {"l": {"$ref": "#/$defs/t"}}}]}}});
        assert!(circle(&tree).is_none());
    }

    #[test]
    fn a_way_is_walked_once_and_has_an_end() {
        let chain = |n: usize| {
            let mut defs = toolglot_value::Map::new();
            for n in 0..n {
                let next = format!("#/$defs/{}", n + 1);
                // Two branches at each step: there are too many paths to walk them all.
                defs.insert(
                    n.to_string(),
                    json!({"allOf": [{"$ref": next}, {"$ref": next}]}),
                );
            }
            defs.insert(n.to_string(), json!({}));
            json!({"$defs": defs, "properties": {"x": {"$ref": "#/$defs/0"}}})
        };
        assert!(circle(&chain(90)).is_none());
        assert!(circle(&chain(110)).is_some());
        assert!(circle(&chain(20_000)).is_some());
    }
}
