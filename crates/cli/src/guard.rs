//! What keeps results from being read as calls: all dialects, for any tool name, and for the names that are known.

use std::sync::{Arc, OnceLock};

use toolglot::{Limits, Program, ToolSet};
use toolglot_tools::Toolbox;

use crate::select;

/// Programs that must read no call in a result: those for any tools, and those for `known` ones. A reader that goes by the names
/// of its tools reads more than one that knows none.
pub(crate) fn guards(known: &[ToolSet]) -> Vec<Arc<Program>> {
    static GUARDS: OnceLock<[Arc<Program>; 3]> = OnceLock::new();
    let guards = GUARDS.get_or_init(|| {
        let dialects = toolglot_dialects::union();
        let any = Program::compile(dialects, &ToolSet::default(), Limits::default())
            .expect("a test compiles the dialects that ship, all as one");
        let roo = any.for_tools(&toolglot_tools::roo_names());
        let vocabulary = Toolbox::builtin("vocabulary").map(|tools| tools.tool_set());
        let usual = any.for_tools(&vocabulary.unwrap_or_default());
        [Arc::new(any), Arc::new(roo), Arc::new(usual)]
    });
    let own = known.iter().filter(|tools| !tools.is_empty());
    let own = own.flat_map(|tools| {
        // Where the bytes cannot tell, the order counts, and the tools may change it.
        let ordered = select::ordered(tools)
            .and_then(|dialects| Program::compile(&dialects, tools, Limits::default()).ok());
        let plain = guards[0].for_tools(tools);
        [Some(plain), ordered].into_iter().flatten().map(Arc::new)
    });
    guards.iter().map(Arc::clone).chain(own).collect()
}
