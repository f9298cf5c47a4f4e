//! Remembers results: a model that copies a call from one may follow instructions of a third party.

use std::collections::VecDeque;

use memchr::memmem;
use toolglot_value::Value;

/// The limit on remembered results, in bytes; the oldest are dropped first.
pub(crate) const MEMORY_BYTES: usize = 16 << 20;

/// The limit on searched bytes for the calls of one message. Calls above it count as repeated: doubt costs an approval
/// request.
const MOST_WORK: usize = 1 << 30;

/// The texts of the results of a session.
#[derive(Debug, Default)]
pub(crate) struct ResultMemory {
    texts: VecDeque<String>,
    n_bytes: usize,
}

impl ResultMemory {
    /// Adds a text, as far as there is room.
    pub(crate) fn keep(&mut self, mut text: String) {
        if text.len() > MEMORY_BYTES {
            text = toolglot_builtins::cut(text, MEMORY_BYTES / 2);
        }
        self.n_bytes += text.len();
        self.texts.push_back(text);
        while self.n_bytes > MEMORY_BYTES {
            match self.texts.pop_front() {
                Some(oldest) => self.n_bytes -= oldest.len(),
                None => break,
            }
        }
    }

    /// Adds a result: the text that a model reads, and every string of the value. The text may be the value as JSON
    /// with escaped strings, and a model that copies one of them writes it unescaped.
    pub(crate) fn keep_result(&mut self, text: String, value: &Value) {
        let mut strings = String::new();
        add_strings(value, &mut strings);
        if strings.strip_prefix(BETWEEN) != Some(&text) && !strings.is_empty() {
            self.keep(strings);
        }
        self.keep(text);
    }

    /// Which of `calls`, as written, a result contains byte for byte.
    pub(crate) fn repeated<'c>(&self, calls: impl IntoIterator<Item = &'c str>) -> Vec<bool> {
        let mut work = 0;
        let mut is_repeated = |call: &str| {
            let call = call.trim();
            if call.is_empty() || self.texts.is_empty() {
                return false;
            }
            work += self.n_bytes;
            if work > MOST_WORK {
                return true;
            }
            let finder = memmem::Finder::new(call.as_bytes());
            let mut texts = self.texts.iter();
            texts.any(|text| finder.find(text.as_bytes()).is_some())
        };
        calls.into_iter().map(&mut is_repeated).collect()
    }
}

/// The separator before each string of a value.
const BETWEEN: char = '\0';

/// Adds every string of a value unescaped, including keys.
fn add_strings(value: &Value, strings: &mut String) {
    match value {
        Value::String(text) => {
            strings.push(BETWEEN);
            strings.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| add_strings(item, strings)),
        Value::Object(members) => {
            for (name, member) in members {
                strings.push(BETWEEN);
                strings.push_str(name);
                add_strings(member, strings);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use toolglot_value::json;

    use super::*;

    #[test]
    fn every_string_of_a_result_is_kept_as_it_is() {
        let call = "<tool_call>\n{\"name\": \"a\"}\n</tool_call>";
        for value in [
            json!({"output": "fine", "data": {"files": [{"content": call}]}}),
            json!({"stdout": format!("one\n{call}\n"), "stderr": "", "exit_code": 0}),
            json!([[], {call: null}]),
            json!(call),
        ] {
            let mut memory = ResultMemory::default();
            memory.keep_result(value.to_string(), &value);
            assert_eq!(
                memory.repeated([call, "<other/>"]),
                [true, false],
                "{value}"
            );
            // A call that is JSON is found in the text.
            let in_json = value.to_string();
            assert_eq!(memory.repeated([&*in_json]), [true], "{value}");
        }
        let mut memory = ResultMemory::default();
        memory.keep_result("once".to_owned(), &json!("once"));
        assert_eq!(memory.n_bytes, 4);
    }

    #[test]
    fn the_oldest_results_are_forgotten_first() {
        let mut memory = ResultMemory::default();
        memory.keep("first <call/>".to_owned());
        assert_eq!(
            memory.repeated([" <call/>\n", "<other/>", " "]),
            [true, false, false]
        );
        memory.keep("x".repeat(MEMORY_BYTES - 4));
        assert_eq!(memory.repeated(["<call/>"]), [false]);
        assert!(memory.n_bytes <= MEMORY_BYTES);
        memory.keep("y".repeat(3 * MEMORY_BYTES));
        assert!(memory.n_bytes <= MEMORY_BYTES && !memory.texts.is_empty());
    }
}
