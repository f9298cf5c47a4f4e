//! Depth costs memory, not stack.

use toolglot_json::Shape;
use toolglot_json_compat::{json_repair, jsonrepair};

#[test]
fn depth_costs_no_stack() {
    let n = 100_000;
    let texts = [
        "[".repeat(n),
        "{\"a\":".repeat(n),
        "{a:[".repeat(n),
        "(".repeat(n),
        format!("{}{}", "[".repeat(n), "}".repeat(n)),
        format!("{}1{}", "{'a': ".repeat(n), "}".repeat(n)),
    ];
    for text in &texts {
        // The result does not matter: the call must not overflow the stack.
        let _ = jsonrepair(text);
        assert!(json_repair(text, &Shape::Any).is_err(), "it has a limit");
    }
}
