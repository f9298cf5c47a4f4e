//! What is looked at when a program and all that it started are gone.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

/// Looks at what a program left, with the words that started it; none for several programs. The answer has a line for each
/// remark.
type Look = dyn Fn(&[OsString]) -> Vec<String> + Send + Sync;

/// Looks at what a program left when it and all that it started are gone, so that nothing of it runs meanwhile.
///
/// What it says is appended to the standard error of the program.
#[derive(Clone)]
pub struct Inspection {
    look: Arc<Look>,
}

impl Inspection {
    /// One that calls `look` with the words of the program.
    pub fn new(look: impl Fn(&[OsString]) -> Vec<String> + Send + Sync + 'static) -> Inspection {
        Inspection {
            look: Arc::new(look),
        }
    }

    /// Looks now: for who ended the program otherwise than by [`Command::run`](crate::Command::run). Text for people, a line
    /// for each remark; empty where there is nothing to say.
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
