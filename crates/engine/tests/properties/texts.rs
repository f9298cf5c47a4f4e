//! Texts: soups of literals and hostile values, and calls as they should be, with damage.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use toolglot_engine::CallText;

use super::subjects::Subject;
use super::support::hostile::HOSTILE;

/// Names, keys and values that the tools of the tests have, attributes with them, and pieces of JSON.
const WORDS: &[&str] = &[
    "search",
    "now",
    "write_file",
    "read_file",
    "nobody",
    "text",
    "limit",
    "path",
    "content",
    "edits",
    "search",
    "line",
    " name=\"search\"",
    " name='text'",
    " name=\"nothing\"",
    " path=\"a.rs\"",
    "{\"name\": ",
    "\"search\"",
    "\"arguments\": ",
    "{\"text\": \"",
    "\"}",
    "}}",
    ", ",
    "{\"arguments\": {\"text\": 1}, \"name\": \"search\"}",
    "{\"name\": \"search\", \"arguments\": {}}",
    "(",
    ")",
    "text=",
    "search(text='a')",
    "=",
    "42",
    "true",
    "a\n",
    "<text>",
    "</text>",
    "<limit>",
    "</limit>",
    "<edits><edit><search>",
    "</search></edit></edits>",
    "<search>",
    "</search>",
    "{\"function\": {\"name\": \"now\"}}",
    "\\\"",
    "{\"tool\": \"now\", \"arguments\": \"{\\\"a\\\": 1}\"}",
];

/// A text of the subject's own literals, words and hostile values.
pub(crate) fn soup(subject: &'static Subject, most: usize) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => select(subject.literals.as_slice()),
        4 => select(WORDS).prop_map(String::from),
        2 => select(HOSTILE).prop_map(String::from),
        1 => Just(String::from("\n")),
        1 => "[a-z]{1,9}",
        1 => "\\PC{0,6}",
        1 => (select(&["é", " ", "a", "\n", "]", "\r\n", "`", "日"][..]), select(&[60usize, 170, 300, 4100][..])).prop_map(|(unit, n)| unit.repeat(n)),
    ];
    vec(piece, 1..most).prop_map(|pieces| pieces.concat())
}

/// A hostile string: markers of every dialect, quotes, code, other scripts, controls.
pub(crate) fn hostile_string(subject: &'static Subject) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => select(HOSTILE).prop_map(String::from),
        2 => select(subject.literals.as_slice()),
        2 => "[a-zA-Z ]{1,12}",
        1 => "\\PC{0,8}",
    ];
    vec(piece, 0..6).prop_map(|pieces| pieces.concat())
}

/// Any JSON value, with hostile strings in it.
pub(crate) fn value(subject: &'static Subject) -> impl Strategy<Value = toolglot_value::Value> {
    let leaf = prop_oneof![
        4 => hostile_string(subject).prop_map(toolglot_value::Value::from),
        1 => any::<i64>().prop_map(toolglot_value::Value::from),
        1 => any::<bool>().prop_map(toolglot_value::Value::from),
        1 => (-1000i32..1000).prop_map(|n| toolglot_value::Value::from(f64::from(n) / 8.0)),
        1 => Just(toolglot_value::Value::Null),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(toolglot_value::Value::from),
            vec(("[a-z_]{1,6}", inner), 0..4).prop_map(|members| members
                .into_iter()
                .collect::<toolglot_value::Map<_, _>>()
                .into()),
        ]
    })
}

/// A call that the subject's tools know, as name and JSON text.
pub(crate) fn call(subject: &'static Subject) -> impl Strategy<Value = (String, String)> {
    let scalar = prop_oneof![Just("7"), Just("true"), Just("null"), Just("-2.5")];
    let text = || hostile_string(subject);
    let search = (
        text(),
        proptest::option::of(any::<i32>()),
        proptest::option::of(vec((text(), 0..99i32), 2..4)),
        proptest::option::of(value(subject)),
        scalar,
    )
        .prop_map(|(text, limit, edits, free, _)| {
            let mut args = toolglot_value::Map::new();
            args.insert("text".into(), text.into());
            args.extend(limit.map(|limit| ("limit".into(), limit.into())));
            let edits = edits.map(|edits| {
                edits
                    .into_iter()
                    .map(|(search, line)| toolglot_value::json!({"search": search, "line": line}))
                    .collect::<Vec<_>>()
            });
            args.extend(edits.map(|edits| ("edits".into(), edits.into())));
            args.extend(free.map(|free| ("free".into(), free)));
            (
                "search".to_owned(),
                toolglot_value::Value::from(args).to_string(),
            )
        });
    let two = (text(), text()).prop_map(|(path, content)| {
        (
            "write_file".to_owned(),
            toolglot_value::json!({"path": path, "content": content}).to_string(),
        )
    });
    let one = text().prop_map(|command| {
        (
            "execute_command".to_owned(),
            toolglot_value::json!({ "command": command }).to_string(),
        )
    });
    let path = text().prop_map(|path| {
        (
            "read_file".to_owned(),
            toolglot_value::json!({ "path": path }).to_string(),
        )
    });
    prop_oneof![4 => search, 3 => two, 1 => one, 1 => path, 1 => Just(("now".to_owned(), "{}".to_owned()))]
}

