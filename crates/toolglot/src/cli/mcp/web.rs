//! Serves over HTTP.

use std::io::Write;
use std::net::{IpAddr, TcpListener, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use toolglot_mcp::server::{Gate, Session, Tools};
use toolglot_sandbox::Cancel;

use super::tool_server::Served;
use crate::cli::args::ServeArguments;
use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;
use crate::cli::source;

/// The path of the endpoint.
const PATH: &str = "/mcp";
/// The least length of a token in bytes: a shorter token could be guessed.
const MIN_TOKEN: usize = 16;

/// How often the server checks for an interrupt.
const TICK: Duration = Duration::from_millis(50);

/// Serves until an interrupt. The address of the server goes to standard output, as one line.
pub(super) fn serve(
    serving: &ServeArguments,
    address: &str,
    (served, cancel): (&Arc<Served>, &Cancel),
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let refused = |why: String| Failure::Serving {
        address: address.to_owned(),
        why,
    };
    let places: Vec<_> = address
        .to_socket_addrs()
        .map_err(|error| refused(format!("not an address such as 127.0.0.1:8642: {error}")))?
        .collect();
    let token = match &serving.token_file {
        None => None,
        Some(file) => {
            let token = source::text(file)?.trim().to_owned();
            if token.len() < MIN_TOKEN {
                return Err(refused(format!(
                    "a token has {MIN_TOKEN} characters or more"
                )));
            }
            Some(token)
        }
    };
    let is_here = !places.is_empty() && places.iter().all(|place| place.ip().is_loopback());
    if !is_here && token.is_none() {
        return Err(refused(
            "other machines can reach it: name a token for them with `--token-file FILE`"
                .to_owned(),
        ));
    }
    let listener =
        TcpListener::bind(places.as_slice()).map_err(|error| refused(error.to_string()))?;
    let place = listener
        .local_addr()
        .map_err(|error| refused(error.to_string()))?;
    let mut hosts: Vec<String> = ["localhost", "127.0.0.1", "[::1]"]
        .map(str::to_owned)
        .to_vec();
    hosts.extend(
        serving
            .allow_host
            .iter()
            .map(|host| host.to_ascii_lowercase()),
    );
    if !place.ip().is_unspecified() {
        hosts.push(match place.ip() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => format!("[{address}]"),
        });
    }
    let gate = Gate {
        path: PATH.to_owned(),
        hosts,
        token,
    };
    writeln!(out, "http://{place}{PATH}")
        .and_then(|()| out.flush())
        .map_err(Failure::Output)?;
    let (for_sessions, for_changes) = (Arc::clone(served), Arc::clone(served));
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let ended = toolglot_mcp::server::serve(
            &listener,
            gate,
            move || Session::new(Arc::clone(&for_sessions) as Arc<dyn Tools>),
            move || for_changes.is_changed(),
        );
        let _ = sender.send(ended);
    });
    loop {
        match receiver.recv_timeout(TICK) {
            Ok(Err(error)) => return Err(refused(error.to_string())),
            Err(RecvTimeoutError::Timeout) if !cancel.is_cancelled() => {}
            Err(RecvTimeoutError::Timeout) => return Ok(Outcome::Interrupted),
            Ok(Ok(())) | Err(RecvTimeoutError::Disconnected) => return Ok(Outcome::Fine),
        }
    }
}
