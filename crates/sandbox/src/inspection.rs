//! The inspection of what a program left, after it and its children have ended.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

/// Inspects what a program left, given the words that started it; no words for several programs. The answer has a line
/// for each remark.
type Look = dyn Fn(&[OsString]) -> Vec<String> + Send + Sync;

/// Inspects what a program left, after the program and all that it started have ended, so that nothing runs meanwhile.
///
/// The remarks are appended to the standard error of the program.
#[derive(Clone)]
pub struct Inspection {
    look: Arc<Look>,
}

impl Inspection {
    /// An inspection that calls `look` with the words of the program.
    pub fn new(look: impl Fn(&[OsString]) -> Vec<String> + Send + Sync + 'static) -> Inspection {
        Inspection {
            look: Arc::new(look),
        }
    }

    /// Inspects at once, for a caller that ended the program without [`Command::run`](crate::Command::run). Returns
    /// text for people with a line for each remark; empty without remarks.
    pub fn text(&self, argv: &[OsString]) -> String {
        let mut text = String::new();
        for remark in (self.look)(argv) {
            text.extend(["[", remark.as_str(), "]\n"]);
        }
        text
    }
}

impl fmt::Debug for Inspection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inspection").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_remark_is_a_line_and_none_is_nothing() {
        let inspection = Inspection::new(|argv| {
            argv.iter()
                .map(|word| word.to_string_lossy().into_owned())
                .collect()
        });
        assert_eq!(inspection.text(&["a".into(), "b c".into()]), "[a]\n[b c]\n");
        assert_eq!(inspection.text(&[]), "");
        assert_eq!(format!("{inspection:?}"), "Inspection { .. }");
    }
}
