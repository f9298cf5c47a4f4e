//! Sends cases to a program and checks its answers.

use std::time::Duration;

use thiserror::Error;
use toolglot_engine::Dialect;

use crate::answer::{Answer, AnswerError};
use crate::case::{Case, Question};
use crate::promise::Promise;
use crate::report::Report;
use crate::{judge, rendered};

/// A parser under test. The implementation starts the parser and reads the clock.
pub trait Program {
    /// The answer to a line, which has no line break.
    ///
    /// # Errors
    /// If there is no answer. The program gets further lines all the same.
    fn ask(&mut self, line: &str) -> Result<Reply, AskError>;

    /// Discards pending output: the last answer was invalid, so later output must not answer the next line.
    fn reset(&mut self) {}
}

/// A line that a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The line.
    pub line: String,
    /// How long the answer took.
    pub elapsed: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum AskError {
    /// The program cannot be started.
    #[error("the program does not start: {0}")]
    Start(String),
    /// The program ended.
    #[error("the program ended: {0}")]
    Ended(String),
    /// The program did not answer in time.
    #[error("no answer in {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The program's line has no end.
    #[error("an answer of more than {0} bytes")]
    TooLong(usize),
}

/// What to check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The promises to check.
    pub promises: Vec<Promise>,
    /// In how many places each message is cut in two, beside a cut after every character; evenly spread.
    pub n_cuts: usize,
}

impl Default for Options {
    /// All promises, 16 cuts.
    fn default() -> Options {
        Options {
            promises: Promise::ALL.to_vec(),
            n_cuts: 16,
        }
    }
}

/// A promise on a case.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The dialect.
    pub dialect: String,
    /// The case.
    pub case: String,
    /// The promise.
    pub promise: Promise,
    /// The result of the check.
    pub outcome: Outcome,
}

/// The result of a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The promise holds.
    Kept,
    /// The promise does not hold, and why.
    Failed(String),
    /// The promise is not checked, and why: the program does not make it, or cannot be asked.
    Skipped(String),
}

/// After so many unanswered cases in a row, the rest of the dialect is not sent.
const PATIENCE: usize = 5;

/// The bytes of the values that time is measured with, each four times the previous one.
const SIZES: [usize; 3] = [8 << 10, 32 << 10, 128 << 10];
/// The bytes of a push in a measurement of time.
const PUSH: usize = 16;
/// How often a size is read; the shortest time counts.
const REPEATS: usize = 3;
/// So many measurements must show that the time grows too fast.
const ROUNDS: usize = 3;
/// A time up to this always passes: start-up and the system's own work may take as long.
const SHORT: Duration = Duration::from_millis(50);
/// How much longer four times the text may take: a linear reader needs 4 times, a quadratic one 16.
const GROWTH: f64 = 8.0;

/// Sends all cases to `program`.
pub fn run(
    cases: &[(&Dialect, Vec<Case>)],
    program: &mut dyn Program,
    options: &Options,
) -> Report {
    let mut asker = Asker {
        program,
        options,
        rows: Vec::new(),
        n_unanswered: 0,
        is_unanswered: false,
    };
    for (dialect, cases) in cases {
        // After the program is given up on, it gets one more case in the next dialect.
        asker.n_unanswered = asker.n_unanswered.min(PATIENCE - 1);
        let mut is_read = false;
        for case in cases {
            asker.is_unanswered = false;
            is_read |= asker.case(case);
            if asker.is_unanswered {
                asker.n_unanswered += 1;
            } else if asker.n_unanswered < PATIENCE {
                asker.n_unanswered = 0;
            }
        }
        if is_read && options.promises.contains(&Promise::Time) {
            asker.time(dialect);
        }
    }
    Report { rows: asker.rows }
}

struct Asker<'a> {
    program: &'a mut dyn Program,
    options: &'a Options,
    rows: Vec<Row>,
    /// How many cases in a row were not answered.
    n_unanswered: usize,
    /// Some question of this case was not answered.
    is_unanswered: bool,
}

