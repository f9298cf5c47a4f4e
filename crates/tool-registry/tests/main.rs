//! The tests of the registry through its public API, one module per subject.

mod trust;
