//! The part of `reqwest` that `openai-harmony` 0.0.8 uses to fetch a vocabulary, without a network: each request fails.
//!
//! No compared dialect needs a vocabulary.

use std::fmt;

/// There is no network.
#[derive(Debug)]
pub struct Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("this build has no network")
    }
}

impl std::error::Error for Error {}

/// Blocking requests.
pub mod blocking {
    use std::io::{self, Read};

    use crate::Error;

    /// Sends nothing.
    #[derive(Debug, Default)]
    pub struct Client;

    /// A request that fails.
    #[derive(Debug)]
    pub struct RequestBuilder;

    /// A response that never exists.
    #[derive(Debug)]
    pub enum Response {}

    impl Client {
        /// A client.
        pub fn new() -> Client {
            Client
        }

        /// A request.
        pub fn get(&self, _url: &str) -> RequestBuilder {
            RequestBuilder
        }
    }

    impl RequestBuilder {
        /// Fails.
        pub fn send(self) -> Result<Response, Error> {
            Err(Error)
        }
    }

    impl Response {
        /// Cannot be called: there is no response.
        pub fn error_for_status(self) -> Result<Response, Error> {
            match self {}
        }
    }

    impl Read for Response {
        fn read(&mut self, _buffer: &mut [u8]) -> io::Result<usize> {
            match *self {}
        }
    }
}
