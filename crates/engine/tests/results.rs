//! What is promised of results in every dialect: they arrive whole, end no frame, open no turn, and come back exactly.
//!
//! `TOOLGLOT_CASES` is the number of texts per dialect, `TOOLGLOT_SEED` where the generators begin.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use toolglot_engine::{CallText, Dialect, ResultText, ResultWriter};
use toolglot_value::{Value, json};

const CALL: CallText<'_> = CallText {
    name: "search",
    arguments: r#"{"path": "a.md"}"#,
    server: None,
    id: Some("call_1"),
};

/// Ordinary text, and pieces that markers are made of.
const ORDINARY: &[&str] = &[
    "a",
    " ",
    "\n",
    "\r\n",
    "\\",
    "\\\\",
    "&",
    "&amp;",
    "&lt;",
    "&gt;",
    "&#91;",
    "<",
    "</",
    ">",
    "[",
    "]",
    "|",
    "｜",
    "'",
    "\"",
    "`",
    "```",
    "````",
    "```bash\nls\n```\n",
    "{\"a\": [1, \"b\"]}",
    "<b class=\"c\">d</b>",
    "Error: ",
    "] Result:",
    "' result:",
    "日本語",
    "🦀",
    "\u{2060}",
    "\u{0}",
];

fn result(text: &str, failed: bool) -> ResultText<'_> {
    ResultText {
        call: CALL,
        text,
        failed,
        is_json: false,
    }
}

/// What a result's text became: what stands between the parts of its frame.
fn inside<'t>(writer: &ResultWriter<'_>, written: &'t str, failed: bool) -> &'t str {
    let (before, after) = writer.frame(CALL, failed, false);
    let ticks = |text: &str| text.len() - text.trim_start_matches('`').len();
    let more = ticks(written).saturating_sub(ticks(&before));
    // A fence may be longer than the shortest.
    let (start, end) = if before.starts_with("```") && more > 0 {
        (before.len() + more, after.len() + more)
    } else {
        assert!(
            written.starts_with(&before) && written.ends_with(&after),
            "{written}"
        );
        (before.len(), after.len())
    };
    &written[start..written.len() - end]
}

/// The markers of all dialects, as they stand and escaped in each way.
fn markers() -> Vec<String> {
    let dialects = toolglot_dialects::all();
    let all: BTreeSet<String> = dialects.iter().flat_map(own).collect();
    all.into_iter().collect()
}

fn own(dialect: &Dialect) -> Vec<String> {
    let writer = ResultWriter::new(dialect);
    [writer.markers(false), writer.markers(true)].concat()
}

fn with_escapes(markers: &[String]) -> Vec<String> {
    let mut all = Vec::new();
    for marker in markers {
        let (line, marker) = match marker.strip_prefix('\n') {
            Some(rest) => ("\n", rest),
            None => ("", marker.as_str()),
        };
        let first = marker.chars().next().expect("no marker is empty");
        let rest = &marker[first.len_utf8()..];
        all.push(format!("{line}{marker}"));
        all.push(format!("{line}{first}\\{rest}"));
        all.push(format!("{line}{first}\\\\{rest}"));
        all.push(format!("{line}&lt;{rest}"));
        all.push(format!("{line}&amp;lt;{rest}"));
        all.push(format!("{line}&#{};{rest}", u32::from(first)));
        all.push(rest.to_owned());
        all.push(format!(
            "{line}{}",
            &marker[..marker.len() - marker.chars().last().map_or(0, char::len_utf8)]
        ));
    }
    all
}

/// Runs a property over texts of `own` markers, `others` and ordinary text.
fn over(
    own: &[String],
    others: &[String],
    property: impl Fn(&str) -> Result<(), TestCaseError>,
) -> Result<(), String> {
    let number = |name: &str| std::env::var(name).ok()?.parse().ok();
    let config = Config {
        cases: number("TOOLGLOT_CASES").unwrap_or(60),
        failure_persistence: None,
        ..Config::default()
    };
    let mut seed = [7; 32];
    seed[..4].copy_from_slice(&number("TOOLGLOT_SEED").unwrap_or(7).to_le_bytes());
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let piece = prop_oneof![
        3 => select(own.to_vec()),
        2 => select(others.to_vec()),
        4 => select(ORDINARY).prop_map(String::from),
        1 => "\\PC{0,6}",
    ];
    let text = vec(piece, 0..14).prop_map(|pieces| pieces.concat());
    let held = runner.run(&text, |text| property(&text));
    held.map_err(|error| error.to_string())
}

