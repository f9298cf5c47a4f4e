//! A model's text in colour, safe to be shown on a terminal.

use std::io::{self, Write};

use toolglot_engine::Span;

use super::screen::one_line;
use toolglot_chat::{PieceKind, Reading};

/// The kind of a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Plain,
    Reasoning,
    Markup,
    Name,
    Arguments,
}

impl Style {
    /// The parameters of SGR, as in ECMA-48, 8.3.117.
    fn codes(self) -> Option<&'static str> {
        match self {
            Style::Plain => None,
            Style::Reasoning => Some("2;3"),
            Style::Markup => Some("34"),
            Style::Name => Some("1;33"),
            Style::Arguments => Some("32"),
        }
    }
}

/// `text` in `style`.
pub(crate) fn styled(style: Style, text: &str, is_colored: bool) -> String {
    match style.codes().filter(|_| is_colored && !text.is_empty()) {
        Some(codes) => format!("\x1b[{codes}m{text}\x1b[0m"),
        None => text.to_owned(),
    }
}

/// Writes the whole text with each piece in its style, and ends its last line.
pub(crate) fn text(out: &mut dyn Write, reading: &Reading, is_colored: bool) -> io::Result<()> {
    let mut names: Vec<Span> = reading
        .trace
        .message
        .calls
        .iter()
        .map(|call| call.name_span)
        .filter(|name| !name.is_empty())
        .collect();
    names.sort_unstable_by_key(|name| name.start);
    let text = reading.text.as_str();
    let mut write = |style, span: Span| -> io::Result<()> {
        let piece = text.get(span.range()).unwrap_or_default();
        // A colour that spans a line break would tint whole lines in a pager.
        for line in piece.split_inclusive('\n') {
            let (line, end) = line
                .strip_suffix('\n')
                .map_or((line, ""), |line| (line, "\n"));
            write!(out, "{}{end}", styled(style, &one_line(line), is_colored))?;
        }
        Ok(())
    };
    for piece in &reading.trace.pieces {
        let style = match piece.kind {
            PieceKind::Text | PieceKind::CallStart | PieceKind::CallEnd => Style::Plain,
            PieceKind::Reasoning => Style::Reasoning,
            PieceKind::Markup => Style::Markup,
            PieceKind::Arguments => Style::Arguments,
        };
        let mut at = piece.span;
        let first = names.partition_point(|name| name.start < at.start);
        let inside = names[first..]
            .iter()
            .take_while(|name| name.end <= piece.span.end);
        for name in inside.filter(|_| piece.kind == PieceKind::Markup) {
            if at.start <= name.start {
                write(style, Span::new(at.start, name.start))?;
                write(Style::Name, *name)?;
                at.start = name.end;
            }
        }
        write(style, at)?;
    }
    if text.is_empty() || text.ends_with('\n') {
        Ok(())
    } else {
        writeln!(out)
    }
}

/// `text` cut to about `n_chars` characters, on one line.
pub(crate) fn shortened(text: &str, n_chars: usize) -> String {
    match text.char_indices().nth(n_chars) {
        Some((cut, _)) => format!("{} .. ({} bytes)", one_line(&text[..cut]), text.len()),
        None => one_line(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_say_their_length() {
        assert_eq!(shortened("ééé", 2), "éé .. (6 bytes)");
        assert_eq!(shortened("ééé", 3), "ééé");
    }

    #[test]
    fn colour_is_only_where_asked_for() {
        assert_eq!(styled(Style::Name, "x", true), "\x1b[1;33mx\x1b[0m");
        assert_eq!(styled(Style::Name, "x", false), "x");
        assert_eq!(styled(Style::Plain, "x", true), "x");
    }
}
