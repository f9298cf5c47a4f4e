//! `toolglot explain`: what a note's code means: its entry in `docs/notes.md`.

use std::io::Write;

use toolglot::Code;

use crate::Outcome;
use crate::failure::Failure;

/// Explains a code given as `N012`, `12` or by name.
pub(crate) fn explain(wanted: &str, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let number = wanted.trim_start_matches(['N', 'n']).parse::<u16>().ok();
    let is_wanted = |code: &&Code| number == Some(code.number()) || wanted == code.name();
    let code = Code::ALL
        .iter()
        .find(is_wanted)
        .ok_or_else(|| Failure::UnknownCode(wanted.to_owned()))?;
    let title = format!("N{:03} {}", code.number(), code.name());
    writeln!(out, "{title}\n\n{}.", sentence(code.what())).map_err(Failure::Output)?;
    if let Some(entry) = entry(&title) {
        writeln!(out, "\n{entry}").map_err(Failure::Output)?;
    }
    Ok(Outcome::Fine)
}

/// The page of all notes.
const PAGE: &str = include_str!("../../../docs/notes.md");

/// What the page says under the heading `title`.
fn entry(title: &str) -> Option<&'static str> {
    let begin = PAGE.find(&format!("\n### {title}\n"))?;
    let body = PAGE[begin + 1..].split_once('\n')?.1;
    let end = ["\n### ", "\n## "]
        .iter()
        .filter_map(|next| body.find(next))
        .min()
        .unwrap_or(body.len());
    Some(body[..end].trim())
}

/// `text` with a capital letter.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(rest).collect()
    })
}
