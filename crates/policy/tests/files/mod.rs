//! Policy files: those that ship, their errors, and their decisions.

mod narrowing;
mod written;

use toolglot_engine::End;
use toolglot_policy::{
    Authority, CommandFact, Decision, Effect, Grants, HostPort, Inside, Level, PathFact, Policy,
    PolicyError, Request, Scope,
};

fn shipped() -> impl Iterator<Item = (String, String)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/policies");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("they ship")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    files.sort();
    files.into_iter().map(|path| {
        let name = path
            .file_stem()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        (name, std::fs::read_to_string(&path).expect("readable"))
    })
}

fn policy(text: &str) -> Policy {
    Policy::parse(&format!("version = 1\n{text}"), Scope::User).expect("a good policy")
}

fn project(text: &str) -> Policy {
    Policy::parse(&format!("version = 1\n{text}"), Scope::Project).expect("a good policy")
}

fn of(name: &str) -> Authority {
    let (_, text) = shipped()
        .find(|(other, _)| other == name)
        .expect("it ships");
    Authority {
        user: Some(Policy::parse(&text, Scope::User).expect(name)),
        ..Authority::default()
    }
}

fn command(authority: &Authority, text: &str) -> (Decision, String) {
    let fact = CommandFact::of(text);
    let request = Request {
        command: Some(&fact),
        ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
    };
    let verdict = authority.judge(&request).verdict;
    (verdict.decision, verdict.rule.into_owned())
}

fn path(authority: &Authority, effect: Effect, place: &str) -> (Decision, String) {
    let paths = [PathFact {
        written: place.to_owned(),
        found: Ok(Inside {
            path: place.into(),
            climbs: false,
            is_shared: false,
        }),
    }];
    let verdict = authority
        .judge(&Request::new("some_tool", effect, End::Closed, &paths))
        .verdict;
    (verdict.decision, verdict.rule.into_owned())
}

fn rule(text: &str) -> (Decision, String) {
    let decision = match text.split_once(' ').expect("a decision and a rule") {
        ("allow", _) => Decision::Allow,
        ("ask", _) => Decision::Ask,
        _ => Decision::Deny,
    };
    (decision, text.split_once(' ').expect("two").1.to_owned())
}

#[test]
fn those_that_ship_are_good_and_their_examples_hold() {
    let mut n = 0;
    for (name, text) in shipped() {
        if let Err(error) = Policy::parse(&text, Scope::User) {
            panic!("{name}: {error}");
        }
        n += 1;
    }
    assert!(n >= 9, "{n} ship");
}

#[test]
fn a_run_costs_at_most_the_least_that_anyone_says() {
    let of = |cost: &str| Some(policy(&format!("[limits]\n{cost}")));
    for (user, project, expected) in [
        (None, None, None),
        (of("cost_per_run = 5"), None, Some(5.0)),
        (None, of("cost_per_run = 2"), Some(2.0)),
        (of("cost_per_run = 5"), of("cost_per_run = 2"), Some(2.0)),
        (of("cost_per_run = 1"), of("cost_per_run = 2"), Some(1.0)),
        (of("calls_per_message = 1"), of(""), None),
    ] {
        let authority = Authority {
            user,
            project,
            ..Authority::default()
        };
        assert_eq!(authority.cost_per_run(), expected);
    }
}

#[test]
fn a_model_is_told_the_kind_of_what_is_wrong_and_no_letter_of_the_file() {
    for (text, told) in [
        ("version = 1\nsecret = 1", "not a policy of a known form"),
        ("version = 7", "its version is not known"),
        (
            "version = 1\n[[rule]]\nid = 'secret'\ndecision = 'allow'",
            "one of its settings cannot be used",
        ),
    ] {
        let error = Policy::parse(text, Scope::User).expect_err(text);
        assert_eq!(error.told(), told);
    }
    let error = PolicyError::Unreadable {
        why: "gone".to_owned(),
    };
    assert_eq!(error.told(), "it cannot be read: gone");
}

/// Rows of a table; a pattern of file names matches two files.
fn under_allowlist(table: &str) -> impl Iterator<Item = (String, Decision)> {
    let authority = of("exec-allowlist");
    let rows = table.lines();
    let rows = rows.filter(|line| !line.is_empty() && !line.starts_with('#'));
    rows.map(move |text| {
        let fact = CommandFact::expanded(text, |_, pattern| {
            let is_inside = !pattern.starts_with('/') && !pattern.contains("..");
            let names = || vec!["a.rs".to_owned(), "b.rs".to_owned()];
            is_inside.then(names).ok_or("a pattern outside")
        });
        let request = Request {
            command: Some(&fact),
            ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
        };
        (text.to_owned(), authority.judge(&request).verdict.decision)
    })
}

