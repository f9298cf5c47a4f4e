//! How a command ended.

/// The result of a command that did not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Every call is closed and valid, and what was to be done is done.
    Fine,
    /// A call is truncated, unknown, invalid, denied or failed.
    Faulty,
    /// Ctrl-C ended it.
    Interrupted,
}

impl Outcome {
    /// `Faulty` if `is_faulty`.
    pub(crate) fn faulty_if(is_faulty: bool) -> Outcome {
        if is_faulty {
            Outcome::Faulty
        } else {
            Outcome::Fine
        }
    }
}
