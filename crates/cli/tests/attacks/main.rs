//! Attacks and controls of our own, through the built binary, by their effects; as this user and, where this is root, as an
//! ordinary one too.
//!
//! `rows/*.toml` holds them. Each attack is first made without any protection, by what `unprotected.toml` says a tool without
//! rules would do, and has to fire there: one that does not proves nothing, and has to say why (`inert`). Attacks by path,
//! command and secret are then written in every form of every dialect of the five systems: the verdict and the effect have to
//! be the same.
#![cfg(target_os = "linux")]
#![expect(clippy::print_stderr, reason = "the score is for people")]

mod place;
mod row;
mod server;
mod spelling;

use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

use place::{Place, Ran};
use row::{Must, Row};

#[test]
fn attacks_are_refused_or_contained_and_controls_work() {
    if !walls_stand() {
        return;
    }
    let rows = row::all();
    let score: Mutex<BTreeMap<String, [usize; 2]>> = Mutex::default();
    let wrong = each(&rows, |row| {
        let found = judge(row);
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
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Without this an attack that is refused could be one that never worked.
#[test]
fn every_attack_fires_where_nothing_protects() {
    let rows: Vec<Row> = row::all()
        .into_iter()
        .filter(|row| row.must != Must::Allow)
        .collect();
    let n_inert = rows.iter().filter(|row| row.inert.is_some()).count();
    let wrong = each(&rows, |row| {
        let place = Place::new(row);
        let fired = place.fires_unprotected(row);
        match (&row.inert, fired) {
            (None, false) => {
                Err("it does not fire without protection, and does not say why".to_owned())
            }
            (Some(_), true) => {
                Err("it fires without protection, although it says that it does not".to_owned())
            }
            _ => Ok(()),
        }
    });
    eprintln!(
        "attacks that fire unprotected: {}; that say why they do not: {n_inert}",
        rows.len() - n_inert - wrong.len()
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
            && !row.check.contains("ELAPSED")
            && row.message.is_none()
    };
    let rows: Vec<Row> = row::all().into_iter().filter(is_spelled).collect();
    let (n_alike, n_other) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = each(&rows, |row| {
        let place = Place::new(row);
        let arguments = place.arguments(row);
        let mut first: Option<(Value, String)> = None;
        let mut results = String::new();
        for form in share(row, spelling::forms(&row.tool, &arguments)) {
            let ran = place.run(row, &form.dialect, &form.text);
            let call = ran.document["calls"][0].clone();
            let arguments = call["call"]["arguments"].clone();
            let verdict = format!(
                "{} by {}",
                call["verdict"]["decision"], call["verdict"]["rule"]
            );
            results.push_str(&ran.answer());
            match &first {
                None => first = Some((arguments, verdict)),
                // No form carries every text: another argument is another call.
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
        if place.holds(row, &results, None) {
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

/// The first form, and of the others one in [`SHARE`], other ones for each row: over all rows every form has its turn.
/// `TOOLGLOT_FORMS=all` tries all of them, which takes many minutes.
fn share<T>(row: &Row, forms: Vec<T>) -> impl Iterator<Item = T> {
    const SHARE: usize = 8;
    let is_all = std::env::var("TOOLGLOT_FORMS").is_ok_and(|which| which == "all");
    let turn: usize = row.id.bytes().map(usize::from).sum();
    let is_due = move |n: usize| is_all || n == 0 || (n + turn).is_multiple_of(SHARE);
    let numbered = forms.into_iter().enumerate();
    numbered.filter_map(move |(n, form)| is_due(n).then_some(form))
}

/// The same without being root.
#[test]
fn all_of_it_holds_for_an_ordinary_user() {
    let status = std::fs::read_to_string("/proc/self/status").expect("readable");
    if !status.lines().any(|line| line.starts_with("Uid:\t0\t0\t")) {
        return;
    }
    let own = std::env::current_exe().expect("this test");
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .arg(own)
        .args(["attacks_are", "every_attack", "--nocapture"])
        .env("TMPDIR", "/tmp")
        .env("HOME", "/nonexistent")
        .output();
    match output {
        Err(error) => eprintln!("SKIPPED: there is no `setpriv`: {error}"),
        Ok(output) => {
            let text = [output.stdout, output.stderr]
                .map(|text| String::from_utf8_lossy(&text).into_owned())
                .concat();
            eprintln!("as an ordinary user:\n{text}");
            assert!(output.status.success());
        }
    }
}

fn walls_stand() -> bool {
    let doctor = place::toolglot(&["doctor"]).output().expect("it runs");
    if !doctor.status.success() {
        eprintln!(
            "SKIPPED: the walls cannot be built here:\n{}",
            String::from_utf8_lossy(&doctor.stdout)
        );
    }
    doctor.status.success()
}

/// Rows that are tried at once: most of them wait.
const THREADS: usize = 5;

/// Tries each row, several at a time. What was wrong with which, in order.
fn each(rows: &[Row], check: impl Fn(&Row) -> Result<(), String> + Sync) -> Vec<String> {
    let is_root = std::fs::metadata("/proc/self")
        .is_ok_and(|own| std::os::unix::fs::MetadataExt::uid(&own) == 0);
    let only = std::env::var("TOOLGLOT_ATTACK").unwrap_or_default();
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if (row.only.as_deref() == Some("root") && !is_root) || !row.id.contains(&only)
                    {
                        continue;
                    }
                    if let Err(why) = check(row) {
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

/// Runs a row. Why it is not as it must be.
fn judge(row: &Row) -> Result<(), String> {
    let place = Place::new(row);
    let text = match &row.message {
        Some(message) => place.filled(message),
        None => spelling::first(&row.tool, &place.arguments(row)),
    };
    let ran = place.run(row, &row.dialect, &text);
    let calls = ran.document["calls"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let told = calls.first().map_or_else(
        || "no call".to_owned(),
        |call| format!("{} {}", call["verdict"], call["result"]["text"]),
    );
    let is_right = match row.must {
        Must::Deny => !calls.iter().any(succeeded),
        Must::Allow => calls.iter().any(succeeded),
        // Whether it ran or was refused: nothing came of it that must not.
        Must::Contain => true,
    };
    if !is_right {
        return Err(format!("not {:?}: {told}", row.must));
    }
    if place.holds(row, &ran.answer(), Some(&ran)) {
        Ok(())
    } else {
        Err(format!(
            "the effect is not as it must be ({}): {told}",
            row.check
        ))
    }
}

fn succeeded(call: &Value) -> bool {
    call["verdict"]["decision"] == "allow"
        && call["state"] == "done"
        && call["result"]["ok"] == true
}

impl Ran {
    fn answer(&self) -> String {
        self.document["answer"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    }
}
