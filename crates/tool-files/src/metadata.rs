//! The metadata of a tool, typed.

use std::time::Duration;

use toolglot_value::Value;

use crate::literal::Literal;
use crate::read::Reading;

/// The metadata of a tool.
///
/// A field that is missing or unusable is `None` or empty; the tool's diagnostics report it.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Metadata {
    /// `tool_id`, as written. A tool is called by its path.
    pub tool_id: Option<String>,
    /// `tool_type`: `python`, `script`, `mcp`, `primitive`, ..
    pub tool_type: Option<String>,
    /// `version`, X.Y.Z.
    pub version: Option<String>,
    /// What it does, for a model to read.
    pub description: Option<String>,
    /// What runs it.
    pub executor: Executor,
    /// `category`, as written.
    pub category: Option<String>,
    /// The capabilities that it needs.
    pub requires: Vec<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// How long one call may take.
    pub timeout: Option<Duration>,
    /// How a failed call is retried.
    pub retry: Option<RetryPolicy>,
    /// What a call costs.
    pub cost: Option<Cost>,
    /// `documentation`: links and examples.
    pub documentation: Option<Value>,
    /// `metadata`: author, maintainer, stability and any other keys of the author.
    pub about: Option<Value>,
    /// `config`: the settings of its runtime.
    pub config: Option<Value>,
    /// `env_config`: the environment that its runtime makes.
    pub env: Option<Value>,
}

/// What runs a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// The file names none.
    #[default]
    Unsaid,
    /// `null`: nothing runs it, or it is the end of a chain.
    Null,
    /// The id of a runtime, or one of its short names.
    Id(String),
}

/// How a tool is retried after a transient failure.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RetryPolicy {
    /// The number of attempts in all, at least one.
    pub max_attempts: u32,
    /// How the delay grows.
    pub backoff: RetryBackoff,
    /// The delay before the second attempt.
    pub initial_delay: Duration,
    /// The longest delay.
    pub max_delay: Duration,
    /// The factor of an exponential delay.
    pub multiplier: f64,
}

/// How the delay between attempts grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RetryBackoff {
    /// The delay stays the same.
    Fixed,
    /// By the initial delay each time.
    Linear,
    /// By the multiplier each time.
    #[default]
    Exponential,
}

impl RetryPolicy {
    /// The delay after a failed attempt; `attempt` counts from 1. `None` if it was the last.
    pub fn delay(&self, attempt: u32) -> Option<Duration> {
        if attempt >= self.max_attempts {
            return None;
        }
        let factor = match self.backoff {
            RetryBackoff::Fixed => 1.0,
            RetryBackoff::Linear => f64::from(attempt),
            RetryBackoff::Exponential => self.multiplier.powi(attempt.cast_signed() - 1),
        };
        let seconds = (self.initial_delay.as_secs_f64() * factor).min(self.max_delay.as_secs_f64());
        Some(Duration::try_from_secs_f64(seconds).unwrap_or(self.max_delay))
    }
}

/// What a call costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cost {
    /// For each call.
    pub per_invocation: f64,
    /// For each minute that it runs.
    pub per_minute: f64,
    /// How long it is expected to run.
    pub estimated: Option<Duration>,
    /// The currency of the amounts; `USD` by default.
    pub currency: String,
}

impl Cost {
    /// The cost of a call of that duration.
    pub fn of(&self, duration: Duration) -> f64 {
        self.per_invocation + self.per_minute * duration.as_secs_f64() / 60.0
    }

    /// The expected cost of a call.
    pub fn estimate(&self) -> f64 {
        self.of(self.estimated.unwrap_or_default())
    }
}

impl Metadata {
    /// Whether the author has deprecated the tool.
    pub fn is_deprecated(&self) -> bool {
        self.deprecation().is_some()
    }

    /// The author's note on the deprecation; empty if the file only says that the tool is deprecated.
    pub fn deprecation(&self) -> Option<&str> {
        match self.about.as_ref()?.get("deprecated")? {
            Value::Bool(true) => Some(""),
            Value::String(why) => Some(why.trim()).filter(|why| !why.is_empty()),
            _ => None,
        }
    }

    /// Whether the author marks the tool as experimental.
    pub fn is_experimental(&self) -> bool {
        self.flag("experimental")
    }

    fn flag(&self, name: &str) -> bool {
        let about = self.about.as_ref().and_then(|about| about.get(name));
        about.and_then(Value::as_bool).unwrap_or(false)
    }

