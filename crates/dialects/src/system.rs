//! How the systems that taught a dialect treat its calls and results.

use std::sync::OnceLock;

/// How the system that taught a dialect treats the calls of a message and their results. It does not change parsing.
///
/// The source is the file `system` next to the dialect: lines `key: value`, and comments after `#`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct System {
    /// The only call of a message that the system runs (`calls`, `refusal`). `None`: it runs all calls.
    pub one_call: Option<OneCall>,
    /// Whether no word of a command leads out of the project (`commands: inside`).
    pub is_bounded: bool,
    /// The JSON shape of a result (`results`). `None`: results are text.
    pub results: Option<ResultShape>,
    /// The server of a call that names none (`server`).
    pub server: Option<&'static str>,
}

/// The only call of a message that a system runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OneCall {
    /// Which call the system runs.
    pub counts: CountedCall,
    /// The refusal text for the other calls; `{name}` is replaced by the name of the refused call.
    pub refusal: &'static str,
}

/// The call of a message that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CountedCall {
    /// The first one.
    First,
    /// The last one.
    Last,
}

/// A shape of results in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultShape {
    /// The output itself, or an object with `error`.
    Output,
    /// An object with `success`, and `output` or `error`.
    Success,
}

impl System {
    /// The system of an embedded dialect. Without a `system` file, all calls run and their results are text.
    ///
    /// # Panics
    /// Never in a released build: a test reads every file.
    pub fn of(dialect: &str) -> &'static System {
        static ALL: OnceLock<Vec<(&str, System)>> = OnceLock::new();
        static NONE: System = System {
            one_call: None,
            is_bounded: false,
            results: None,
            server: None,
        };
        let all = ALL.get_or_init(|| {
            let systems = crate::SYSTEMS.iter();
            systems
                .map(|(name, text)| (*name, System::parse(text).expect("a test reads it")))
                .collect()
        });
        all.iter()
            .find(|(name, _)| *name == dialect)
            .map_or(&NONE, |(_, system)| system)
    }

    /// `None` if a line is not a setting.
    fn parse(text: &'static str) -> Option<System> {
        let mut system = System::default();
        let mut counts = None;
        let mut refusal = None;
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for line in lines.filter(|line| !line.trim().is_empty()) {
            let (key, value) = line.split_once(':')?;
            let value = value.trim();
            match (key, value) {
                ("calls", "first") => counts = Some(CountedCall::First),
                ("calls", "last") => counts = Some(CountedCall::Last),
                ("refusal", words) => refusal = Some(words),
                ("commands", "inside") => system.is_bounded = true,
                ("results", "output") => system.results = Some(ResultShape::Output),
                ("results", "success") => system.results = Some(ResultShape::Success),
                ("server", name) => system.server = Some(name),
                _ => return None,
            }
        }
        system.one_call = match (counts, refusal) {
            (None, None) => None,
            (Some(counts), Some(refusal)) => Some(OneCall { counts, refusal }),
            // `calls` and `refusal` are only valid together.
            (None, Some(_)) | (Some(_), None) => return None,
        };
        Some(system)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_each_system_says_something_of_a_dialect() {
        for (name, text) in crate::SYSTEMS {
            let system = System::parse(text).unwrap_or_else(|| panic!("{name}"));
            assert_ne!(system, System::default(), "{name}");
            assert_eq!(System::of(name), &system, "{name}");
            assert!(crate::get(name).is_some(), "{name}");
        }
        assert_eq!(System::of("hermes"), &System::default());
        assert_eq!(System::of(""), &System::default());
    }

    #[test]
    fn a_line_that_is_no_setting_is_refused() {
        for text in [
            "calls first",
            "calls: second",
            "calls: first",
            "refusal: no",
            "commands: anywhere",
            "results: text",
            "color: red",
        ] {
            assert_eq!(System::parse(text), None, "{text}");
        }
        assert_eq!(System::parse("# none\n\n"), Some(System::default()));
    }
}
