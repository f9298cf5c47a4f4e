//! A project's file narrows and never widens: each of its keys with its widest value, beside a user's file with no,
//! some and all settings.

use std::collections::BTreeSet;

use toolglot_engine::End;
use toolglot_policy::{
    Authority, CommandFact, Decision, Effect, Grants, HostPort, Inside, Level, PathFact, Pin,
    Policy, Reach, Request, Sandbox, SandboxSettings, SandboxTable, Scope, TrustRules,
};

/// Each key of a project's file, with a value that would widen another file's setting. The place is the table, without
/// `[]`.
const ROWS: &[(&str, &str, &str)] = &[
    ("", "version", ""),
    ("", "default", "default = 'allow'"),
    (
        "",
        "rule",
        "[[rule]]\nid = 'a'\ndecision = 'allow'\nall = true",
    ),
    ("", "limits", "[limits]"),
    ("", "paths", "[paths]"),
    ("", "sandbox", "[sandbox]"),
    ("", "mcp", "[mcp]"),
    ("", "trust", "[trust]"),
    ("rule", "id", "id = 'read'\ndecision = 'allow'\nall = true"),
    (
        "rule",
        "decision",
        "id = 'a'\ndecision = 'allow'\nall = true",
    ),
    ("rule", "all", "id = 'a'\ndecision = 'allow'\nall = true"),
    (
        "rule",
        "because",
        "id = 'a'\ndecision = 'allow'\nall = true\nbecause = 'mine'",
    ),
    (
        "rule",
        "tools",
        "id = 'a'\ndecision = 'allow'\ntools = ['*']",
    ),
    (
        "rule",
        "capabilities",
        "id = 'a'\ndecision = 'allow'\ncapabilities = ['read', 'write', 'delete', 'exec', 'shell', 'network', 'ask', 'net.*']",
    ),
    (
        "rule",
        "paths",
        "id = 'a'\ndecision = 'allow'\ncapabilities = ['read', 'write', 'delete']\npaths = ['**']",
    ),
    (
        "rule",
        "except",
        "id = 'a'\ndecision = 'allow'\ncapabilities = ['write']\npaths = ['**']\nexcept = ['x']",
    ),
    (
        "rule",
        "argv",
        "id = 'a'\ndecision = 'allow'\ncapabilities = ['exec', 'shell']\nargv = [['*', '...']]",
    ),
    (
        "rule",
        "allow_args",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nallow_args = ['*']",
    ),
    (
        "rule",
        "value_args",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nallow_args = ['*']\nvalue_args = ['-d']",
    ),
    (
        "rule",
        "forbid_args",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nforbid_args = ['--never']",
    ),
    (
        "rule",
        "exact_args",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nforbid_args = ['--never']\nexact_args = ['x']",
    ),
    (
        "rule",
        "hosts",
        "id = 'a'\ndecision = 'allow'\ncapabilities = ['network']\nhosts = ['*.test:*']",
    ),
    (
        "rule",
        "match",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nmatch = ['touch x']",
    ),
    (
        "rule",
        "not_match",
        "id = 'a'\ndecision = 'allow'\nargv = [['touch', '...']]\nnot_match = ['ls']",
    ),
    ("limits", "calls_per_message", "calls_per_message = 1000000"),
    ("limits", "cost_per_call", "cost_per_call = 1e9"),
    ("limits", "cost_per_run", "cost_per_run = 1e9"),
    ("paths", "no_dotdot", "no_dotdot = false"),
    ("paths", "deny_hardlinks", "deny_hardlinks = false"),
    ("sandbox", "level", "level = 'plain'"),
    ("sandbox", "network", "network = 'host'"),
    ("sandbox", "read", "read = ['/', '/home', '/opt/other']"),
    ("sandbox", "write", "write = ['.', 'src', '..', '/']"),
    (
        "sandbox",
        "env",
        "env = ['PATH', 'HOME', 'AWS_SECRET_ACCESS_KEY']",
    ),
    ("sandbox", "timeout_s", "timeout_s = 1000000"),
    ("sandbox", "max_timeout_s", "max_timeout_s = 1000000"),
    ("sandbox", "output_bytes", "output_bytes = 1000000000"),
    ("sandbox", "memory_mb", "memory_mb = 1000000"),
    ("sandbox", "pids", "pids = 1000000"),
    ("sandbox", "fsize_mb", "fsize_mb = 1000000"),
    ("mcp", "unlisted", "unlisted = 'allow'"),
    ("mcp", "server", "[mcp.server.m]\n[mcp.server.other]"),
    ("mcp.server.m", "pin", "pin = 'first-use'"),
    (
        "mcp.server.m",
        "pin",
        "pin = 'sha256:0000000000000000000000000000000000000000000000000000000000000000'",
    ),
    ("mcp.server.m", "allow", "allow = ['*']"),
    ("mcp.server.m", "deny", "deny = []"),
    ("trust", "keys", "keys = ['ed25519:AAAA']"),
    ("trust", "require_signed", "require_signed = []"),
    ("trust", "tofu", "tofu = true"),
];

