//! The library example of the repository's README. A test compares both.

/// Reads a message whole, then another one as it streams.
pub(crate) fn main() {
    let text = "Look.\n<tool_call>{'name': 'read', 'arguments': {'path': 'a.rs',}}</tool_call>";
    let message = toolglot::parse(text);
    assert_eq!(message.calls[0].name, "read");
    assert_eq!(message.calls[0].arguments, r#"{"path": "a.rs"}"#);

    // The same text as it streams: events, or a message that grows.
    let (mut parser, mut streamed) = (toolglot::parser(), toolglot::Calls::default());
    for piece in text.split_inclusive(' ') {
        parser.push(toolglot::Input::Text(piece), &mut streamed);
    }
    parser.finish(toolglot::Finish::Stop, &mut streamed);
    assert_eq!(streamed.calls, message.calls);
}
