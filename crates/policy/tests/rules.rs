//! The table of rules through the public API. Each row has a request that matches it, and each invariant is tested on
//! all requests.

use toolglot_engine::End;
use toolglot_policy::{
    CommandFact, Decision, Effect, Escape, Grants, HostPort, Inside, PathFact, RULES, Request,
    judge,
};

const EFFECTS: [Effect; 7] = [
    Effect::Read,
    Effect::Write,
    Effect::Delete,
    Effect::Execute,
    Effect::Network,
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
            is_shared: false,
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
        (verdict.decision, &*verdict.rule),
        expected,
        "{request:?} with {allow:?}: {}",
        verdict.because
    );
    assert!(!verdict.because.is_empty() && !verdict.because.ends_with('.'));
}

/// All requests over some paths, commands and hosts, under all sets of grants.
fn everything(mut visit: impl FnMut(&Request<'_>, &Grants)) {
    let paths = [
        vec![],
        vec![inside("src/main.rs")],
        vec![inside(".env")],
        vec![inside("a\u{202e}b")],
        vec![inside("a"), inside(".git/hooks/pre-commit")],
        vec![inside("a"), escaped("../b", Escape::Climbs)],
        vec![escaped("", Escape::Empty)],
    ];
    let commands = [
        "git status",
        "git log | rm x",
        "git log > x",
        "\u{202e}",
        "cd x",
    ]
    .map(CommandFact::of);
    let away = CommandFact {
        beyond: Some("/etc/passwd".to_owned()),
        ..CommandFact::of("git log /etc/passwd")
    };
    let hosts = ["http://a.test/", "http://b.test/", "file:///x"].map(HostPort::of);
    let needed = ["db".to_owned()];
    for bits in 0..128_u8 {
        let is_given = |bit: u8| bits & (1 << bit) != 0;
        let grants = Grants {
            read: is_given(0),
            write: is_given(1),
            recovered: is_given(2),
            exec: if is_given(3) {
                vec!["git".into()]
            } else {
                Vec::new()
            },
            delete: is_given(4),
            shell: is_given(5),
            net: if is_given(6) {
                vec!["a.test".into()]
            } else {
                Vec::new()
            },
        };
        for effect in EFFECTS {
            for end in ENDS {
                for is_repeat in [false, true] {
                    for paths in &paths {
                        let request = Request {
                            is_repeat,
                            ..Request::new("tool", effect, end, paths)
                        };
                        visit(&request, &grants);
                        visit(
                            &Request {
                                capabilities: &needed,
                                ..request.clone()
                            },
                            &grants,
                        );
                        let commands = commands.iter().chain([&away]);
                        for command in commands.filter(|_| effect == Effect::Execute) {
                            visit(
                                &Request {
                                    command: Some(command),
                                    is_bounded: command.beyond.is_some(),
                                    ..request.clone()
                                },
                                &grants,
                            );
                        }
                        for host in hosts.iter().filter(|_| effect == Effect::Network) {
                            visit(
                                &Request {
                                    host: Some(host),
                                    ..request.clone()
                                },
                                &grants,
                            );
                        }
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
fn commands_need_a_grant_for_every_program_in_them() {
    let check_command = |text: &str, allow: &str, expected: (Decision, &str)| {
        let fact = CommandFact::of(text);
        let request = Request {
            command: Some(&fact),
            ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
        };
        check(&request, allow, expected);
    };
    let asked = (Decision::Ask, "command-needs-grant");
    let granted = (Decision::Allow, "command-granted");
    check_command("git status", "", asked);
    check_command("git status", "exec:git", granted);
    check_command("git status | head -1 && git log", "exec:git", asked);
    check_command(
        "git status | head -1 && git log",
        "exec:git,exec:head",
        granted,
    );
    check_command("gitx status", "exec:git", asked);
    check_command("GIT status", "exec:git", asked);
    check_command("/usr/bin/git status", "exec:git", asked);
    check_command("env git status", "exec:git", asked);
    check_command("env git status", "exec:git,exec:env", granted);
    check_command("timeout 5 rm x", "exec:timeout", asked);
    check_command("find . -exec rm x ';'", "exec:find", asked);
    check_command("cd sub && git status", "exec:git", granted);
    check_command(
        "git log > x",
        "exec:git",
        (Decision::Ask, "shell-needs-grant"),
    );
    check_command("git log > x", "shell", granted);
    check_command("rm x", "shell", granted);
    check_command("cat .env", "exec:cat", (Decision::Deny, "secret-path"));
    check_command(
        "cat ~/.ssh/id_rsa",
        "shell",
        (Decision::Deny, "secret-path"),
    );
    check_command(
        "dd if=/etc/shadow",
        "shell",
        (Decision::Deny, "secret-path"),
    );
    check_command("cat</etc/shadow", "shell", (Decision::Deny, "secret-path"));
    check_command(
        "ls \u{202e}x",
        "shell",
        (Decision::Deny, "command-deceives"),
    );
    check_command(
        "g\u{456}t status",
        "shell",
        (Decision::Deny, "command-deceives"),
    );
    check_command("", "shell", (Decision::Deny, "command-deceives"));
}

#[test]
fn hosts_need_a_grant_each() {
    let check_url = |url: &str, allow: &str, expected: (Decision, &str)| {
        let host = HostPort::of(url);
        let request = Request {
            host: Some(&host),
            ..Request::new("http_request", Effect::Network, End::Closed, &[])
        };
        check(&request, allow, expected);
    };
    check_url(
        "https://a.test/",
        "",
        (Decision::Ask, "network-needs-grant"),
    );
    check_url(
        "https://a.test/",
        "net:a.test",
        (Decision::Allow, "network-granted"),
    );
    check_url(
        "https://a.test:8080/",
        "net:a.test",
        (Decision::Ask, "network-needs-grant"),
    );
    check_url(
        "http://a.test:8080/",
        "net:a.test:8080",
        (Decision::Allow, "network-granted"),
    );
    check_url(
        "https://x.a.test/",
        "net:a.test",
        (Decision::Ask, "network-needs-grant"),
    );
    check_url(
        "https://a.test@b.test/",
        "net:a.test",
        (Decision::Deny, "url-unusable"),
    );
}

#[test]
fn unknown_tools_never_run() {
    let all = "read,write,recovered,shell,delete";
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
        r#"path "../a\nb": `..` leads above the root; write a path inside it"#
    );
}

#[test]
fn no_grant_lets_through_what_must_never_run() {
    everything(|request, grants| {
        let verdict = judge(request, grants);
        let never = request.end == End::Truncated
            || request.effect == Effect::Unknown
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
        let is_shell_state = request
            .command
            .is_some_and(|command| command.only_shell_state().is_some());
        let may = match request.effect {
            Effect::Read | Effect::Ask => true,
            Effect::Write => grants.write,
            Effect::Delete => grants.delete,
            Effect::Execute => !grants.exec.is_empty() || grants.shell || is_shell_state,
            Effect::Network => !grants.net.is_empty(),
            Effect::Unknown => false,
        };
        let is_sure = !request.effect.acts()
            || ((request.end == End::Closed || grants.recovered) && !request.is_repeat);
        let granted = may && is_sure && request.capabilities.is_empty();
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
            delete: true,
            shell: true,
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
