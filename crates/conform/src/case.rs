//! A message with its expected calls and text, and the request line for a program.

use toolglot_value::{Map, Value, json};

/// A message in a dialect, and what a parser should find in it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Case {
    /// The dialect and a name: `hermes/two calls`.
    pub id: String,
    /// The dialect's name.
    pub dialect: String,
    /// The tools of the request, in the form of Chat Completions.
    pub tools: Value,
    /// The model's text.
    pub input: String,
    /// The calls in it.
    pub calls: Vec<ExpectedCall>,
    /// The text outside the calls.
    pub content: String,
    /// Whether its values contain markers and other text that drives parsers.
    pub is_hostile: bool,
}

/// A call that a case holds.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedCall {
    /// The tool.
    pub name: String,
    /// The arguments, an object.
    pub arguments: Value,
}

/// A request to a program: a text in pieces.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The case.
    pub case: &'a Case,
    /// The id, which the answer repeats.
    pub id: &'a str,
    /// The pieces; together they are the input.
    pub chunks: &'a [&'a str],
}

impl Question<'_> {
    /// The line for the program, without a line break.
    pub fn line(&self) -> String {
        let line = json!({
            "id": self.id,
            "dialect": self.case.dialect,
            "input": self.case.input,
            "chunks": Value::Array(self.chunks.iter().map(|chunk| Value::from(*chunk)).collect()),
            "tools": self.case.tools,
        });
        line.to_string()
    }
}

impl Case {
    /// The case as JSON: the fields of a question, and what is expected.
    pub fn document(&self) -> Value {
        let calls = self.calls.iter().map(|call| {
            let mut members = Map::new();
            members.insert("name".to_owned(), Value::from(call.name.as_str()));
            members.insert("arguments".to_owned(), call.arguments.clone());
            Value::Object(members)
        });
        json!({
            "id": self.id,
            "dialect": self.dialect,
            "input": self.input,
            "tools": self.tools,
            "expected": {"calls": Value::Array(calls.collect()), "content": self.content},
            "hostile": self.is_hostile,
        })
    }
}
