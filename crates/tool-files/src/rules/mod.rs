//! The code that applies the rules to a file that was read.

mod config_rules;
mod executor_rules;
mod fields;
mod practices;
mod schema_errors;
mod schemas;
mod subject;

pub(crate) use executor_rules::unrunnable;
pub(crate) use fields::kebab;
pub(crate) use schema_errors::uncompiled;
pub(crate) use subject::Subject;

use crate::diagnostic::Diagnostics;
use crate::read::ReadScope;

/// Applies the rules to a file: all of them, or with a smaller scope those that report errors and a few others.
pub(crate) fn apply(subject: Subject<'_>, scope: ReadScope, diagnostics: &mut Diagnostics) {
    fields::apply(subject, diagnostics);
    schemas::apply(subject, diagnostics);
    practices::returns(subject, diagnostics);
    if scope == ReadScope::All {
        practices::apply(subject, diagnostics);
    }
}
