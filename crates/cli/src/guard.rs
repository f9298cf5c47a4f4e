//! What keeps results from being read as calls: all dialects, for any tool name, and for the names that tags may be.

use std::sync::{Arc, OnceLock};

use toolglot::{Limits, Program, ToolSet};

/// Programs that must read no call in a result.
pub(crate) fn guards() -> impl Iterator<Item = Arc<Program>> {
    static GUARDS: OnceLock<[Arc<Program>; 2]> = OnceLock::new();
    let guards = GUARDS.get_or_init(|| {
        let dialects = toolglot_dialects::all();
        let any = Program::compile(dialects, &ToolSet::default(), Limits::default())
            .expect("a test compiles the dialects that ship, all as one");
        let roo = any.for_tools(&toolglot_tools::roo_names());
        [Arc::new(any), Arc::new(roo)]
    });
    guards.iter().map(Arc::clone)
}
