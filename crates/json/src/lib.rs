//! JSON as language models write it.
#![no_std]
extern crate alloc;

mod shape;

pub use shape::{Fields, Scalars, Shape};
