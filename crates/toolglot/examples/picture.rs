//! Draws the tables of `docs/compare.md` as `docs/peers.svg`: right answers and speed beside other parsers.
//! `cargo run -p toolglot --example picture`

use std::fmt::{self, Write};
use std::path::Path;
use std::{error, fs};

fn main() -> Result<(), Box<dyn error::Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let page = fs::read_to_string(docs.join("compare.md"))?;
    fs::write(docs.join("peers.svg"), draw(&page)?)?;
    Ok(())
}

/// The picture of the tables under "Probes" and "Speed" of this page.
///
/// # Errors
///
/// A table or a figure is missing.
pub(crate) fn draw(page: &str) -> Result<String, Missing> {
    let probes = probes(page)?;
    let speeds = speeds(page)?;
    let date = page
        .split_once("The tables are of ")
        .and_then(|(_, rest)| rest.get(..10))
        .ok_or(Missing("a date"))?;
    let first = probes.first().ok_or(Missing("a probe"))?;
    let (slowest, fastest) = speeds
        .iter()
        .fold((f64::MAX, 0.0_f64), |(low, high), speed| {
            (low.min(speed.ours), high.max(speed.ours))
        });
    let n_faster = speeds
        .iter()
        .filter(|speed| speed.ours > speed.best)
        .count();
    let height = TOP + ROW * count(speeds.len()) + 20.0;
    let others: Vec<String> = probes[1..]
        .iter()
        .map(|probe| format!("{} {} %", probe.parser, probe.streamed))
        .collect();
    let summary = format!(
        "Left: share of short hard texts read right, streamed a character at a time: {} {} %, {}. \
         Right: speed for one argument of 1 MB in {} dialects: {} {slowest} to {fastest} MB/s, \
         faster than the fastest other parser in {n_faster} of them.",
        first.parser,
        first.streamed,
        others.join(", "),
        speeds.len(),
        first.parser,
    );
    let mut svg = String::new();
    draw_all(&mut svg, &probes, &speeds, height, &summary)
        .and_then(|()| {
            let source = format!("{date}; how it was measured: docs/compare.md");
            text(&mut svg, "soft", (BARS.0, height - 14.0), &source)?;
            writeln!(svg, "</svg>")
        })
        .map_err(|_| Missing("room for a string"))?;
    Ok(svg)
}

/// What a page has to hold and does not.
#[derive(Debug)]
pub(crate) struct Missing(&'static str);

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "docs/compare.md lacks {}", self.0)
    }
}

impl error::Error for Missing {}

/// One parser on the probes, in percent.
struct Probe {
    parser: String,
    whole: f64,
    streamed: f64,
    changed: f64,
}

/// One dialect, in MB/s.
struct Speed {
    dialect: String,
    ours: f64,
    best: f64,
}

/// The cells of the rows of the first table under a heading.
fn rows<'a>(page: &'a str, heading: &'static str) -> Result<Vec<Vec<&'a str>>, Missing> {
    let (_, section) = page.split_once(heading).ok_or(Missing(heading))?;
    let lines = section.lines().skip_while(|line| !line.starts_with("|--"));
    Ok(lines
        .skip(1)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(str::trim).collect())
        .collect())
}

fn number(cells: &[&str], column: usize) -> Result<f64, Missing> {
    let cell = cells.get(column).ok_or(Missing("a column"))?;
    let digits = cell.trim_end_matches('%').trim().replace(',', "");
    digits.parse().map_err(|_| Missing("a figure"))
}

fn probes(page: &str) -> Result<Vec<Probe>, Missing> {
    rows(page, "\n### Probes\n")?
        .iter()
        // All dialects at once answer as one does.
        .filter(|cells| !cells[0].contains("all dialects"))
        .map(|cells| {
            Ok(Probe {
                parser: cells[0].replace('`', ""),
                whole: number(cells, 2)?,
                streamed: number(cells, 3)?,
                changed: number(cells, 5)?,
            })
        })
        .collect()
}

/// The dialects, from the fastest other parser to the slowest.
fn speeds(page: &str) -> Result<Vec<Speed>, Missing> {
    let mut speeds = rows(page, "\n### Speed\n")?
        .iter()
        .map(|cells| {
            Ok(Speed {
                dialect: cells[0].replace('`', ""),
                ours: number(cells, 1)?,
                best: number(cells, 3)?,
            })
        })
        .collect::<Result<Vec<_>, _>>()?;
    speeds.sort_by(|one, other| other.best.total_cmp(&one.best));
    Ok(speeds)
}

const WIDTH: f64 = 880.0;
const TOP: f64 = 78.0;
const ROW: f64 = 15.0;
/// The bars of the left half: where they start, and how long 100 % is.
const BARS: (f64, f64) = (8.0, 300.0);
/// The axis of the right half: where it starts, and how long it is.
const AXIS: (f64, f64) = (510.0, 350.0);
/// Its ends, in MB/s.
const ENDS: (f64, f64) = (10.0, 3_000.0);

