//! The tests of tool sets through their public API, one module per subject.

mod functions;
mod normalize;
mod split_calls;
mod split_shell;
mod split_work;
mod toolbox;
