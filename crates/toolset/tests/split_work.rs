//! Splitting a block costs as much for each line however long the block is. Counted in bytes allocated, not timed.

use allocation_counter::measure;
use toolglot_engine::{Call, CallId, Calls, End, Place, Span};
use toolglot_toolset::split_calls;

fn bytes(n_lines: usize) -> u64 {
    let block = "ls\\n".repeat(n_lines);
    let mut message = Calls::default();
    message.calls.push(Call {
        id: CallId(0),
        written_id: None,
        name: "execute_command".into(),
        name_span: Span::empty(0),
        server: None,
        arguments: format!("{{\"lines\":\"{block}\"}}"),
        span: Span::new(0, 1),
        dialect: "shelly".into(),
        place: Place::Answer,
        end: End::Closed,
        notes: Vec::new(),
    });
    let counted = measure(|| split_calls(&mut message, |_| Some(("lines", "line"))));
    assert_eq!(message.calls.len(), n_lines);
    counted.bytes_total
}

#[test]
fn a_long_block_costs_no_more_for_a_line() {
    let (short, long) = (bytes(500), bytes(8_000));
    assert!(long < 20 * short, "{short} and {long} bytes");
}
