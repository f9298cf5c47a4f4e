//! What is written reads back as it was, in every cut; what cannot be written is refused.

use std::cell::Cell;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use toolglot_engine::{CallText, Calls, End, Finish, Input, Parser};

use super::subjects::each_subject;
use super::support::reading::Cut;
use super::texts::call;

/// What stands in a string of JSON for `text`.
fn inside_json(text: &str) -> String {
    let string = toolglot_value::Value::from(text.trim()).to_string();
    string[1..string.len() - 1].into()
}

#[test]
fn written_calls_read_back_equal() {
    each_subject(|subject| {
        let now = CallText {
            name: "now",
            arguments: "{}",
            server: None,
            id: None,
        };
        if subject.dialects.len() > 1 || subject.renderer(0).calls(&[now]).is_err() {
            // It has no calls of its own.
            return Ok(());
        }
        let (written, refused) = (Cell::new(0), Cell::new(0));
        let strategy = (vec(call(subject), 1..4), any::<u64>());
        let renderer = subject.renderer(0);
        subject.holds(150, &strategy, |(calls, seed)| {
            let texts: Vec<CallText<'_>> = calls.iter().map(|(name, args)| CallText { name, arguments: args, server: None, id: None }).collect();
            let Ok(text) = renderer.calls(&texts) else {
                refused.set(refused.get() + 1);
                return Ok(());
            };
            written.set(written.get() + 1);
            let mut read = Calls::default();
            let mut parser = Parser::new(Arc::clone(&subject.program));
            Cut::Random(seed).pieces(&text).for_each(|piece| parser.push(Input::Text(piece), &mut read));
            parser.finish(Finish::Stop, &mut read);
            if read.calls.len() != calls.len() {
                return Err(format!("{} calls of {} in {text:?}", read.calls.len(), calls.len()));
            }
            for (read, (name, args)) in read.calls.iter().zip(&calls) {
                let same = |a: &str, b: &str| matches!((toolglot_value::from_str(a), toolglot_value::from_str(b)), (Ok(a), Ok(b)) if a == b);
                // A value that holds a marker of its dialect may be in doubt.
                let holds_marker = || subject.literals.iter().any(|literal| args.contains(&inside_json(literal)));
                let is_over = read.end == End::Closed || read.end == End::Recovered && holds_marker();
                if read.name != *name || !is_over || !same(&read.arguments, args) {
                    return Err(format!("{} {:?} {} is not {name} {args}, of {text:?}", read.name, read.end, read.arguments));
                }
            }
            Ok(())
        })?;
        // A dialect that refuses everything would pass: it must write at least a tenth.
        assert!(
            written.get() * 9 >= refused.get(),
            "{}: {} written, {} refused",
            subject.name,
            written.get(),
            refused.get()
        );
        eprintln!(
            "{}: {} written, {} refused",
            subject.name,
            written.get(),
            refused.get()
        );
        Ok(())
    });
}
