//! How a session reads messages.

use std::sync::Arc;

use toolglot_chat::Reader;
use toolglot_engine::{Finish, InCode, InReasoning, Program};

/// How messages are read.
#[derive(Clone, Debug)]
pub struct ReadingSettings {
    /// The treatment of calls in quoted code.
    pub in_code: InCode,
    /// The treatment of calls in reasoning.
    pub in_reasoning: InReasoning,
    /// Whether the text starts inside reasoning.
    pub reasoning_open: bool,
    /// The end of the prompt, if the answer starts inside an open structure.
    pub prompt_suffix: Option<String>,
    /// Why the model stopped. Without it, a normal stop is not assumed.
    pub finish: Option<Finish>,
    /// The number of bytes that are read at once.
    pub chunk_bytes: usize,
}

impl Default for ReadingSettings {
    fn default() -> ReadingSettings {
        ReadingSettings {
            in_code: InCode::default(),
            in_reasoning: InReasoning::default(),
            reasoning_open: false,
            prompt_suffix: None,
            finish: None,
            chunk_bytes: 64 << 10,
        }
    }
}

impl ReadingSettings {
    /// A reader with this program. `finish` applies if the settings have no finish reason.
    pub(crate) fn reader(&self, program: Arc<Program>, finish: Finish) -> Reader {
        Reader {
            in_code: self.in_code,
            in_reasoning: self.in_reasoning,
            reasoning_open: self.reasoning_open,
            prompt_suffix: self.prompt_suffix.clone(),
            finish: self.finish.unwrap_or(finish),
            chunk_bytes: self.chunk_bytes,
            ..Reader::new(program)
        }
    }
}

/// What happens to the commands of a shell block after one that failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AfterFailure {
    /// They run, as in a shell.
    #[default]
    Run,
    /// They are skipped.
    Skip,
}
