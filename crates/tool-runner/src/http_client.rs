//! The primitive `http_client`: one request that a file describes.
//!
//! | `config` | |
//! |---|---|
//! | `url` | the address; `{name}` in its path or query is the parameter, percent-encoded, and no step `..`. Without it the parameter `url` |
//! | `method` | `GET`, or `POST` where there is a body |
//! | `headers` | names and values; `{name}` is the parameter, if it holds no control characters |
//! | `query` | names and values that follow the `?` |
//! | `body` | text, or JSON whose texts may hold `{name}`; a text that is `{name}` alone takes the value with its type |
//!
//! A header, a query pair or a body member that names a missing parameter is left out. In the path a missing parameter
//! is an error.
//!
//! `${NAME}` is a variable of the user, in the file's own text only: the value of a parameter is never expanded. Unused
//! parameters become the query, or the JSON body of a method that has one, if there is no `body`. A redirection is
//! reported and not followed.

use std::collections::BTreeSet;
use std::io::Read;
use std::time::Duration;

use toolglot_builtins::Failure;
use toolglot_builtins::web::{Ask, Web};
use toolglot_policy::{HostPort, is_own_header, is_public};
use toolglot_schema::Violation;
use toolglot_tool_files::ReturnValue;
use toolglot_tool_files::template::{self, UnsetVariable};
use toolglot_value::{Map, Value, json};

use crate::answer::Answer;
use crate::failure::CallError;
use crate::resolve::Chain;
use crate::runner::ToolRunner;
use crate::texts::texts;

/// The most bytes of a response.
const ANSWER_BYTES: u64 = 8 << 20;
/// Status codes after which a retry may help.
const TRANSIENT: &[u16] = &[408, 425, 429, 502, 503, 504];
/// How deep a body may nest.
const MAX_DEPTH: usize = 64;

