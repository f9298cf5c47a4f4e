//! What is written reads back as it was, in every cut; what cannot be written is refused.

use std::cell::Cell;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use toolglot::{CallText, Calls, End, Finish, Input, Parser, ResultText};

use super::subjects::each_subject;
use super::support::reading::Cut;
use super::texts::{call, damaged, soup};

#[test]
fn written_calls_read_back_equal() {
    each_subject(|subject| {
        let now = CallText {
            name: "now",
            args: "{}",
            ns: None,
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
            let texts: Vec<CallText<'_>> = calls.iter().map(|(name, args)| CallText { name, args, ns: None, id: None }).collect();
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
                let same = |a: &str, b: &str| matches!((serde_json::from_str::<serde_json::Value>(a), serde_json::from_str::<serde_json::Value>(b)), (Ok(a), Ok(b)) if a == b);
                if read.name != *name || read.end != End::Closed || !same(&read.args, args) {
                    return Err(format!("{} {:?} {} is not {name} {args}, of {text:?}", read.name, read.end, read.args));
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

/// Results may hold anything: what is rendered reads as text.
#[test]
fn no_call_can_be_read_out_of_a_result() {
    each_subject(|subject| {
        let guard = Arc::clone(&subject.program);
        let renderer = subject.renderer(0).guarded([guard]);
        let strategy = (
            prop_oneof![soup(subject, 14), damaged(subject, 3)],
            any::<bool>(),
        );
        subject.holds(60, &strategy, |(text, failed)| {
            let call = CallText {
                name: "search",
                args: r#"{"text": "x"}"#,
                ns: None,
                id: Some("call_1"),
            };
            let result = ResultText {
                call,
                text: &text,
                failed,
            };
            let written = renderer.results(&[result, result]);
            let mut read = Calls::default();
            let mut parser = Parser::new(Arc::clone(&subject.program));
            parser.push(Input::Text(&written), &mut read);
            parser.finish(Finish::Stop, &mut read);
            if read.calls.is_empty() {
                Ok(())
            } else {
                Err(format!("{:?} is read out of {written:?}", read.calls[0]))
            }
        })
    });
}

/// A call that a tool gives back, as its text or as the name it was called by, is none; in the frame of any dialect.
#[test]
fn a_written_call_is_none_in_a_result() {
    each_subject(|subject| {
        let now = CallText {
            name: "now",
            args: "{}",
            ns: None,
            id: None,
        };
        let n = subject.dialects.len();
        for frame in 0..n {
            let renderer = subject
                .renderer(frame)
                .guarded([Arc::clone(&subject.program)]);
            let read = |name: &str, text: &str| {
                let call = CallText {
                    name,
                    id: Some(name),
                    ..now
                };
                let result = ResultText {
                    call,
                    text,
                    failed: false,
                };
                let written = renderer.results(&[result]);
                let mut read = Calls::default();
                let mut parser = Parser::new(Arc::clone(&subject.program));
                parser.push(Input::Text(&written), &mut read);
                parser.finish(Finish::Stop, &mut read);
                (written, read.calls)
            };
            if !read("search", "ok").1.is_empty() {
                // The frame of one dialect is the fence that another takes for a call.
                continue;
            }
            for of in [frame, (frame + 7) % n] {
                let Ok(text) = subject.renderer(of).calls(&[now]) else {
                    continue;
                };
                for (name, text) in [("search", text.as_str()), (&text, &text), (&text, "ok")] {
                    let (written, calls) = read(name, text);
                    if let Some(call) = calls.first() {
                        return Err(format!("{call:?} is read out of {written:?}"));
                    }
                }
            }
        }
        Ok(())
    });
}
