//! Servers under test: child processes, and their usage.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A server that is killed when this value is dropped.
#[derive(Debug)]
pub struct Server {
    child: Child,
    pub address: SocketAddr,
}

impl Server {
    /// Starts a program that writes `http://ADDRESS` in a line of its standard error when it listens.
    pub fn start(command: &mut Command) -> Result<Server, String> {
        let program = command.get_program().to_string_lossy().into_owned();
        let started = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = started.map_err(|error| format!("{program}: {error}"))?;
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = loop {
            let Some(Ok(line)) = lines.next() else {
                return Err(format!("{program} ended before it listened"));
            };
            let found = line
                .split_once("http://")
                .map(|(_, rest)| rest.split([',', ' ']).next().unwrap_or_default());
            if let Some(address) = found.and_then(|address| address.parse().ok()) {
                break address;
            }
        };
        // The thread drains the pipe: a full pipe must not block the server.
        std::thread::spawn(move || for _ in lines {});
        Ok(Server { child, address })
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The usage of a process and its children.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub cpu: Duration,
    /// Resident memory.
    pub memory_bytes: u64,
    pub files: usize,
}

/// The clock ticks per second in `/proc` on Linux.
const TICKS: u64 = 100;

impl Usage {
    /// The usage of a process with all its children.
    pub fn of(pid: u32) -> Usage {
        let mut usage = Usage::alone(pid);
        let children =
            fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        for child in children
            .split_whitespace()
            .filter_map(|child| child.parse().ok())
        {
            let child = Usage::of(child);
            usage.cpu += child.cpu;
            usage.memory_bytes += child.memory_bytes;
            usage.files += child.files;
        }
        usage
    }

    fn alone(pid: u32) -> Usage {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // The name of the program, in parentheses, may contain blanks.
        let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
        let field = |n: usize| {
            after
                .split_whitespace()
                .nth(n)
                .and_then(|field| field.parse::<u64>().ok())
                .unwrap_or(0)
        };
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident = resident
            .and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok())
            .unwrap_or(0);
        Usage {
            cpu: Duration::from_millis((field(11) + field(12)) * 1000 / TICKS),
            memory_bytes: resident * 1024,
            files: fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count),
        }
    }
}

/// The load average of the last minute: wall times are only meaningful if it is low.
pub fn load_average() -> String {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}
