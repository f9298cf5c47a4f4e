//! `toolglot serve` from outside: its ports, its signals and its messages.

mod doctor;
mod errors;
mod gateway;
mod http;
mod record;
mod service;
mod upstream;
