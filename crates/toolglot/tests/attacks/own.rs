//! Attacks and controls of our own.
//!
//! `rows/*.toml` holds the rows. Each attack first runs without protection, as `unprotected.toml` describes it, and
//! must fire there: an attack that does not fire proves nothing, and must state why (`inert`). Attacks by path, command
//! and secret are then written in every form of every dialect of the five systems. The verdict and the effect must be
//! the same.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use toolglot_value::{Map, Value};

use crate::attacks::door::{Attempt, Count, Door};
use crate::attacks::place::{NEVER, Place, Ran, shipped, toolglot};
use crate::attacks::row::{self, Must, Row};
use crate::attacks::server::Server;
use crate::attacks::{
    as_an_ordinary_user, is_all, is_due, is_root, spelling, succeeded, turn, walls_stand,
};

#[test]
fn attacks_are_refused_or_contained_and_controls_work() {
    if !walls_stand() {
        return;
    }
    let rows = row::all();
    let score: Mutex<BTreeMap<String, [usize; 2]>> = Mutex::default();
    let count = Count::default();
    let wrong = each(&rows, |n, row| {
        let doors = count.doors(turn(n), |door| {
            row.message.is_none() && door.expresses(&row.id, &row.tool, &row.arguments)
                || door == Door::Run
        });
        let found = doors.into_iter().try_for_each(|door| {
            judge(row, door, &count).map_err(|why| format!("through `{}`: {why}", door.name()))
        });
        let mut score = score.lock().expect("nobody panics here");
        let cell = score
            .entry(format!("{:10} {:?}", row.area, row.must))
            .or_default();
        cell[0] += usize::from(found.is_ok());
        cell[1] += 1;
        found
    });
    let score = score.into_inner().expect("nobody panics here");
    let n = score
        .values()
        .fold([0, 0], |sum, cell| [sum[0] + cell[0], sum[1] + cell[1]]);
    eprintln!("attacks and controls: {} of {} as they must be", n[0], n[1]);
    for (what, cell) in &score {
        eprintln!("  {what:20} {:3} of {:3}", cell[0], cell[1]);
    }
    eprint!("{}", count.lines());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without this test, a refused attack could be an attack that never works.
#[test]
fn every_attack_fires_where_nothing_protects() {
    let rows: Vec<Row> = row::all()
        .into_iter()
        .filter(|row| row.must != Must::Allow)
        .collect();
    let (n_fired, n_inert) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = each(&rows, |_, row| {
        // On a busy machine an attack may need more time to fire.
        let is_inert = row.inert.is_some();
        let times: &[u32] = if is_inert { &[5] } else { &[5, 60] };
        let fired = times
            .iter()
            .any(|&time| fires_unprotected(row, &begun(row), time));
        match (&row.inert, fired) {
            (None, false) => {
                Err("it does not fire without protection, and does not say why".to_owned())
            }
            (Some(_), true) => {
                Err("it fires without protection, although it says that it does not".to_owned())
            }
            _ => {
                let n = if fired { &n_fired } else { &n_inert };
                n.fetch_add(1, Ordering::Relaxed);
                Ok(())
            }
        }
    });
    eprintln!(
        "attacks that fire unprotected: {}; that say why they do not: {}",
        n_fired.into_inner(),
        n_inert.into_inner()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_call_is_judged_alike_in_every_form_of_every_dialect() {
    if !walls_stand() {
        return;
    }
    let is_spelled = |row: &Row| {
        ["path", "write", "command", "secrets"].contains(&row.area.as_str())
            && row.must != Must::Allow
            && !row.check.contains("ENDED")
            && row.message.is_none()
    };
    let rows = row::all().into_iter().filter(is_spelled);
    let rows: Vec<Row> = rows
        .filter(|row| is_all() || place_in_turns(row).is_multiple_of(3))
        .collect();
    let (n_alike, n_other) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = each_at_once(&rows, |_, row| {
        let place = begun(row);
        let arguments = arguments(row, &place);
        let mut first: Option<(Value, String)> = None;
        let mut results = String::new();
        for form in share(row, spelling::forms(&row.tool, &arguments)) {
            let ran = run(row, &place, &form.dialect, &form.text);
            let call = ran.document["calls"][0].clone();
            let arguments = call["call"]["arguments"].clone();
            let verdict = format!(
                "{} by {}",
                call["verdict"]["decision"], call["verdict"]["rule"]
            );
            results.push_str(ran.answer());
            match &first {
                None => first = Some((arguments, verdict)),
                // Not every form carries every text: another argument is another call.
                Some((known, _)) if *known != arguments => {
                    n_other.fetch_add(1, Ordering::Relaxed);
                }
                Some((_, known)) if *known == verdict => {
                    n_alike.fetch_add(1, Ordering::Relaxed);
                }
                Some((_, known)) => {
                    return Err(format!(
                        "{verdict} in {}, and {known} before: {:?}",
                        form.dialect, form.text
                    ));
                }
            }
        }
        if place.holds(&row.check, &results, None) {
            Ok(())
        } else {
            Err(format!(
                "in some form the effect is not as it must be: {}",
                row.check
            ))
        }
    });
    eprintln!(
        "forms judged as the first one: {} of {} calls; {} carried another argument",
        n_alike.load(Ordering::Relaxed),
        rows.len(),
        n_other.load(Ordering::Relaxed)
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The number of a row for turns: neighbours in one file get different numbers.
fn place_in_turns(row: &Row) -> usize {
    row.id.bytes().map(usize::from).sum()
}

/// The first form, and one in [`SHARE`] of the other forms, different ones for each row, so that all forms have a turn.
/// `TOOLGLOT_ROWS=all` tries all forms of all rows, which takes many minutes; otherwise a third of the rows runs.
fn share<T>(row: &Row, forms: Vec<T>) -> impl Iterator<Item = T> {
    const SHARE: usize = 8;
    let (is_all, turn) = (is_all(), place_in_turns(row));
    let is_due = move |n: usize| is_all || n == 0 || (n + turn).is_multiple_of(SHARE);
    let numbered = forms.into_iter().enumerate();
    numbered.filter_map(move |(n, form)| is_due(n).then_some(form))
}

/// The rows whose turn is an ordinary user's.
#[test]
fn all_of_it_holds_for_an_ordinary_user() {
    as_an_ordinary_user(&["own::attacks_are", "own::every_attack"]);
}

/// The rows that run at once: most of them wait.
const THREADS: usize = 5;

/// Runs each row of this user, several at a time. Returns the faults, in order of rows.
fn each(rows: &[Row], check: impl Fn(usize, &Row) -> Result<(), String> + Sync) -> Vec<String> {
    each_at_once(rows, |n, row| {
        let is_due = row.only.is_some() || is_due(place_in_turns(row));
        if is_due { check(n, row) } else { Ok(()) }
    })
}

fn each_at_once(
    rows: &[Row],
    check: impl Fn(usize, &Row) -> Result<(), String> + Sync,
) -> Vec<String> {
    let is_root = is_root();
    let only = std::env::var("TOOLGLOT_ATTACK").unwrap_or_default();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(row) = rows.get(n) else { break };
                    if (row.only.as_deref() == Some("root") && !is_root) || !row.id.contains(&only)
                    {
                        continue;
                    }
                    if let Err(why) = check(n, row) {
                        wrong
                            .lock()
                            .expect("nobody panics here")
                            .push(format!("{}: {why}", row.id));
                    }
                }
            });
        }
    });
    let mut wrong = wrong.into_inner().expect("nobody panics here");
    wrong.sort();
    wrong
}

