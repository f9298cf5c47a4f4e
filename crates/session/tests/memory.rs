//! How much memory a large argument costs at its peak, as multiples of the argument. Counted, not timed.

use allocation_counter::measure;
use toolglot_chat::{ArgumentSpans, Digest, DigestContext, Reader, compile};
use toolglot_engine::Finish;
use toolglot_session::{Policies, Session};
use toolglot_toolset::Toolbox;
use toolglot_value::json;

/// A text of lines, a little shorter than a power of two: buffers that double have little room left.
const N_LINES: usize = (8 << 20) / LINE.len() - (8 << 10);

const LINE: &str = "fn main() { let x = 1; let y = 2; assert!(x < y); } // one line\n";

fn message(tool: &str, key: &str, is_escaped: bool) -> String {
    let line = if is_escaped { LINE } else { LINE.trim_end() };
    let mut arguments = json!({"path": "a.rs"});
    arguments[key] = line.repeat(N_LINES).into();
    let call = json!({"name": tool, "arguments": arguments});
    format!("<tool_call>\n{call}\n</tool_call>\n")
}

/// What may be held at once, in hundredths of the argument: the text, what was read, its value, and a copy on the way, whose
/// old half counts while it grows.
const MOST: u64 = 475;

/// The peak, in hundredths of the argument.
fn hundredths(peak: u64, message: &str) -> u64 {
    100 * peak / message.len() as u64
}

#[test]
fn a_dry_run_holds_a_large_argument_four_times_at_most() {
    let root = tempfile::tempdir().expect("a directory");
    let dialect = toolglot_dialects::get("hermes").expect("it ships").clone();
    for (tool, key, is_escaped) in [
        ("write_file", "content", false),
        ("write_file", "content", true),
    ] {
        let session = Session::builder(root.path(), Policies::usual(root.path()))
            .without_journal()
            .grants("write,shell".parse().expect("known words"))
            .dialects(vec![dialect.clone()])
            .dry_run(true)
            .build()
            .expect("opened");
        let message = message(tool, key, is_escaped);
        let mut run = None;
        let peak = measure(|| run = Some(session.run(message.as_str()))).bytes_max;
        let run = run.expect("it ran").expect("a program");
        assert_eq!(run.steps.len(), 1);
        let peak = hundredths(peak, &message);
        assert!(peak <= MOST, "{tool} {is_escaped}: {peak}");
    }
}

#[test]
fn parsing_holds_a_large_argument_four_times_at_most() {
    let dialect = [toolglot_dialects::get("hermes").expect("it ships").clone()];
    let builtin = Toolbox::builtin("vocabulary").expect("it ships");
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
        let peak = hundredths(peak, &message);
        assert!(peak <= MOST, "{normalize}: {peak}");
    }
}
