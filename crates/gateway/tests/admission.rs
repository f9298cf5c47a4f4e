//! The admission of clients.

use std::net::TcpListener;

use toolglot_gateway::{GatewayError, Server};

use crate::client::{get, send};
use crate::fake_upstream::{Answer, FakeUpstream};
use crate::gateway::Gateway;

#[test]
fn names_of_other_sites_are_refused() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let builder = Server::builder(upstream.url()).hosts(vec!["models.example".to_owned()]);
    let gateway = Gateway::of(builder);
    for (headers, status) in [
        (&[][..], 200),
        (&["host: models.example:8080"], 200),
        (&["host: rebound.example"], 403),
        (&["origin: https://rebound.example"], 403),
        (&["origin: http://localhost:3000"], 200),
        (&["origin: null"], 403),
    ] {
        let reply = send(gateway.address, "GET /v1/models", headers, "");
        assert_eq!(reply.status, status, "{headers:?}: {}", reply.body);
    }
    assert_eq!(upstream.asked().len(), 3);
}

#[test]
fn forms_of_pages_are_refused() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = Gateway::before(&upstream);
    for (kind, status) in [
        ("application/json", 200),
        ("Application/JSON; charset=utf-8", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonp", 415),
    ] {
        let header = format!("content-type: {kind}");
        let reply = send(gateway.address, "POST /v1/embeddings", &[&header], "{}");
        assert_eq!(reply.status, status, "{kind}: {}", reply.body);
    }
    assert_eq!(upstream.asked().len(), 2);
}

#[test]
fn tunnels_are_refused() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = Gateway::before(&upstream);
    for line in ["CONNECT localhost:80", "TRACE /v1/models"] {
        let headers = ["content-type: application/json"];
        let reply = send(gateway.address, line, &headers, "");
        assert_eq!(reply.status, 405, "{line}: {}", reply.body);
    }
    assert_eq!(upstream.asked().len(), 0);
}

#[test]
fn a_key_is_asked_for_and_stays_here() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let builder = Server::builder(upstream.url()).keys(vec!["sesame".to_owned()]);
    let gateway = Gateway::of(builder);
    for (path, headers, status) in [
        ("/v1/models", &[][..], 401),
        ("/v1/models", &["authorization: Bearer sesam"], 401),
        ("/v1/models", &["authorization: Bearer sesame"], 200),
        ("/v1/models", &["x-api-key: sesame"], 200),
        ("/metrics", &[], 401),
        ("/metrics", &["x-api-key: sesame"], 200),
        ("/healthz", &[], 200),
    ] {
        let reply = send(gateway.address, &format!("GET {path}"), headers, "");
        assert_eq!(reply.status, status, "{path} {headers:?}: {}", reply.body);
    }
    for asked in upstream.asked() {
        assert_eq!(
            asked.header("authorization").or(asked.header("x-api-key")),
            None
        );
    }
}

#[test]
fn the_upstreams_key_replaces_that_of_the_client() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = Gateway::of(Server::builder(upstream.url()).upstream_key(Some("theirs".into())));
    send(
        gateway.address,
        "GET /v1/models",
        &["authorization: Bearer mine", "x-api-key: mine"],
        "",
    );
    let gateway = Gateway::before(&upstream);
    send(
        gateway.address,
        "GET /v1/models",
        &["authorization: Bearer mine"],
        "",
    );
    let asked = upstream.asked();
    assert_eq!(asked[0].header("authorization"), Some("Bearer theirs"));
    assert_eq!(asked[0].header("x-api-key"), None);
    assert_eq!(asked[1].header("authorization"), Some("Bearer mine"));
}

#[test]
fn other_machines_need_a_key() {
    let listener = TcpListener::bind("0.0.0.0:0").expect("a port");
    let server = Server::builder("http://127.0.0.1:9")
        .build()
        .expect("a server");
    let error = server.run(listener).expect_err("it is open to all");
    assert!(matches!(error, GatewayError::NeedsKey(_)), "{error}");
}

#[test]
fn errors_have_the_shape_of_the_api() {
    let upstream = FakeUpstream::new(vec![Answer::json(200, "{}")]);
    let gateway = Gateway::of(Server::builder(upstream.url()).keys(vec!["k".to_owned()]));
    let reply = send(gateway.address, "POST /v1/messages", &[], "{}");
    let expected = r#"{"type":"error","error":{"type":"authentication_error","message":"an API key is needed: `Authorization: Bearer KEY` or `x-api-key: KEY`"}}"#;
    assert_eq!((reply.status, reply.body.as_str()), (401, expected));
    let reply = get(gateway.address, "/v1/models");
    let expected = r#"{"error":{"message":"an API key is needed: `Authorization: Bearer KEY` or `x-api-key: KEY`","type":"authentication_error"}}"#;
    assert_eq!((reply.status, reply.body.as_str()), (401, expected));
}
