//! Work per byte and bytes held do not grow with the message. Counted, not timed.

use std::cell::RefCell;
use std::sync::Arc;

use toolglot_engine::{Finish, Input, Limits, Parser};

use super::subjects::{Subject, each_subject, is_due};
use super::support::reading::Cut;

/// Most steps a byte. `--nocapture` shows the worst.
const STEPS: u64 = 48;

/// Of the texts of a dialect one in so many is tried, other ones for each dialect.
const SHARE: usize = 4;

struct Cost {
    work: u64,
    held: usize,
}

fn cost(subject: &Subject, text: &str, cut: Cut) -> Cost {
    let mut parser = Parser::new(Arc::clone(&subject.program));
    let mut sink = |_: toolglot_engine::Span, _: toolglot_engine::Event<'_>| {};
    let mut held = 0;
    for piece in cut.pieces(text) {
        parser.push(Input::Text(piece), &mut sink);
        held = held.max(parser.held().len());
    }
    let work = parser.work();
    parser.finish(Finish::Unknown, &mut sink);
    Cost { work, held }
}

/// Texts that could make a reader look at a byte again and again: each opener, over and over, whole or open.
fn attacks(subject: &Subject, bytes: usize) -> Vec<(String, String)> {
    let mut all = Vec::new();
    let mut repeat = |name: String, begin: &str, unit: &str| {
        let mut text = String::from(begin);
        while text.len() < bytes {
            text.push_str(unit);
        }
        all.push((name, text));
    };
    for literal in &subject.literals {
        repeat(format!("{literal:?} repeated"), "", literal);
        repeat(format!("{literal:?} and blanks"), literal, "    \n");
        repeat(format!("{literal:?} and text"), literal, "some text; ");
        repeat(
            format!("{literal:?} before a name, repeated"),
            "",
            &format!("{literal}search"),
        );
        repeat(
            format!("{literal:?} before an object, repeated"),
            "",
            &format!("{literal}{{\"arguments\":{{\"a\":"),
        );
    }
    for unit in [
        "{",
        "[",
        "<",
        "`",
        "{\"a\":",
        "[[\"",
        "<a>",
        "</a>",
        "<a b=\"",
        "&",
        "]]",
        "(",
        "\\",
        "\"",
        "> ",
        "<!--",
        "{\"name\":\"search\",",
        "search(), x(\n",
        "\r\n",
        " ",
    ] {
        repeat(format!("{unit:?} repeated"), "", unit);
    }
    if subject.dialects.len() > 1 {
        return all;
    }
    let args = r#"{"path":"a.rs","content":"one"}"#;
    let call = toolglot_engine::CallText {
        name: "write_file",
        arguments: args,
        server: None,
        id: None,
    };
    if let Ok(text) = subject.renderer(0).calls(&[call]) {
        repeat("whole calls".into(), "", &text);
        let said = format!("{text} or ");
        repeat("calls in reasoning".into(), "<think>x", &said);
        repeat(
            "calls in other reasoning".into(),
            "",
            &format!("<think>{said}"),
        );
        let (open, close) = text.split_at(text.find("one").unwrap_or(0));
        for literal in ["<", "</", "x ", "\n", "\\\"", "]]", "&amp;", "}", "`"]
            .into_iter()
            .chain(subject.literals.iter().map(String::as_str))
        {
            repeat(format!("{literal:?} in a value"), open, literal);
        }
        repeat("the call's end in a value".into(), open, close);
        let n_calls = bytes.div_ceil(said.len());
        let thought = format!("<think>x{}</think>", said.repeat(n_calls));
        all.push(("calls in reasoning that goes on".into(), thought));
    }
    all
}

#[test]
fn work_and_memory_are_linear_in_the_message() {
    let limits = Limits::default();
    let most_held = 2 * limits.undecided;
    let kib = std::env::var("TOOLGLOT_KIB")
        .ok()
        .and_then(|kib| kib.parse().ok())
        .unwrap_or(3usize);
    let worst = RefCell::new(Vec::new());
    each_subject(|subject| {
        let small = attacks(subject, kib << 8);
        let large = attacks(subject, kib << 10);
        let mut faults = Vec::new();
        let turn = subject.name.len();
        let texts = small.iter().zip(&large).enumerate();
        let texts = texts.filter(|(n, _)| is_due(n + turn, SHARE));
        for (_, ((name, small), (_, large))) in texts {
            for cut in [Cut::Bytes(7), Cut::Bytes(1024)] {
                let a = cost(subject, small, cut);
                let b = cost(subject, large, cut);
                let per_byte = |cost: &Cost, text: &str| cost.work.div_ceil(text.len() as u64);
                let (few, many) = (per_byte(&a, small), per_byte(&b, large));
                if many > STEPS || many > 2 * few + 4 {
                    faults.push(format!("{name}, {cut:?}: {few} steps a byte, and {many} in a message four times as long"));
                }
                if b.held > most_held {
                    faults.push(format!("{name}, {cut:?}: {} bytes held", b.held));
                }
                worst
                    .borrow_mut()
                    .push((many, format!("{}: {name}, {cut:?}", subject.name)));
            }
        }
        if faults.is_empty() {
            Ok(())
        } else {
            Err(format!("{}:\n{}", subject.name, faults.join("\n")))
        }
    });
    let mut worst = worst.into_inner();
    worst.sort();
    worst
        .iter()
        .rev()
        .take(10)
        .for_each(|(steps, name)| eprintln!("{steps} steps a byte: {name}"));
}
