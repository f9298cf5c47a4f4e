//! The limits for one client.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use toolglot_gateway::{Limits, Server};

use crate::client::{get, post, reply, request, send, sent};
use crate::fake_upstream::{Answer, AnswerEnd, FakeUpstream};
use crate::gateway::Gateway;

fn limited(upstream: &FakeUpstream, limit: impl FnOnce(&mut Limits)) -> Gateway {
    let mut limits = Limits::default();
    limit(&mut limits);
    Gateway::of(Server::builder(upstream.url()).limits(limits))
}

#[test]
fn a_body_has_a_cap() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = limited(&upstream, |limits| limits.body_bytes = 100);
    let long = "x".repeat(101);
    assert_eq!(post(gateway.address, "/v1/embeddings", &long).status, 413);
    let chunked = &["transfer-encoding: chunked", "content-length: 0"];
    let head = request("POST /v1/embeddings", chunked, "");
    let head = String::from_utf8(head)
        .expect("text")
        .replace("content-length: 0\r\n", "");
    let stream = sent(
        gateway.address,
        format!("{head}65\r\n{long}\r\n0\r\n\r\n").as_bytes(),
    );
    assert_eq!(reply(stream).status, 413);
    assert_eq!(
        post(gateway.address, "/v1/embeddings", &long[1..]).status,
        200
    );
    assert_eq!(upstream.asked().len(), 1);
}

#[test]
fn one_request_too_many_is_refused_at_once() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{").end(AnswerEnd::Silent)]);
    let gateway = limited(&upstream, |limits| limits.requests = 1);
    let mut first = sent(gateway.address, &request("POST /v1/embeddings", &[], "{}"));
    first.read_exact(&mut [0; 12]).expect("its head comes");
    let second = get(gateway.address, "/v1/models");
    assert_eq!(second.status, 503);
    assert!(second.head.contains("retry-after: 1"), "{}", second.head);
    assert_eq!(get(gateway.address, "/healthz").status, 200);
    drop(first);
    upstream
        .gone
        .recv_timeout(Duration::from_secs(5))
        .expect("the upstream is let go");
    let start = Instant::now();
    while get(gateway.address, "/metrics").status == 503 {
        assert!(
            start.elapsed() < Duration::from_secs(5),
            "the permit is given back"
        );
    }
}

#[test]
fn slow_heads_and_silent_upstreams_end() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{").end(AnswerEnd::Silent)]);
    let gateway = limited(&upstream, |limits| {
        limits.head = Duration::from_millis(100);
        limits.silence = Duration::from_millis(100);
    });
    let mut slow = sent(gateway.address, b"GET /v1/models HTTP/1.1\r\nhost:");
    let mut bytes = Vec::new();
    slow.read_to_end(&mut bytes).expect("it is closed");
    let answer = send(gateway.address, "GET /v1/models", &[], "");
    assert_eq!((answer.body.as_str(), answer.is_whole), ("{", false));
}

#[test]
fn a_client_that_does_not_read_loses_its_answer() {
    let mut answer = Answer::json(200, "").end(AnswerEnd::Endless);
    answer.pieces = vec![vec![b'x'; 1 << 16]];
    let upstream = FakeUpstream::new(vec![answer]);
    let gateway = limited(&upstream, |limits| {
        limits.write = Duration::from_millis(200);
    });
    let mut idle = sent(gateway.address, &request("GET /v1/models", &[], ""));
    upstream
        .gone
        .recv_timeout(Duration::from_secs(10))
        .expect("the upstream is let go");
    drain(&mut idle);
}

/// Reads the rest; the connection is closed or reset.
fn drain(stream: &mut TcpStream) {
    let mut buffer = vec![0; 1 << 16];
    while stream.read(&mut buffer).is_ok_and(|n| n > 0) {}
}

#[test]
fn requests_under_way_come_to_their_end() {
    let mut answer = Answer::json(200, "");
    answer.pieces = vec![b"one ".to_vec(), b"two".to_vec()];
    answer.pause = Duration::from_millis(150);
    let upstream = FakeUpstream::new(vec![answer]);
    let mut gateway = Gateway::before(&upstream);
    let mut stream = sent(gateway.address, &request("GET /v1/models", &[], ""));
    let mut start = [0; 12];
    stream.read_exact(&mut start).expect("its head comes");
    gateway.stop();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).expect("all of it comes");
    assert!(
        rest.ends_with("4\r\none \r\n3\r\ntwo\r\n0\r\n\r\n"),
        "{rest}"
    );
    TcpStream::connect(gateway.address)
        .and_then(|mut late| late.write_all(b"GET / HTTP/1.1\r\n\r\n"))
        .expect_err("nobody listens");
}
