//! `data/split_shell.txt`, and properties of any text.

use proptest::prelude::*;
use toolglot_toolset::split_shell;

fn commands(block: &str) -> Vec<&str> {
    split_shell(block)
        .into_iter()
        .map(|range| &block[range])
        .collect()
}

#[test]
fn blocks_split_as_the_file_says() {
    let file = include_str!("data/split_shell.txt");
    let cases = file.split("\n== ").skip(1);
    let mut n = 0;
    for case in cases {
        let (name, body) = case
            .split_once('\n')
            .expect("a block stands under its name");
        let (block, expected) = body.split_once("\n=> ").unwrap_or((body, ""));
        let expected: Vec<&str> = expected
            .split("\n=> ")
            .map(str::trim_end)
            .filter(|command| !command.is_empty())
            .collect();
        assert_eq!(commands(block), expected, "{name}");
        let crlf = block.replace('\n', "\r\n");
        let unified: Vec<String> = commands(&crlf)
            .iter()
            .map(|c| c.replace("\r\n", "\n"))
            .collect();
        let lines: Vec<String> = expected.iter().map(|c| c.replace("\r\n", "\n")).collect();
        assert_eq!(unified, lines, "{name}, with CRLF");
        n += 1;
    }
    assert!(n > 25, "only {n} cases were read");
}

/// Words that are hard for a scanner of shell text.
fn shell_like() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        Just("\n"),
        Just("\n"),
        Just(" "),
        Just("\\"),
        Just("\\\n"),
        Just("'"),
        Just("\""),
        Just("`"),
        Just("$("),
        Just("("),
        Just(")"),
        Just("(("),
        Just("))"),
        Just("${"),
        Just("}"),
        Just("{"),
        Just("#"),
        Just("|"),
        Just("&&"),
        Just(";;"),
        Just("case"),
        Just(" in "),
        Just("esac"),
        Just("if"),
        Just("fi"),
        Just("for"),
        Just("do"),
        Just("done"),
        Just("function "),
        Just("f()"),
        Just("<<"),
        Just("EOF"),
        Just("<"),
        Just("é"),
        Just("x"),
    ];
    proptest::collection::vec(word, 0..40).prop_map(|words| words.concat())
}

proptest! {
    /// Commands come in order, start and end without blanks, and leave out only blank lines and comments.
    #[test]
    fn nothing_but_blanks_and_comments_is_left_out(block in shell_like()) {
        let mut left_out = String::new();
        let mut end = 0;
        for range in split_shell(&block) {
            prop_assert!(end <= range.start && range.start < range.end);
            let command = &block[range.clone()];
            prop_assert_eq!(command, command.trim_ascii());
            left_out.push_str(&block[end..range.start]);
            left_out.push('\n');
            end = range.end;
        }
        left_out.push_str(&block[end..]);
        for line in left_out.lines().map(str::trim_ascii) {
            prop_assert!(line.is_empty() || line.starts_with('#'), "left out: {}", line);
        }
    }

    /// Splitting a command gives the same command.
    #[test]
    fn commands_split_no_further(block in shell_like()) {
        for range in split_shell(&block) {
            let command = &block[range];
            prop_assert_eq!(commands(command), [command]);
        }
    }
}

/// The stack of open constructs is not the call stack.
#[test]
fn deep_nesting_is_read() {
    let block = "$(".repeat(200_000) + "\nls";
    assert_eq!(commands(&block), [block.as_str()]);
}
