//! A server on this machine that no tool may reach.

use std::fs;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Answers every request with a secret, writes a file when a request arrives, and redirects `/to/URL`.
pub(crate) struct Server {
    port: u16,
    is_over: Arc<AtomicBool>,
}

impl Server {
    pub(crate) fn start(hit: PathBuf) -> Server {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("it has one").port();
        let is_over = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&is_over);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                if let Ok(stream) = stream {
                    answer(stream, &hit);
                }
            }
        });
        Server { port, is_over }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

fn answer(mut stream: TcpStream, hit: &PathBuf) {
    let mut bytes = [0; 4096];
    let _ = stream.set_read_timeout(Some(std::time::Duration::from_secs(1)));
    let n = stream.read(&mut bytes).unwrap_or(0);
    let head = String::from_utf8_lossy(&bytes[..n]).into_owned();
    let target = head.split_whitespace().nth(1).unwrap_or_default();
    let answer = if let Some(to) = target.strip_prefix("/to/") {
        format!(
            "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        )
    } else {
        let _ = fs::write(hit, &head);
        "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nConnection: close\r\n\r\nTOPSECRET\n".to_owned()
    };
    let _ = stream.write_all(answer.as_bytes());
}