#[test]
fn the_allowlist_allows_what_coding_agents_look_with() {
    let mut n = 0;
    let wrong: Vec<String> = under_allowlist(include_str!("../data/agents.txt"))
        .inspect(|_| n += 1)
        .filter(|(_, decision)| *decision != Decision::Allow)
        .map(|(text, _)| text)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(n >= 104, "only {n}");
}

#[test]
fn the_allowlist_refuses_what_writes_or_runs_others() {
    let wrong: Vec<String> = under_allowlist(include_str!("../data/not-agents.txt"))
        .filter(|(_, decision)| *decision != Decision::Deny)
        .map(|(text, _)| text)
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_broken_file_denies_everything_and_says_why() {
    let error = Policy::parse("version = 1\nqq = 1", Scope::User).expect_err("unknown key");
    let authority = Authority {
        grants: "read,write,shell".parse().expect("grants"),
        user: Some(Policy::broken(error)),
        project: None,
    };
    let request = Request::new("read_file", Effect::Read, End::Closed, &[]);
    let verdict = authority.judge(&request).verdict;
    assert_eq!(
        (verdict.decision, &*verdict.rule),
        (Decision::Deny, "policy-broken")
    );
    // The user reads the problem in `why_broken`; the verdict contains no letter of the file.
    assert!(
        verdict.because.contains("of a known form") && !verdict.because.contains("qq"),
        "{}",
        verdict.because
    );
    let why = authority.user.as_ref().and_then(Policy::why_broken);
    assert!(why.is_some_and(|why| why.to_string().contains("unknown field `qq`")));
}

#[test]
fn deny_beats_ask_beats_allow_whatever_the_order() {
    let text = |order: [usize; 3]| {
        let rules = [
            "[[rule]]\nid='a'\ndecision='allow'\ncapabilities=['exec']\nargv=[['git','...']]\n",
            "[[rule]]\nid='b'\ndecision='ask'\nargv=[['git',['push','pull'],'...']]\n",
            "[[rule]]\nid='c'\ndecision='deny'\nargv=[['git','push','...']]\nmatch=['env git push','git push --force','/usr/bin/git push']\n",
        ];
        order.map(|index| rules[index]).concat()
    };
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let authority = Authority {
            user: Some(policy(&text(order))),
            ..Authority::default()
        };
        assert_eq!(command(&authority, "git status"), rule("allow a"));
        assert_eq!(command(&authority, "git pull"), rule("ask b"));
        assert_eq!(command(&authority, "git push"), rule("deny c"));
        assert_eq!(
            command(&authority, "git status && git push"),
            rule("deny c")
        );
        assert_eq!(command(&authority, "sh -c 'git push'"), rule("deny c"));
        assert_eq!(command(&authority, "ls"), rule("deny policy-default"));
    }
}

#[test]
fn the_project_narrows_and_never_widens() {
    let narrow = Authority {
        project: Some(project(
            "[[rule]]\nid='no-src'\ndecision='deny'\ncapabilities=['write']\npaths=['src/**']",
        )),
        ..of("default")
    };
    assert_eq!(path(&narrow, Effect::Write, "src/a"), rule("deny no-src"));
    assert_eq!(
        path(&narrow, Effect::Write, "a"),
        rule("allow write-workspace")
    );
    let wide = Authority {
        project: Some(project(
            "default = 'allow'\n[[rule]]\nid='all'\ndecision='allow'\ncapabilities=['exec','shell']",
        )),
        ..of("default")
    };
    assert_eq!(command(&wide, "ls"), rule("deny policy-default"));
    // The same holds where the user has no file.
    let bare = Authority { user: None, ..wide };
    assert_eq!(command(&bare, "ls"), rule("ask command-needs-grant"));
    let broken = Authority {
        project: Some(Policy::broken(PolicyError::Version(7))),
        ..of("default")
    };
    assert_eq!(path(&broken, Effect::Read, "a"), rule("deny policy-broken"));
}

