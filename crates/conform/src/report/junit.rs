//! A report in the XML of JUnit, which CI systems read.

use std::fmt::Write as _;

use super::Report;
use crate::run::Outcome;

pub(super) fn write(report: &Report) -> String {
    let all = report.count(|_| true);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"toolglot conform\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">\n",
        report.rows.len(),
        all.failed,
        all.skipped
    );
    for dialect in report.dialects() {
        let count = report.count(|row| row.dialect == dialect);
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\">",
            escaped(dialect),
            count.kept + count.failed + count.skipped,
            count.failed,
            count.skipped
        );
        for row in report.rows.iter().filter(|row| row.dialect == dialect) {
            let _ = write!(
                out,
                "    <testcase classname=\"{}.{}\" name=\"{}\"",
                escaped(dialect),
                row.promise,
                escaped(&row.case)
            );
            let (element, why) = match &row.outcome {
                Outcome::Kept => {
                    out.push_str("/>\n");
                    continue;
                }
                Outcome::Failed(why) => ("failure", why),
                Outcome::Skipped(why) => ("skipped", why),
            };
            let _ = writeln!(out, "><{element} message=\"{}\"/></testcase>", escaped(why));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// A text inside an attribute. XML 1.0 has no control characters, escaped or not.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\r' => out.push_str("&#13;"),
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
