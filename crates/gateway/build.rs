//! Sets `shared_cases` as the build script of the `toolglot` binary does. The published package leaves this file out.

#[path = "../toolglot/build.rs"]
mod shared_cases;

fn main() {
    shared_cases::main();
}
