//! Runs tools that are files in the real sandbox.
#![cfg(target_os = "linux")]

mod around;
mod chains;
mod kept;
mod languages;
mod node_tools;
mod odd;
mod python_tools;
mod sandbox_settings;
mod servers;
mod warm;
mod web;
mod world;
