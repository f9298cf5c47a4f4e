//! The binary as a server, on a free port.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStderr, Command, Stdio};

/// `toolglot serve`, which is killed where a test fails.
pub(super) struct Gateway {
    pub(super) address: SocketAddr,
    child: Child,
    err: BufReader<ChildStderr>,
}

impl Gateway {
    /// Starts the server with further arguments and variables, and waits until it listens.
    pub(super) fn start(upstream: &str, arguments: &[&str], variables: &[(&str, &str)]) -> Gateway {
        let mut child = Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(["serve", "--upstream", upstream, "--listen", "127.0.0.1:0"])
            .args(arguments)
            .env_remove("TOOLGLOT_API_KEY")
            .env_remove("TOOLGLOT_UPSTREAM_KEY")
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        let mut err = BufReader::new(child.stderr.take().expect("it was asked for"));
        let mut line = String::new();
        err.read_line(&mut line).expect("text");
        let address = line
            .split_once("listening on http://")
            .and_then(|(_, rest)| rest.split(',').next()?.parse().ok())
            .unwrap_or_else(|| panic!("no address: {line}"));
        Gateway {
            address,
            child,
            err,
        }
    }

    pub(super) fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(sent.expect("it runs").success());
    }

    /// The exit code and the rest of standard error, after the end of the server.
    pub(super) fn ended(mut self) -> (Option<i32>, String) {
        let mut log = String::new();
        self.err.read_to_string(&mut log).expect("text");
        (self.child.wait().expect("it ends").code(), log)
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