    pub(crate) fn of(reading: &Reading) -> Metadata {
        let text = |name: &str| {
            let value = reading.get(name)?;
            value.as_text().map(str::to_owned)
        };
        let texts = |name: &str| -> Vec<String> {
            let list = reading.get(name).and_then(Literal::as_list);
            let items = list.unwrap_or_default().iter();
            items
                .filter_map(|item| item.as_text().map(str::to_owned))
                .collect()
        };
        let json = |name: &str| {
            let value = reading.get(name)?;
            (!value.is_null()).then(|| value.to_json())
        };
        Metadata {
            tool_id: text("tool_id"),
            tool_type: text("tool_type"),
            version: text("version"),
            description: text("description"),
            executor: match reading.get("executor_id") {
                Some(value) if value.is_no_executor() => Executor::Null,
                Some(value) => value
                    .as_text()
                    .map_or(Executor::Unsaid, |id| Executor::Id(id.to_owned())),
                None => Executor::Unsaid,
            },
            category: text("category"),
            requires: texts("requires"),
            tags: texts("tags"),
            timeout: seconds(reading.get("timeout")),
            retry: reading.get("retry_policy").and_then(retry),
            cost: reading.get("cost").and_then(cost),
            documentation: json("documentation"),
            about: json("metadata"),
            config: json("config"),
            env: json("env_config"),
        }
    }
}

fn seconds(value: Option<&Literal>) -> Option<Duration> {
    Duration::try_from_secs_f64(value?.as_f64()?).ok()
}

fn retry(value: &Literal) -> Option<RetryPolicy> {
    value.as_map()?;
    let attempts = value.get("max_attempts").and_then(Literal::as_f64);
    Some(RetryPolicy {
        max_attempts: attempts.map_or(1, |n| {
            (1..=100)
                .rev()
                .find(|whole| f64::from(*whole) <= n)
                .unwrap_or(1)
        }),
        backoff: match value.get("backoff_type").and_then(Literal::as_text) {
            Some("fixed") => RetryBackoff::Fixed,
            Some("linear") => RetryBackoff::Linear,
            _ => RetryBackoff::Exponential,
        },
        initial_delay: seconds(value.get("initial_delay")).unwrap_or(Duration::from_secs(1)),
        max_delay: seconds(value.get("max_delay")).unwrap_or(Duration::from_secs(60)),
        multiplier: value
            .get("backoff_multiplier")
            .and_then(Literal::as_f64)
            .map_or(2.0, |n| n.clamp(1.0, 100.0)),
    })
}

fn cost(value: &Literal) -> Option<Cost> {
    value.as_map()?;
    let amount = |name| value.get(name).and_then(Literal::as_f64).unwrap_or(0.0);
    Some(Cost {
        per_invocation: amount("per_invocation"),
        per_minute: amount("per_minute"),
        estimated: seconds(value.get("estimated_duration")),
        currency: value
            .get("currency")
            .and_then(Literal::as_text)
            .unwrap_or("USD")
            .to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_grow_as_the_policy_says_and_end() {
        let policy = |backoff| RetryPolicy {
            max_attempts: 4,
            backoff,
            initial_delay: Duration::from_secs(2),
            max_delay: Duration::from_secs(7),
            multiplier: 3.0,
        };
        let delays = |backoff| -> Vec<Option<u64>> {
            (1..=4)
                .map(|attempt| policy(backoff).delay(attempt).map(|delay| delay.as_secs()))
                .collect()
        };
        assert_eq!(
            delays(RetryBackoff::Fixed),
            [Some(2), Some(2), Some(2), None]
        );
        assert_eq!(
            delays(RetryBackoff::Linear),
            [Some(2), Some(4), Some(6), None]
        );
        assert_eq!(
            delays(RetryBackoff::Exponential),
            [Some(2), Some(6), Some(7), None]
        );
    }

    #[test]
    fn a_call_costs_by_the_call_and_by_the_minute() {
        let cost = Cost {
            per_invocation: 0.01,
            per_minute: 0.06,
            estimated: Some(Duration::from_secs(60)),
            currency: "USD".into(),
        };
        assert!((cost.of(Duration::from_secs(30)) - 0.04).abs() < 1e-9);
        assert!((cost.estimate() - 0.07).abs() < 1e-9);
    }
}
