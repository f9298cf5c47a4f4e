//! The columns of rows.

/// The columns of a row's conversation or text, and of its tools.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    /// The conversation or the text; without a name, the first of [`Columns::DEFAULT`] that a row has.
    pub content: Option<String>,
    /// The tools of the row, if it has the column.
    pub tools: String,
}

impl Default for Columns {
    fn default() -> Columns {
        Columns {
            content: None,
            tools: "tools".to_owned(),
        }
    }
}

impl Columns {
    /// The default columns, in order of preference.
    pub const DEFAULT: &[&str] = &["messages", "conversations", "text", "input"];

    /// The names of which a row needs one.
    pub fn wanted(&self) -> Vec<String> {
        match &self.content {
            Some(name) => vec![name.clone()],
            None => Columns::DEFAULT
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
        }
    }

    /// The column that contains the conversation or text, if the row has it.
    pub fn chosen(&self, has: impl Fn(&str) -> bool) -> Option<&str> {
        match &self.content {
            Some(name) => Some(name.as_str()).filter(|name| has(name)),
            None => Columns::DEFAULT.iter().copied().find(|name| has(name)),
        }
    }

    /// All columns that a task reads, if it does not rewrite rows.
    pub fn needed(&self) -> Vec<String> {
        let mut needed = self.wanted();
        needed.push(self.tools.clone());
        // The fields of a line of `parse --jsonl`.
        for field in [
            "id",
            "dialect",
            "reasoning_open",
            "prompt_suffix",
            "tool_choice",
            "finish",
        ] {
            needed.push(field.to_owned());
        }
        needed
    }
}