const STYLE: &str = "text{font:12px system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;fill:#1f2328}\
.head{font-size:14px;font-weight:600}.soft{fill:#59636e}.ours{fill:#0969da}.best{fill:#bc4c00}\
.pale{fill-opacity:.4}.other{fill:#818b98}.line{stroke:#818b98;stroke-opacity:.4}\
@media(prefers-color-scheme:dark){text{fill:#e6edf3}.soft{fill:#9198a1}.ours{fill:#4493f8}.best{fill:#f0883e}}";

fn draw_all(
    svg: &mut String,
    probes: &[Probe],
    speeds: &[Speed],
    height: f64,
    summary: &str,
) -> fmt::Result {
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img" aria-labelledby="title desc">"#
    )?;
    writeln!(
        svg,
        r#"<title id="title">toolglot beside other parsers of tool calls</title>"#
    )?;
    writeln!(svg, r#"<desc id="desc">{summary}</desc>"#)?;
    writeln!(
        svg,
        "<!-- Drawn from docs/compare.md by crates/toolglot/examples/picture.rs -->"
    )?;
    writeln!(svg, "<style>{STYLE}</style>")?;
    draw_probes(svg, probes)?;
    draw_speeds(svg, speeds)
}

fn text(svg: &mut String, class: &str, (x, y): (f64, f64), text: &str) -> fmt::Result {
    writeln!(
        svg,
        r#"<text class="{class}" x="{x:.0}" y="{y:.0}">{text}</text>"#
    )
}

fn draw_probes(svg: &mut String, probes: &[Probe]) -> fmt::Result {
    let (left, length) = BARS;
    text(
        svg,
        "head",
        (left, 18.0),
        "Right answers on hard texts, in %",
    )?;
    text(
        svg,
        "soft",
        (left, 38.0),
        "pale: whole text; full: streamed a character at a time",
    )?;
    for (index, probe) in probes.iter().enumerate() {
        let y = TOP + 84.0 * count(index);
        let class = if index == 0 { "ours" } else { "other" };
        text(svg, "", (left, y - 8.0), &probe.parser)?;
        for (row, (share, pale)) in [(probe.whole, " pale"), (probe.streamed, "")]
            .into_iter()
            .enumerate()
        {
            let top = y + 16.0 * count(row);
            let width = length * share / 100.0;
            writeln!(
                svg,
                r#"<rect class="{class}{pale}" x="{left}" y="{top}" width="{width:.1}" height="14" rx="2"/>"#
            )?;
            text(
                svg,
                "",
                (left + width + 6.0, top + 11.0),
                &share.to_string(),
            )?;
        }
        let cuts = format!("{} % of cuts change the calls", probe.changed);
        text(svg, "soft", (left, y + 46.0), &cuts)?;
    }
    Ok(())
}

/// Where a speed stands on the axis.
fn place(speed: f64) -> f64 {
    AXIS.0 + AXIS.1 * (speed / ENDS.0).log10() / (ENDS.1 / ENDS.0).log10()
}

fn draw_speeds(svg: &mut String, speeds: &[Speed]) -> fmt::Result {
    let left = AXIS.0 - 110.0;
    text(
        svg,
        "head",
        (left, 18.0),
        "Speed for a 1 MB argument, in MB/s (log scale)",
    )?;
    for (class, x, label) in [
        ("ours", left + 5.0, "toolglot"),
        (
            "best",
            left + 85.0,
            "fastest other parser with the right call",
        ),
    ] {
        writeln!(svg, r#"<circle class="{class}" cx="{x}" cy="34" r="5"/>"#)?;
        text(svg, "soft", (x + 10.0, 38.0), label)?;
    }
    let bottom = TOP - 14.0 + ROW * count(speeds.len());
    for mark in [10.0, 100.0, 1_000.0] {
        let x = place(mark);
        writeln!(
            svg,
            r#"<line class="line" x1="{x:.1}" y1="{:.0}" x2="{x:.1}" y2="{bottom:.0}"/>"#,
            TOP - 16.0
        )?;
        text(svg, "soft", (x - 5.0, bottom + 16.0), &mark.to_string())?;
    }
    for (index, speed) in speeds.iter().enumerate() {
        let y = TOP - 8.0 + ROW * count(index);
        text(svg, "", (left, y + 4.0), &speed.dialect)?;
        let (ours, best) = (place(speed.ours), place(speed.best));
        writeln!(
            svg,
            r#"<line class="line" x1="{best:.1}" y1="{y}" x2="{ours:.1}" y2="{y}"/>"#
        )?;
        writeln!(
            svg,
            r#"<circle class="best" cx="{best:.1}" cy="{y}" r="5"/>"#
        )?;
        writeln!(
            svg,
            r#"<circle class="ours" cx="{ours:.1}" cy="{y}" r="5"/>"#
        )?;
    }
    Ok(())
}

/// A count as a coordinate.
fn count(n: usize) -> f64 {
    u32::try_from(n).map_or(0.0, f64::from)
}
