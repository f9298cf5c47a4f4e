//! The library example of the repository's README. A test compares both.

/// Reads a message whole, then another one as it streams.
pub(crate) fn main() {
    let message = toolglot::parse(
        "Let me look.\n<tool_call>{'name': 'read', 'arguments': {'path': 'a.rs',}}</tool_call>",
    );
    assert_eq!(message.content, "Let me look.\n");
    assert_eq!(message.calls[0].name, "read");
    assert_eq!(message.calls[0].arguments, r#"{"path": "a.rs"}"#);

    // The same, as it streams: events, or a message that grows.
    let (mut parser, mut streamed) = (toolglot::parser(), toolglot::Calls::default());
    for piece in [
        "Let me look.\n<tool_",
        "call>{'name': 'read', 'argu",
        "ments': {'path': 'a.rs',}}</tool_call>",
    ] {
        parser.push(toolglot::Input::Text(piece), &mut streamed);
    }
    parser.finish(toolglot::Finish::Stop, &mut streamed);
    assert_eq!(streamed.calls, message.calls);
}
