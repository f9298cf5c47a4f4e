//! Data that passes through unchanged.

use std::net::TcpListener;

use toolglot_gateway::Server;

use crate::client::{get, post, send};
use crate::fake_upstream::{Answer, AnswerEnd, FakeUpstream};
use crate::gateway::Gateway;

#[test]
fn bytes_and_headers_pass_both_ways() {
    let body = "{\"b\": 1.0, \"a\":12345678901234567890123,\r\n \"é\": null}";
    let mut answer = Answer::json(418, "{ \"tea\" : true }");
    answer.headers.push(("x-request-id", "r1".to_owned()));
    let upstream = FakeUpstream::new(vec![answer]);
    let gateway = Gateway::before(&upstream);
    let line = "POST /v1/embeddings?verbose=1";
    let reply = send(
        gateway.address,
        line,
        &["openai-beta: x", "te: trailers"],
        body,
    );
    assert_eq!(
        (reply.status, reply.body.as_str()),
        (418, "{ \"tea\" : true }")
    );
    assert!(reply.head.contains("x-request-id: r1"), "{}", reply.head);
    let asked = &upstream.asked()[0];
    assert_eq!(asked.line, "POST /v1/embeddings?verbose=1 HTTP/1.1");
    assert_eq!(asked.body, body.as_bytes());
    assert_eq!(asked.header("openai-beta"), Some("x"));
    assert_eq!(asked.header("te"), None);
    assert_eq!(
        asked.header("host"),
        Some(upstream.address.to_string().as_str())
    );
}

#[test]
fn an_address_with_the_version_is_the_same() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = Gateway::of(Server::builder(format!("{}/v1/", upstream.url())));
    assert_eq!(get(gateway.address, "/v1/models").status, 200);
    assert_eq!(upstream.asked()[0].line, "GET /v1/models HTTP/1.1");
}

#[test]
fn an_upstream_that_breaks_off_breaks_the_answer_off() {
    let answer = Answer::json(200, "{\"half\":").end(AnswerEnd::Dropped);
    let upstream = FakeUpstream::new(vec![answer]);
    let gateway = Gateway::before(&upstream);
    let reply = post(gateway.address, "/v1/embeddings", "{}");
    assert_eq!((reply.body.as_str(), reply.is_whole), ("{\"half\":", false));
}

#[test]
fn an_upstream_that_is_not_there_is_a_bad_gateway() {
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let gateway = Gateway::of(Server::builder(format!("http://{address}")));
    let reply = get(gateway.address, "/v1/models");
    assert_eq!(reply.status, 502);
    assert!(
        reply.body.contains("the upstream cannot be reached"),
        "{}",
        reply.body
    );
    let metrics = get(gateway.address, "/metrics").body;
    assert!(
        metrics.contains("toolglot_upstream_failures_total 1\n"),
        "{metrics}"
    );
    assert!(
        metrics.contains("toolglot_requests_total{api=\"other\",status=\"502\"} 1\n"),
        "{metrics}"
    );
    assert!(
        metrics.contains("toolglot_requests_under_way 1\n"),
        "{metrics}"
    );
}