/// The users: without a file, with an empty file, with some settings, and with all settings.
const USERS: &[Option<&str>] = &[
    None,
    Some(""),
    Some("[sandbox]\ntimeout_s = 5"),
    Some("[sandbox]\nlevel = 'landlock'\nwrite = ['src']\n[trust]\nrequire_signed = ['**']"),
    Some(
        "[[rule]]\nid = 'read'\ndecision = 'allow'\ncapabilities = ['read']\n[mcp.server.m]\npin = 'required'",
    ),
    Some(
        "default = 'allow'\n[limits]\ncalls_per_message = 1\ncost_per_call = 1\ncost_per_run = 1\n[paths]\nno_dotdot = true\ndeny_hardlinks = true\n[sandbox]\nlevel = 'landlock'\nnetwork = 'none'\nread = ['/opt']\nwrite = ['src']\nenv = ['PATH']\ntimeout_s = 5\nmax_timeout_s = 6\noutput_bytes = 7\nmemory_mb = 8\npids = 9\nfsize_mb = 10\n[mcp]\nunlisted = 'deny'\n[mcp.server.m]\npin = 'required'\nallow = ['get']\ndeny = ['put']\n[trust]\nkeys = []\nrequire_signed = ['**']\ntofu = false",
    ),
];

/// The level of the command line.
const LEVELS: [Option<Level>; 4] = [
    None,
    Some(Level::Plain),
    Some(Level::Landlock),
    Some(Level::Namespaces),
];

/// All decisions of policies, on calls that represent all others.
struct Powers {
    decisions: Vec<(String, Decision)>,
    /// The sandbox without a level of the command line, and with each level.
    sandboxes: Vec<SandboxSettings>,
    may_write: bool,
    /// Whether `get` and `put` of two servers may be called.
    servers: Vec<bool>,
    pin: Pin,
    trust: TrustRules,
    cost_per_run: f64,
}

impl Powers {
    fn of(authority: &Authority) -> Powers {
        let servers = authority.server_rules();
        let called = ["m", "other"]
            .into_iter()
            .flat_map(|server| ["get", "put"].map(|tool| servers.call(server, tool).is_ok()));
        Powers {
            decisions: decisions(authority),
            sandboxes: LEVELS.map(|level| authority.sandbox_settings(level)).into(),
            may_write: authority.commands_may_write(),
            servers: called.collect(),
            pin: servers.pin("m"),
            trust: authority.trust(),
            cost_per_run: authority.cost_per_run().unwrap_or(f64::INFINITY),
        }
    }

