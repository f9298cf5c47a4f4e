//! Counts the contents of a corpus, for measurements: `/usr/bin/time -v count_corpus FILE [THREADS]`.

use std::error::Error;
use std::io;
use std::ops::ControlFlow;
use std::path::PathBuf;

use toolglot_chat::{ChatError, DialectChoice, LineReader, Reader, dialect_named};
use toolglot_corpus::{Columns, Count, Input, RowReader, Runner, Streams};
use toolglot_value::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("count_corpus FILE [THREADS]")?;
    let threads = arguments
        .next()
        .map(|threads| threads.parse())
        .transpose()?;
    let find = |name: &str| Ok::<_, ChatError>(vec![dialect_named(name)?.clone()]);
    let dialects = DialectChoice::new("auto", find)?;
    let reader = Reader::new(toolglot_dialects::auto().clone());
    let task = Count {
        reader: RowReader::new(LineReader::new(reader, dialects, None)?, Columns::default()),
        settings: Value::Null,
    };
    let streams = Streams {
        data: &mut io::sink(),
        report: &mut io::sink(),
    };
    let inputs = Input::all(&[PathBuf::from(path)])?;
    let mut go_on = |_: &_| ControlFlow::Continue(());
    let stats = Runner::new(threads)?
        .stream(&task, &inputs, streams, &mut go_on)?
        .tally;
    let line = format!(
        "{} rows, {} calls, {} faulty rows",
        stats.rows, stats.calls, stats.faulty_rows
    );
    io::Write::write_all(&mut io::stdout(), (line + "\n").as_bytes())?;
    Ok(())
}
