//! Diagnostics of a tool file, with their places.

use std::ops::Range;

use crate::Severity;
use crate::rule::Rule;

/// A diagnostic of a tool file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// How bad it is. For some rules, a breach that the specification's own examples commit is a warning.
    pub severity: Severity,
    /// The bytes of the file that the message is about.
    pub span: Range<usize>,
    /// What is wrong. Lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// The diagnostics of one file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

/// The most diagnostics of one file; the rest is dropped.
const MAX_DIAGNOSTICS: usize = 200;

impl Diagnostics {
    /// Adds a breach of `rule` with the severity of the rule.
    pub(crate) fn add(&mut self, rule: &'static Rule, span: Range<usize>, message: String) {
        self.push(Diagnostic {
            rule,
            severity: rule.severity,
            span,
            message,
            help: None,
        });
    }

    /// Adds a breach of `rule` with a help text.
    pub(crate) fn help(
        &mut self,
        rule: &'static Rule,
        span: Range<usize>,
        message: String,
        help: String,
    ) {
        self.push(Diagnostic {
            rule,
            severity: rule.severity,
            span,
            message,
            help: Some(help),
        });
    }

    pub(crate) fn push(&mut self, diagnostic: Diagnostic) {
        if self.0.len() < MAX_DIAGNOSTICS {
            self.0.push(diagnostic);
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Downgrades every diagnostic after the first `n` to a warning.
    pub(crate) fn soften(&mut self, n: usize) {
        let after = self.0.iter_mut().skip(n);
        after.for_each(|diagnostic| diagnostic.severity = Severity::Warning);
    }

    /// All of them, in the order they were added.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = Diagnostic> {
        self.0.into_iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in file order; at one place errors come first.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        sort(&mut self.0);
        self.0
    }
}

/// Sorts diagnostics in file order; at one place errors come first.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        (
            diagnostic.span.start,
            std::cmp::Reverse(diagnostic.severity),
        )
    });
}

/// A line and a column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl SourceLocation {
    /// The location of the byte `at` of `text`. Linear in the text before it.
    pub fn of(text: &str, at: usize) -> SourceLocation {
        let mut at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &text[..at];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        SourceLocation {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}