    /// The settings that are wider here than in `before`.
    fn wider_than(&self, before: &Powers) -> Vec<String> {
        let mut wider = Vec::new();
        for ((what, now), (_, then)) in self.decisions.iter().zip(&before.decisions) {
            if now < then {
                wider.push(format!("{what}: {now:?} instead of {then:?}"));
            }
        }
        for (level, (now, then)) in LEVELS
            .iter()
            .zip(self.sandboxes.iter().zip(&before.sandboxes))
        {
            let decided = |settings: &SandboxSettings| settings.decided.clone().into();
            for (half, keys) in [
                ("decided", wider_keys(&decided(now), &decided(then))),
                ("stated", wider_keys(&now.stated, &then.stated)),
            ] {
                let named = keys.iter().map(|key| format!("{half} {key} at {level:?}"));
                wider.extend(named);
            }
        }
        let TrustRules {
            keys,
            require_signed,
            tofu,
        } = &self.trust;
        let checks = [
            ("may_write", self.may_write && !before.may_write),
            (
                "servers",
                self.servers
                    .iter()
                    .zip(&before.servers)
                    .any(|(now, then)| *now && !then),
            ),
            ("approval", !self.pin.is_approved && before.pin.is_approved),
            (
                "digests",
                !self.pin.digests.is_superset(&before.pin.digests),
            ),
            ("keys", *keys != before.trust.keys),
            (
                "require_signed",
                !before
                    .trust
                    .require_signed
                    .iter()
                    .all(|pattern| require_signed.contains(pattern)),
            ),
            ("tofu", *tofu && !before.trust.tofu),
            ("cost_per_run", self.cost_per_run > before.cost_per_run),
        ];
        let named = checks.iter().filter(|(_, is_wider)| *is_wider);
        wider.extend(named.map(|(what, _)| (*what).to_owned()));
        wider
    }
}

/// The keys of a sandbox that are wider in `now` than in `then`.
fn wider_keys(now: &SandboxTable, then: &SandboxTable) -> Vec<&'static str> {
    /// A missing setting restricts nothing.
    fn is_wider<T: ?Sized>(
        now: Option<&T>,
        then: Option<&T>,
        wider: impl Fn(&T, &T) -> bool,
    ) -> bool {
        then.is_some_and(|then| now.is_none_or(|now| wider(now, then)))
    }
    fn is_more<T: PartialOrd>(now: &T, then: &T) -> bool {
        now > then
    }
    fn is_less<T: PartialOrd>(now: &T, then: &T) -> bool {
        now < then
    }
    fn adds<T: PartialEq>(now: &[T], then: &[T]) -> bool {
        !now.iter().all(|item| then.contains(item))
    }
    let SandboxTable {
        level,
        network,
        read,
        write,
        env,
        timeout_s,
        max_timeout_s,
        output_bytes,
        memory_mb,
        pids,
        fsize_mb,
    } = now;
    let opens =
        |now: &[String], then: &[String]| !then.iter().any(|top| top == ".") && adds(now, then);
    let checks = [
        (
            "level",
            is_wider(level.as_ref(), then.level.as_ref(), is_less),
        ),
        (
            "network",
            is_wider(network.as_ref(), then.network.as_ref(), is_less),
        ),
        (
            "read",
            is_wider(read.as_deref(), then.read.as_deref(), adds),
        ),
        (
            "write",
            is_wider(write.as_deref(), then.write.as_deref(), opens),
        ),
        ("env", is_wider(env.as_deref(), then.env.as_deref(), adds)),
        (
            "timeout_s",
            is_wider(timeout_s.as_ref(), then.timeout_s.as_ref(), is_more),
        ),
        (
            "max_timeout_s",
            is_wider(max_timeout_s.as_ref(), then.max_timeout_s.as_ref(), is_more),
        ),
        (
            "output_bytes",
            is_wider(output_bytes.as_ref(), then.output_bytes.as_ref(), is_more),
        ),
        (
            "memory_mb",
            is_wider(memory_mb.as_ref(), then.memory_mb.as_ref(), is_more),
        ),
        ("pids", is_wider(pids.as_ref(), then.pids.as_ref(), is_more)),
        (
            "fsize_mb",
            is_wider(fsize_mb.as_ref(), then.fsize_mb.as_ref(), is_more),
        ),
    ];
    let named = checks.iter().filter(|(_, is_wider)| *is_wider);
    named.map(|(key, _)| *key).collect()
}

