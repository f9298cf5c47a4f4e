//! Grammars judged by a reader of GBNF that knows nothing of how they are made, by the renderer and by the parser.

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
