//! The tests of the binary and of the facade, one module per subject.

mod answers;
#[cfg(target_os = "linux")]
mod attacks;
mod book;
mod cli;
mod corpora;
mod dependencies;
#[cfg(unix)]
mod docs;
mod fences;
#[cfg(target_os = "linux")]
mod full;
#[cfg(unix)]
mod kill;
mod models;
mod prose;
mod readme;
mod recorded;
mod seeds;
#[cfg(target_os = "linux")]
mod servers;
mod small_model;
#[cfg(target_os = "linux")]
mod systems;
