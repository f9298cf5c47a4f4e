//! The statistics of a corpus as a self-contained page.

use std::fmt::Write as _;

use toolglot_engine::Code;

use super::chart::{Bar, bars, columns, escaped, grouped, parts, percent};
use super::{Histogram, Names, Stats};

/// The number of names in a chart.
const SHOWN: usize = 25;

const STYLE: &str = "
:root { color-scheme: light dark; --fg: #1b1f24; --soft: #667079; --bg: #ffffff; --card: #f5f6f8; --bar: #3b6fb6;
  --good: #2e8b57; --bad: #c0392b; --odd: #d98a1f; --cut: #8e5bb5; --none: #9aa4ad; }
@media (prefers-color-scheme: dark) { :root { --fg: #e6e9ec; --soft: #9aa4ad; --bg: #14171a; --card: #1e2327; --bar: #6ea0e0;
  --good: #55b37e; --bad: #e0685b; --odd: #e5a84c; --cut: #b389d6; --none: #6b757e; } }
body { margin: 0 auto; max-width: 56rem; padding: 1.5rem 1rem 4rem; background: var(--bg); color: var(--fg);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin: 2.2rem 0 .6rem; }
p { margin: .3rem 0; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: .7rem; margin: 1.2rem 0; padding: 0; }
.tiles li { list-style: none; background: var(--card); border-radius: .5rem; padding: .7rem .9rem; }
.tiles b { display: block; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.tiles span { color: var(--soft); font-size: .85rem; }
svg { display: block; width: 100%; height: auto; } svg text { fill: var(--fg); font-size: 13px; }
svg rect { fill: var(--bar); } .label { text-anchor: end; } svg .share, .share { fill: var(--soft); color: var(--soft); }
.count, .size { text-anchor: middle; } svg .size, svg .count { font-size: 11px; fill: var(--soft); }
rect.good, .swatch.good { fill: var(--good); background: var(--good); } rect.bad, .swatch.bad { fill: var(--bad); background: var(--bad); }
rect.odd, .swatch.odd { fill: var(--odd); background: var(--odd); } rect.cut, .swatch.cut { fill: var(--cut); background: var(--cut); }
rect.none, .swatch.none { fill: var(--none); background: var(--none); }
.legend { display: flex; flex-wrap: wrap; gap: .3rem 1.2rem; padding: 0; margin: .5rem 0 0; } .legend li { list-style: none; }
.swatch { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; }
";

impl Stats {
    /// A page with charts. It names no other file and runs no program; all names are escaped.
    pub fn page(&self, title: &str) -> String {
        let title = escaped(title);
        let mut out = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
        );
        let _ = writeln!(
            out,
            "<p>{} rows, {} calls, {} bytes of rows; counted by toolglot {}</p>",
            grouped(self.rows),
            grouped(self.calls),
            grouped(self.bytes),
            env!("CARGO_PKG_VERSION")
        );
        self.tiles(&mut out);
        self.sections(&mut out);
        out.push_str("</body>\n</html>\n");
        out
    }

    fn tiles(&self, out: &mut String) {
        let fine = self.rows - self.bad_rows - self.faulty_rows;
        out.push_str("<ul class=\"tiles\">\n");
        for (name, n, of) in [
            ("rows", self.rows, None),
            ("rows without a fault", fine, Some(self.rows)),
            ("rows with a fault", self.faulty_rows, Some(self.rows)),
            ("rows that cannot be read", self.bad_rows, Some(self.rows)),
            ("rows with tools", self.rows_with_tools, Some(self.rows)),
            ("messages", self.messages, None),
            ("calls", self.calls, None),
            (
                "calls of unknown tools",
                self.arguments.unknown_tool,
                Some(self.calls),
            ),
        ] {
            let share = of
                .map(|of| format!(", {}", percent(n, of)))
                .unwrap_or_default();
            let _ = writeln!(
                out,
                "<li><b>{}</b><span>{name}{share}</span></li>",
                grouped(n)
            );
        }
        out.push_str("</ul>\n");
    }

    fn sections(&self, out: &mut String) {
        let arguments = &self.arguments;
        let part = |label: &str, n, color| {
            let label = label.to_owned();
            (Bar { label, n }, color)
        };
        let chart = parts(
            "Arguments against schemas",
            &[
                part("valid", arguments.valid, "good"),
                part("invalid", arguments.invalid, "bad"),
                part("unknown tool", arguments.unknown_tool, "odd"),
                part("truncated", arguments.truncated, "cut"),
                part("no tools to check against", arguments.unchecked, "none"),
            ],
        );
        section(out, "Arguments against schemas", self.calls, &chart);
        let get = |name: &str| self.ends.get(name).copied().unwrap_or(0);
        let chart = parts(
            "Ends of calls",
            &[
                part("closed", get("closed"), "good"),
                part("recovered", get("recovered"), "odd"),
                part("truncated", get("truncated"), "bad"),
            ],
        );
        section(out, "Ends of calls", self.calls, &chart);
        let dialects = sorted(self.dialects.iter().map(|(name, n)| (name.clone(), *n)));
        chart_of(out, "Dialects of calls", &dialects, self.calls);
        let places = sorted(self.places.iter().map(|(name, n)| (name.clone(), *n)));
        chart_of(out, "Places of calls", &places, self.calls);
        names_chart(out, "Tools", &self.tools);
        names_chart(out, "Unknown tools", &self.unknown_tools);
        names_chart(out, "Tools with invalid arguments", &self.invalid_tools);
        let notes = self.notes.iter();
        let notes = sorted(notes.map(|(code, n)| (note_label(code), *n)));
        let total = self.notes.values().sum();
        chart_of(out, "Notes", &notes, total);
        histogram_chart(out, "Calls per row", &self.calls_per_row, self.rows);
        histogram_chart(
            out,
            "Bytes of arguments per call",
            &self.argument_bytes,
            self.calls,
        );
        names_chart(out, "Why rows cannot be read", &self.errors);
    }
}

/// A code with its name, if it has one.
pub(super) fn note_label(code: &str) -> String {
    let number = code
        .strip_prefix('N')
        .and_then(|number| number.parse().ok());
    let known = Code::ALL
        .iter()
        .find(|known| Some(known.number()) == number);
    known.map_or_else(
        || code.to_owned(),
        |known| format!("{code} {}", known.name()),
    )
}

/// The largest first; equal ones in order of name.
fn sorted(counts: impl Iterator<Item = (String, u64)>) -> Vec<Bar> {
    let mut bars: Vec<Bar> = counts.map(|(label, n)| Bar { label, n }).collect();
    bars.sort_by(|one, other| {
        other
            .n
            .cmp(&one.n)
            .then_with(|| one.label.cmp(&other.label))
    });
    bars
}

/// A section, unless nothing was counted.
fn section(out: &mut String, title: &str, n: u64, chart: &str) {
    if n > 0 {
        let _ = write!(out, "<h2>{title}</h2>\n{chart}");
    }
}

fn chart_of(out: &mut String, title: &str, all: &[Bar], total: u64) {
    let shown = &all[..all.len().min(SHOWN)];
    section(out, title, shown.len() as u64, &bars(title, shown, total));
    more(
        out,
        all.len() - shown.len(),
        all.iter().skip(SHOWN).map(|bar| bar.n).sum(),
    );
}

fn names_chart(out: &mut String, title: &str, names: &Names) {
    let most = names.most(SHOWN).into_iter();
    let shown: Vec<Bar> = most
        .map(|(name, n)| Bar {
            label: name.to_owned(),
            n,
        })
        .collect();
    let total = names.total();
    section(out, title, shown.len() as u64, &bars(title, &shown, total));
    let rest = total - shown.iter().map(|bar| bar.n).sum::<u64>();
    more(out, names.counts.len() - shown.len(), rest);
}

/// A line about the names that a chart leaves out.
fn more(out: &mut String, n_names: usize, n: u64) {
    if n > 0 {
        let _ = writeln!(
            out,
            "<p>and {} others, {} together</p>",
            grouped(n_names as u64),
            grouped(n)
        );
    }
}

fn histogram_chart(out: &mut String, title: &str, histogram: &Histogram, n: u64) {
    let sizes = histogram.sizes().skip_while(|(_, _, n)| *n == 0);
    let sizes = sizes.map(|(low, high, n)| {
        let label = if low == high {
            low.to_string()
        } else {
            format!("{}–{}", size(low), size(high))
        };
        Bar { label, n }
    });
    let sizes: Vec<Bar> = sizes.collect();
    section(out, title, n, &columns(title, &sizes));
}

/// A size in few characters.
fn size(n: u64) -> String {
    match n {
        0..=1023 => n.to_string(),
        1024..=1_048_575 => format!("{}K", n.div_ceil(1024)),
        _ => format!("{}M", n.div_ceil(1 << 20)),
    }
}