#[test]
fn sandboxes_are_narrowed_too() {
    let user = policy(
        "[sandbox]\nnetwork='host'\nlevel='landlock'\ntimeout_s=30\nwrite=['.']\nread=['/opt','/srv']\nenv=['PATH','HOME']",
    );
    let project = project(
        "[sandbox]\nnetwork='none'\nlevel='plain'\ntimeout_s=60\npids=5\nwrite=['target']\nread=['/srv','/']\nenv=['PATH']",
    );
    let both = Authority {
        user: Some(user),
        project: Some(project),
        ..Authority::default()
    };
    let expected = policy(
        "[sandbox]\nnetwork='none'\nlevel='landlock'\ntimeout_s=30\npids=5\nwrite=['target']\nread=['/srv']\nenv=['PATH']",
    );
    let expected = Authority {
        user: Some(expected),
        ..Authority::default()
    };
    assert_eq!(both.sandbox_settings(None), expected.sandbox_settings(None));
}

/// The level of the command line, and the level of another file, are never too weak for the settings of a file.
#[test]
fn the_level_holds_what_is_stated() {
    use Level::{Landlock, Namespaces, Plain};
    for (user, own, flag, expected) in [
        ("", "", None, Namespaces),
        ("", "", Some(Plain), Plain),
        ("network='none'", "", None, Namespaces),
        ("network='none'", "", Some(Plain), Landlock),
        ("network='host'", "", Some(Plain), Plain),
        ("read=[]", "", Some(Plain), Landlock),
        ("write=['out']", "", Some(Plain), Landlock),
        ("write=['.']", "", Some(Namespaces), Namespaces),
        ("timeout_s=9", "", Some(Plain), Plain),
        ("", "network='none'", Some(Plain), Landlock),
        ("", "write=['out']", Some(Plain), Landlock),
        ("level='plain'", "", None, Plain),
        ("level='plain'", "read=['/opt']", None, Landlock),
        (
            "level='plain'",
            "level='plain'\nnetwork='none'",
            None,
            Landlock,
        ),
        ("level='namespaces'\nwrite=[]", "", Some(Plain), Namespaces),
    ] {
        let authority = Authority {
            user: Some(policy(&format!("[sandbox]\n{user}"))),
            project: Some(project(&format!("[sandbox]\n{own}"))),
            ..Authority::default()
        };
        let settings = authority.sandbox_settings(flag);
        let what = format!("{user:?} {own:?} {flag:?}");
        assert_eq!(settings.decided.level, expected, "{what}");
        let stated = settings.stated.level;
        assert!(
            stated.is_none_or(|level| level == expected),
            "{what}: {stated:?}"
        );
    }
}

#[test]
fn a_grant_answers_what_is_asked_and_lifts_no_refusal() {
    let file = "[[rule]]\nid='w'\ndecision='ask'\ncapabilities=['write']\n[[rule]]\nid='g'\ndecision='deny'\ncapabilities=['write']\npaths=['gen/**']";
    let mut authority = Authority {
        user: Some(policy(file)),
        ..Authority::default()
    };
    assert_eq!(path(&authority, Effect::Write, "a"), rule("ask w"));
    authority.grants = "write".parse::<Grants>().expect("a grant");
    assert_eq!(path(&authority, Effect::Write, "a"), rule("allow w"));
    assert_eq!(path(&authority, Effect::Write, "GEN/a"), rule("deny g"));
}

#[test]
fn limits_of_a_message_hold() {
    let authority = Authority {
        user: Some(policy(
            "default='allow'\n[limits]\ncalls_per_message=2\ncost_per_call=1.5",
        )),
        ..Authority::default()
    };
    let decided = |n_before, cost| {
        let request = Request {
            n_before,
            cost,
            ..Request::new("read_file", Effect::Read, End::Closed, &[])
        };
        authority.judge(&request).verdict.rule.into_owned()
    };
    assert_eq!(decided(1, 1.5), "policy-default");
    assert_eq!(decided(2, 0.0), "too-many-calls");
    assert_eq!(decided(0, 1.6), "too-expensive");
}

#[test]
fn what_paths_have_to_look_like_is_asked_of_all() {
    let authority = Authority {
        user: Some(policy(
            "default='allow'\n[paths]\nno_dotdot=true\ndeny_hardlinks=true",
        )),
        ..Authority::default()
    };
    let decided = |climbs, is_shared| {
        let paths = [PathFact {
            written: "x".into(),
            found: Ok(Inside {
                path: "x".into(),
                climbs,
                is_shared,
            }),
        }];
        authority
            .judge(&Request::new(
                "read_file",
                Effect::Read,
                End::Closed,
                &paths,
            ))
            .verdict
            .rule
            .into_owned()
    };
    assert_eq!(decided(false, false), "policy-default");
    assert_eq!(decided(true, false), "no-dotdot");
    assert_eq!(decided(false, true), "hard-link");
}

