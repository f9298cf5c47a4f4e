//! Requests as upstreams get them, and models' texts as clients get them.

mod answers;
mod case;
mod clients;
mod garbage;
mod requests;
mod streams;
mod upstreams;
mod work;
