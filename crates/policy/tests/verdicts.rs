//! The verdicts of each shipped policy, and of two policies with every key, on every request of a table.
//!
//! `data/requests.txt` has the requests, `data/verdicts.txt` the expected answers: the verdict, and every rule that applied.
//! `TOOLGLOT_BLESS=1` writes the answers anew.

use std::fmt::Write as _;
use std::path::Path;

use toolglot_engine::End;
use toolglot_policy::{
    AccessLists, Authority, CommandFact, Effect, Escape, Grants, HostPort, Inside, Item, PathFact,
    Policy, Request, Scope,
};

/// A path as a file system resolves it: `shared:` comes before a path that has another name as well.
fn path(written: &str) -> PathFact {
    let (is_shared, written) = match written.strip_prefix("shared:") {
        Some(rest) => (true, rest),
        None => (false, written),
    };
    let climbs = written.split('/').any(|name| name == "..");
    let found = if written.starts_with('/') {
        Err(Escape::Absolute)
    } else if Escape::is_home(written) {
        Err(Escape::Home)
    } else if written.starts_with("..") {
        Err(Escape::Climbs)
    } else {
        let mut path = std::path::PathBuf::new();
        for name in written.split('/') {
            match name {
                "." => {}
                ".." => {
                    path.pop();
                }
                name => path.push(name),
            }
        }
        Ok(Inside {
            path,
            climbs,
            is_shared,
        })
    };
    PathFact {
        written: written.to_owned(),
        found,
    }
}

/// The verdict on a request, and every rule that applied.
fn answer(authority: &Authority, line: &str) -> String {
    let (mut kind, mut rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut circumstances = Request::new("", Effect::Unknown, End::Closed, &[]);
    let mut names = Vec::new();
    let mut has_more_places = false;
    // The properties of the call come before its kind.
    loop {
        match kind.split_once('=').unwrap_or((kind, "")) {
            ("cost", amount) => circumstances.cost = amount.parse().expect("a number"),
            ("before", number) => circumstances.n_before = number.parse().expect("a number"),
            ("also", name) => names.push(name.to_owned()),
            ("recovered", _) => circumstances.end = End::Recovered,
            ("truncated", _) => circumstances.end = End::Truncated,
            ("again", _) => circumstances.is_repeat = true,
            ("many", _) => has_more_places = true,
            _ => break,
        }
        (kind, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    }
    let rest = rest.replace("\\n", "\n");
    let paths: Vec<PathFact> = match kind {
        "read" | "write" | "delete" | "edit" => vec![path(&rest)],
        "move" | "rename" => rest.split(' ').map(path).collect(),
        _ => Vec::new(),
    };
    let below: Vec<PathFact> = (kind == "below").then(|| path(&rest)).into_iter().collect();
    let command = (kind == "run").then(|| {
        let mut fact = CommandFact::of(&rest);
        let places = fact.words().into_iter().map(path).collect();
        fact.places = places;
        fact.has_more_places = has_more_places;
        fact.home = Some("/home/ann".to_owned());
        fact.beyond = fact.away().into_iter().next().map(|away| away.path);
        fact
    });
    let host = (kind == "fetch").then(|| HostPort::of(&rest));
    let capabilities: Vec<String> = (kind == "capability")
        .then(|| rest.clone())
        .into_iter()
        .collect();
    let (tool, effect) = match kind {
        "read" => ("read_file", Effect::Read),
        "tool" => (rest.as_str(), Effect::Read),
        "write" | "move" | "below" => ("write_file", Effect::Write),
        "edit" => ("edit_file", Effect::Write),
        "rename" => ("move_file", Effect::Write),
        "delete" => ("delete_file", Effect::Delete),
        "run" => ("execute_command", Effect::Execute),
        "fetch" => ("http_request", Effect::Network),
        "ask" => ("ask", Effect::Ask),
        "capability" => ("work/tool", Effect::Execute),
        _ => ("some_tool", Effect::Unknown),
    };
    let request = Request {
        below: &below,
        command: command.as_ref(),
        host: host.as_ref(),
        capabilities: &capabilities,
        tool,
        names: &names,
        effect,
        paths: &paths,
        ..circumstances
    };
    let explanation = authority.judge(&request);
    let mut text = format!("{line}: {}", explanation.verdict.decision.word());
    if explanation.reasons.is_empty() {
        text.push_str(" nothing-allows-it");
    }
    for reason in &explanation.reasons {
        let verdict = &reason.verdict;
        let layer = reason.layer.word();
        write!(
            text,
            "; {} {} ({layer}",
            verdict.decision.word(),
            verdict.rule
        )
        .expect("a string takes all");
        match &reason.item {
            Some(Item::Path(path)) if *path != rest => write!(text, ", {path}"),
            Some(Item::Path(_)) | None => Ok(()),
            Some(Item::Command(words)) => write!(text, ", {}", words.join("·").replace('\0', "␀")),
            Some(Item::Host(host)) => write!(text, ", {}:{}", host.name, host.port),
            Some(Item::Shell(_)) => write!(text, ", shell"),
            Some(Item::Capability(name)) => write!(text, ", {name}"),
            Some(Item::Nothing) => write!(text, ", nothing"),
        }
        .expect("a string takes all");
        text.push_str(if reason.is_granted { ", granted)" } else { ")" });
    }
    let first = explanation.reasons.first().map(|reason| &reason.verdict);
    assert!(
        first.is_none_or(|first| *first == explanation.verdict
            || explanation.verdict.rule == "nothing-allows-it"),
        "{line}"
    );
    text + "\n"
}

/// The policies of a directory, with their names.
fn policies(directory: &str) -> Vec<(String, Policy)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let mut files: Vec<_> = std::fs::read_dir(directory)
        .expect("a directory of policies")
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    let policies = files.into_iter().map(|file| {
        let name = file
            .file_name()
            .expect("a file")
            .to_string_lossy()
            .into_owned();
        let text = std::fs::read_to_string(&file).expect("readable");
        let policy =
            Policy::parse(&text, Scope::User).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, policy)
    });
    policies.collect()
}

