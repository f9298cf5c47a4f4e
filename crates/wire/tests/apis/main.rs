//! What requests become for an upstream, and what models' texts become for clients.

mod answers;
mod case;
mod clients;
mod garbage;
mod requests;
mod streams;
mod upstreams;
mod work;
