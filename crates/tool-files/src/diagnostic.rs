//! What is to be said about a tool file, and where in it.

use std::ops::Range;

use crate::Severity;
use crate::rule::Rule;

/// A remark on a tool file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// How bad it is. Of some rules a breach that the specification's own examples commit is a warning.
    pub severity: Severity,
    /// The bytes of the file that it is about.
    pub span: Range<usize>,
    /// What is wrong. Lower case, no full stop.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

/// The diagnostics of one file while it is read.
#[derive(Debug, Default)]
pub(crate) struct Diagnostics(Vec<Diagnostic>);

/// More are not kept of one file: nobody repairs more in one go.
const MAX_DIAGNOSTICS: usize = 200;

impl Diagnostics {
    /// A breach of `rule` with the severity that the rule has.
    pub(crate) fn add(&mut self, rule: &'static Rule, span: Range<usize>, message: String) {
        self.push(Diagnostic {
            rule,
            severity: rule.severity,
            span,
            message,
            help: None,
        });
    }

    /// The same, with what to write instead.
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

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes warnings of all after the first `n`.
    pub(crate) fn soften(&mut self, n: usize) {
        let after = self.0.iter_mut().skip(n);
        after.for_each(|diagnostic| diagnostic.severity = Severity::Warning);
    }

    /// All of them, in the order of their reports.
    pub(crate) fn into_iter(self) -> impl Iterator<Item = Diagnostic> {
        self.0.into_iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them in the order of the file; at one place errors first.
    pub(crate) fn sorted(mut self) -> Vec<Diagnostic> {
        sort(&mut self.0);
        self.0
    }
}

/// Brings diagnostics into the order of the file; at one place errors come first.
pub(crate) fn sort(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| {
        (
            diagnostic.span.start,
            std::cmp::Reverse(diagnostic.severity),
        )
    });
}

/// Line and column, both from 1; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceLocation {
    /// The line.
    pub line: usize,
    /// The character on it.
    pub column: usize,
}

impl SourceLocation {
    /// The place of a byte of `text`. Linear in the text before it.
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
