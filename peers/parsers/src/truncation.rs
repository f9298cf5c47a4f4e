//! One call, truncated at every character: the markup that leaks into the text, and the calls that would run.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolglot_engine::Finish;

use crate::forms::FORMS;
use crate::probes::{caught, peers, tools};
use crate::pushes::Pushes;
use crate::readers::{Ours, Reader, read_pushed, read_whole};
use crate::reading::{Ending, Reading, same};
use crate::table::cell;

/// The text before the call.
const BEFORE: &str = "Ok. ";

/// The results of a reader for the texts.
#[derive(Default)]
struct Tally {
    leaks: usize,
    wrong: usize,
    asks: usize,
    panics: usize,
    example: Option<String>,
}

/// Runs all texts and writes the table.
pub fn run(step: usize) -> String {
    let arguments = json!({"city": "Paris, France", "unit": "celsius"});
    let map = arguments.as_object().expect("an object");
    let mut out = String::from(
        "\"Ok. \" and one call with two strings, cut off at every character. *Leak* = markup of the call stands in the text; *runs* = a call comes out that nothing marks as incomplete and whose arguments are JSON, but not those that were meant; *asks* = such a call marked as recovered, which runs only where somebody allows it. \
         A cut inside the first marker leaks with every parser. *Length* and *stop* = what the parser is told about the end; the others cannot be told.\n\n\
         | dialect | parser | cuts | leak, whole | runs, whole | asks | leak, pushed | runs, pushed | asks | panics | what would run |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|\n",
    );
    for form in FORMS {
        let text = format!("{BEFORE}{}", form.block(&[("get_weather", map)]));
        let mut readers: Vec<Box<dyn Reader>> = vec![
            Box::new(Ours::one(form.dialect, &tools()).told("toolglot, length", Finish::Length)),
            Box::new(Ours::one(form.dialect, &tools()).told("toolglot, stop", Finish::Stop)),
        ];
        readers.extend(peers(form.names, &tools()));
        for reader in readers {
            let (mut whole, mut pushed) = (Tally::default(), Tally::default());
            let mut cuts = 0;
            for (at, _) in text.char_indices().skip(1).step_by(step) {
                let cut = &text[..at];
                cuts += 1;
                whole.count(caught(|| read_whole(&*reader, cut)), cut, &arguments);
                let pushes = Pushes::of_size(cut, 1, form.specials);
                pushed.count(caught(|| read_pushed(&*reader, &pushes)), cut, &arguments);
            }
            let _ = writeln!(
                out,
                "| `{}` | {} | {cuts} | {} | {} | {} | {} | {} | {} | {} | {} |",
                form.dialect,
                reader.name(),
                whole.leaks,
                whole.wrong,
                whole.asks,
                pushed.leaks,
                pushed.wrong,
                pushed.asks,
                whole.panics + pushed.panics,
                whole
                    .example
                    .or(pushed.example)
                    .map_or(String::new(), |example| cell(&example))
            );
        }
    }
    out
}

impl Tally {
    fn count(&mut self, reading: Option<Reading>, cut: &str, arguments: &Value) {
        let Some(reading) = reading else {
            self.panics += 1;
            return;
        };
        let expected = &cut[..cut.len().min(BEFORE.len())];
        self.leaks += usize::from(reading.content.trim() != expected.trim());
        for call in &reading.calls {
            let value: Option<Value> = serde_json::from_str(&call.args).ok();
            let Some(value) = value.filter(|value| !same(value, arguments)) else {
                continue;
            };
            match call.ending {
                Ending::Runs => {
                    self.wrong += 1;
                    self.example.get_or_insert(value.to_string());
                }
                Ending::Asks => self.asks += 1,
                Ending::Never => {}
            }
        }
    }
}
