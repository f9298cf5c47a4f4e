//! Text outside of calls that looks like a call, and who would read it.
//!
//! A message is read as one dialect, or as all but those that take plain fences for commands (`auto`). What another dialect
//! calls a call is text to it, and so is what no dialect reads. Nobody should lose such a call in silence:
//!
//! - [`other_dialect`] reads the text once more as the dialects that were left out, and names the one that finds a call;
//! - [`shape`] is a table of forms that no dialect reads;
//! - [`near_tag`] looks for misspelt tools where the tag is the tool;
//! - [`reasoning`] looks for the end of reasoning that nothing opened.
//!
//! All of these speak of known tools only, and of text that is not quoted. Nothing here decides what runs.

mod cache;
mod context;
mod near_tag;
mod other_dialect;
mod outside;
mod quotation;
mod reasoning;
mod shape;
mod words;

use toolglot_engine::{Code, InCode, Note, Span};
use toolglot_toolset::Toolbox;

use crate::reader::Reading;

pub use cache::LookalikeCache;
pub use context::LookalikeContext;
use outside::{Outside, explains, touches};
pub use reasoning::unopened_reasoning_note;

/// How many notes a message gets at most.
const MOST: usize = 8;

/// How many forms of calls are looked at, quoted ones too.
const MOST_SHAPES: usize = 256;

/// Longer texts are not searched: whoever reads those as events streams them.
pub const LOOKALIKE_BYTES: usize = 1 << 20;

/// Notes on what was probably meant as a call, by their place.
pub fn lookalike_notes(context: LookalikeContext<'_>, reading: &Reading) -> Vec<Note> {
    if reading.text.len() > LOOKALIKE_BYTES {
        return Vec::new();
    }
    let outside = Outside::of(reading);
    let mut notes: Vec<Note> = reasoning::note(context, &outside).into_iter().collect();
    let only = match context.dialects {
        [only] => Some(only),
        _ => None,
    };
    let taught = only.and_then(|only| Toolbox::taught(only.name()));
    let tools = context.toolbox.or(taught);
    // Only dialects in which a tag is a tool list the names that may be one.
    let tags = tools.filter(|_| only.is_some_and(|only| only.setting("tools").is_some()));
    if let Some(tools) = tags {
        notes.extend(near_tag::notes(&outside, tools).take(MOST));
    }
    let calls = other_dialect::calls(context, &outside, tools);
    let most = notes.len() + MOST;
    for call in calls {
        if notes.len() == most {
            break;
        }
        if !is_said(&notes, call.span) {
            notes.push(call.note());
        }
    }
    if let Some(tools) = tools {
        let others = notes.clone();
        let shapes = shape::Shapes::new(&outside, tools);
        let shapes = shapes.notes().filter(|note| !is_said(&others, note.span));
        let found: Vec<Note> = shapes.take(MOST_SHAPES).collect();
        let places: Vec<usize> = found.iter().map(|note| note.span.range().start).collect();
        let is_open = match context.reader.in_code {
            InCode::Accept => vec![true; places.len()],
            in_code => quotation::is_open(&reading.text, &places, in_code),
        };
        let found = found.into_iter().zip(is_open);
        let open = found.filter_map(|(note, is_open)| is_open.then_some(note));
        notes.extend(open.take(MOST));
    }
    notes.sort_by_key(|note| (note.span.start, note.code));
    notes.truncate(MOST);
    notes
}

/// Puts `notes` among those of a message, by their place. Where the message has a note at such a place already, that one
/// says what is wrong, and gets the help as well.
pub fn merge_notes(notes: Vec<Note>, message: &mut Vec<Note>) {
    for note in notes {
        let said = message
            .iter_mut()
            .find(|said| explains(said.code) && touches(said.span, note.span));
        match said {
            Some(said) if note.code == Code::UnrecognizedCall => {
                let both = [said.help.take(), note.help];
                let both: Vec<String> = both.into_iter().flatten().collect();
                said.help = Some(both.join("; "));
            }
            _ => {
                let after = message.partition_point(|said| said.span.start <= note.span.start);
                message.insert(after, note);
            }
        }
    }
}

fn is_said(notes: &[Note], at: Span) -> bool {
    notes.iter().any(|note| touches(note.span, at))
}