impl Asker<'_> {
    /// Checks a case. Returns whether the program reads the case.
    fn case(&mut self, case: &Case) -> bool {
        let shown = if case.is_hostile {
            Promise::Hostile
        } else {
            Promise::Calls
        };
        let promises: Vec<Promise> = self
            .options
            .promises
            .iter()
            .copied()
            .filter(|promise| match promise {
                Promise::Calls | Promise::Hostile => *promise == shown,
                // A hostile case is about values, not about the text around them.
                Promise::Text => !case.is_hostile,
                Promise::Time => false,
                _ => true,
            })
            .collect();
        if self.n_unanswered >= PATIENCE {
            let why = format!("not asked: {PATIENCE} cases before it had no answer");
            for promise in promises {
                self.row(case, promise, Outcome::Failed(why.clone()));
            }
            return false;
        }
        let whole = match self.ask(case, "whole", &[&case.input]) {
            Ok((whole, _)) => whole,
            Err(why) => {
                // One row fails; the others have no answer to check.
                for (at, promise) in promises.into_iter().enumerate() {
                    let outcome = match at {
                        0 => Outcome::Failed(why.clone()),
                        _ => Outcome::Skipped("the whole text has no answer".to_owned()),
                    };
                    self.row(case, promise, outcome);
                }
                return false;
            }
        };
        if let Some(why) = whole.skipped {
            for promise in promises {
                self.row(case, promise, Outcome::Skipped(why.clone()));
            }
            return false;
        }
        let wants_cuts = promises.contains(&Promise::Cuts);
        let cuts = if wants_cuts || promises.contains(&Promise::Arguments) {
            let n_cuts = if wants_cuts { self.options.n_cuts } else { 0 };
            self.cuts(case, &whole, n_cuts)
        } else {
            CutOutcome::default()
        };
        for promise in promises {
            let outcome = match promise {
                Promise::Calls | Promise::Hostile => judge::calls(&whole, case).into(),
                Promise::Text => judge::text(&whole, case)
                    .map_or_else(|| skipped("the answer has no `content`"), Outcome::from),
                Promise::Cuts => cuts.cuts.clone(),
                Promise::Arguments => match (&whole.arguments, &cuts.arguments) {
                    (Some(Err(why)), _) | (_, Some(Err(why))) => Outcome::Failed(why.clone()),
                    (Some(Ok(())), _) | (None, Some(Ok(()))) => Outcome::Kept,
                    (None, None) => skipped("the answer has no `events`"),
                },
                Promise::Time => continue,
            };
            self.row(case, promise, outcome);
        }
        true
    }

    /// The same text in pieces: first one character per push, then cut in two.
    fn cuts(&mut self, case: &Case, whole: &Answer, n_cuts: usize) -> CutOutcome {
        let chars: Vec<usize> = case.input.char_indices().map(|(at, _)| at).collect();
        let mut ways: Vec<(String, Vec<&str>)> =
            vec![("a character a push".to_owned(), pieces(&case.input, 1))];
        let n_places = chars.len().saturating_sub(1);
        let step = n_places.div_ceil(n_cuts.max(1)).max(1);
        if n_cuts > 0 {
            ways.extend(chars.iter().skip(1).step_by(step).map(|at| {
                let (before, after) = case.input.split_at(*at);
                (format!("cut at byte {at}"), vec![before, after])
            }));
        }
        let mut outcome = CutOutcome::default();
        for (way, chunks) in ways {
            let answer = match self.ask(case, &way, &chunks) {
                Ok((answer, _)) => answer,
                Err(why) => {
                    outcome.cuts = Outcome::Failed(format!("{way}: {why}"));
                    return outcome;
                }
            };
            if let Some(why) = answer.skipped {
                outcome.cuts = Outcome::Skipped(why);
                return outcome;
            }
            if let Some(checked) = answer.arguments.clone() {
                let checked = checked.map_err(|why| format!("{way}: {why}"));
                if !matches!(outcome.arguments, Some(Err(_))) {
                    outcome.arguments = Some(checked);
                }
            }
            if let Err(why) = judge::cut(&answer, whole) {
                outcome.cuts = Outcome::Failed(format!("{way}: {why}"));
                return outcome;
            }
        }
        outcome
    }

    /// Reads a call of 1, 4 and 16 times the length. Other work of the machine slows some rounds: the best one counts.
    fn time(&mut self, dialect: &Dialect) {
        let cases = SIZES.map(|n_bytes| rendered::long(dialect, n_bytes));
        let cases: Vec<Case> = cases.into_iter().flatten().collect();
        let [.., longest] = cases.as_slice() else {
            return;
        };
        self.is_unanswered = false;
        let mut outcome = Outcome::Kept;
        for _ in 0..ROUNDS {
            outcome = self.growth(&cases);
            if !matches!(outcome, Outcome::Failed(_)) || self.is_unanswered {
                break;
            }
        }
        self.row(longest, Promise::Time, outcome);
    }

    /// How the time grows from one case to the next.
    fn growth(&mut self, cases: &[Case]) -> Outcome {
        let mut times = Vec::new();
        for case in cases {
            let chunks = pieces(&case.input, PUSH);
            let mut shortest = Duration::MAX;
            for _ in 0..REPEATS {
                match self.ask(case, "time", &chunks) {
                    Ok((answer, elapsed)) => match answer.skipped {
                        Some(why) => return Outcome::Skipped(why),
                        None => shortest = shortest.min(elapsed),
                    },
                    Err(why) => {
                        let n_bytes = case.input.len();
                        return Outcome::Failed(format!("{n_bytes} bytes: {why}"));
                    }
                }
            }
            times.push(shortest);
        }
        let [.., before, longest] = times.as_slice() else {
            return Outcome::Kept;
        };
        let growth = longest.as_secs_f64() / before.as_secs_f64().max(f64::MIN_POSITIVE);
        if *longest <= SHORT || growth <= GROWTH {
            return Outcome::Kept;
        }
        let times = times
            .iter()
            .map(|time| format!("{:.1}", time.as_secs_f64() * 1e3));
        let times: Vec<String> = times.collect();
        Outcome::Failed(format!(
            "8, 32 and 128 KiB take {} ms: four times the text takes {growth:.1} times as long",
            times.join(", ")
        ))
    }

    fn ask(
        &mut self,
        case: &Case,
        way: &str,
        chunks: &[&str],
    ) -> Result<(Answer, Duration), String> {
        let id = format!("{}: {way}", case.id);
        let question = Question {
            case,
            id: &id,
            chunks,
        };
        let reply = self.program.ask(&question.line()).map_err(|error| {
            self.is_unanswered = true;
            error.to_string()
        })?;
        match Answer::read(&reply.line, &id) {
            Ok(answer) => Ok((answer, reply.elapsed)),
            Err(error) => {
                if matches!(error, AnswerError::Syntax(_) | AnswerError::Id { .. }) {
                    self.program.reset();
                }
                Err(judge::shown(&error.to_string()))
            }
        }
    }

    fn row(&mut self, case: &Case, promise: Promise, outcome: Outcome) {
        self.rows.push(Row {
            dialect: case.dialect.clone(),
            case: case.id.clone(),
            promise,
            outcome,
        });
    }
}

/// The results for a text in pieces.
struct CutOutcome {
    cuts: Outcome,
    arguments: Option<Result<(), String>>,
}

impl Default for CutOutcome {
    fn default() -> CutOutcome {
        CutOutcome {
            cuts: Outcome::Kept,
            arguments: None,
        }
    }
}

impl From<Result<(), String>> for Outcome {
    fn from(checked: Result<(), String>) -> Outcome {
        checked.map_or_else(Outcome::Failed, |()| Outcome::Kept)
    }
}

fn skipped(why: &str) -> Outcome {
    Outcome::Skipped(why.to_owned())
}

/// A text in pieces of `n_bytes` bytes, or a little more: no character is split.
fn pieces(text: &str, n_bytes: usize) -> Vec<&str> {
    let mut rest = text;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        let mut at = n_bytes.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces
}
