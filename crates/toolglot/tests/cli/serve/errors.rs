//! A fault of the command line or of a file is reported on one line, with its place.

use std::fs;

use crate::cli::toolglot;

#[test]
fn a_wrong_file_is_named_with_the_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("gateway.toml");
    let name = file.to_str().expect("UTF-8");
    for (text, expected) in [
        ("[models.a]\nmode = \"fast\"", "2:8: unknown variant `fast`"),
        (
            "\n[models.a]\nmodes = \"raw\"",
            "3:1: unknown field `modes`",
        ),
        (
            "[models.a]\ndialect = \"hermse\"",
            "2:11: unknown dialect `hermse`; did you mean `hermes`?",
        ),
        ("[models.a", "1:10: "),
    ] {
        fs::write(&file, text).expect("a file");
        let ran = toolglot(
            &[
                "serve",
                "--upstream",
                "http://127.0.0.1:9",
                "--config",
                name,
            ],
            "",
        );
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        let start = format!("error: {name}:{expected}");
        assert!(ran.err.starts_with(&start), "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    }
}

#[test]
fn a_wrong_argument_is_one_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let empty = folder.path().join("keys");
    fs::write(&empty, "\n").expect("a file");
    let empty = empty.to_str().expect("UTF-8");
    for (arguments, expected) in [
        (
            &["--upstream", "localhost:8000"][..],
            "upstream `localhost:8000` is unusable: it starts with neither `http://` nor `https://`",
        ),
        (
            &["--upstream", "http://127.0.0.1:9", "--config", "nowhere"],
            "cannot read nowhere: ",
        ),
        (
            &["--upstream", "http://127.0.0.1:9", "--dialect", "hermse"],
            "the dialect of the models `*` is wrong: unknown dialect `hermse`; did you mean `hermes`?",
        ),
        (
            &["--upstream", "http://127.0.0.1:9", "--listen", "0.0.0.0:0"],
            "0.0.0.0:",
        ),
        (
            &["--upstream", "http://127.0.0.1:9", "--api-key-file", empty],
            "the API key file has a control character or is empty",
        ),
    ] {
        let arguments = [&["serve"], arguments].concat();
        let ran = toolglot(&arguments, "");
        assert_eq!(ran.code, 2, "{arguments:?}: {}", ran.err);
        let expected = format!("error: {expected}");
        assert!(
            ran.err.lines().any(|line| line.starts_with(&expected)),
            "{}",
            ran.err
        );
    }
    for arguments in [
        &["serve"][..],
        &["serve", "--upstream", "http://a", "--mode", "fast"],
        &["serve", "--upstream", "http://a", "--max-requests", "0"],
    ] {
        let ran = toolglot(arguments, "");
        assert_eq!(ran.code, 2);
        assert!(ran.err.starts_with("error: "), "{}", ran.err);
    }
}

#[test]
fn tools_are_run_for_nobody_without_a_key() {
    for (arguments, expected) in [
        (
            &["--execute"][..],
            "error: `--execute` needs an API key file: without it any caller could run tools\n",
        ),
        (
            &["--allow", "write"],
            "error: the following required arguments were not provided:\n  --execute\n",
        ),
        (
            &["--sandbox", "plain"],
            "error: the following required arguments were not provided:\n  --execute\n",
        ),
        (
            &["--execute-tool", "a"],
            "error: the following required arguments were not provided:\n  --execute\n",
        ),
    ] {
        let upstream = ["serve", "--upstream", "http://127.0.0.1:9"];
        let ran = toolglot(&[&upstream[..], arguments].concat(), "");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{}", ran.err);
        assert!(ran.err.starts_with(expected), "{}", ran.err);
    }
}
