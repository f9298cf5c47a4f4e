//! The table of rules, seen from outside: each row has a request that meets it, and what must hold
//! for all requests is tried on all of them.

use toolglot::End;
use toolglot_policy::{Decision, Effect, Escape, Grants, Inside, PathFact, RULES, Request, judge};

const EFFECTS: [Effect; 5] = [
    Effect::Read,
    Effect::Write,
    Effect::Execute,
    Effect::Ask,
    Effect::Unknown,
];
const ENDS: [End; 3] = [End::Closed, End::Recovered, End::Truncated];

fn inside(path: &str) -> PathFact {
    PathFact {
        written: path.to_owned(),
        found: Ok(Inside {
            path: path.into(),
            climbs: false,
        }),
    }
}

fn escaped(written: &str, escape: Escape) -> PathFact {
    PathFact {
        written: written.to_owned(),
        found: Err(escape),
    }
}

fn check(request: &Request<'_>, allow: &str, expected: (Decision, &str)) {
    let grants: Grants = allow.parse().expect("known grants");
    let verdict = judge(request, &grants);
    assert_eq!(
        (verdict.decision, verdict.rule),
        expected,
        "{request:?} with {allow:?}: {}",
        verdict.because
    );
    assert!(!verdict.because.is_empty() && !verdict.because.ends_with('.'));
}

