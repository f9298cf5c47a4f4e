//! A message that ends at any byte.

use proptest::prelude::*;
use toolglot_engine::{CallText, End, Finish};

use super::subjects::each_subject;
use super::support::reading::{Cut, read};
use super::texts::call;

#[test]
fn a_call_cut_at_any_byte_says_how_much_of_it_is_there() {
    each_subject(|subject| {
        let strategy = (0..subject.dialects.len(), call(subject), any::<u64>());
        subject.holds(12, &strategy, |(dialect, (name, args), seed)| {
            let call = CallText {
                name: &name,
                arguments: &args,
                server: None,
                id: None,
            };
            let Ok(text) = subject.renderer(dialect).calls(&[call]) else {
                return Ok(());
            };
            let whole = read(&subject.program, &text, Cut::Whole, Finish::Length)?;
            let step = 1 + text.len() / 300;
            for end in (0..text.len())
                .step_by(step)
                .filter(|&end| text.is_char_boundary(end))
            {
                let cut = &text[..end];
                let length = read(&subject.program, cut, Cut::Random(seed), Finish::Length)
                    .map_err(|why| format!("{why}: {cut:?}"))?;
                let unknown = read(&subject.program, cut, Cut::Whole, Finish::Unknown)
                    .map_err(|why| format!("{why}: {cut:?}"))?;
                let stopped = read(&subject.program, cut, Cut::Whole, Finish::Stop)?;
                for (n, args) in length.args().into_iter().enumerate() {
                    // Only a call whose end was seen may be whole after a cut by length.
                    if length.ends()[n] != End::Truncated
                        && (whole.ends().get(n) != Some(&length.ends()[n])
                            || whole.args()[n] != args)
                    {
                        return Err(format!(
                            "cut by length at {end}: {:?} {args} of {text:?}",
                            length.ends()[n]
                        ));
                    }
                }
                // What runs has whole values: a server strips final closers, and no more. (Of a value that holds a literal
                // of the dialect, the message may seem to end after its closer; one that a stop string ends, anywhere.)
                let written_in = subject.dialects[dialect % subject.dialects.len()];
                let is_plain = written_in.setting("stop_strings").is_none()
                    && !subject.literals.iter().any(|one| args.contains(one.trim()));
                for (n, args) in stopped.args().into_iter().enumerate() {
                    if is_plain
                        && stopped.ends()[n] == End::Closed
                        && whole.args().get(n).is_some_and(|all| !is_part(&args, all))
                    {
                        return Err(format!("cut at {end}: {args} would run, of {text:?}"));
                    }
                }
                // Stop and Unknown differ only in how sure the end is: that of a number or word, too.
                let is_in_word = cut.ends_with(|c: char| c.is_ascii_alphanumeric());
                for (a, b) in stopped.ends().iter().zip(unknown.ends()) {
                    let is_settled = is_in_word && *a == End::Recovered;
                    let differs = (*a == End::Truncated) != (b == End::Truncated);
                    if *a > b || differs && !is_settled {
                        return Err(format!(
                            "cut at {end}: {a:?} after a stop, {b:?} when nobody said, of {text:?}"
                        ));
                    }
                }
            }
            Ok(())
        })
    });
}

/// Whether each member of `args` is one of `all`.
fn is_part(args: &str, all: &str) -> bool {
    let members =
        |json| serde_json::from_str::<toolglot_value::Map<String, toolglot_value::Value>>(json);
    match (members(args), members(all)) {
        (Ok(some), Ok(all)) => some.iter().all(|(key, value)| all.get(key) == Some(value)),
        _ => false,
    }
}