fn decisions(authority: &Authority) -> Vec<(String, Decision)> {
    let fact = |climbs, is_shared| {
        [PathFact {
            written: "x".to_owned(),
            found: Ok(Inside {
                path: "x".into(),
                climbs,
                is_shared,
            }),
        }]
    };
    let (usual, odd) = (fact(false, false), fact(true, true));
    let commands = ["cat ../secret", "touch x", "echo $(id)"].map(CommandFact::of);
    let host = HostPort::of("http://a.test:8080/");
    let declared = ["net.http".to_owned()];
    let mut requests: Vec<(String, Request<'_>)> = Vec::new();
    for effect in [Effect::Read, Effect::Write, Effect::Delete] {
        for (how, paths) in [("", &usual), ("odd ", &odd)] {
            let request = Request::new("some_tool", effect, End::Closed, paths);
            requests.push((format!("{how}{effect:?}"), request));
        }
    }
    for command in &commands {
        let request = Request::new("execute_command", Effect::Execute, End::Closed, &[]);
        let request = Request {
            command: Some(command),
            ..request
        };
        requests.push((command.text.clone(), request));
    }
    let network = Request {
        host: Some(&host),
        ..Request::new("http_request", Effect::Network, End::Closed, &[])
    };
    requests.push(("network".to_owned(), network));
    let file = Request {
        capabilities: &declared,
        cost: 5.0,
        n_before: 3,
        ..Request::new("deploy/ship", Effect::Write, End::Closed, &[])
    };
    requests.push(("file".to_owned(), file));
    let recovered = Request::new("read_file", Effect::Read, End::Recovered, &usual);
    requests.push(("recovered".to_owned(), recovered));
    let pairs = requests.into_iter();
    pairs
        .map(|(what, request)| (what, authority.judge(&request).verdict.decision))
        .collect()
}

/// The text of a file with one setting.
fn file(table: &str, body: &str) -> String {
    match table {
        "" => format!("version = 1\n{body}\n"),
        "rule" => format!("version = 1\n[[rule]]\n{body}\n"),
        // A table inside `table` has its own header.
        _ if body.starts_with('[') => format!("version = 1\n{body}\n"),
        table => format!("version = 1\n[{table}]\n{body}\n"),
    }
}

#[test]
fn no_key_of_a_projects_file_widens_anything() {
    let mut wrong = Vec::new();
    for grants in ["", "exec:cat", "read,write,exec:touch,shell"] {
        for user in USERS {
            let alone = Authority {
                grants: grants.parse::<Grants>().expect("grants"),
                user: user.map(|text| {
                    let text = format!("version = 1\n{text}");
                    Policy::parse(&text, Scope::User).expect("a good policy")
                }),
                project: None,
            };
            let before = Powers::of(&alone);
            for (table, key, body) in ROWS {
                let text = file(table, body);
                // A file that cannot be used denies everything, as on the command line.
                let project = Policy::parse(&text, Scope::Project).unwrap_or_else(Policy::broken);
                let both = Authority {
                    project: Some(project),
                    ..alone.clone()
                };
                for what in Powers::of(&both).wider_than(&before) {
                    wrong.push(format!(
                        "`{key}` of [{table}] beside {user:?} with `{grants}`: {what}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Each key of a project's file has a row, and a project's file may state all of them but `keys`.
#[test]
fn every_key_of_a_projects_file_has_a_row() {
    for table in [
        "",
        "rule",
        "limits",
        "paths",
        "sandbox",
        "mcp",
        "mcp.server.m",
        "trust",
    ] {
        let start = if table == "rule" {
            "id = 'a'\ndecision = 'allow'\n"
        } else {
            ""
        };
        let text = file(table, &format!("{start}no_such_key = 1"));
        let error = Policy::parse(&text, Scope::Project).expect_err("an unknown key");
        let error = error.to_string();
        let (_, expected) = error.split_once("expected ").expect("what is known");
        let known: BTreeSet<&str> = expected.split('`').skip(1).step_by(2).collect();
        let rows = ROWS.iter().filter(|row| row.0 == table);
        let tried: BTreeSet<&str> = rows.map(|row| row.1).collect();
        assert_eq!(tried, known, "of [{table}]");
    }
    for (table, key, body) in ROWS {
        let read = Policy::parse(&file(table, body), Scope::Project);
        assert_eq!(
            read.is_ok(),
            *key != "keys",
            "`{key}` of [{table}]: {read:?}"
        );
    }
}

#[test]
fn what_nobody_says_is_the_default() {
    let project = "version = 1\n[sandbox]\nlevel = 'plain'\nnetwork = 'host'\ntimeout_s = 9999";
    let project = Policy::parse(project, Scope::Project).ok();
    let authority = Authority {
        project,
        ..Authority::default()
    };
    let settings = authority.sandbox_settings(None);
    assert_eq!(settings.decided, Sandbox::default());
    assert_eq!(settings.decided.level, Level::Namespaces);
    assert_eq!(settings.decided.network, Reach::None);
}
