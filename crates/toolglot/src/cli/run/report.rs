//! The report of a run for the person at the terminal.

use std::io::{self, Write};

use toolglot_engine::{Calls, Note};

use crate::cli::human::screen::{ColorScreen, one_line};
use crate::cli::human::{paint, snippet};
use toolglot_session::{State, Step, is_answer};

/// The report of a run, line by line: each call, its policy decision and its result.
#[derive(Debug)]
pub(crate) struct Report<'a> {
    /// The text that spans point into.
    pub(crate) page: snippet::Page<'a>,
    pub(crate) message: &'a Calls,
    pub(crate) steps: &'a [Step],
}

impl Report<'_> {
    /// Writes the report.
    pub(crate) fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let out = &mut ColorScreen(out);
        if self.steps.is_empty() {
            writeln!(out, "no calls")?;
        }
        for (index, step) in self.steps.iter().enumerate() {
            self.step(out, index, step)?;
        }
        // Notes that were shown with an approval request are not shown again.
        let (asked, others): (Vec<&Step>, Vec<&Step>) =
            (self.steps.iter()).partition(|step| is_answer(&step.verdict));
        let is_shown = |note: &&Note| {
            let mut calls = asked.iter().map(|step| &self.message.calls[step.call.call]);
            calls.any(|call| call.notes.contains(note))
        };
        let first = self.message.notes.iter().filter(|note| !is_shown(note));
        let later = others.iter().flat_map(|step| &step.notes);
        let notes: Vec<&Note> = first.chain(later).collect();
        for (note, others) in snippet::grouped(&notes) {
            writeln!(out, "\n{}", self.page.note(note, &others, None))?;
        }
        Ok(())
    }

    fn step(&self, out: &mut dyn Write, index: usize, step: &Step) -> io::Result<()> {
        let name = paint::styled(
            paint::Style::Name,
            &one_line(&step.call.tool),
            self.page.is_colored,
        );
        let arguments: Vec<String> = step
            .call
            .arguments
            .iter()
            .map(|(key, value)| {
                let value = paint::shortened(&value.to_string(), 60);
                format!("{}={value}", one_line(key))
            })
            .collect();
        let verdict = step.verdict.decision.word();
        let words = match &step.state {
            State::Done(outcome) if !outcome.ok => {
                format!("failed: {}", paint::shortened(&outcome.text, 200))
            }
            State::Refused => paint::shortened(&step.verdict.because, 200),
            other => other.word().to_owned(),
        };
        writeln!(
            out,
            "{}",
            format!("{index}  {name}  {}", arguments.join(" ")).trim_end()
        )?;
        let rule = one_line(&step.verdict.rule);
        writeln!(out, "   {verdict} ({rule}): {words}")?;
        for remark in &step.remarks {
            writeln!(out, "   note: {}", one_line(remark))?;
        }
        Ok(())
    }
}
