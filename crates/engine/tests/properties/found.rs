//! Texts that once broke a promise, made small.

use std::sync::Arc;

use toolglot_engine::{Dialect, Finish, Limits, Program, ToolSet};

use super::subjects::subjects;
use super::support::reading::read_all_ways;

#[test]
fn texts_that_broke_a_promise_keep_it() {
    let long = "x".repeat(1500);
    let texts = [
        // A name longer than any may be.
        format!("TOOL_CALL:\n{{\"tool\": \"a {long} b\", \"arguments\": {{}}}} <|im_end|>"),
        // Tags, attributes, comments and gaps beyond their caps.
        format!("<tool><tool_name>f</tool_name><arguments><a b=\"{long}\">1</a><!-- {long} --></arguments></tool>"),
        format!("<tool><tool_name>f</tool_name><arguments><a>1</a>{}</arguments>\n</tool>", " ".repeat(400)),
        format!("<tool><tool_name>f</tool_name><arguments><a><b>1</b></a>{}<c>", " ".repeat(400)),
        // Arguments before the name, beyond the cap.
        format!("<tool_call>{{\"arguments\": {{\"a\": \"{}\"}}, \"name\": \"f\"}}</tool_call>", long.repeat(50)),
        // Arguments that are a string, and say no object.
        "{\"name\": \"f\", \"arguments\": \"[1, 2]\"} x".into(),
        "{\"name\": \"f\", \"arguments\": \"{\\\"a\\\":: \"{\\\"a\\\": 1}\"}".into(),
        // Brackets that fit none behind a comma; `=>`; half a comment.
        "[f(a=\"x\",] b=1)]".into(),
        "{\"name\": \"f\", \"arguments\": {\"a\" => 1, /b: 2}}".into(),
        // A string that lost its quotation mark, over a line break.
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x}}\n</tool_call>".into(),
        // Line breaks of values, in halves.
        "<function=f>\n<parameter=a>\nx\r\r\n</parameter>\n</function>".into(),
        "```WRITE a\nx\r\n\r\r\n```".into(),
        // A document that was escaped once too often, with a character that is escaped by its number.
        "<tool_call>{\\\"name\\\": \\\"f\\\", \\\"arguments\\\": {\\\"a\\\": \\\"caf\\u00e9\\\"}}</tool_call>".into(),
        // A string of JSON with more to note, of itself and of what it says, than is kept.
        format!("<tool_call>{{\"name\": \"f\", \"arguments\": \"{{\\\"a\\\": \\\"{}\\\"}}\"}}</tool_call>", "\u{1}".repeat(70)),
        // A block that goes on behind junk.
        "<function_calls>\n<invoke name=\"f\">\n</invoke>junk\n<invoke name=\"now\">\n</invoke>/function_calls><write_file path=\"\"> </write_file>".into(),
        // Parameters that are a schema, of an object that is broken as well.
        "[{\"n{\"name\":l,parameters {type\"object\",functools[ ".into(),
        // A name that keeps what a call gives, longer than a line is looked back at; and the mark of a list that stands far in.
        format!("search(path=\"a\")\n{} = search(path=\"b\")", "r".repeat(70)),
        format!("search(path=\"a\")\n{}- search(path=\"b\")", " ".repeat(70)),
        // A misspelt closer as long as a name may be.
        format!("<tool_call>\n<function=search>\n<parameter=path>\na</parameter{}></function>\n</tool_call>", "r".repeat(55)),
        // Openers of a line in its midst, in what is read again: how often it was does not depend on the cut.
        " -> tool/function_call\n[{search\", \"arguments\": {\"text\": \"<\n<|eom_id|>\"}}]a<tool: -> tool/function_call\n[{search\", \"arguments\": {\"text\": \"<\n<|eom_id|>\"}}]a<tool: search>\n{\"text\": \"&amp;{ <|end_of_text|>\"}\n</tool>\n".into(),
        // The mark of the byte order behind the message's begin.
        "\u{13}\u{feff}[o({".into(),
        "``a`j\u{13}\u{feff}[to({".into(),
        // A marker that takes all other positions away.
        "<tool>{\"server_name\": \"local\"\u{7}, \"argu\u{6}w{}}</tool>\u{e}&<tool>\n<server_name></server_name>\n<Tool_name>x</tool_name>\n<arguments>\n<v>\"true\"/tool>".into(),
        // A body whose emitted part ends before what was emitted.
        "[arm(a=h\u{18}\u{0}\u{0}inpu\u{0} \",ara\",argu\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\": \"read_file\" fffffff, \"name\u{1e}: #r\u{1}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\"\" {t\"p: \u{b}\u{0}\u{0}\u{0}\"a.rcall\": {'rame'\",\n\u{0}\u{0}\u{0}\":,argu\u{0}\u{0}e,argu\u{0}\u{0}e\u{0} \"\u{0}\u{0}\u{0}\": \"read_f+ ile\" \",argu\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\": \"s".into(),
    ];
    for subject in subjects() {
        for text in &texts {
            for why in [Finish::Stop, Finish::Length] {
                if let Err(fault) = read_all_ways(&subject.program, text, 3, why) {
                    panic!("{}: {fault}, of {text:?}", subject.name);
                }
            }
        }
    }
}

/// Reasoning without an end of its own ends where a call begins, not where one could.
#[test]
fn open_ended_reasoning_ends_at_an_entry() {
    let dialect = Dialect::parse(
        "dialect a\nthink = \"<th>\" raw\ncall f = \"<call>\" json \"</call>\"\ncall = \"<c2>\" name \":\" json\n",
        &[],
    );
    let dialects = dialect.expect("it is notation");
    let program =
        Program::compile(&dialects, &ToolSet::default(), Limits::default()).expect("it compiles");
    read_all_ways(
        &Arc::new(program),
        "<th>a <cal b <c2 <c2>f:{\"a\":1} done",
        5,
        Finish::Stop,
    )
    .expect("it is the same in every cut");
}
