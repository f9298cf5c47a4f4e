//! Finds text outside of calls that looks like a call, and the dialect that would read it.
//!
//! A message is read as one dialect, or as `auto`: all dialects except those that read plain fences as commands. Calls
//! of other dialects are text then, as are forms that no dialect reads. Such a call must not be lost silently:
//!
//! - [`other_dialect`] reads the text once more as the dialects that were left out, and names the one that finds a call;
//! - [`shape`] is a table of forms that no dialect reads;
//! - [`near_tag`] finds misspelled tools in dialects whose tag is the tool;
//! - [`reasoning`] finds the end of reasoning without an opener.
//!
//! All of them report only known tools, and only text that is not quoted. Nothing here decides which calls run.

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

/// The most notes of one message.
const MOST: usize = 8;

/// The most forms of calls that are checked, quoted ones included.
const MOST_SHAPES: usize = 256;

/// The longest text that is searched, in bytes: longer texts are usually streamed as events.
pub const LOOKALIKE_BYTES: usize = 1 << 20;

/// Notes on text that was probably meant as a call, in order of position.
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
    // Only dialects whose tag is the tool have a fixed list of possible names.
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

/// Inserts `notes` into the notes of a message, in order of position. If the message already explains a place, its note
/// gets the help instead.
pub fn merge_notes(notes: Vec<Note>, message: &mut Vec<Note>) {
    for note in notes {
        let other = message
            .iter_mut()
            .find(|other| explains(other.code) && touches(other.span, note.span));
        match other {
            Some(other) if note.code == Code::UnrecognizedCall => {
                let both = [other.help.take(), note.help];
                let both: Vec<String> = both.into_iter().flatten().collect();
                other.help = Some(both.join("; "));
            }
            _ => {
                let after = message.partition_point(|other| other.span.start <= note.span.start);
                message.insert(after, note);
            }
        }
    }
}

fn is_said(notes: &[Note], at: Span) -> bool {
    notes.iter().any(|note| touches(note.span, at))
}
