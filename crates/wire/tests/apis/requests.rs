//! Requests of each API, and the requests that an upstream gets.

use toolglot_value::Value;
use toolglot_wire::{Api, ApiError, Emulation, History, Request};

use crate::case::{self, Block};

fn api(word: &str) -> Api {
    *Api::ALL
        .iter()
        .find(|api| api.name() == word)
        .expect("the name of an API")
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).expect("it is JSON") + "\n"
}

/// `native`: the body; `text DIALECT`: the messages; `tools`: names and omitted items; `error`: the response.
fn shown(request: &Result<Request, ApiError>, api: Api, words: &[&str]) -> String {
    let request = match request {
        Err(error) if words == ["error"] => {
            return format!("{} {}\n", error.status(), error.body(api));
        }
        Err(error) => return format!("{error:?}\n"),
        Ok(request) => request,
    };
    let body = match words {
        ["native"] => request.chat(History::Native { ids: None }),
        ["native", dialect] => {
            let dialect = toolglot_dialects::get(dialect).expect("a dialect");
            let ids = dialect.id_form();
            request.chat(History::Native { ids })
        }
        ["text", dialect] => {
            let dialect = toolglot_dialects::get(dialect).expect("a dialect");
            let tools = request.tools().tool_set();
            let emulation = Emulation::new(dialect, &tools, "INSTRUCTIONS", None);
            let emulation = emulation.expect("the dialect has a program");
            request.chat(History::Text(&emulation))
        }
        ["tools"] => {
            let names: Vec<&str> = request.tools().iter().map(|tool| &*tool.name).collect();
            return format!(
                "{}\nomitted: {}\nchoice: {:?}\nparallel: {}\ntokens: {}\n",
                names.join(" "),
                request.omitted().join(", "),
                request.choice(),
                request.is_parallel(),
                request.estimate_tokens(),
            );
        }
        _ => return String::new(),
    };
    match (body, words) {
        (Ok(body), ["text", _]) => pretty(&body["messages"]),
        (Ok(body), _) => pretty(&body),
        (Err(error), _) => format!("error {error}\n"),
    }
}

#[test]
fn requests_become_what_upstreams_take() {
    case::check("requests", |blocks: &[Block]| {
        let mut request = None;
        let mut texts = Vec::new();
        for block in blocks {
            let words: Vec<&str> = block.words.iter().map(String::as_str).collect();
            if let [word @ ("chat" | "responses" | "messages")] = words.as_slice() {
                let api = api(word);
                let read = Request::read(api, block.text.as_bytes()).map_err(ApiError::from);
                request = Some((read, api));
                texts.push(block.text.clone());
                continue;
            }
            let (request, api) = request.as_ref().expect("a request comes first");
            texts.push(shown(request, *api, &words));
        }
        texts
    });
}