/// A request, ready to be sent.
struct Asked {
    url: String,
    /// Whether an argument selects the host.
    is_chosen: bool,
    method: &'static str,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

/// Sends the request once.
pub(crate) fn attempt(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
    time: Duration,
) -> Result<Answer, CallError> {
    let id = chain.tool().0.id.to_string();
    let bad = |why: String| CallError::Config {
        id: id.clone(),
        why,
    };
    let asked = asked(runner, chain, params).map_err(|unasked| match unasked {
        Unasked::Config(why) => bad(why),
        Unasked::Unset(unset) => chain.unset(unset),
        Unasked::Argument { name, why } => CallError::Arguments {
            id: id.clone(),
            violations: vec![Violation {
                path: format!("/{name}"),
                keyword: "config".to_owned(),
                message: why,
            }],
        },
    })?;
    let place = HostPort::of(&asked.url).map_err(|error| bad(error.to_string()))?;
    let missing = missing(runner, &place, asked.is_chosen);
    if !missing.is_empty() {
        return Err(CallError::NotGranted { id, missing });
    }
    Ok(match send(&asked, &place, time) {
        Ok(answer) => answer,
        Err(failure) => {
            let is_transient = matches!(failure, Failure::Unanswered { .. });
            let value = json!({"success": false, "error": failure.to_string()});
            Answer {
                returned: returned(&value, false),
                is_transient,
            }
        }
    })
}

/// The URL that a call would request; `None` if the request is invalid.
pub(crate) fn reach(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Option<String> {
    asked(runner, chain, params).ok().map(|asked| asked.url)
}

/// Whether all variables of the request have a value.
pub(crate) fn check_variables(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<(), CallError> {
    match asked(runner, chain, params) {
        Err(Unasked::Unset(unset)) => Err(chain.unset(unset)),
        _ => Ok(()),
    }
}

/// The missing grants for a request: the network, or the host itself if it is local and an argument selects it.
fn missing(runner: &ToolRunner, place: &HostPort, is_chosen: bool) -> Vec<String> {
    let named = match place.port {
        80 | 443 => format!("net:{}", place.name),
        port => format!("net:{}:{port}", place.name),
    };
    if runner.grants(&named) {
        return Vec::new();
    }
    if !runner.grants("net.http") {
        return vec!["net.http".to_owned()];
    }
    let is_nearby =
        place.name == "localhost" || place.address.is_some_and(|address| !is_public(address));
    if is_chosen && is_nearby {
        return vec![named];
    }
    Vec::new()
}

/// Why a request cannot be made.
#[derive(Debug)]
enum Unasked {
    /// The file's configuration is invalid.
    Config(String),
    /// The file names a variable without a value.
    Unset(UnsetVariable),
    /// An argument is invalid.
    Argument { name: String, why: String },
}

impl From<UnsetVariable> for Unasked {
    fn from(unset: UnsetVariable) -> Unasked {
        Unasked::Unset(unset)
    }
}

impl From<String> for Unasked {
    fn from(why: String) -> Unasked {
        Unasked::Config(why)
    }
}

fn asked(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<Asked, Unasked> {
    let config = chain.tool().1.metadata.config.as_ref();
    let config = config
        .and_then(Value::as_object)
        .cloned()
        .unwrap_or_default();
    let tool = chain.tool().1;
    if let Some(name) = tool.unknown_placeholder() {
        return Err(Unasked::Config(format!(
            "`config` uses `{{{name}}}`, and there is no parameter `{name}`"
        )));
    }
    let declared = |input: &Value, name: &str| {
        let all = input.get("properties").and_then(Value::as_object);
        all.is_some_and(|all| all.contains_key(name))
    };
    let takes = |name: &str| {
        declared(&tool.schema.input, name)
            || tool
                .actions
                .iter()
                .any(|action| declared(&action.input, name))
    };
    let missing = |text: &str| absent(text, params, &takes);
    let mut used: Vec<&str> = Vec::new();
    let text = |key: &str| {
        let value = config.get(key).and_then(Value::as_str);
        let expanded = value.map(|value| template::variables(value, &runner.variables));
        expanded.transpose()
    };
    let (url, is_chosen) = if let Some(url) = text("url")? {
        (filled_url(&url, params, &missing, &mut used)?, false)
    } else if let Some(url) = params.get("url").and_then(Value::as_str) {
        used.push("url");
        (url.to_owned(), true)
    } else {
        let why = "`config.url` is missing, and there is no parameter `url`";
        return Err(Unasked::Config(why.to_owned()));
    };
    let mut headers = Vec::new();
    for (name, value) in config
        .get("headers")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if missing(&value).is_some() {
            continue;
        }
        let own = template::variables(&value, &runner.variables)?;
        let value = filled(&own, params, &mut used, str::to_owned);
        if is_own_header(name) {
            let why = format!("the header `{name}` is not for a tool to set");
            return Err(Unasked::Config(why));
        }
        if value.chars().any(char::is_control) {
            let holds = |one: &&str| {
                let given = params.get(one).map(plain);
                given.is_some_and(|text| text.chars().any(char::is_control))
            };
            return Err(match template::placeholders(&own).find(holds) {
                Some(one) => Unasked::Argument {
                    name: one.to_owned(),
                    why: format!(
                        "write `{one}` on one line: it becomes the header `{name}`, which holds no control character"
                    ),
                },
                None => Unasked::Config(format!(
                    "the value of the header `{name}` holds a control character"
                )),
            });
        }
        headers.push((name.clone(), value));
    }
    let mut query: Vec<(String, String)> = Vec::new();
    for (name, value) in config
        .get("query")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        let value = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        if missing(&value).is_some() {
            continue;
        }
        let value = template::variables(&value, &runner.variables)?;
        query.push((
            name.clone(),
            filled(&value, params, &mut used, str::to_owned),
        ));
    }
    let configured = config.get("body").filter(|body| !body.is_null());
    let mut filling = Filling {
        runner,
        params,
        missing: &missing,
        used: &mut used,
    };
    let body = match configured {
        Some(body) => filling.body(body, 0)?,
        None => None,
    };
    let usual = if body.is_some() { "POST" } else { "GET" };
    let method = toolglot_policy::method(text("method")?.as_deref().unwrap_or(usual))
        .map_err(|error| Unasked::Config(error.to_string()))?;
    // Includes the placeholders of parts that are left out.
    let asking = ["url", "headers", "query", "body"].map(|key| config.get(key).cloned());
    let asking = texts(&json!(asking));
    let named: BTreeSet<&str> = template::placeholders(&asking).collect();
    let mut rest: Map<String, Value> = params
        .iter()
        .filter(|(name, value)| {
            let is_named = used.contains(&name.as_str()) || named.contains(name.as_str());
            !is_named && !value.is_null()
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let has_body = ["POST", "PUT", "PATCH"].contains(&method);
    // A configured body gets no further parameters: they go to the query.
    let body = match body {
        Some(body) => Some(body),
        None if has_body && configured.is_none() && !rest.is_empty() => {
            Some(Value::Object(std::mem::take(&mut rest)))
        }
        None => None,
    };
    // A name in the configured query is sent only from there.
    let says = |name: &str| {
        config
            .get("query")
            .is_some_and(|query| query.get(name).is_some())
    };
    query.extend(
        rest.iter()
            .filter(|(name, _)| !says(name))
            .map(|(name, value)| (name.clone(), plain(value))),
    );
    let mut is_json = false;
    let body = match body {
        None => Vec::new(),
        Some(Value::String(text)) => text.into_bytes(),
        Some(value) => {
            is_json = true;
            value.to_string().into_bytes()
        }
    };
    let says_type = headers
        .iter()
        .any(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    if is_json && !says_type {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    Ok(Asked {
        url: with_query(url, &query),
        is_chosen,
        method,
        headers,
        body,
    })
}

/// A value as part of a text.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Fills `{name}` in the path and the query, percent-encoded. The host comes from the file alone.
fn filled_url<'p>(
    url: &str,
    params: &'p Map<String, Value>,
    missing: &dyn Fn(&str) -> Option<String>,
    used: &mut Vec<&'p str>,
) -> Result<String, Unasked> {
    let start = url.find("://").map_or(0, |at| at + 3);
    let end = url[start..]
        .find(['/', '?', '#'])
        .map_or(url.len(), |at| start + at);
    if url[..end].contains(['{', '}']) {
        return Err(Unasked::Config(
            "a parameter cannot say which host is asked: leave `config.url` out and name a parameter `url`"
                .to_owned(),
        ));
    }
    let (whole, fragment) = match url[end..].split_once('#') {
        Some((whole, fragment)) => (whole, Some(fragment)),
        None => (&url[end..], None),
    };
    let (path, query) = match whole.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (whole, None),
    };
    if let Some(name) = missing(path) {
        return Err(Unasked::Argument {
            why: format!("add `{name}`: the path of the request needs it"),
            name,
        });
    }
    let steps = filled(path, params, used, percent);
    if steps != path && climbs(&steps) {
        let is_dotted = |one: &&str| {
            params
                .get(one)
                .is_some_and(|value| plain(value).contains('.'))
        };
        let name = template::placeholders(path)
            .find(is_dotted)
            .unwrap_or_default();
        return Err(Unasked::Argument {
            name: name.to_owned(),
            why: format!(
                "write `{name}` without `.` and `..` as steps: it becomes a part of the path, and they lead elsewhere on that host"
            ),
        });
    }
    let mut out = format!("{}{steps}", &url[..end]);
    let pairs: Vec<String> = query
        .into_iter()
        .flat_map(|query| query.split('&'))
        .filter(|pair| missing(pair).is_none())
        .map(|pair| filled(pair, params, used, percent))
        .collect();
    if !pairs.is_empty() {
        out.push('?');
        out.push_str(&pairs.join("&"));
    }
    if let Some(fragment) = fragment.filter(|fragment| missing(fragment).is_none()) {
        out.push('#');
        out.push_str(&filled(fragment, params, used, percent));
    }
    Ok(out)
}

/// The first missing parameter of the tool that a text names.
fn absent(text: &str, params: &Map<String, Value>, takes: &dyn Fn(&str) -> bool) -> Option<String> {
    template::placeholders(text)
        .find(|name| takes(name) && params.get(name).is_none_or(Value::is_null))
        .map(str::to_owned)
}

/// Whether a path contains the step `.` or `..`, also percent-encoded: RFC 3986, section 6.2.2.
fn climbs(rest: &str) -> bool {
    let path = rest.split(['?', '#']).next().unwrap_or_default();
    let path = path.to_ascii_lowercase();
    let path = path
        .replace("%2e", ".")
        .replace("%2f", "/")
        .replace("%5c", "/");
    path.split('/').any(|step| matches!(step, "." | ".."))
}

/// Replaces `{name}` by the parameter in the form of `shown`; other braces stay.
fn filled<'p>(
    text: &str,
    params: &'p Map<String, Value>,
    used: &mut Vec<&'p str>,
    shown: fn(&str) -> String,
) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        out.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        let found = after
            .find('}')
            .and_then(|end| Some((end, params.get_key_value(&after[..end])?)));
        if let Some((end, (name, value))) = found {
            used.push(name);
            out.push_str(&shown(&plain(value)));
            rest = &after[end + 1..];
        } else {
            out.push('{');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// The state for filling a body.
struct Filling<'a, 'p> {
    runner: &'a ToolRunner,
    params: &'p Map<String, Value>,
    missing: &'a dyn Fn(&str) -> Option<String>,
    used: &'a mut Vec<&'p str>,
}

impl Filling<'_, '_> {
    /// Fills the body, or a part of it; `None` for a text with a missing parameter.
    fn body(&mut self, body: &Value, depth: usize) -> Result<Option<Value>, UnsetVariable> {
        Ok(Some(match body {
            Value::String(text) => {
                let name = text
                    .strip_prefix('{')
                    .and_then(|rest| rest.strip_suffix('}'));
                if let Some((name, value)) = name.and_then(|name| self.params.get_key_value(name)) {
                    self.used.push(name);
                    return Ok(Some(value.clone()));
                }
                if (self.missing)(text).is_some() {
                    return Ok(None);
                }
                let text = template::variables(text, &self.runner.variables)?;
                Value::String(filled(&text, self.params, self.used, str::to_owned))
            }
            Value::Array(items) if depth < MAX_DEPTH => items
                .iter()
                .filter_map(|item| self.body(item, depth + 1).transpose())
                .collect::<Result<_, _>>()?,
            Value::Object(map) if depth < MAX_DEPTH => map
                .iter()
                .filter_map(|(key, value)| {
                    let part = self.body(value, depth + 1).transpose()?;
                    Some(part.map(|part| (key.clone(), part)))
                })
                .collect::<Result<_, _>>()?,
            other => other.clone(),
        }))
    }
}

/// Percent-encodes everything except letters, digits and `-._~`.
fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            for digit in [byte >> 4, byte & 15] {
                let digit = char::from_digit(u32::from(digit), 16).unwrap_or('0');
                out.push(digit.to_ascii_uppercase());
            }
        }
    }
    out
}

fn with_query(url: String, query: &[(String, String)]) -> String {
    if query.is_empty() {
        return url;
    }
    let (url, fragment) = match url.split_once('#') {
        Some((url, fragment)) => (url.to_owned(), format!("#{fragment}")),
        None => (url, String::new()),
    };
    let pairs: Vec<String> = query
        .iter()
        .map(|(name, value)| format!("{}={}", percent(name), percent(value)))
        .collect();
    let joint = if url.contains('?') { '&' } else { '?' };
    format!("{url}{joint}{}{fragment}", pairs.join("&"))
}

fn send(request: &Asked, place: &HostPort, time: Duration) -> Result<Answer, Failure> {
    let web = Web::to(place)?;
    let mut answer = web.ask(&Ask {
        url: &request.url,
        method: request.method,
        headers: &request.headers,
        body: &request.body,
        time,
    })?;
    let status = answer.status().as_u16();
    let header = |name: &str| {
        let value = answer.headers().get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let (kind, location) = (
        header("content-type").unwrap_or_default(),
        header("location"),
    );
    let mut body = Vec::new();
    answer
        .body_mut()
        .as_reader()
        .take(ANSWER_BYTES + 1)
        .read_to_end(&mut body)
        .map_err(|error| web.unanswered(&error))?;
    let is_cut = body.len() as u64 > ANSWER_BYTES;
    body.truncate(ANSWER_BYTES as usize);
    let text = String::from_utf8_lossy(&body).into_owned();
    let success = (200..300).contains(&status);
    let mut value = json!({"success": success});
    if !success {
        value["error"] = json!(match &location {
            Some(to) if (300..400).contains(&status) =>
                format!("HTTP {status}: it leads to {to}, which was not followed"),
            _ => format!("HTTP {status}"),
        });
    }
    value["status"] = json!(status);
    let is_json = kind.contains("json") && !is_cut;
    match toolglot_value::from_str(&text) {
        Ok(json) if is_json => value["data"] = json,
        _ => value["output"] = json!(text),
    }
    if is_cut {
        value["truncated"] = json!(true);
    }
    Ok(Answer {
        returned: returned(&value, success),
        is_transient: TRANSIENT.contains(&status),
    })
}

fn returned(value: &Value, success: bool) -> ReturnValue {
    let value = value.as_object().cloned().unwrap_or_default();
    ReturnValue {
        success,
        value,
        breaches: Vec::new(),
    }
}
