//! Tools that are files, run for real behind walls.
#![cfg(target_os = "linux")]

mod around;
mod chains;
mod kept;
mod languages;
mod odd;
mod servers;
mod warm;
mod web;
mod world;
