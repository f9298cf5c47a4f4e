//! SVG charts for a page.

use std::fmt::Write as _;

/// One bar of a chart.
pub(super) struct Bar {
    pub(super) label: String,
    pub(super) n: u64,
}

/// Text in HTML, also inside an attribute in double quotes. Characters that are invalid in HTML are replaced.
pub(super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters would break the layout, and format characters would hide or reorder text.
            c if c.is_control() || is_format(c) => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

/// Whether a character is invisible and changes the display of others.
fn is_format(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}')
}

/// A number with commas between thousands.
pub(super) fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A share in percent, with one digit after the point.
pub(super) fn percent(n: u64, of: u64) -> String {
    let per_mille = u128::from(n) * 1000 / u128::from(of.max(1));
    match per_mille {
        0 if n > 0 => "<0.1 %".to_owned(),
        _ => format!("{}.{} %", per_mille / 10, per_mille % 10),
    }
}

/// The width of a chart, in its own units.
const WIDTH: u64 = 720;

/// The start of bars, and the length of the longest.
const BAR_START: u64 = 250;
const BAR_LENGTH: u64 = 330;

/// The height of a row.
const ROW: u64 = 24;

/// The number of label characters that are shown; the tooltip has the full label.
const LABEL: usize = 30;

/// Horizontal bars with labels, one row each.
pub(super) fn bars(title: &str, bars: &[Bar], total: u64) -> String {
    let height = bars.len() as u64 * ROW + 4;
    let most = bars.iter().map(|bar| bar.n).max().unwrap_or(0).max(1);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(title)
    );
    for (row, bar) in (0..).zip(bars) {
        let y = row * ROW;
        let length = scaled(bar.n, most, BAR_LENGTH);
        let short: String = bar.label.chars().take(LABEL).collect();
        let dots = if short.len() < bar.label.len() {
            "\u{2026}"
        } else {
            ""
        };
        let _ = writeln!(
            out,
            "<g><title>{}: {}</title>\
             <text x=\"{}\" y=\"{}\" class=\"label\">{}{dots}</text>\
             <rect x=\"{BAR_START}\" y=\"{}\" width=\"{length}\" height=\"16\" rx=\"2\"/>\
             <text x=\"{}\" y=\"{}\" class=\"value\">{} <tspan class=\"share\">{}</tspan></text></g>",
            escaped(&bar.label),
            grouped(bar.n),
            BAR_START - 8,
            y + 16,
            escaped(&short),
            y + 4,
            BAR_START + length + 8,
            y + 16,
            grouped(bar.n),
            percent(bar.n, total),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Adjacent columns, for increasing sizes.
pub(super) fn columns(title: &str, bars: &[Bar]) -> String {
    const HEIGHT: u64 = 150;
    let most = bars.iter().map(|bar| bar.n).max().unwrap_or(0).max(1);
    let step = (WIDTH - 20) / (bars.len() as u64).max(1);
    let step = step.min(90);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\n",
        HEIGHT + 44,
        escaped(title)
    );
    for (at, bar) in (0..).zip(bars) {
        let x = 10 + at * step;
        let height = scaled(bar.n, most, HEIGHT);
        let middle = x + step / 2;
        let _ = writeln!(
            out,
            "<g><title>{}: {}</title>\
             <rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{height}\" rx=\"2\"/>\
             <text x=\"{middle}\" y=\"{}\" class=\"count\">{}</text>\
             <text x=\"{middle}\" y=\"{}\" class=\"size\">{}</text></g>",
            escaped(&bar.label),
            grouped(bar.n),
            x + 2,
            HEIGHT + 20 - height,
            step.saturating_sub(4).max(1),
            HEIGHT + 14 - height,
            short(bar.n),
            HEIGHT + 36,
            escaped(&bar.label),
        );
    }
    out.push_str("</svg>\n");
    out
}

/// Parts of a whole in one bar; each with the name of its colour.
pub(super) fn parts(title: &str, parts: &[(Bar, &str)]) -> String {
    let total: u64 = parts.iter().map(|(bar, _)| bar.n).sum();
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} 28\" role=\"img\" aria-label=\"{}\">\n",
        escaped(title)
    );
    let mut before = 0;
    for (bar, color) in parts {
        let start = scaled(before, total.max(1), WIDTH);
        before += bar.n;
        let end = scaled(before, total.max(1), WIDTH);
        let _ = writeln!(
            out,
            "<rect class=\"{color}\" x=\"{start}\" y=\"2\" width=\"{}\" height=\"24\"><title>{}: {}</title></rect>",
            end - start,
            escaped(&bar.label),
            grouped(bar.n)
        );
    }
    out.push_str("</svg>\n<ul class=\"legend\">\n");
    for (bar, color) in parts {
        let _ = writeln!(
            out,
            "<li><span class=\"swatch {color}\"></span>{} <b>{}</b> <span class=\"share\">{}</span></li>",
            escaped(&bar.label),
            grouped(bar.n),
            percent(bar.n, total)
        );
    }
    out.push_str("</ul>\n");
    out
}

/// `n` of `most` on a scale of that length; a nonzero count is always visible.
fn scaled(n: u64, most: u64, length: u64) -> u64 {
    let scaled = u128::from(n) * u128::from(length) / u128::from(most);
    (scaled as u64).max(u64::from(n > 0))
}

/// A number in at most five characters.
fn short(n: u64) -> String {
    match n {
        0..=9_999 => n.to_string(),
        10_000..=999_999 => format!("{}k", n / 1_000),
        1_000_000..=9_999_999 => format!("{}.{}M", n / 1_000_000, n / 100_000 % 10),
        10_000_000..=9_999_999_999 => format!("{}M", n / 1_000_000),
        _ => format!("{}G", n / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_stays_text() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>\u{202e}\n"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;\\u{202e}\\u{a}"
        );
    }

    #[test]
    fn numbers_are_read_at_a_glance() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(123), "123");
        assert_eq!(percent(1, 3), "33.3 %");
        assert_eq!(percent(1, 100_000), "<0.1 %");
        assert_eq!(percent(0, 0), "0.0 %");
        assert_eq!(
            (short(9_999), short(12_345), short(1_250_000)),
            ("9999".into(), "12k".into(), "1.2M".into())
        );
    }

    #[test]
    fn the_largest_counts_fit() {
        let bar = |n| Bar {
            label: "x".into(),
            n,
        };
        assert!(bars("t", &[bar(u64::MAX)], u64::MAX).contains("width=\"330\""));
        assert!(columns("t", &[bar(u64::MAX), bar(1)]).contains("height=\"150\""));
    }
}
