//! A report for a terminal.

use std::fmt::Write as _;

use super::{Count, Report};
use crate::promise::Promise;
use crate::run::Outcome;

pub(super) fn write(report: &Report) -> String {
    let mut rows: Vec<Vec<String>> = vec![
        std::iter::once(String::new())
            .chain(Promise::ALL.map(|promise| promise.name().to_owned()))
            .collect(),
    ];
    for dialect in report.dialects() {
        let cells = Promise::ALL.map(|promise| {
            cell(report.count(|row| row.dialect == dialect && row.promise == promise))
        });
        rows.push(std::iter::once(dialect.to_owned()).chain(cells).collect());
    }
    let totals = Promise::ALL.map(|promise| cell(report.count(|row| row.promise == promise)));
    rows.push(std::iter::once("all".to_owned()).chain(totals).collect());
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..=Promise::ALL.len()).map(width).collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:<width$}  ");
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    for row in &report.rows {
        if let Outcome::Failed(why) = &row.outcome {
            let _ = write!(out, "\n{}: {}\n  {why}\n", row.promise, row.case);
        }
    }
    let all = report.count(|_| true);
    let _ = writeln!(
        out,
        "\n{} kept, {} failed, {} skipped",
        all.kept, all.failed, all.skipped
    );
    out
}

/// `kept/checked`, or a dash if the program makes no such promise.
fn cell(count: Count) -> String {
    match count.kept + count.failed {
        0 => "-".to_owned(),
        n_checked => format!("{}/{n_checked}", count.kept),
    }
}