#[test]
fn hosts_of_a_profile_are_exact() {
    let authority = of("net-allow");
    for (url, expected) in [
        ("https://api.example.test/x", "allow ask-the-service"),
        ("http://127.0.0.1:18099/", "deny policy-default"),
        ("http://api.example.test@127.0.0.1/", "deny url-unusable"),
        ("http://api.example.test.evil.test/", "deny policy-default"),
    ] {
        let host = HostPort::of(url);
        let request = Request {
            host: Some(&host),
            ..Request::new("http_request", Effect::Network, End::Closed, &[])
        };
        let verdict = authority.judge(&request).verdict;
        assert_eq!(
            (verdict.decision, verdict.rule.into_owned()),
            rule(expected),
            "{url}"
        );
    }
}

#[test]
fn a_shell_needs_its_own_word() {
    let authority = of("exec-contained");
    assert_eq!(
        command(&authority, ":(){ :|:& };:"),
        rule("allow run-contained")
    );
    assert_eq!(command(&authority, "x > y"), rule("allow run-contained"));
    let argv_only = Authority {
        user: Some(policy(
            "[[rule]]\nid='any'\ndecision='allow'\ntools=['execute_command']",
        )),
        ..Authority::default()
    };
    assert_eq!(command(&argv_only, "rm x"), rule("allow any"));
    assert_eq!(command(&argv_only, "rm x > y"), rule("deny policy-default"));
}

#[test]
fn a_refused_place_is_refused_to_whoever_passes_by() {
    let rules = "[[rule]]\nid='run'\ndecision='allow'\ntools=['execute_command']\n[[rule]]\nid='kept'\ndecision='deny'\npaths=['kept/**']\n\
                 [[rule]]\nid='still'\ndecision='deny'\ncapabilities=['write']\npaths=['still/**']\n\
                 [[rule]]\nid='unrun'\ndecision='deny'\ncapabilities=['exec']\npaths=['unrun/**']\n";
    let authority = Authority {
        user: Some(policy(rules)),
        ..Authority::default()
    };
    let refusals = authority.refusals();
    for (place, hidden, kept) in [
        ("kept/a", true, true),
        ("KEPT/a", true, true),
        ("still/a", false, true),
        ("open/a", false, false),
    ] {
        let place = std::path::Path::new(place);
        let found = (
            refusals.hides_from_program("execute_command", place),
            refusals.keeps("execute_command", place),
        );
        assert_eq!(found, (hidden, kept), "{place:?}");
    }
    // No words show what a program does with a file, whichever tool starts it. Builtin tools have their own rules.
    let unrun = std::path::Path::new("unrun/a");
    assert!(refusals.hides_from_program("execute_command", unrun));
    assert!(refusals.hides_from_program("rye/bash/bash", unrun));
    assert!(!refusals.hides("read_file", unrun));
    // A command whose words name a place: reading and writing cannot be distinguished, so only an unreadable place is
    // denied.
    for (place, expected) in [
        ("kept/a", "deny kept"),
        ("still/a", "allow run"),
        ("open/a", "allow run"),
    ] {
        let mut fact = CommandFact::of(&format!("cat {place}"));
        fact.places = vec![PathFact {
            written: place.to_owned(),
            found: Ok(Inside {
                path: place.into(),
                climbs: false,
                is_shared: false,
            }),
        }];
        let request = Request {
            command: Some(&fact),
            ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
        };
        let verdict = authority.judge(&request).verdict;
        assert_eq!(
            (verdict.decision, verdict.rule.into_owned()),
            rule(expected),
            "{place}"
        );
    }
}

