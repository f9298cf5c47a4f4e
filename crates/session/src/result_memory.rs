//! What results said: a model that repeats a call out of one may do what somebody else wrote.

use std::collections::VecDeque;

use memchr::memmem;

/// So much of results is kept, in bytes; the oldest go first.
pub(crate) const MEMORY_BYTES: usize = 16 << 20;

/// So many bytes are searched for the calls of one message. Calls beyond that count as repeated: doubt costs a question.
const MOST_WORK: usize = 1 << 30;

/// The texts of the results of a session.
#[derive(Debug, Default)]
pub(crate) struct ResultMemory {
    texts: VecDeque<String>,
    n_bytes: usize,
}

impl ResultMemory {
    /// Keeps a text, as far as there is room.
    pub(crate) fn keep(&mut self, mut text: String) {
        if text.len() > MEMORY_BYTES {
            text = toolglot_exec::cut(text, MEMORY_BYTES / 2);
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

    /// Which of `calls`, as they were written, stand byte for byte in a result.
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

#[cfg(test)]
mod tests {
    use super::*;

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
