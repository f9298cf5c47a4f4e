//! Counters in Prometheus' text format.
//!
//! The parse success rate is one query: `toolglot_calls_total{end="closed"}` over all of `toolglot_calls_total` and
//! `toolglot_lookalikes_total`. No label contains text of a model.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

use toolglot_engine::{Code, End};

/// The most model names with their own label: clients choose the names.
const MOST_MODELS: usize = 64;

/// The label of all further models.
const OTHER_MODELS: &str = "other";

/// The counters of one gateway.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    under_way: u64,
    models: BTreeSet<String>,
    requests: BTreeMap<(&'static str, u16), u64>,
    calls: BTreeMap<(String, String, &'static str), u64>,
    executed: BTreeMap<(String, &'static str), u64>,
    notes: BTreeMap<&'static str, u64>,
    lookalikes: u64,
    upstream_failures: u64,
    retries: BTreeMap<&'static str, u64>,
    upstream_bytes: u64,
    unrecorded: u64,
}

impl Metrics {
    /// A request starts.
    pub(crate) fn start(&self) {
        self.counts().under_way += 1;
    }

    /// A request has ended: its answer is sent, or its client is gone.
    pub(crate) fn end(&self) {
        let mut counts = self.counts();
        counts.under_way = counts.under_way.saturating_sub(1);
    }

    /// The head of an answer of one API.
    pub(crate) fn request(&self, api: &'static str, status: u16) {
        *self.counts().requests.entry((api, status)).or_default() += 1;
    }

    /// A call that was read.
    pub(crate) fn call(&self, dialect: &str, model: &str, end: End) {
        let mut counts = self.counts();
        let model = counts.label(model);
        *counts
            .calls
            .entry((dialect.to_owned(), model, word(end)))
            .or_default() += 1;
    }

    /// A call that the gateway ran, or refused.
    pub(crate) fn executed(&self, tool: &str, state: &'static str) {
        let key = (tool.to_owned(), state);
        *self.counts().executed.entry(key).or_default() += 1;
    }

    /// A note on a model's text.
    pub(crate) fn note(&self, code: Code) {
        *self.counts().notes.entry(code.name()).or_default() += 1;
    }

    /// Text that looks like a call, and is not one.
    pub(crate) fn lookalikes(&self, count: usize) {
        self.counts().lookalikes += count as u64;
    }

    /// An upstream that could not be reached, broke the connection, or sent an unreadable answer.
    pub(crate) fn upstream_failure(&self) {
        self.counts().upstream_failures += 1;
    }

    /// A repeated request to the upstream, with the reason.
    pub(crate) fn retry(&self, why: &'static str) {
        *self.counts().retries.entry(why).or_default() += 1;
    }

    /// Bytes of answers that were read.
    pub(crate) fn upstream_bytes(&self, count: usize) {
        self.counts().upstream_bytes += count as u64;
    }

    /// A message that was not recorded because the disk was too slow.
    pub(crate) fn unrecorded(&self) {
        self.counts().unrecorded += 1;
    }

    /// All counters as text.
    pub(crate) fn text(&self) -> String {
        let counts = self.counts();
        let mut page = Page::default();
        page.family(
            "toolglot_requests_total",
            "counter",
            "Answers by API and status.",
        );
        for ((api, status), n) in &counts.requests {
            page.sample(&[("api", api), ("status", &status.to_string())], *n);
        }
        page.family(
            "toolglot_requests_under_way",
            "gauge",
            "Requests that are not over yet.",
        );
        page.sample(&[], counts.under_way);
        page.family(
            "toolglot_calls_total",
            "counter",
            "Calls that were read, by dialect, model and end.",
        );
        for ((dialect, model, end), n) in &counts.calls {
            page.sample(&[("dialect", dialect), ("model", model), ("end", end)], *n);
        }
        page.family(
            "toolglot_executed_calls_total",
            "counter",
            "Calls that the gateway ran or refused, by tool and state.",
        );
        for ((tool, state), n) in &counts.executed {
            page.sample(&[("tool", tool), ("state", state)], *n);
        }
        page.family(
            "toolglot_notes_total",
            "counter",
            "Notes on models' text, by code.",
        );
        for (code, n) in &counts.notes {
            page.sample(&[("code", code)], *n);
        }
        page.family(
            "toolglot_lookalikes_total",
            "counter",
            "Texts that look like a call but are not one.",
        );
        page.sample(&[], counts.lookalikes);
        page.family(
            "toolglot_upstream_failures_total",
            "counter",
            "Answers that the upstream failed to give.",
        );
        page.sample(&[], counts.upstream_failures);
        page.family(
            "toolglot_retries_total",
            "counter",
            "Requests that were sent once more, by reason.",
        );
        for (why, n) in &counts.retries {
            page.sample(&[("reason", why)], *n);
        }
        page.family(
            "toolglot_upstream_bytes_total",
            "counter",
            "Bytes read from the upstream for answers.",
        );
        page.sample(&[], counts.upstream_bytes);
        page.family(
            "toolglot_unrecorded_total",
            "counter",
            "Messages that were not recorded because the disk was too slow.",
        );
        page.sample(&[], counts.unrecorded);
        page.text
    }

    /// Counters stay usable after a panic elsewhere.
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The label for the end of a call.
pub(crate) fn word(end: End) -> &'static str {
    match end {
        End::Closed => "closed",
        End::Recovered => "recovered",
        End::Truncated => "truncated",
    }
}

impl Counts {
    fn label(&mut self, model: &str) -> String {
        if !self.models.contains(model) {
            if self.models.len() == MOST_MODELS {
                return OTHER_MODELS.to_owned();
            }
            self.models.insert(model.to_owned());
        }
        model.to_owned()
    }
}

#[derive(Default)]
struct Page {
    name: &'static str,
    text: String,
}

impl Page {
    fn family(&mut self, name: &'static str, kind: &str, help: &str) {
        self.name = name;
        let _ = writeln!(self.text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, labels: &[(&str, &str)], value: u64) {
        self.text.push_str(self.name);
        for (at, (label, value)) in labels.iter().enumerate() {
            let start = if at == 0 { '{' } else { ',' };
            let value = value
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            let _ = write!(self.text, "{start}{label}=\"{value}\"");
        }
        if !labels.is_empty() {
            self.text.push('}');
        }
        let _ = writeln!(self.text, " {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_few() {
        let metrics = Metrics::default();
        metrics.call("hermes", "a\"b\\c\nd", End::Closed);
        for model in 0..100 {
            metrics.call("hermes", &format!("m{model}"), End::Recovered);
        }
        let text = metrics.text();
        let first = r#"toolglot_calls_total{dialect="hermes",model="a\"b\\c\nd",end="closed"} 1"#;
        assert!(text.contains(first), "{text}");
        let rest = r#"toolglot_calls_total{dialect="hermes",model="other",end="recovered"} 37"#;
        assert!(text.contains(rest), "{text}");
    }
}
