//! `toolglot explain`: what a note's code means.

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
    writeln!(
        out,
        "N{:03} {}\n\n{}.",
        code.number(),
        code.name(),
        sentence(code.what())
    )
    .map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// `text` with a capital letter.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(rest).collect()
    })
}
