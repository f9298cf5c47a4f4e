//! Errors when a policy file is read.

use toolglot_policy::{Policy, Scope};

#[test]
fn what_is_not_known_or_not_so_is_refused() {
    let rule = "[[rule]]\nid = 'a'\ndecision = 'allow'\n";
    for (text, expected) in [
        ("nonsense", "expected"),
        ("version = 2", "version = 2"),
        ("", "missing field `version`"),
        ("version = 1\ncolour = 'red'", "unknown field `colour`"),
        (
            &format!("version = 1\n{rule}paht = ['x']"),
            "unknown field `paht`",
        ),
        (
            &format!("version = 1\n{rule}all = true\n{rule}all = true"),
            "duplicate rule `a`",
        ),
        (
            "version = 1\n[[rule]]\nid = 'a'\ndecision = 'maybe'",
            "unknown variant `maybe`",
        ),
        (
            &format!("version = 1\n{rule}paths = ['[']"),
            "`[` in `paths` cannot be used",
        ),
        (
            &format!("version = 1\n{rule}paths = ['../x']"),
            "without `..`",
        ),
        (
            &format!("version = 1\n{rule}argv = [['...']]"),
            "after a program",
        ),
        (
            &format!("version = 1\n{rule}argv = [['git', 're:(']]"),
            "`re:(` in `argv`",
        ),
        (
            &format!("version = 1\n{rule}tools = ['*']\nforbid_args = ['-o']"),
            "does nothing without `argv`",
        ),
        (
            &format!("version = 1\n{rule}hosts = ['*']"),
            "a host is a name",
        ),
        (
            &format!("version = 1\n{rule}argv = [['git', '...']]\nmatch = ['ls']"),
            "does not match its example `ls`",
        ),
        (
            &format!("version = 1\n{rule}argv = [['git', '...']]\nnot_match = ['git x']"),
            "matches its example `git x`",
        ),
        (
            &format!("version = 1\n{rule}argv = [['git', '...']]\nmatch = ['git status; ls']"),
            "does not match",
        ),
        (
            &format!("version = 1\n{rule}paths = ['']"),
            "a path names something",
        ),
        (
            &format!("version = 1\n{rule}paths = ['!lib/ok']"),
            "write exceptions in `except`",
        ),
        (
            &format!("version = 1\n{rule}paths = []"),
            "`paths` is empty",
        ),
        (&format!("version = 1\n{rule}argv = []"), "`argv` is empty"),
        (
            &format!("version = 1\n{rule}"),
            "rule `a` allows every call, as it selects none",
        ),
        (
            &format!("version = 1\n{rule}match = ['x']"),
            "or write `all = true`",
        ),
        (
            &format!("version = 1\n{rule}all = true\ntools = ['x']"),
            "`all`: write one of them",
        ),
        (
            &format!("version = 1\n{rule}capabilities = ['READ']"),
            "written in lower case",
        ),
        (
            "version = 1\n[sandbox]\nlevel = 'some'",
            "unknown variant `some`",
        ),
        (
            "version = 1\n[sandbox]\nlevel = 'plain'\nnetwork = 'none'",
            "`level = \"plain\"` of `[sandbox]` cannot hold `network = \"none\"`",
        ),
        (
            "version = 1\n[sandbox]\nlevel = 'plain'\nread = []",
            "cannot hold `read`",
        ),
        (
            "version = 1\n[sandbox]\nlevel = 'plain'\nnetwork = 'host'\nwrite = ['.']",
            "cannot hold `write`",
        ),
    ] {
        let error = Policy::parse(text, Scope::User)
            .expect_err(text)
            .to_string();
        assert!(error.contains(expected), "{text}: {error}");
        assert!(!error.contains('\n'), "{error}");
    }
}

/// A rule that no call can match is refused when the file is read; a rule that only looks so is accepted.
#[test]
fn a_rule_that_no_call_fits_is_refused() {
    let parse = |rule: &str| {
        let text = format!("version = 1\n[[rule]]\nid = 'a'\ndecision = {rule}");
        Policy::parse(&text, Scope::User).map(drop)
    };
    for rule in [
        "'deny'\ncapabilities = ['*']",
        "'deny'\ncapabilities = ['writ*']",
        "'deny'\ncapabilities = ['writes']",
        "'deny'\ncapabilities = ['execute']",
        "'deny'\ncapabilities = ['net']",
        "'deny'\ncapabilities = ['fs.']",
        "'deny'\ncapabilities = ['*.http']",
        "'deny'\npaths = ['~/x']",
        "'deny'\npaths = ['private\\a']",
        "'deny'\nhosts = ['\u{e9}vil.example']",
        "'deny'\nhosts = ['a.test:http']",
        "'deny'\nargv = [['rm', '...']]\ncapabilities = ['delete']",
        "'deny'\nargv = [['rm', '...']]\ntools = ['delete_file']",
        "'deny'\nhosts = ['a.test']\ncapabilities = ['read']",
        "'allow'\npaths = ['a']\nhosts = ['a.test']",
        "'allow'\npaths = ['a']\ncapabilities = ['exec']",
    ] {
        assert!(parse(rule).is_err(), "{rule}");
    }
    for rule in [
        "'deny'\ncapabilities = ['net.*', 'fs.write', 'my.own']",
        "'deny'\npaths = ['./~', 'a\\[b']",
        "'deny'\nhosts = ['xn--vil-9ia.example', '*.a.test:*', '[::1]:8080']",
        "'deny'\nargv = [['rm', '...']]\ntools = ['execute_command']",
        "'deny'\nargv = [['rm', '...']]\ntools = ['rye/bash/bash']",
        "'allow'\nargv = [['curl', '...']]\nhosts = ['a.test']",
        "'deny'\npaths = ['a']\ncapabilities = ['exec']",
    ] {
        assert_eq!(parse(rule), Ok(()), "{rule}");
    }
    for limits in [
        "cost_per_call = nan",
        "cost_per_run = inf",
        "cost_per_run = -1.0",
    ] {
        let text = format!("version = 1\n[limits]\n{limits}");
        assert!(Policy::parse(&text, Scope::User).is_err(), "{limits}");
    }
}
