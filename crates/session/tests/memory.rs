//! How much memory a large argument costs at its peak, as multiples of the argument. Counted, not timed.

use allocation_counter::measure;
use toolglot_chat::{ArgumentSpans, Digest, DigestContext, Reader, compile};
use toolglot_engine::Finish;
use toolglot_session::{Policies, Session};
use toolglot_toolset::Toolbox;
use toolglot_value::json;

/// A text of lines, a little shorter than a power of two: buffers that grow by doubling have little room left.
const N_LINES: usize = (4 << 20) / LINE.len() - (4 << 10);

const LINE: &str = "fn main() { let x = 1; let y = 2; assert!(x < y); } // one line\n";

fn message(tool: &str, key: &str, is_escaped: bool) -> String {
    let line = if is_escaped { LINE } else { LINE.trim_end() };
    let mut arguments = match tool {
        "write_file" => json!({"path": "a.rs"}),
        _ => json!({}),
    };
    arguments[key] = line.repeat(N_LINES).into();
    let call = json!({"name": tool, "arguments": arguments});
    format!("<tool_call>\n{call}\n</tool_call>\n")
}

/// The limit on memory, in hundredths of the argument: the text, the reading, its value and one temporary copy.
const MOST: u64 = 400;

/// The memory of tools and programs, however large the argument is, in bytes.
const FIXED: u64 = 512 << 10;

/// The peak in hundredths of the message, and whether it is at most `most`.
fn judged(peak: u64, message: &str, most: u64) -> (bool, String) {
    let size = message.len() as u64;
    let hundredths = 100 * peak / size;
    (peak <= most * size / 100 + FIXED, format!("{hundredths} %"))
}

#[test]
fn a_run_holds_a_large_argument_few_times() {
    let dialect = toolglot_dialects::get("hermes").expect("it ships").clone();
    let mut peaks = Vec::new();
    for (tool, key, is_escaped, grants, is_dry, is_named, most) in [
        ("write_file", "content", true, "write", true, true, MOST),
        ("write_file", "content", true, "write", false, true, MOST),
        ("write_file", "content", false, "write", false, false, MOST),
        ("write_file", "content", true, "", false, false, MOST),
        // A command is compared with others and decided as a separate text.
        (
            "execute_command",
            "command",
            true,
            "",
            false,
            true,
            MOST + 100,
        ),
    ] {
        let root = tempfile::tempdir().expect("a directory");
        let mut builder = Session::builder(root.path(), Policies::usual(root.path()))
            .without_journal()
            .without_result_memory()
            .grants(grants.parse().expect("known words"))
            .dialects(vec![dialect.clone()])
            .dry_run(is_dry);
        if is_named {
            builder = builder.tools(Toolbox::builtin("vocabulary").expect("it ships"));
        }
        let session = builder.build().expect("opened");
        let message = message(tool, key, is_escaped);
        let mut run = None;
        let peak = measure(|| run = Some(session.run(message.as_str()))).bytes_max;
        let run = run.expect("it ran").expect("a program");
        assert_eq!(run.steps.len(), 1);
        let (is_fine, peak) = judged(peak, &message, most);
        let what = format!("{tool} escaped={is_escaped} {grants:?} dry={is_dry} named={is_named}");
        peaks.push((is_fine, peak, what));
    }
    assert!(peaks.iter().all(|(is_fine, ..)| *is_fine), "{peaks:#?}");
}

#[test]
fn parsing_holds_a_large_argument_few_times() {
    let dialect = [toolglot_dialects::get("hermes").expect("it ships").clone()];
    let builtin = Toolbox::builtin("vocabulary").expect("it ships");
    let mut peaks = Vec::new();
    for (toolbox, normalize) in [
        (None, false),
        (Some(&builtin), false),
        (Some(&builtin), true),
    ] {
        let mut reader = Reader::new(compile(&dialect, toolbox).expect("a program"));
        reader.finish = Finish::Stop;
        let message = message("write_file", "content", true);
        let peak = measure(|| {
            let reading = reader.read(message.clone().into_bytes());
            let spans = ArgumentSpans::new(&reader, &reading.text);
            let context = DigestContext {
                dialects: &dialect,
                toolbox,
                normalize,
                spans: Some(&spans),
            };
            let digest = Digest::new(reading.trace.message, context);
            assert_eq!(digest.document.calls.len(), 1);
        })
        .bytes_max;
        let (is_fine, peak) = judged(peak, &message, MOST);
        peaks.push((is_fine, peak, toolbox.is_some(), normalize));
    }
    assert!(peaks.iter().all(|(is_fine, ..)| *is_fine), "{peaks:#?}");
}