#[test]
fn every_request_is_judged_as_the_table_says() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/verdicts.txt");
    let mut authorities: Vec<(String, Authority)> = Vec::new();
    for (name, policy) in policies("tests/data/policies")
        .into_iter()
        .chain(policies("../../examples/policies"))
    {
        for grants in ["", "write,delete,exec:git,exec:ls,net:api.test"] {
            if !grants.is_empty() && name != "every-key.toml" && name != "argument-lists.toml" {
                continue;
            }
            let authority = Authority {
                grants: if grants.is_empty() {
                    Grants::default()
                } else {
                    grants.parse().expect("grants")
                },
                user: Some(policy.clone()),
                project: None,
            };
            authorities.push((format!("{name} {grants}"), authority));
        }
    }
    let lists = |whitelist: Option<&[&str]>| AccessLists {
        whitelist: whitelist.map(|names| names.iter().map(ToString::to_string).collect()),
        blacklist: vec!["curl".to_owned(), "/bin/rm".to_owned()],
        readonly: vec!["src/".to_owned()],
        forbidden: vec!["private".to_owned(), "/etc".to_owned(), "~/x".to_owned()],
    };
    for (name, whitelist) in [
        ("lists", Some(&["ls", "/usr/bin/git", "cat"][..])),
        ("empty lists", Some(&[][..])),
        ("lists without a whitelist", None),
    ] {
        let lists = lists(whitelist);
        assert_eq!(lists.report().is_some(), whitelist.is_none());
        let authority = Authority {
            user: Some(Policy::of_access_lists(&lists)),
            ..Authority::default()
        };
        authorities.push((name.to_owned(), authority));
    }
    for grants in [
        "",
        "read,write,recovered",
        "shell,net:cdn.test,net:127.0.0.1:8080",
        "exec:cat,exec:rm,delete",
    ] {
        let authority = Authority {
            grants: if grants.is_empty() {
                Grants::default()
            } else {
                grants.parse().expect("grants")
            },
            ..Authority::default()
        };
        authorities.push((format!("no file, {grants}"), authority));
    }
    let project = |text: &str| Policy::parse(text, Scope::Project).expect("a project's policy");
    let authority = Authority {
        grants: "write".parse().expect("grants"),
        user: policies("../../examples/policies")
            .into_iter()
            .find(|(name, _)| name == "default.toml")
            .map(|(_, policy)| policy),
        project: Some(project(
            "version = 1\n[[rule]]\nid = 'p'\ndecision = 'ask'\npaths = ['src/**']\n[[rule]]\nid = 'q'\ndecision = 'deny'\nargv = [['git', '...']]\n",
        )),
    };
    authorities.push(("with a project".to_owned(), authority));
    let requests = include_str!("data/requests.txt");
    let requests = || requests.lines().filter(|line| !line.starts_with('#'));
    let mut table = String::new();
    for (name, authority) in &authorities {
        writeln!(table, "\n= {name}").expect("a string takes all");
        table.extend(requests().map(|line| answer(authority, line)));
    }
    if std::env::var_os("TOOLGLOT_BLESS").is_some() {
        std::fs::write(file, table).expect("written");
        return;
    }
    let expected = std::fs::read_to_string(file).expect("the table is there");
    let mut policy = "";
    for (now, before) in table.lines().zip(expected.lines()) {
        if before.starts_with('=') {
            policy = before;
        }
        assert_eq!(now, before, "under {policy}");
    }
    assert_eq!(table.lines().count(), expected.lines().count());
}
