//! The results of a run, as text, JSON and JUnit.

mod junit;
mod text;

use toolglot_value::{Value, json};

use crate::promise::Promise;
use crate::run::{Outcome, Row};

/// All rows of a run, by dialect and case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The rows, in the order of the cases.
    pub rows: Vec<Row>,
}

/// How many rows of some kind were kept, failed and skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Count {
    kept: usize,
    failed: usize,
    skipped: usize,
}

impl Report {
    /// How many promises were broken.
    pub fn n_failed(&self) -> usize {
        self.count(|_| true).failed
    }

    /// A table of dialects and promises, and each broken promise, for a terminal.
    pub fn text(&self) -> String {
        text::write(self)
    }

    /// The rows of JUnit: a suite per dialect.
    pub fn junit(&self) -> String {
        junit::write(self)
    }

    /// One document: the totals per promise, and all rows.
    pub fn json(&self) -> Value {
        let totals = Promise::ALL.map(|promise| {
            let count = self.count(|row| row.promise == promise);
            json!({
                "promise": promise.name(),
                "kept": count.kept,
                "failed": count.failed,
                "skipped": count.skipped,
            })
        });
        let rows = self.rows.iter().map(|row| {
            let (outcome, why) = match &row.outcome {
                Outcome::Kept => ("kept", Value::Null),
                Outcome::Failed(why) => ("failed", Value::from(why.as_str())),
                Outcome::Skipped(why) => ("skipped", Value::from(why.as_str())),
            };
            json!({
                "dialect": row.dialect,
                "case": row.case,
                "promise": row.promise.name(),
                "outcome": outcome,
                "why": why,
            })
        });
        json!({
            "schema": 1,
            "totals": Value::Array(totals.into()),
            "rows": Value::Array(rows.collect()),
        })
    }

    fn count(&self, is_counted: impl Fn(&Row) -> bool) -> Count {
        let mut count = Count::default();
        for row in self.rows.iter().filter(|row| is_counted(row)) {
            match row.outcome {
                Outcome::Kept => count.kept += 1,
                Outcome::Failed(_) => count.failed += 1,
                Outcome::Skipped(_) => count.skipped += 1,
            }
        }
        count
    }

    /// The dialects, in order of their first row.
    fn dialects(&self) -> Vec<&str> {
        let mut dialects: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !dialects.contains(&row.dialect.as_str()) {
                dialects.push(&row.dialect);
            }
        }
        dialects
    }
}
