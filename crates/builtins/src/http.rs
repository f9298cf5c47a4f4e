//! `http_request`: one request to one host.
//!
//! A redirection is reported, not followed: the next address is another request.

use std::fmt::Write;
use std::io::Read;
use std::time::Duration;

use toolglot_policy::{BadUrl, HostPort, is_own_header};
use toolglot_value::{Map, Value, json};

use crate::web::{Ask, Web};
use crate::{Failure, Outcome, Root};

/// The default time limit of a request.
const TIME: Duration = Duration::from_secs(30);

/// The highest time limit that a call may set.
const MOST_TIME: Duration = Duration::from_secs(300);

/// The request of one call.
#[derive(Clone, Debug)]
pub(crate) struct Question {
    url: String,
    host: HostPort,
    method: &'static str,
    headers: Vec<(String, String)>,
    body: String,
    time: Duration,
}

impl Question {
    /// Reads the arguments.
    pub(crate) fn of(
        url: &str,
        host: &Result<HostPort, BadUrl>,
        arguments: &Map<String, Value>,
        time: Option<Duration>,
    ) -> Result<Question, Failure> {
        let bad = |problem: String| Failure::Http { problem };
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let host = host.clone().map_err(|error| bad(error.to_string()))?;
        let method = toolglot_policy::method(text("method").unwrap_or("GET"))
            .map_err(|error| bad(error.to_string()))?;
        let mut headers = Vec::new();
        for (name, value) in arguments
            .get("headers")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            let Some(value) = value.as_str() else {
                return Err(bad(format!("the header {name:?} is not a string")));
            };
            if is_own_header(name) {
                return Err(bad(format!(
                    "the header {name:?} is not for the caller to set"
                )));
            }
            headers.push((name.clone(), value.to_owned()));
        }
        Ok(Question {
            url: url.to_owned(),
            host,
            method,
            headers,
            body: text("body").unwrap_or_default().to_owned(),
            time: time.unwrap_or(TIME).min(MOST_TIME),
        })
    }
}

/// Sends the request and reports the response.
pub(crate) fn ask(root: &Root, question: &Question) -> Result<Outcome, Failure> {
    let web = Web::to(&question.host)?;
    let mut answer = web.ask(&Ask {
        url: &question.url,
        method: question.method,
        headers: &question.headers,
        body: question.body.as_bytes(),
        time: question.time,
    })?;
    let status = answer.status().as_u16();
    let headers: Map<String, Value> = answer
        .headers()
        .iter()
        .map(|(name, value)| {
            (
                name.to_string(),
                String::from_utf8_lossy(value.as_bytes())
                    .into_owned()
                    .into(),
            )
        })
        .collect();
    let limit = root.limits.output_bytes;
    let mut body = Vec::new();
    answer
        .body_mut()
        .as_reader()
        .take(limit as u64 + 1)
        .read_to_end(&mut body)
        .map_err(|error| web.unanswered(&error))?;
    let is_cut = body.len() > limit;
    body.truncate(limit);
    let text = String::from_utf8_lossy(&body).into_owned();
    let to = headers
        .get("location")
        .and_then(Value::as_str)
        .filter(|_| (300..400).contains(&status))
        .map(str::to_owned);
    let output = json!({"status": status, "headers": headers, "body": text, "truncated": is_cut, "redirectTo": to});
    let mut shown = format!("HTTP {status}\n{text}");
    if is_cut {
        let _ = write!(shown, "\n[the answer was cut after {limit} bytes]");
    }
    if let Some(to) = to {
        let _ = write!(
            shown,
            "\n[it leads to {to}, which was not followed: ask it if it is needed]"
        );
    }
    Ok(Outcome {
        ok: status < 400,
        output,
        text: shown,
    })
}