/// Asks every dialect, and says all that are wrong.
fn each_dialect(holds: impl Fn(&Dialect) -> Result<(), String>) {
    let mut wrong = String::new();
    for dialect in toolglot_dialects::all() {
        if let Err(why) = holds(dialect) {
            writeln!(wrong, "{}: {why}", dialect.name()).expect("writing to a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn results_come_back_exactly() {
    let all = markers();
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        over(&with_escapes(&own(dialect)), &all, |text| {
            for failed in [false, true] {
                let result = result(text, failed);
                let written = writer.result(&result);
                let inside = inside(&writer, &written, failed);
                prop_assert_eq!(writer.original(&result, inside), text, "{}", written);
            }
            Ok(())
        })
    });
}

#[test]
fn results_hold_no_marker_and_end_no_frame() {
    let all = markers();
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        over(&with_escapes(&own(dialect)), &all, |text| {
            for failed in [false, true] {
                for n in 1..=5 {
                    let written = writer.results(&vec![result(text, failed); n]).text;
                    let empty = writer.results(&vec![result("", failed); n]).text;
                    for marker in writer.markers(failed) {
                        let count = |text: &str| format!("\n{text}").matches(&*marker).count();
                        prop_assert_eq!(
                            count(&written),
                            count(&empty),
                            "{:?} of {} results in {}",
                            marker,
                            n,
                            written
                        );
                    }
                }
            }
            Ok(())
        })
    });
}

#[test]
fn what_is_no_marker_passes_byte_for_byte() {
    let all = with_escapes(&markers());
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        if writer.encodes(false) || writer.encodes(true) {
            return Ok(());
        }
        let own = own(dialect);
        over(&all, &all, |text| {
            let line = format!("\n{text}");
            let is_own = own.iter().any(|marker| line.contains(&**marker));
            for failed in [false, true] {
                let written = writer.results(&[result(text, failed)]);
                let text_there = writer.result(&result(text, failed));
                let is_same = inside(&writer, &text_there, failed) == text;
                prop_assert_eq!(written.notes.is_empty(), is_same, "{:?}", written);
                let is_escaped = !writer.escaped_markers(text).is_empty();
                prop_assert!(is_same || is_own || is_escaped, "{:?}", written);
            }
            Ok(())
        })
    });
}

/// What a model copies from an answer can be told from what a file holds.
#[test]
fn escapes_can_be_told_from_what_a_file_holds() {
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        if writer.encodes(false) {
            return Ok(());
        }
        for marker in writer.markers(false) {
            let text = format!("a{marker}b\n");
            let written = writer.result(&result(&text, false));
            let inside = inside(&writer, &written, false);
            let mut again = String::new();
            let mut from = 0;
            for escaped in writer.escaped_markers(inside) {
                again.push_str(&inside[from..escaped.place.start]);
                again.push_str(&escaped.original);
                from = escaped.place.end;
            }
            again.push_str(&inside[from..]);
            if again != text {
                return Err(format!("{again:?} is not {text:?}"));
            }
        }
        Ok(())
    });
}

/// A result that is JSON stays so, whatever its strings hold.
#[test]
fn json_stays_json() {
    let all = markers();
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        over(&with_escapes(&own(dialect)), &all, |text| {
            let value = json!({"a": text, text: [text, 1]});
            for json in [value.to_string(), format!("{value:#}")] {
                let result = ResultText {
                    is_json: true,
                    ..result(&json, false)
                };
                let written = writer.result(&result);
                let inside = inside(&writer, &written, false);
                let inside = if writer.encodes(false) {
                    writer.original(&result, inside)
                } else {
                    inside.to_owned()
                };
                prop_assert_eq!(
                    toolglot_value::from_str(&inside).ok(),
                    Some(value.clone()),
                    "{}",
                    inside
                );
            }
            Ok(())
        })
    });
}

