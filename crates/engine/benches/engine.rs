//! The engine on texts of many shapes, whole and in the pushes of a stream, with one dialect active and with all.
//!
//! Run with `cargo bench -p toolglot-engine`. Throughput is megabytes of model text a second. Inputs are made here, from fixed
//! pieces; the sink adds up lengths, so that no event can be skipped.

use std::fmt;
use std::sync::Arc;

use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use toolglot_engine::{Dialect, Event, Finish, Input, Limits, Parser, Program, Span, ToolSet};

fn main() {
    divan::main();
}

const MIB: usize = 1 << 20;

/// How the text is pushed.
#[derive(Clone, Copy)]
enum Pushes {
    Whole,
    Bytes(usize),
}

impl fmt::Debug for Pushes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Pushes::Whole => f.write_str("whole"),
            Pushes::Bytes(n) => write!(f, "{n} B"),
        }
    }
}

const PUSHES: [Pushes; 3] = [Pushes::Whole, Pushes::Bytes(16), Pushes::Bytes(4)];

/// Which dialects are active.
#[derive(Clone, Copy)]
enum Active {
    One(&'static str),
    All,
}

fn program(active: Active) -> Arc<Program> {
    let dialects: Vec<Dialect> = match active {
        Active::One(name) => vec![toolglot_dialects::get(name).expect("it ships").clone()],
        Active::All => toolglot_dialects::all().to_vec(),
    };
    Arc::new(
        Program::compile(&dialects, &ToolSet::default(), Limits::default())
            .expect("the dialects compile"),
    )
}

fn read(program: &Arc<Program>, text: &str, pushes: Pushes) -> usize {
    let mut told = 0;
    let mut sink = |_: Span, event: Event<'_>| match event {
        Event::Text(text) | Event::Reasoning(text) | Event::Markup(text) => told += text.len(),
        Event::Args { json, .. } => told += json.len(),
        _ => told += 1,
    };
    let mut parser = Parser::new(Arc::clone(program));
    match pushes {
        Pushes::Whole => parser.push(Input::Text(text), &mut sink),
        Pushes::Bytes(size) => {
            let mut rest = text;
            while !rest.is_empty() {
                let end = (size..=rest.len())
                    .find(|&end| rest.is_char_boundary(end))
                    .unwrap_or(rest.len());
                parser.push(Input::Text(&rest[..end]), &mut sink);
                rest = &rest[end..];
            }
        }
    }
    parser.finish(Finish::Stop, &mut sink);
    told
}

fn bench(bencher: Bencher<'_, '_>, active: Active, text: &str, pushes: Pushes) {
    let program = program(active);
    bencher
        .counter(BytesCount::of_str(text))
        .bench_local(|| read(black_box(&program), black_box(text), pushes));
}

const PROSE: &str = "The parser reads what a model writes, and says what it means. If x < y && a[0] > 1, call `f(x)`; \
otherwise the list [1, 2] stays. Nothing here is a call, and most of a stream is like this.\nA second line follows.\n";

const CODE: &str = "fn main() {\n    let xs: Vec<u32> = (0..10).filter(|x| x % 2 == 0).collect();\n    println!(\"{xs:?} </b> & more\");\n}\n";

fn repeat(piece: &str, bytes: usize) -> String {
    piece.repeat(bytes / piece.len() + 1)
}

fn json_string(bytes: usize) -> String {
    format!(
        "<tool_call>\n{{\"name\": \"write_file\", \"arguments\": {{\"path\": \"a.rs\", \"content\": {}}}}}\n</tool_call>",
        toolglot_json::internal::quoted(&repeat(CODE, bytes))
    )
}

fn dense_json(bytes: usize) -> String {
    let row = "{\"id\": 12, \"ok\": true, \"xs\": [1, 2.5, null, \"a\"], \"o\": {\"k\": \"v\"}}, ";
    let rows = repeat(row, bytes);
    format!(
        "<tool_call>\n{{\"name\": \"insert\", \"arguments\": {{\"rows\": [{}]}}}}\n</tool_call>",
        rows.trim_end_matches(", ")
    )
}

fn forge(content: &str) -> String {
    format!(
        "<tool>\n<tool_name>write_file</tool_name>\n<arguments>\n  <path>a.rs</path>\n  <content>{content}</content>\n</arguments>\n</tool>"
    )
}

fn cdata(bytes: usize) -> String {
    forge(&format!("<![CDATA[{}]]>", repeat(CODE, bytes)))
}

fn entities(bytes: usize) -> String {
    forge(&repeat(
        &CODE
            .replace('&', "&amp;")
            .replace('<', "&lt;")
            .replace('>', "&gt;"),
        bytes,
    ))
}

fn raw_value(bytes: usize) -> String {
    format!(
        "<tool_call>\n<function=write_file>\n<parameter=content>\n{}\n</parameter>\n</function>\n</tool_call>",
        repeat(CODE, bytes)
    )
}

fn small_calls(bytes: usize) -> String {
    repeat(
        "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"path\": \"src/a.rs\"}}\n</tool_call>\n",
        bytes,
    )
}

#[divan::bench(args = PUSHES)]
fn prose_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("hermes"), &repeat(PROSE, MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn prose_all(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::All, &repeat(PROSE, MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn long_string_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("hermes"), &json_string(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn long_string_all(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::All, &json_string(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn dense_json_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("hermes"), &dense_json(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn cdata_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("forge"), &cdata(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn entities_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("forge"), &entities(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn raw_value_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("qwen3_coder"), &raw_value(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn small_calls_one(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::One("hermes"), &small_calls(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn small_calls_all(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(bencher, Active::All, &small_calls(MIB), pushes);
}

#[divan::bench(args = PUSHES)]
fn adversarial_openers_all(bencher: Bencher<'_, '_>, pushes: Pushes) {
    bench(
        bencher,
        Active::All,
        &repeat("<tool_call>{\"arguments\": {\"a\": <", MIB),
        pushes,
    );
}

/// ADR-0019's benchmark: the same call as elements with CDATA and as JSON in `<tool>`, 1 KB to 10 MB.
#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000, 10_000_000])]
fn adr_0019_xml(bencher: Bencher<'_, '_>, bytes: usize) {
    bench(bencher, Active::One("forge"), &cdata(bytes), Pushes::Whole);
}

#[divan::bench(args = [1_000, 10_000, 100_000, 1_000_000, 10_000_000])]
fn adr_0019_json(bencher: Bencher<'_, '_>, bytes: usize) {
    let content = toolglot_json::internal::quoted(&repeat(CODE, bytes));
    let text = format!(
        "<tool>{{\"tool_name\": \"write_file\", \"arguments\": {{\"path\": \"a.rs\", \"content\": {content}}}}}</tool>"
    );
    bench(bencher, Active::One("forge_hybrid"), &text, Pushes::Whole);
}
