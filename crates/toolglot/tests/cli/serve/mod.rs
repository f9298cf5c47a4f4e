//! `toolglot serve` from outside: its ports, its signals and its messages.

mod deployment;
mod doctor;
mod errors;
mod gateway;
mod http;
mod record;
mod service;
mod trace;
mod upstream;
