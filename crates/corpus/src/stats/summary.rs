//! The statistics of a corpus as lines for a person.

use std::fmt::{self, Display, Formatter};

use super::Stats;
use super::chart::{grouped, percent};
use super::page::note_label;

/// The number of names in a list.
const SHOWN: usize = 10;

/// Stats as lines for a person.
impl Display for Stats {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let of_rows = |n| percent(n, self.rows);
        writeln!(f, "rows       {}", grouped(self.rows))?;
        for (name, n) in [
            ("faulty", self.faulty_rows),
            ("unreadable", self.bad_rows),
            ("with tools", self.rows_with_tools),
        ] {
            writeln!(f, "  {name:10} {:>14} {:>7}", grouped(n), of_rows(n))?;
        }
        writeln!(f, "messages   {}", grouped(self.messages))?;
        writeln!(f, "calls      {}", grouped(self.calls))?;
        let arguments = &self.arguments;
        list(
            f,
            "arguments against schemas",
            [
                ("valid", arguments.valid),
                ("invalid", arguments.invalid),
                ("unknown tool", arguments.unknown_tool),
                ("truncated", arguments.truncated),
                ("unchecked", arguments.unchecked),
            ],
            self.calls,
        )?;
        let counts = |counts: &std::collections::BTreeMap<String, u64>| {
            let mut all: Vec<(String, u64)> = counts
                .iter()
                .map(|(name, n)| (note_label(name), *n))
                .collect();
            all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
            all
        };
        list(f, "ends", counts(&self.ends), self.calls)?;
        list(f, "dialects", counts(&self.dialects), self.calls)?;
        list(f, "notes", counts(&self.notes), self.notes.values().sum())?;
        list(f, "tools", self.tools.most(SHOWN), self.calls)?;
        list(
            f,
            "unknown tools",
            self.unknown_tools.most(SHOWN),
            self.unknown_tools.total(),
        )?;
        list(
            f,
            "invalid arguments of",
            self.invalid_tools.most(SHOWN),
            self.invalid_tools.total(),
        )?;
        list(
            f,
            "rows that cannot be read",
            self.errors.most(SHOWN),
            self.bad_rows,
        )
    }
}

/// The names with their shares; nothing if there are no names.
fn list<N: Display>(
    f: &mut Formatter<'_>,
    title: &str,
    names: impl IntoIterator<Item = (N, u64)>,
    total: u64,
) -> fmt::Result {
    let met: Vec<(N, u64)> = names.into_iter().filter(|(_, n)| *n > 0).collect();
    if met.is_empty() {
        return Ok(());
    }
    writeln!(f, "{title}")?;
    for (name, n) in met {
        writeln!(f, "  {:>14} {:>7}  {name}", grouped(n), percent(n, total))?;
    }
    Ok(())
}
