//! What happened, counted, in Prometheus' text format. No label holds what a model wrote.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The counters of one gateway.
#[derive(Debug, Default)]
pub(crate) struct Metrics(Mutex<Counts>);

#[derive(Debug, Default)]
struct Counts {
    under_way: u64,
    requests: BTreeMap<(&'static str, u16), u64>,
    upstream_failures: u64,
}

impl Metrics {
    /// A request that starts.
    pub(crate) fn start(&self) {
        self.counts().under_way += 1;
    }

    /// A request that is over: its answer is sent, or its client is gone.
    pub(crate) fn end(&self) {
        let mut counts = self.counts();
        counts.under_way = counts.under_way.saturating_sub(1);
    }

    /// The head of an answer of one API.
    pub(crate) fn request(&self, api: &'static str, status: u16) {
        *self.counts().requests.entry((api, status)).or_default() += 1;
    }

    /// An upstream that could not be reached, broke off, or wrote what cannot be read.
    pub(crate) fn upstream_failure(&self) {
        self.counts().upstream_failures += 1;
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
            "toolglot_upstream_failures_total",
            "counter",
            "Answers that the upstream failed to give.",
        );
        page.sample(&[], counts.upstream_failures);
        page.text
    }

    /// Counters stay usable after a panic elsewhere.
    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
