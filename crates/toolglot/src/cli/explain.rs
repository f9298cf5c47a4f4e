//! `toolglot explain`: the meaning of a note's code, from its entry in `notes.md`.

use std::io::{self, Write};

use toolglot_engine::Code;

use crate::cli::failure::Failure;
use crate::cli::human;
use crate::cli::human::Color;
use crate::cli::human::paint::{Style, styled};
use crate::cli::human::screen::ColorScreen;
use crate::cli::outcome::Outcome;

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
        let is_colored = human::is_colored(Color::Auto, &io::stdout());
        writeln!(ColorScreen(out), "\n{}", plain(entry, is_colored)).map_err(Failure::Output)?;
    }
    Ok(Outcome::Fine)
}

/// The page of all notes.
const PAGE: &str = include_str!("../../notes.md");

/// The text of the page under the heading `title`.
fn entry(title: &str) -> Option<&'static str> {
    let start = PAGE.find(&format!("\n### {title}\n"))?;
    let body = PAGE[start + 1..].split_once('\n')?.1;
    let end = ["\n### ", "\n## "]
        .iter()
        .filter_map(|next| body.find(next))
        .min()
        .unwrap_or(body.len());
    Some(body[..end].trim())
}

/// The page's Markdown as plain text: code blocks are indented, and links become their words. Inline code is coloured,
/// or else keeps its backticks.
fn plain(markdown: &str, is_colored: bool) -> String {
    let mut shown = String::new();
    let mut fence: Option<&str> = None;
    for line in markdown.lines() {
        let n_ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            Some(ticks) if line == ticks => fence = None,
            Some(_) if line.is_empty() => shown.push('\n'),
            Some(_) => shown.extend(["    ", line, "\n"]),
            None if n_ticks >= 3 => {
                let (ticks, info) = line.split_at(n_ticks);
                fence = Some(ticks);
                if let Some((_, file)) = info.split_once("file=") {
                    shown.extend([file, ":\n"]);
                }
            }
            None => shown.extend([spans(line, is_colored).as_str(), "\n"]),
        }
    }
    shown.truncate(shown.trim_end().len());
    shown
}

/// A line of text without the markup of code, links and emphasis.
fn spans(line: &str, is_colored: bool) -> String {
    let mut shown = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['`', '[', '*']) {
        shown.push_str(&rest[..at]);
        let from = &rest[at..];
        let n_ticks = from.len() - from.trim_start_matches('`').len();
        let code = (from[n_ticks..].split_once(&from[..n_ticks])).filter(|_| n_ticks > 0);
        if let Some((code, after)) = code {
            let code = match code
                .strip_prefix(' ')
                .and_then(|code| code.strip_suffix(' '))
            {
                Some(inside) if inside.contains('`') => inside,
                _ => code,
            };
            if is_colored {
                shown.push_str(&styled(Style::Arguments, code, true));
            } else {
                shown.extend([&from[..n_ticks], code, &from[..n_ticks]]);
            }
            rest = after;
        } else if let Some((words, after)) = from
            .strip_prefix('[')
            .and_then(|link| link.split_once("]("))
            .and_then(|(words, target)| Some((words, target.split_once(')')?.1)))
        {
            shown.push_str(words);
            rest = after;
        } else if let Some((words, after)) = from
            .strip_prefix("**")
            .and_then(|bold| bold.split_once("**"))
        {
            shown.push_str(words);
            rest = after;
        } else {
            let n = n_ticks.max(1);
            shown.push_str(&from[..n]);
            rest = &from[n..];
        }
    }
    shown + rest
}

/// `text` with a capital letter.
fn sentence(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(rest).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_shown_without_their_markup() {
        let page = "See [the page](a.md#b), **not** `a * b` and ``a ` b``.\n\n````text file=x.txt\n```\na\n\n  b\n````\nEnd [x] 2 * 3.";
        assert_eq!(
            plain(page, false),
            "See the page, not `a * b` and ``a ` b``.\n\nx.txt:\n    ```\n    a\n\n      b\nEnd [x] 2 * 3."
        );
        let coloured = plain(page, true);
        assert!(
            coloured.contains("\u{1b}[32ma * b\u{1b}[0m") && !coloured.contains("]("),
            "{coloured}"
        );
    }

    #[test]
    fn no_entry_shows_a_fence_or_a_link() {
        for code in Code::ALL {
            let title = format!("N{:03} {}", code.number(), code.name());
            let shown = plain(entry(&title).unwrap_or_default(), true);
            let outside = shown.lines().filter(|line| !line.starts_with("    "));
            for line in outside {
                assert!(
                    !line.contains("](") && !line.starts_with("```") && !line.contains("**"),
                    "{title}: {line}"
                );
            }
        }
    }
}
