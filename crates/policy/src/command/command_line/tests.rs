//! Lines that are read as literal words, and lines that need a shell.

use super::{CommandLine, Join, Stream, Streams};

fn shown(line: &CommandLine) -> String {
    let pipelines = line.pipelines.iter().map(|pipeline| {
        let sign = match pipeline.join {
            Join::Then => ";",
            Join::And => "&&",
            Join::Or => "||",
        };
        let commands: Vec<String> = pipeline
            .commands
            .iter()
            .map(|words| words.join("·"))
            .collect();
        format!("{sign} {}", commands.join(" | "))
    });
    pipelines.collect::<Vec<_>>().join(" ")
}

#[test]
fn literal_words_are_read_as_bash_reads_them() {
    let cases = [
        ("ls", "; ls"),
        ("  git   status  ", "; git·status"),
        ("a && b || c ; d", "; a && b || c ; d"),
        ("a|b | c\nd\n\n e", "; a | b | c ; d ; e"),
        ("a &&\n b", "; a && b"),
        (
            "echo 'a;b && c | d $(x) `y`'",
            "; echo·a;b && c | d $(x) `y`",
        ),
        (r#"echo "it's \"x\" \\ \n""#, r#"; echo·it's "x" \ \n"#),
        ("find a -'del'ete", "; find·a·-delete"),
        (
            "git log HEAD~1 a#b x=y --z=~",
            "needs `~`, which stands for a home, at byte 27",
        ),
        (
            "git log HEAD~1 a#b x=y -n 1",
            "; git·log·HEAD~1·a#b·x=y·-n·1",
        ),
        ("echo '' \"\" x", "; echo···x"),
        ("find . ! -name x", "; find·.·!·-name·x"),
        ("cat 'we ird é日 name.txt'", "; cat·we ird é日 name.txt"),
        (r"cat my\ file.txt", "; cat·my file.txt"),
        (
            r"cat 'my file.txt' my\ \'file\'",
            "; cat·my file.txt·my 'file'",
        ),
        (
            r"find . -name \*.rs -exec wc {} \; ; \ls",
            "; find·.·-name·*.rs·-exec·wc·{}·; ; ls",
        ),
        (r"a \&\& b \~ \$x é\é", "; a·&&·b·~·$x·éé"),
        (r"\if x", "; if·x"),
        ("cd sub && make", "; cd·sub && make"),
        ("cd sub", "; cd·sub"),
        ("export A=1", "; export·A=1"),
        ("ls;", "; ls"),
        ("a # b; c\nd && # e\nf", "; a ; d && f"),
        (
            "git diff HEAD@{1} {} a{b-c}",
            "; git·diff·HEAD@{1}·{}·a{b-c}",
        ),
    ];
    for (text, expected) in cases {
        let read = match CommandLine::read(text) {
            Ok(line) => shown(&line),
            Err(error) => format!("needs {} at byte {}", error.what, error.at),
        };
        assert_eq!(read, expected, "{text}");
    }
}

#[test]
fn everything_else_needs_a_shell() {
    for text in [
        "a &",
        "a & b",
        "a |& b",
        "a > b",
        "a < b",
        "a 2>x",
        "a 3>&1",
        "a 2>&3",
        "a > /dev/null/x",
        "a >/dev/nullx",
        "a >\"/dev/null\"",
        "a >/dev/null\"x\"",
        "a >/dev/null$x",
        "a >&x",
        "a <&0",
        "a <>/dev/null",
        "a | b </dev/null",
        ">/dev/null",
        "2>/dev/null a",
        "a; >/dev/null",
        "a 2>&-",
        "a 2>&1x",
        "'2'>x",
        "* a",
        "a? b",
        "[a] b",
        "a | b*",
        "a >| b",
        "a <<EOF\nEOF",
        "a <<< b",
        "$x",
        "a $x",
        "\"$x\"",
        "`a`",
        "a `b`",
        "\"`b`\"",
        "$(a)",
        "<(a)",
        "(a)",
        "{ a; }",
        "a {b,c}",
        "a {1..3}",
        "a {b",
        "a *",
        "a ?",
        "a [b]",
        "~",
        "a ~/b",
        "a=~/b c",
        "A=1",
        "A=1 b",
        "A+=1 b",
        "a[0]=1",
        "a\\\nb",
        "a\\",
        "a \\x *",
        "A\\=1",
        "if a; then b; fi",
        "for i in 1; do a; done",
        "! a",
        "time a",
        "[[ a ]]",
        "case x in x) a;; esac",
        "eval a",
        "exec a",
        "command a",
        "alias a=b",
        "trap a EXIT",
        "source a; b",
        "export A=1; b",
        "; a",
        "a ;; b",
        "a && ; b",
        "a &&",
        "a |",
        "| a",
        "&& a",
        "'a",
        "\"a",
        "\"a\\",
        "a'b",
        "",
        " \n ",
        "''",
        "function f { a; }",
        "coproc a",
        "a\u{b}b",
    ] {
        assert!(
            CommandLine::read(text).is_err(),
            "{text:?}: {:?}",
            CommandLine::read(text)
        );
    }
}

#[test]
fn output_goes_nowhere_or_to_the_other_without_a_shell() {
    let own = Streams::default();
    let of = |output, error| Streams { output, error };
    for (text, words, streams) in [
        ("a 2>/dev/null", "; a", own_error(Stream::Null)),
        (
            "a x>/dev/null y",
            "; a·x·y",
            of(Stream::Null, Stream::Error),
        ),
        ("a 1>/dev/null", "; a", of(Stream::Null, Stream::Error)),
        ("a >>/dev/null", "; a", of(Stream::Null, Stream::Error)),
        ("a > /dev/null 2>&1", "; a", of(Stream::Null, Stream::Null)),
        ("a 2>&1 >/dev/null", "; a", of(Stream::Null, Stream::Output)),
        ("a 2>&1", "; a", own_error(Stream::Output)),
        ("a 2>& 1;", "; a", own_error(Stream::Output)),
        ("a &>/dev/null", "; a", of(Stream::Null, Stream::Null)),
        ("a >&/dev/null", "; a", of(Stream::Null, Stream::Null)),
        ("a >&2", "; a", of(Stream::Error, Stream::Error)),
        ("a </dev/null", "; a", own),
        ("a x2>/dev/null", "; a·x2", of(Stream::Null, Stream::Error)),
        ("a '2'>/dev/null", "; a·2", of(Stream::Null, Stream::Error)),
    ] {
        let line = CommandLine::read(text).expect(text);
        assert_eq!(shown(&line), words, "{text}");
        assert_eq!(line.pipelines[0].streams, [streams], "{text}");
    }
    let line = CommandLine::read("a 2>/dev/null | b 2>&1 && c").expect("literal");
    let streams: Vec<Stream> = line
        .pipelines
        .iter()
        .flat_map(|pipeline| pipeline.streams.iter().map(|streams| streams.error))
        .collect();
    assert_eq!(streams, [Stream::Null, Stream::Output, Stream::Error]);
}

fn own_error(error: Stream) -> Streams {
    Streams {
        error,
        ..Streams::default()
    }
}

#[test]
fn patterns_become_names_and_the_rest_stays() {
    for (text, expected) in [
        ("ls *.rs x", "; ls·D|*.rs·D2·x"),
        ("ls *.a *.b 'c*'", "; ls·D|*.a·D2·D|*.b·D2·c*"),
        ("a *.a | b *.b", "; a·D|*.a·D2 | b·D|*.b·D2"),
        ("ls 'a b'*.rs", "; ls·D|\\a\\ \\b*.rs·D2"),
        ("ls none* x", "; ls·none*·x"),
        ("[ -f a ]", "; [·-f·a·]"),
        ("ls a[b x", "; ls·a[b·x"),
        ("ls a[bc] \\*", "; ls·D|a[bc]·D2·*"),
        ("cd s && ls *.rs", "; cd·s && ls·Ds|*.rs·D2"),
        (
            "a && cd s && cd t && ls ?",
            "; a && cd·s && cd·t && ls·Dst|?·D2",
        ),
        ("ls * && cd s", "; ls·D|*·D2 && cd·s"),
        (
            "cd s; ls *",
            "needs a pattern for file names where the directory is not known at byte 9",
        ),
        (
            "a || cd s && ls *",
            "needs a pattern for file names where the directory is not known at byte 16",
        ),
        (
            "cd s && a || ls *",
            "needs a pattern for file names where the directory is not known at byte 16",
        ),
        (
            "cd s*",
            "needs a pattern for file names where the directory is not known at byte 3",
        ),
        ("ls much*", "needs too much at byte 3"),
    ] {
        let mut line = CommandLine::read_patterns(text).expect(text);
        let done = line.expand(|moves, pattern| match pattern {
            "none*" => Ok(Vec::new()),
            "much*" => Err("too much"),
            _ => Ok(vec![
                format!("D{}|{pattern}", moves.concat()),
                "D2".to_owned(),
            ]),
        });
        let read = match done {
            Ok(()) => shown(&line),
            Err(error) => format!("needs {} at byte {}", error.what, error.at),
        };
        assert_eq!(read, expected, "{text}");
        assert_eq!(
            CommandLine::read(text).is_ok(),
            line.patterns().next().is_none(),
            "{text}"
        );
        for pipeline in &line.pipelines {
            for pattern in pipeline
                .patterns
                .iter()
                .filter(|pattern| pattern.n_words == 2)
            {
                let words = &pipeline.commands[pattern.command][pattern.word..];
                assert!(
                    words[0].ends_with(&pattern.pattern) && words[1] == "D2",
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn a_quoted_line_reads_as_the_same_words() {
    for text in [
        "a 'b c' \"it's\" | d && e || f; g",
        "find . -name '*.rs' -exec wc {} \\;",
    ] {
        let line = CommandLine::read(text).expect(text);
        let again = CommandLine::read(&line.quoted()).expect(text);
        assert_eq!(shown(&again), shown(&line), "{text}");
    }
}

#[test]
fn what_deceives_is_refused_for_good() {
    for text in [
        "ls -la\u{202e}",
        "l\u{200b}s",
        "g\u{456}t status",
        "a\u{a0}b",
        "a\u{0}",
        "'\u{1b}[2J'",
        "ls\r\nrm",
    ] {
        assert!(
            CommandLine::read(text).expect_err(text).is_hopeless,
            "{text:?}"
        );
    }
}

#[test]
fn a_text_that_no_system_takes_is_not_read() {
    let text = "echo a\n".repeat(super::MOST_BYTES / 7 + 1);
    let survey = crate::Survey::of(&text);
    assert_eq!(survey.doubts.len(), 1);
    let mut words = survey.commands.iter().flatten();
    assert!(words.all(|word| crate::command::is_unknown(word)));
    assert!(survey.needs_shell && !survey.commands.is_empty());
    assert!(CommandLine::read(&text).is_err());
    let text = "a".repeat(super::MOST_BYTES);
    assert!(crate::Survey::of(&text).doubts.is_empty());
}