/// One change to a text.
#[derive(Clone, Debug)]
pub(crate) enum Damage {
    Cut(Index, Index),
    Insert(Index, String),
    Double(Index, Index),
}

fn damage(subject: &'static Subject) -> impl Strategy<Value = Damage> {
    let piece = prop_oneof![
        select(subject.literals.as_slice()),
        select(HOSTILE).prop_map(String::from),
        select(WORDS).prop_map(String::from)
    ];
    prop_oneof![
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Damage::Cut(a, b)),
        (any::<Index>(), piece).prop_map(|(at, piece)| Damage::Insert(at, piece)),
        (any::<Index>(), any::<Index>()).prop_map(|(a, b)| Damage::Double(a, b)),
    ]
}

/// Written calls with text between them, damaged a few times.
pub(crate) fn damaged(subject: &'static Subject, most: usize) -> impl Strategy<Value = String> {
    let written = vec(
        (0..subject.dialects.len(), call(subject), soup(subject, 3)),
        1..3,
    );
    (written, vec(damage(subject), 0..most)).prop_map(|(written, damages)| {
        let mut text = String::new();
        for (dialect, (name, args), after) in written {
            let call = CallText {
                name: &name,
                arguments: &args,
                server: None,
                id: None,
            };
            text.push_str(&subject.renderer(dialect).calls(&[call]).unwrap_or_default());
            text.push_str(&after);
        }
        for damage in damages {
            apply(&mut text, &damage);
        }
        text
    })
}

/// What opens and closes quotations, and blanks and text around them.
const QUOTING: &[&str] = &[
    "```\n",
    "```json\n",
    "```python\r\n",
    "~~~xml\n",
    "````\n",
    "```js\n",
    "```json x\n",
    "- ```json\n  ",
    "\n```\n",
    "\n```\n",
    "\n```",
    "\n~~~\n",
    "\n````\n\n",
    "\n",
    " ",
    "`",
    "> ",
    "<!-- ",
    " -->",
    "So.\n",
    "é ",
];

/// Written calls in fences and other quotations, damaged a little.
pub(crate) fn quoted(subject: &'static Subject) -> impl Strategy<Value = String> {
    let written = (0..subject.dialects.len(), call(subject)).prop_map(|(dialect, (name, args))| {
        let call = CallText {
            name: &name,
            arguments: &args,
            server: None,
            id: None,
        };
        subject.renderer(dialect).calls(&[call]).unwrap_or_default()
    });
    let piece = prop_oneof![
        5 => select(QUOTING).prop_map(String::from),
        3 => written.prop_map(|call| format!("```json\n{}\n```\n", call.trim_end())),
        1 => soup(subject, 3),
    ];
    (vec(piece, 1..9), vec(damage(subject), 0..2)).prop_map(|(pieces, damages)| {
        let mut text = pieces.concat();
        for damage in damages {
            apply(&mut text, &damage);
        }
        text
    })
}

fn apply(text: &mut String, damage: &Damage) {
    let place = |index: &Index| {
        let at = index.index(text.len() + 1);
        (at..=text.len())
            .find(|&at| text.is_char_boundary(at))
            .unwrap_or(text.len())
    };
    match damage {
        Damage::Insert(at, piece) => {
            let at = place(at);
            text.insert_str(at, piece);
        }
        Damage::Cut(a, b) => {
            let (a, b) = (place(a), place(b));
            // Mostly a few bytes; never the whole text.
            let end = (a.min(b) + (a.max(b) - a.min(b)) / 4..=text.len())
                .find(|&at| text.is_char_boundary(at))
                .unwrap_or(text.len());
            text.replace_range(a.min(b)..end, "");
        }
        Damage::Double(a, b) => {
            let (a, b) = (place(a), place(b));
            let piece = text[a.min(b)..a.max(b)].to_owned();
            text.insert_str(a.max(b), &piece);
        }
    }
}
