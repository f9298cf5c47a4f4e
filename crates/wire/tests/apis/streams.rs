//! Holds for every dialect's texts: a stream gives the same answer as the whole text, however the text was cut.

use std::path::Path;

use toolglot_engine::{Finish, ToolSet};
use toolglot_toolset::Toolbox;
use toolglot_value::json;
use toolglot_wire::{Api, Emission};

use crate::answers::{Model, request};
use crate::case::blocks;
use crate::clients::fold;

/// The texts of a dialect's cases.
fn texts(dialect: &str) -> Vec<String> {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../dialects/dialects")
        .join(dialect)
        .join("cases");
    let Ok(files) = std::fs::read_dir(cases) else {
        return Vec::new();
    };
    let mut texts = Vec::new();
    for file in files {
        let file = std::fs::read_to_string(file.expect("an entry").path()).expect("a file");
        let (blocks, _) = blocks(&file);
        let inputs = blocks.into_iter().filter(|block| block.words == ["input"]);
        texts.extend(inputs.map(|block| block.text));
    }
    texts
}

#[test]
fn a_stream_says_what_the_whole_answer_says() {
    let tools = json!({"f": {}, "read_file": {"properties": {"path": {"type": "string"}}}});
    let tools = Toolbox::from_json(&tools).expect("tools").tool_set();
    let (mut n_texts, mut n_calls) = (0, 0);
    for dialect in toolglot_dialects::all() {
        for (n, tools) in [&ToolSet::default(), &tools].into_iter().enumerate() {
            let model = Model::new([dialect], tools);
            for text in texts(dialect.name()) {
                n_texts += 1;
                let ways = [
                    [
                        (Api::Chat, Emission::Atomic, Finish::Stop),
                        (Api::Responses, Emission::Stream, Finish::Stop),
                        (Api::Messages, Emission::Atomic, Finish::Length),
                    ],
                    [
                        (Api::Chat, Emission::Stream, Finish::Length),
                        (Api::Responses, Emission::Atomic, Finish::Length),
                        (Api::Messages, Emission::Stream, Finish::Stop),
                    ],
                ];
                for (api, emission, finish) in ways[n] {
                    let at = format!("{} {api:?} {emission:?} {finish:?}: {text}", dialect.name());
                    let streamed = request(api, true, json!({}));
                    let mut filter = emission;
                    let (answer, all) = model.answer(&streamed, [&*text], finish, &mut filter);
                    n_calls += answer.n_calls();
                    let characters = text.split_inclusive(|_| true);
                    let (_, each) = model.answer(&streamed, characters, finish, &mut filter);
                    // Ids are derived from the request, and the other request has no stream.
                    let mut whole = fold(api, &all);
                    assert_eq!(whole, fold(api, &each), "{at}");
                    let request = request(api, false, json!({}));
                    let (answer, out) = model.answer(&request, [&*text], finish, &mut filter);
                    assert!(out.is_empty());
                    let mut other = answer.whole();
                    for answer in [&mut whole, &mut other] {
                        without_ids(answer);
                    }
                    assert_eq!(whole, other, "{at}");
                }
            }
        }
    }
    assert!(n_texts > 500, "{n_texts}");
    assert!(n_calls > 500, "{n_calls}");
}

fn without_ids(value: &mut toolglot_value::Value) {
    use toolglot_value::Value;
    match value {
        Value::Object(fields) => {
            for (key, value) in fields.iter_mut() {
                if ["id", "call_id"].contains(&&**key) {
                    *value = Value::Null;
                }
                without_ids(value);
            }
        }
        Value::Array(list) => list.iter_mut().for_each(without_ids),
        _ => {}
    }
}
