//! Sets `shared_cases` where the recorded cases are at hand: the tests that read them are ignored elsewhere.
//!
//! They are in the folder that `TOOLGLOT_SHARED` names, absolute or from the root of the workspace, or in `shared` beside the
//! checkout. A folder that is named has to be complete: its tests run, and fail where a file is missing. An empty name ignores
//! them. Each crate with such tests runs this from its own `build.rs`; published packages leave it out.

use std::env;
use std::path::Path;

pub(crate) fn main() {
    println!("cargo::rerun-if-env-changed=TOOLGLOT_SHARED");
    let is_there = if let Some(named) = env::var_os("TOOLGLOT_SHARED") {
        !named.is_empty()
    } else {
        let package = env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it");
        let beside = Path::new(&package).join("../../../shared/cases");
        // A missing folder is not watched: cargo would rebuild the crate each time.
        if beside.is_dir() {
            println!("cargo::rerun-if-changed={}", beside.display());
        }
        beside.is_dir()
    };
    if is_there {
        println!("cargo::rustc-cfg=shared_cases");
    }
}