/// All requests over some paths, under all sets of grants.
fn everything(mut visit: impl FnMut(&Request<'_>, &Grants)) {
    let paths = [
        vec![],
        vec![inside("src/main.rs")],
        vec![inside(".env")],
        vec![inside("a"), inside(".git/hooks/pre-commit")],
        vec![inside("a"), escaped("../b", Escape::Climbs)],
        vec![escaped("", Escape::Empty)],
    ];
    for bits in 0..16_u8 {
        let grants = Grants {
            read: bits & 1 != 0,
            write: bits & 2 != 0,
            recovered: bits & 4 != 0,
            exec: if bits & 8 != 0 {
                vec!["git".to_owned()]
            } else {
                Vec::new()
            },
        };
        for effect in EFFECTS {
            for end in ENDS {
                for paths in &paths {
                    for is_repeat in [false, true] {
                        visit(
                            &Request {
                                is_repeat,
                                ..Request::new("tool", effect, end, paths)
                            },
                            &grants,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn reads_inside_the_root_are_allowed_even_when_recovered() {
    let paths = [inside("src/main.rs"), inside(".git/HEAD")];
    for end in [End::Closed, End::Recovered] {
        check(
            &Request::new("read_file", Effect::Read, end, &paths),
            "",
            (Decision::Allow, "read-inside-root"),
        );
    }
}

#[test]
fn writes_need_a_grant() {
    let paths = [inside("src/main.rs")];
    let request = Request::new("write_file", Effect::Write, End::Closed, &paths);
    check(&request, "", (Decision::Ask, "write-needs-grant"));
    check(
        &request,
        "exec:git,recovered",
        (Decision::Ask, "write-needs-grant"),
    );
    check(&request, "write", (Decision::Allow, "write-granted"));
}

#[test]
fn recovered_writes_need_both_grants() {
    let request = Request::new("write_file", Effect::Write, End::Recovered, &[]);
    check(&request, "recovered", (Decision::Ask, "write-needs-grant"));
    check(&request, "write", (Decision::Ask, "recovered-needs-grant"));
    check(
        &request,
        "write,recovered",
        (Decision::Allow, "write-granted"),
    );
}

#[test]
fn a_repeated_write_is_asked_about_and_a_repeated_read_is_not() {
    let again = |effect| Request {
        is_repeat: true,
        ..Request::new("tool", effect, End::Closed, &[])
    };
    check(
        &again(Effect::Write),
        "write",
        (Decision::Ask, "repeated-write"),
    );
    check(
        &again(Effect::Read),
        "write",
        (Decision::Allow, "read-inside-root"),
    );
}

#[test]
fn commands_and_unknown_tools_never_run() {
    let all = "read,write,recovered,exec:git";
    check(
        &Request::new("execute_command", Effect::Execute, End::Closed, &[]),
        all,
        (Decision::Deny, "commands-need-a-sandbox"),
    );
    check(
        &Request::new("frobnicate", Effect::Unknown, End::Closed, &[]),
        all,
        (Decision::Deny, "unknown-tool"),
    );
}

#[test]
fn a_question_waits_for_the_user() {
    for end in [End::Closed, End::Recovered] {
        check(
            &Request::new("ask", Effect::Ask, end, &[]),
            "",
            (Decision::Allow, "asks-the-user"),
        );
    }
    check(
        &Request::new("ask", Effect::Ask, End::Truncated, &[]),
        "",
        (Decision::Deny, "truncated-never-runs"),
    );
}

#[test]
fn one_bad_path_among_good_ones_is_enough() {
    let check_path = |fact: PathFact, effect, rule| {
        let paths = [inside("src/main.rs"), fact];
        check(
            &Request::new("tool", effect, End::Closed, &paths),
            "write,recovered",
            (Decision::Deny, rule),
        );
    };
    check_path(
        escaped("../../etc/passwd", Escape::Climbs),
        Effect::Read,
        "path-outside-root",
    );
    check_path(
        escaped("/etc/passwd", Escape::Absolute),
        Effect::Write,
        "path-outside-root",
    );
    check_path(
        escaped("l/x", Escape::Link { link: "l".into() }),
        Effect::Read,
        "path-outside-root",
    );
    check_path(
        escaped("a\0b", Escape::ZeroByte),
        Effect::Read,
        "path-unusable",
    );
    check_path(inside("sub/.env.local"), Effect::Read, "secret-path");
    check_path(inside(".ENV"), Effect::Write, "secret-path");
    check_path(inside("sub/.git"), Effect::Write, "guarded-path");
}

#[test]
fn what_a_denial_says_names_the_path_as_it_was_written() {
    let paths = [escaped("../a\nb", Escape::Climbs)];
    let verdict = judge(
        &Request::new("read_file", Effect::Read, End::Closed, &paths),
        &Grants::default(),
    );
    assert_eq!(
        verdict.because,
        r#"path "../a\nb": `..` leads above the root: write a path relative to the root"#
    );
}

#[test]
fn no_grant_lets_through_what_must_never_run() {
    everything(|request, grants| {
        let verdict = judge(request, grants);
        let never = request.end == End::Truncated
            || matches!(request.effect, Effect::Execute | Effect::Unknown)
            || request.paths.iter().any(|fact| fact.found.is_err());
        assert!(
            !never || verdict.decision == Decision::Deny,
            "{request:?} under {grants:?}: {verdict:?}"
        );
    });
}

#[test]
fn only_reads_and_questions_run_without_a_grant() {
    everything(|request, grants| {
        let granted = matches!(request.effect, Effect::Read | Effect::Ask)
            || (grants.write
                && (request.end == End::Closed || grants.recovered)
                && !request.is_repeat);
        let allowed = judge(request, grants).decision == Decision::Allow;
        assert!(!allowed || granted, "{request:?} under {grants:?}");
    });
}

#[test]
fn a_further_grant_never_makes_a_verdict_stricter() {
    everything(|request, grants| {
        let more = Grants {
            read: true,
            write: true,
            recovered: true,
            ..grants.clone()
        };
        assert!(
            judge(request, &more).decision <= judge(request, grants).decision,
            "{request:?} under {grants:?}"
        );
    });
}

#[test]
fn every_rule_decides_some_request_and_has_a_name_of_its_own() {
    let mut unused: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let names = unused.len();
    unused.sort_unstable();
    unused.dedup();
    assert_eq!(unused.len(), names);
    everything(|request, grants| {
        let rule = judge(request, grants).rule;
        unused.retain(|id| *id != rule);
    });
    assert!(unused.is_empty(), "rules that never decide: {unused:?}");
}