#[test]
fn a_command_with_more_words_than_are_looked_up_is_refused() {
    for (keys, expected) in [
        (
            "[[rule]]\nid = 'no'\ndecision = 'deny'\npaths = ['private/**']",
            "secret-path no",
        ),
        ("[paths]\ndeny_hardlinks = true", "secret-path more-words"),
        ("", "secret-path"),
    ] {
        let text = format!("version = 1\ndefault = 'allow'\n{keys}\n");
        let authority = Authority {
            user: Some(Policy::parse(&text, Scope::User).expect("a policy")),
            ..Authority::default()
        };
        let fact = CommandFact {
            has_more_places: true,
            ..CommandFact::of("cat a")
        };
        let request = Request {
            command: Some(&fact),
            ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
        };
        let reasons = authority.judge(&request).reasons;
        let denials = reasons
            .iter()
            .filter(|reason| reason.verdict.decision == Decision::Deny);
        let rules: Vec<&str> = denials.map(|reason| &*reason.verdict.rule).collect();
        assert_eq!(rules.join(" "), expected, "{keys}");
    }
}

#[test]
fn a_rule_that_asks_about_reading_is_answered_by_no_default() {
    let text = "version = 1\ndefault = 'ask'\n[[rule]]\nid = 'one'\ndecision = 'ask'\ntools = ['reads', 'read_file']\n";
    let authority = Authority {
        grants: Grants::default(),
        user: Some(Policy::parse(text, Scope::User).expect("a policy")),
        project: None,
    };
    let reading = ["fs.read".to_owned()];
    for (tool, capabilities, expected) in [
        ("reads", &[][..], (Decision::Ask, "one")),
        ("reads", &reading, (Decision::Ask, "one")),
        ("read_file", &[], (Decision::Ask, "one")),
        // A grant that everybody has answers a question of the default, but not of a rule.
        ("others", &[], (Decision::Allow, "policy-default")),
    ] {
        let request = Request {
            capabilities,
            ..Request::new(tool, Effect::Read, End::Closed, &[])
        };
        let verdict = authority.judge(&request).verdict;
        assert_eq!(
            (verdict.decision, &*verdict.rule),
            expected,
            "{tool}: {}",
            verdict.because
        );
    }
}

/// The decision about a command, with the places of a file system without links.
fn command_at(authority: &Authority, text: &str) -> Decision {
    let mut fact = CommandFact::of(text);
    let places = fact.words().into_iter().map(|word| PathFact {
        written: word.to_owned(),
        found: Ok(Inside {
            path: word.into(),
            ..Inside::default()
        }),
    });
    fact.places = places
        .filter(|fact| !fact.written.starts_with('/'))
        .collect();
    fact.outside = fact
        .words()
        .into_iter()
        .filter(|word| word.starts_with('/'))
        .map(str::to_owned)
        .collect();
    let request = Request {
        command: Some(&fact),
        ..Request::new("execute_command", Effect::Execute, End::Closed, &[])
    };
    authority.judge(&request).verdict.decision
}

#[test]
fn all_that_a_permission_selects_by_has_to_hold() {
    let of = |rule: &str| Authority {
        user: Some(policy(&format!(
            "[[rule]]\nid = 'a'\ndecision = 'allow'\n{rule}"
        ))),
        ..Authority::default()
    };
    let places = of(
        "argv = [['rm', '-rf', '...'], ['ls', '...']]\npaths = ['tmp/**']\nexcept = ['tmp/kept/**']\nallow_args = ['-l', '*']\nmatch = ['rm -rf tmp/a', 'ls -l tmp/a']\nnot_match = ['rm -rf src', 'rm -rf tmp/kept/a']",
    );
    let hosts = of("argv = [['curl', '...']]\nhosts = ['api.a.test']");
    for (authority, line, expected) in [
        (&places, "rm -rf tmp/a tmp/b", Decision::Allow),
        (&places, "ls -l tmp/a", Decision::Allow),
        (&places, "rm -rf src", Decision::Deny),
        (&places, "rm -rf tmp/a src", Decision::Deny),
        (&places, "rm -rf tmp/kept/a", Decision::Deny),
        (&places, "rm -rf tmp/a /etc", Decision::Deny),
        // The command names no place, so another place is meant.
        (&places, "ls", Decision::Deny),
        (&places, "rm -rf", Decision::Deny),
        (&hosts, "curl http://api.a.test/x", Decision::Allow),
        (&hosts, "curl http://evil.test/", Decision::Deny),
        (
            &hosts,
            "curl http://api.a.test/x http://evil.test/",
            Decision::Deny,
        ),
        (
            &hosts,
            "curl -x evil.test:80 http://api.a.test/",
            Decision::Deny,
        ),
        (&hosts, "curl -K file http://api.a.test/", Decision::Deny),
        (&hosts, "curl api.a.test", Decision::Deny),
    ] {
        assert_eq!(command_at(authority, line), expected, "{line}");
    }
    // The rule is not about a tool that runs nothing.
    assert_eq!(path(&places, Effect::Write, "tmp/a").0, Decision::Deny);
}

