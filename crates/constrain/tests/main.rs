//! Tests of grammars with three independent tools: a GBNF reader, the renderer and the parser.

mod around_calls;
mod documents;
mod gbnf;
mod overview;
mod random;
mod readings;
mod refusals;
mod schemas;
mod tool_sets;
mod values;
