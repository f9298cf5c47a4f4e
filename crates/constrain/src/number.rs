//! Numbers, and integers of a range.

use crate::grammar::{CharClass, Node};

/// The maximum number of digits of an integer, and of the fraction of a number.
const DIGITS: u32 = 15;

/// Any integer.
pub(crate) fn any_integer() -> Node {
    Node::sequence([Node::literal("-").optional(), any_natural()])
}

fn any_natural() -> Node {
    Node::choice([
        Node::literal("0"),
        Node::sequence([digits('1', '9'), Node::any_digit().repeat(0, Some(DIGITS))]),
    ])
}

/// Any number, any number from zero up, or any number below zero.
pub(crate) fn number(sign: Sign) -> Node {
    let minus = Node::literal("-");
    Node::sequence([
        match sign {
            Sign::Any => minus.optional(),
            Sign::Positive => Node::empty(),
            Sign::Negative => minus,
        },
        any_natural(),
        Node::sequence([
            Node::literal("."),
            Node::any_digit().repeat(1, Some(DIGITS)),
        ])
        .optional(),
        Node::sequence([
            Node::Class(CharClass::new(vec![('e', 'e'), ('E', 'E')])),
            Node::Class(CharClass::new(vec![('+', '+'), ('-', '-')])).optional(),
            Node::any_digit().repeat(1, Some(2)),
        ])
        .optional(),
    ])
}

/// The sign of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Any,
    Positive,
    Negative,
}

/// The integers from `min` to `max`, both included. `None`: the range is empty.
pub(crate) fn integers(min: Option<i64>, max: Option<i64>) -> Option<Node> {
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        return None;
    }
    if min.is_none() && max.is_none() {
        return Some(any_integer());
    }
    let mut ways = Vec::new();
    // For negative integers the bounds swap.
    if min.is_none_or(|min| min < 0) {
        let from = max.filter(|&max| max < 0).map_or(1, i64::unsigned_abs);
        let to = min.map(i64::unsigned_abs);
        ways.push(Node::sequence([Node::literal("-"), naturals(from, to)]));
    }
    if max.is_none_or(|max| max >= 0) {
        let from = min.filter(|&min| min > 0).map_or(0, i64::unsigned_abs);
        ways.push(naturals(from, max.map(i64::unsigned_abs)));
    }
    Some(Node::choice(ways))
}

/// The naturals from `from` to `to`.
fn naturals(from: u64, to: Option<u64>) -> Node {
    let low = from.to_string();
    let mut ways = Vec::new();
    let Some(to) = to else {
        let length = low.len();
        ways.push(of_length(low.as_bytes(), &vec![b'9'; length]));
        let more = u32::try_from(length).unwrap_or(DIGITS);
        let max = more.max(DIGITS);
        ways.push(Node::sequence([
            digits('1', '9'),
            Node::any_digit().repeat(more, Some(max)),
        ]));
        return Node::choice(ways);
    };
    let high = to.to_string();
    for length in low.len()..=high.len() {
        let first = if length == low.len() {
            low.clone().into_bytes()
        } else {
            let mut first = vec![b'0'; length];
            first[0] = b'1';
            first
        };
        let last = if length == high.len() {
            high.clone().into_bytes()
        } else {
            vec![b'9'; length]
        };
        ways.push(of_length(&first, &last));
    }
    Node::choice(ways)
}

/// The digits from `low` to `high`, which have the same length.
fn of_length(low: &[u8], high: &[u8]) -> Node {
    let (Some((&l, low_rest)), Some((&h, high_rest))) = (low.split_first(), high.split_first())
    else {
        return Node::empty();
    };
    let rest = u32::try_from(low_rest.len()).unwrap_or(u32::MAX);
    let is_lowest = low_rest.iter().all(|&digit| digit == b'0');
    let is_highest = high_rest.iter().all(|&digit| digit == b'9');
    let any = |first: u8, last: u8| {
        let more = Node::any_digit().repeat(rest, Some(rest));
        let first = digits(char::from(first), char::from(last));
        Node::sequence(if rest == 0 {
            vec![first]
        } else {
            vec![first, more]
        })
    };
    if is_lowest && is_highest {
        return any(l, h);
    }
    if l == h {
        return Node::sequence([Node::literal(char::from(l)), of_length(low_rest, high_rest)]);
    }
    let mut ways = Vec::new();
    let (mut first, mut last) = (l, h);
    if !is_lowest {
        let highest = vec![b'9'; low_rest.len()];
        ways.push(Node::sequence([
            Node::literal(char::from(l)),
            of_length(low_rest, &highest),
        ]));
        first += 1;
    }
    if !is_highest {
        last -= 1;
    }
    if first <= last {
        ways.push(any(first, last));
    }
    if !is_highest {
        let lowest = vec![b'0'; high_rest.len()];
        ways.push(Node::sequence([
            Node::literal(char::from(h)),
            of_length(&lowest, high_rest),
        ]));
    }
    Node::choice(ways)
}

fn digits(first: char, last: char) -> Node {
    if first == last {
        return Node::literal(first);
    }
    Node::Class(CharClass::new(vec![(first, last)]))
}