/// Makes the call of a row through a door. `Err` reports how the result differs from the expected one.
fn judge(row: &Row, door: Door, count: &Count) -> Result<(), String> {
    let place = begun(row);
    let ran = if let Some(message) = &row.message {
        run(row, &place, &row.dialect, &place.filled(message))
    } else {
        let first = row.path_first.as_ref();
        let first = first.map(|first| PathBuf::from(place.filled(first)));
        let attempt = Attempt {
            tool: &row.tool,
            arguments: &arguments(row, &place),
            policy: &policy(row, &place),
            path_first: first.as_deref(),
            flags: &[],
        };
        door.make(&place, attempt, count)?
    };
    let calls = ran.document["calls"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let result = calls.first().map_or_else(
        || "no call".to_owned(),
        |call| format!("{} {}", call["verdict"], call["result"]["text"]),
    );
    let is_right = match row.must {
        Must::Deny => !calls.iter().any(succeeded),
        Must::Allow => calls.iter().any(succeeded),
        // The call may run or be refused: the check below decides by the effect.
        Must::Contain => true,
    };
    if !is_right {
        return Err(format!("not {:?}: {result}", row.must));
    }
    if place.holds(&row.check, ran.answer(), Some(&ran)) {
        Ok(())
    } else {
        Err(format!(
            "the effect is not as it must be ({}): {result}",
            row.check
        ))
    }
}

/// What unprotected tools do, as shell scripts; arguments are variables such as `$A_path`.
const UNPROTECTED: &str = include_str!("unprotected.toml");

/// The directories of a row as its setup leaves them.
fn begun(row: &Row) -> Place {
    let mut place = Place::new();
    let is_about_network =
        format!("{:?} {} {}", row.arguments, row.setup, row.policy).contains("$PORT");
    place.server = is_about_network.then(|| Server::start(place.path("out/hit")));
    place.after.clone_from(&row.after);
    place.bash(&row.setup, &[]);
    place
}

fn arguments(row: &Row, place: &Place) -> Map<String, Value> {
    let filled = |(key, value): (&String, &Value)| (key.clone(), place.filled_value(value));
    row.arguments.iter().map(filled).collect()
}

/// Whether the attack of a row fires without protection. A command has `time` seconds.
///
/// An attack that never ends fires if it runs for a second.
fn fires_unprotected(row: &Row, place: &Place, time: u32) -> bool {
    let table: toml::Table = toml::from_str(UNPROTECTED).expect("a table");
    let usual = table
        .get(&row.tool)
        .and_then(toml::Value::as_str)
        .unwrap_or("false");
    let script = place.filled(row.unprotected.as_deref().unwrap_or(usual));
    let mut variables: Vec<(String, String)> = Vec::new();
    for (key, value) in arguments(row, place) {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        // A zero byte ends a name for the system.
        let text = text.split('\0').next().unwrap_or_default().to_owned();
        if text.len() > 100_000 {
            // No program accepts such a long argument.
            return false;
        }
        variables.push((format!("A_{key}"), text));
    }
    variables.push(("CANARY_ENV".to_owned(), "1".to_owned()));
    variables.push(("TIME".to_owned(), time.to_string()));
    variables.push(("SCRIPT".to_owned(), script));
    let is_cut = row.inert.is_none() && row.check.contains("$ENDED");
    let line = if is_cut {
        "exec timeout -s KILL 1 bash -c \"$SCRIPT\""
    } else {
        "eval \"$SCRIPT\""
    };
    fs::write(place.path("audit"), "").expect("written");
    let started = Instant::now();
    let output = place
        .shell(&variables)
        .args(["-c", line])
        .output()
        .expect("bash runs");
    let ran = Ran {
        document: Value::Null,
        // `timeout` ends by the signal that it sends.
        elapsed: if is_cut
            && output
                .status
                .code()
                .is_none_or(|code| code == 124 || code == 137)
        {
            NEVER
        } else {
            started.elapsed()
        },
        peak_mb: 0,
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    !place.holds(&row.check, &text, Some(&ran))
}

/// Runs a message.
fn run(row: &Row, place: &Place, dialect: &str, message: &str) -> Ran {
    let mut command = toolglot(&["run"]);
    if let Some(first) = &row.path_first {
        let rest = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{rest}", place.filled(first)));
    }
    place.run(command, dialect, &policy(row, place), message)
}

/// The policy file of a row.
fn policy(row: &Row, place: &Place) -> PathBuf {
    if row.policy.contains('=') {
        return place.policy(&place.filled(&row.policy));
    }
    if row.policy.starts_with('/') || row.policy.starts_with('$') {
        return PathBuf::from(place.filled(&row.policy));
    }
    shipped(&format!("{}.toml", row.policy))
}
