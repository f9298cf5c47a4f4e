//! Commands that run other commands: a rule that denies a program denies what may run it, and nothing that people run
//! every day.

use toolglot_engine::End;
use toolglot_policy::{Authority, CommandFact, Decision, Effect, Policy, Request, Scope, Verdict};

const CARRIERS: &str = include_str!("data/carriers.txt");
const EVERYDAY: &str = include_str!("data/everyday.txt");

/// The rows of a table: `\n` is a line break, `\\` is a backslash.
fn rows(table: &str) -> impl Iterator<Item = String> {
    let lines = table.lines();
    lines
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .map(|line| {
            let parts: Vec<String> = line
                .split("\\\\")
                .map(|part| part.replace("\\n", "\n"))
                .collect();
            parts.join("\\")
        })
}

fn judged(text: &str) -> Verdict {
    let policy = "version = 1\ndefault = 'allow'\n[[rule]]\nid = 'no-rm'\ndecision = 'deny'\nargv = [['rm', '...']]\n";
    let authority = Authority {
        user: Some(Policy::parse(policy, Scope::User).expect("a policy")),
        ..Authority::default()
    };
    let fact = CommandFact::of(text);
    let request = Request {
        command: Some(&fact),
        ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
    };
    authority.judge(&request).verdict
}

#[test]
fn what_may_run_a_refused_program_is_refused() {
    let wrong: Vec<String> = rows(CARRIERS)
        .filter(|text| judged(text).decision != Decision::Deny)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn everyday_commands_carry_nothing() {
    let mut n = 0;
    let mut wrong = Vec::new();
    for text in rows(EVERYDAY) {
        n += 1;
        let verdict = judged(&text);
        if verdict.decision != Decision::Allow {
            wrong.push(format!("{text}: {}", verdict.because));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n >= 100, "only {n}");
}