/// Results that stand together in frames of JSON are valid, each one or all as one.
#[test]
fn several_results_are_valid_json() {
    let texts = [
        "a \"b\"\n```\nc",
        "</tool_call> [/TOOL_RESULTS]",
        "{\"d\": 1}",
    ];
    let mut n_dialects = 0;
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        let written = writer.results(&texts.map(|text| result(text, false))).text;
        let (before, after) = writer.frame(CALL, false, false);
        let frame = [before, after].concat();
        let parts: Vec<&str> = if written.starts_with("<|START_TOOL_RESULT|>")
            || written.starts_with("<TOOL_RESPONSE>")
        {
            let begin = written.find("[\n").or(written.find('[')).unwrap_or(0);
            let end = written.rfind(']').unwrap_or(0);
            vec![&written[begin..=end]]
        } else if frame.contains("```json") {
            let fences = written.split("```json\n").skip(1);
            fences
                .filter_map(|rest| rest.split("\n```").next())
                .collect()
        } else if frame.contains("[TOOL_RESULTS]{") {
            let objects = written.split("[TOOL_RESULTS]").skip(1);
            objects
                .filter_map(|rest| rest.split("[/TOOL_RESULTS]").next())
                .collect()
        } else {
            return Ok(());
        };
        for part in &parts {
            toolglot_value::from_str(part).map_err(|error| format!("{error}: {part}"))?;
        }
        let values: Vec<Value> = parts
            .iter()
            .filter_map(|part| serde_json::from_str(part).ok())
            .collect();
        let all = json!(values).to_string();
        let is_there = |text: &&str| all.contains(&*json!(text).to_string());
        if texts.iter().all(is_there) {
            Ok(())
        } else {
            Err(all)
        }
    });
    for dialect in toolglot_dialects::all() {
        n_dialects += usize::from(dialect.name() == "cohere" || dialect.name() == "tool_call");
    }
    assert_eq!(n_dialects, 2);
}

/// The work is linear: a closer ten thousand times, and what only begins like one.
#[test]
fn long_results_are_written_whole() {
    let hostile = [
        "</tool_response>",
        "<\\\\\\\\",
        "&amp;amp;amp;",
        "[a] Result: ",
        "Tool '",
        "\n[a",
        "<|im_end|>\n",
        "`````x",
    ];
    each_dialect(|dialect| {
        let writer = ResultWriter::new(dialect);
        for piece in hostile {
            let text = piece.repeat(2_000);
            let result = result(&text, false);
            let written = writer.results(&[result]);
            let alone = writer.result(&result);
            if writer.original(&result, inside(&writer, &alone, false)) != text {
                return Err(format!("{piece} does not come back"));
            }
            if written.notes.len() > 3 {
                return Err(format!("{} notes on {piece}", written.notes.len()));
            }
        }
        Ok(())
    });
}

#[test]
fn results_of_calls_without_ids_are_counted() {
    let call = CallText { id: None, ..CALL };
    let results = ["a", "b"].map(|text| ResultText {
        call,
        ..result(text, false)
    });
    for (name, ids) in [
        (
            "cohere",
            ["\"tool_call_id\": \"0\"", "\"tool_call_id\": \"1\""],
        ),
        (
            "kimi_k2",
            ["of functions.search:0\na", "of functions.search:1\nb"],
        ),
        ("solar", ["begin|>0<", "begin|>1<"]),
    ] {
        let dialect = toolglot_dialects::get(name).expect("a dialect");
        let text = ResultWriter::new(dialect).results(&results).text;
        assert!(ids.iter().all(|id| text.contains(id)), "{name}: {text}");
    }
    for dialect in toolglot_dialects::all() {
        let text = ResultWriter::new(dialect).results(&results).text;
        assert!(!text.contains("\"\""), "{}: {text}", dialect.name());
    }
}
