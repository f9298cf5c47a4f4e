//! A session that is cancelled while a message streams: `cargo run -p toolglot-session --example session_stream`
#![expect(clippy::print_stdout, reason = "an example prints")]

use toolglot_engine::{Event, Finish, Span};
use toolglot_session::{Policies, Session};

pub(crate) fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = tempfile::tempdir()?;
    let grants = "write".parse()?;
    let builder = Session::builder(root.path(), Policies::usual(root.path())).grants(grants);
    let session = builder.without_journal().build()?;

    let pieces = [
        "I write it.\n<tool_call>{\"name\": \"write_file\", ",
        "\"arguments\": {\"path\": \"a\", \"content\": \"1\"}}",
        "</tool_call>",
    ];
    let mut reader = session.reader()?;
    for piece in pieces {
        reader.push(piece, &mut |_: Span, event: Event<'_>| match event {
            Event::Text(text) => print!("{text}"),
            Event::CallStart(head) => println!("[calls {}]", head.name),
            _ => {}
        });
        // Any thread may cancel. The text that was read until then is the message.
        session.cancel();
    }
    let run = reader.finish(Finish::Stop)?;
    assert!(!root.path().join("a").exists());
    for step in &run.steps {
        println!("{} did not run: {}", step.call.tool, step.verdict.because);
    }
    Ok(())
}
