//! The tests of the embedded dialects, one module per subject.

mod cases;
mod fences;
mod given;
mod reasoning;
