//! Cases that the renderer of a dialect writes.
//!
//! A call that the dialect cannot carry gives no case. Neither does text that the dialect's rules read differently, such
//! as prose in a dialect whose calls have no marker.

use std::sync::Arc;

use toolglot_engine::{CallText, Calls, Dialect, Finish, Input, Limits, Parser, Program, Renderer};
use toolglot_toolset::Toolbox;
use toolglot_value::{Map, Value, from_str};

use crate::case::{Case, ExpectedCall};
use crate::equal::{same_text, same_value};

const TOOLS: &str = include_str!("../data/tools.json");
const CALLS: &str = include_str!("../data/calls.json");

/// The name of the case that [`long`] makes.
const LONG: &str = "a long value";

/// A value that [`CaseWriter::new`] searches in the rendered text.
const SENTINEL: &str = "sentinel";

/// The cases of a dialect; none if the dialect has no calls of tools that it does not know.
pub(crate) fn cases(dialect: &Dialect) -> Vec<Case> {
    let Some(writer) = CaseWriter::new(dialect) else {
        return Vec::new();
    };
    let rows = from_str(CALLS).expect("the calls are JSON");
    let rows = rows.as_array().expect("a list").iter();
    rows.filter_map(|row| writer.case(row)).collect()
}

/// One call whose value has about `n_bytes` bytes; `None` if the dialect writes no such call.
pub(crate) fn long(dialect: &Dialect, n_bytes: usize) -> Option<Case> {
    const LINE: &str = "let total = rows.iter().map(|row| row.price * 2).sum();\n";
    let writer = CaseWriter::new(dialect)?;
    let call = ExpectedCall {
        name: "save_note".to_owned(),
        arguments: object([
            ("text", LINE.repeat(n_bytes.div_ceil(LINE.len()))),
            ("tag", "long".to_owned()),
        ]),
    };
    writer.written(LONG, ["", ""], vec![call], false)
}

fn object<const N: usize>(members: [(&str, String); N]) -> Value {
    let members = members.map(|(key, value)| (key.to_owned(), Value::from(value.as_str())));
    Value::Object(members.into_iter().collect::<Map<String, Value>>())
}

/// The writer of the cases of one dialect.
struct CaseWriter<'d> {
    dialect: &'d Dialect,
    tools: Value,
    renderer: Renderer<'d>,
    program: Arc<Program>,
    /// Texts that a reader could take for the opener and the closer of a call inside a value; empty if there are none.
    opener: String,
    closer: String,
}

impl<'d> CaseWriter<'d> {
    fn new(dialect: &'d Dialect) -> Option<CaseWriter<'d>> {
        let tools = from_str(TOOLS).expect("the tools are JSON");
        let set = Toolbox::from_json(&tools).expect("tools").tool_set();
        let renderer = Renderer::new(dialect, &set).ok()?;
        let program =
            Program::compile(std::slice::from_ref(dialect), &set, Limits::default()).ok()?;
        let arguments = object([("city", SENTINEL.to_owned())]).to_string();
        let call = CallText {
            name: "get_weather",
            arguments: &arguments,
            server: None,
            id: None,
        };
        let text = renderer.calls(&[call]).ok()?;
        let (before, _) = text.split_once("get_weather")?;
        let (_, after) = text.rsplit_once(SENTINEL)?;
        // The opener is the first line before the name, up to a quote or a bracket. The closer is the last line.
        let opener = before.trim_start().lines().next().unwrap_or_default();
        let opener = opener.split(['"', '{', '(']).next().unwrap_or_default();
        let closer = after.trim_end().lines().last().unwrap_or_default();
        Some(CaseWriter {
            dialect,
            opener: opener.trim().to_owned(),
            closer: closer.trim().to_owned(),
            tools,
            renderer,
            program: Arc::new(program),
        })
    }

    /// The case of a row of `calls.json`.
    fn case(&self, row: &Value) -> Option<Case> {
        let text = |field: &str| self.filled_text(row[field].as_str().unwrap_or_default());
        let (before, after) = (text("before")?, text("after")?);
        let calls = row.get("calls").and_then(Value::as_array);
        let calls = calls.into_iter().flatten().map(|call| {
            Some(ExpectedCall {
                name: call[0].as_str().expect("a name").to_owned(),
                arguments: self.filled(&call[1])?,
            })
        });
        let name = row["name"].as_str().expect("a name");
        let is_hostile = row["hostile"] == true;
        self.written(
            name,
            [&before, &after],
            calls.collect::<Option<_>>()?,
            is_hostile,
        )
    }

    /// The case of calls between two texts; `None` if the calls do not read back.
    fn written(
        &self,
        name: &str,
        [before, after]: [&str; 2],
        calls: Vec<ExpectedCall>,
        is_hostile: bool,
    ) -> Option<Case> {
        let arguments: Vec<String> = calls
            .iter()
            .map(|call| call.arguments.to_string())
            .collect();
        let texts: Vec<CallText<'_>> = calls
            .iter()
            .zip(&arguments)
            .map(|(call, arguments)| CallText {
                name: &call.name,
                arguments,
                server: None,
                id: None,
            })
            .collect();
        let input = self.renderer.message(before, &texts).ok()? + after;
        let case = Case {
            id: format!("{}/{name}", self.dialect.name()),
            dialect: self.dialect.name().to_owned(),
            tools: self.tools.clone(),
            content: format!("{before}{after}"),
            input,
            calls,
            is_hostile,
        };
        is_read_so(&case, &self.program).then_some(case)
    }

    /// The markers in their places; `None` where the dialect has no such marker.
    fn filled_text(&self, text: &str) -> Option<String> {
        let lacks = |place: &str, marker: &str| marker.is_empty() && text.contains(place);
        if lacks("{opener}", &self.opener) || lacks("{closer}", &self.closer) {
            return None;
        }
        let text = text.replace("{opener}", &self.opener);
        Some(text.replace("{closer}", &self.closer))
    }

    /// The markers in their places, and `{"$nest": n}` as n objects.
    fn filled(&self, value: &Value) -> Option<Value> {
        Some(match value {
            Value::String(text) => Value::from(self.filled_text(text)?.as_str()),
            Value::Object(members) => {
                if let Some(levels) = members.get("$nest").and_then(Value::as_u64) {
                    let nested = (0..levels).fold(Value::Object(Map::new()), |inner, _| {
                        let mut outer = Map::new();
                        outer.insert("k".to_owned(), inner);
                        Value::Object(outer)
                    });
                    return Some(nested);
                }
                let mut filled = Map::new();
                for (key, value) in members {
                    filled.insert(key.clone(), self.filled(value)?);
                }
                Value::Object(filled)
            }
            other => other.clone(),
        })
    }
}

/// Whether the parser of toolglot reads the expected calls and text of a case.
fn is_read_so(case: &Case, program: &Arc<Program>) -> bool {
    let mut read = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    parser.push(Input::Text(&case.input), &mut read);
    parser.finish(Finish::Stop, &mut read);
    read.calls.len() == case.calls.len()
        && read.calls.iter().zip(&case.calls).all(|(read, expected)| {
            read.name == expected.name
                && from_str(&read.arguments)
                    .is_ok_and(|arguments| same_value(&arguments, &expected.arguments))
        })
        && same_text(&read.content, &case.content)
}