#[test]
fn a_tool_is_refused_by_any_of_its_names_and_by_what_it_declares() {
    let of = |rule: &str| Authority {
        user: Some(policy(&format!(
            "default = 'allow'\n[[rule]]\nid = 'a'\ndecision = 'deny'\n{rule}"
        ))),
        ..Authority::default()
    };
    let names = ["deploy/ship", "deploy/ship.rollback", "mcp/deploy/ship"].map(str::to_owned);
    let declared = ["fs.write", "net.http"].map(str::to_owned);
    let host = HostPort::of("http://127.0.0.1:18099/");
    let request = Request {
        names: &names,
        capabilities: &declared,
        host: Some(&host),
        ..Request::new("deploy/ship", Effect::Write, End::Closed, &[])
    };
    for (rule, expected) in [
        ("tools = ['deploy/ship']", Decision::Deny),
        ("tools = ['deploy/ship.rollback']", Decision::Deny),
        ("tools = ['mcp/deploy/*']", Decision::Deny),
        ("tools = ['deploy/ship.status']", Decision::Allow),
        ("capabilities = ['write']", Decision::Deny),
        ("capabilities = ['fs.*']", Decision::Deny),
        ("capabilities = ['network']", Decision::Deny),
        (
            "capabilities = ['network']\nhosts = ['127.0.0.1:18099']",
            Decision::Deny,
        ),
        ("hosts = ['127.0.0.1']", Decision::Deny),
        ("hosts = ['127.0.0.1:80']", Decision::Allow),
        ("capabilities = ['delete']", Decision::Allow),
        ("capabilities = ['exec', 'shell']", Decision::Allow),
    ] {
        let verdict = of(rule).judge(&request).verdict;
        assert_eq!(verdict.decision, expected, "{rule}: {verdict:?}");
    }
    // A capability name of tool files denies builtin tools as well.
    let read = Request::new("read_file", Effect::Read, End::Closed, &[]);
    let fs_read = of("capabilities = ['fs.read']");
    assert_eq!(fs_read.judge(&read).verdict.decision, Decision::Deny);
}

#[test]
fn a_closed_network_leaves_the_hosts_that_a_rule_names() {
    let host = HostPort::of("https://api.a.test/x");
    let request = Request {
        host: Some(&host),
        ..Request::new("http_request", Effect::Network, End::Closed, &[])
    };
    let allow = "[[rule]]\nid = 'a'\ndecision = 'allow'\n";
    let (all, named) = ("capabilities = ['network']\n", "hosts = ['api.a.test']\n");
    let other = "hosts = ['b.test']\n[[rule]]\nid = 'b'\ndecision = 'allow'\nall = true\n";
    for (rule, network, decision) in [
        (all, "", Decision::Allow),
        (all, "[sandbox]\nnetwork = 'host'", Decision::Allow),
        (all, "[sandbox]\nnetwork = 'none'", Decision::Deny),
        (other, "[sandbox]\nnetwork = 'none'", Decision::Deny),
        (named, "[sandbox]\nnetwork = 'none'", Decision::Allow),
    ] {
        let authority = Authority {
            user: Some(policy(&format!("{allow}{rule}{network}"))),
            ..Authority::default()
        };
        let verdict = authority.judge(&request).verdict;
        assert_eq!(verdict.decision, decision, "{rule}{network}: {verdict:?}");
    }
}

#[test]
fn a_policy_names_the_tools_and_places_of_its_rules() {
    let policy = policy(
        "[[rule]]\nid='a'\ndecision='deny'\ntools=['work/*','re:old_.+']\n[[rule]]\nid='b'\ndecision='allow'\npaths=['src/**']\nexcept=['src/x']",
    );
    let tools: Vec<(&str, String, bool)> = policy
        .tool_patterns()
        .map(|tool| (tool.rule(), tool.written(), tool.fits("work/a")))
        .collect();
    assert_eq!(tools[0], ("a", "work/*".to_owned(), true));
    assert_eq!((tools[1].0, tools[1].2, tools.len()), ("a", false, 2));
    assert!(tools[1].1.contains("old_.+"), "{}", tools[1].1);
    let places: Vec<_> = policy.places().collect();
    assert_eq!(places, [("b", "src/**"), ("b", "src/x")]);
}
