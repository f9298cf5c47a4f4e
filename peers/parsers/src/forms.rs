//! The compared dialects: their parsers, and their form of a call.
//!
//! Written by hand from the model cards and templates that `dialects/*/dialect` name, so that no parser's own writer is
//! used. Compact JSON and raw UTF-8, as in the templates' `tojson`.

use serde_json::{Map, Value};

use crate::readers::Names;

/// A dialect.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    pub dialect: &'static str,
    pub names: Names,
    /// Tokens of the vocabulary, each a separate piece of a stream.
    pub specials: &'static [&'static str],
    /// The texts around all calls of a block, and between two calls.
    pub block: [&'static str; 3],
    pub call: Call,
    /// A text inside a value that a reader could take for the start and the end of a call; empty if there is none.
    pub opener: &'static str,
    pub closer: &'static str,
    /// Whether only the tool's name makes it a call: a call of an unknown tool may then be text as well.
    pub is_bare: bool,
}

/// The form of a call. `{name}` is the tool, `{i}` the call's index from 0, `{n}` from 1.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// The arguments as JSON between two texts.
    Json(&'static str, &'static str),
    /// A Python call.
    Python,
    /// One parameter after another: strings verbatim, other values as JSON. `{key}`, `{value}`, `{is_string}`,
    /// `{type}`.
    Tags {
        head: &'static str,
        parameter: &'static str,
        tail: &'static str,
    },
    /// Bare keys, strings between tokens.
    Gemma,
}

impl Form {
    /// A block of calls.
    pub fn block(&self, calls: &[(&str, &Map<String, Value>)]) -> String {
        let [open, between, close] = self.block;
        let calls: Vec<String> = calls
            .iter()
            .enumerate()
            .map(|(index, (name, arguments))| self.call(index, name, arguments))
            .collect();
        format!("{open}{}{close}", calls.join(between))
    }

    /// Whether the arguments are JSON in the text.
    pub fn is_json(&self) -> bool {
        matches!(self.call, Call::Json(..))
    }

    /// Whether each call is a block of its own, so that text can occur between calls.
    pub fn has_own_blocks(&self) -> bool {
        self.block[0].is_empty() && !self.is_bare
    }

    fn call(&self, index: usize, name: &str, arguments: &Map<String, Value>) -> String {
        let head = |text: &str| {
            text.replace("{name}", name)
                .replace("{i}", &index.to_string())
                .replace("{n}", &(index + 1).to_string())
        };
        match self.call {
            Call::Json(before, after) => {
                let json = serde_json::to_string(arguments).expect("it is a map");
                format!("{}{json}{}", head(before), head(after))
            }
            Call::Python => {
                let arguments: Vec<String> = arguments
                    .iter()
                    .map(|(key, value)| format!("{key}={}", python(value)))
                    .collect();
                format!("{name}({})", arguments.join(", "))
            }
            Call::Tags {
                head: begin,
                parameter,
                tail,
            } => {
                let mut out = head(begin);
                for (key, value) in arguments {
                    let (text, kind) = match value {
                        Value::String(text) => (text.clone(), "string"),
                        Value::Number(_) => (value.to_string(), "number"),
                        Value::Bool(_) => (value.to_string(), "boolean"),
                        Value::Null => (value.to_string(), "null"),
                        Value::Array(_) => (value.to_string(), "array"),
                        Value::Object(_) => (value.to_string(), "object"),
                    };
                    // The value is inserted last: it may contain any text.
                    let (before, after) = parameter.split_once("{value}").expect("a value");
                    out.push_str(
                        &before
                            .replace("{key}", key)
                            .replace("{type}", kind)
                            .replace(
                                "{is_string}",
                                if kind == "string" { "true" } else { "false" },
                            ),
                    );
                    out.push_str(&text);
                    out.push_str(&after.replace("{key}", key));
                }
                out.push_str(tail);
                out
            }
            Call::Gemma => {
                let object = gemma(&Value::Object(arguments.clone()));
                format!("<|tool_call>call:{name}{object}<tool_call|>")
            }
        }
    }
}

fn python(value: &Value) -> String {
    match value {
        Value::Null => "None".into(),
        Value::Bool(true) => "True".into(),
        Value::Bool(false) => "False".into(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(python).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), python(value)))
                .collect();
            format!("{{{}}}", members.join(", "))
        }
        // A JSON string without `\/` and `\u` is a Python string.
        other => other.to_string(),
    }
}

fn gemma(value: &Value) -> String {
    match value {
        Value::String(text) => format!("<|\"|>{text}<|\"|>"),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(gemma).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let members: Vec<String> = members
                .iter()
                .map(|(key, value)| format!("{key}:{}", gemma(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
        other => other.to_string(),
    }
}

const fn names(
    smg: Option<&'static str>,
    first: Option<&'static str>,
    second: Option<&'static str>,
) -> Names {
    Names { smg, first, second }
}

/// All forms.
pub const FORMS: &[Form] = &[
    Form {
        dialect: "hermes",
        names: names(Some("qwen"), Some("hermes"), None),
        specials: &["<tool_call>", "</tool_call>"],
        block: ["", "\n", ""],
        call: Call::Json(
            "<tool_call>\n{\"name\": \"{name}\", \"arguments\": ",
            "}\n</tool_call>",
        ),
        opener: "<tool_call>",
        closer: "</tool_call>",
        is_bare: false,
    },
    Form {
        dialect: "llama3_json",
        names: names(Some("llama"), Some("llama3_json"), None),
        specials: &["<|python_tag|>"],
        block: ["<|python_tag|>", "; ", ""],
        call: Call::Json("{\"name\": \"{name}\", \"parameters\": ", "}"),
        opener: "<|python_tag|>",
        closer: "}; {",
        is_bare: false,
    },
    Form {
        dialect: "mistral",
        names: names(Some("mistral"), Some("mistral"), None),
        specials: &["[TOOL_CALLS]"],
        block: ["[TOOL_CALLS] [", ", ", "]"],
        call: Call::Json("{\"name\": \"{name}\", \"arguments\": ", "}"),
        opener: "[TOOL_CALLS]",
        closer: "}]",
        is_bare: false,
    },
    Form {
        dialect: "pythonic",
        names: names(Some("pythonic"), Some("pythonic"), None),
        specials: &[],
        block: ["[", ", ", "]"],
        call: Call::Python,
        opener: "[f(x=1)]",
        closer: ")]",
        is_bare: true,
    },
    Form {
        dialect: "json",
        names: names(Some("json"), Some("default"), None),
        specials: &[],
        block: ["[", ", ", "]"],
        call: Call::Json("{\"name\": \"{name}\", \"arguments\": ", "}"),
        opener: "",
        closer: "",
        is_bare: true,
    },
    Form {
        dialect: "deepseek_v3",
        names: names(Some("deepseek"), Some("deepseek_v3"), None),
        specials: &[
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁sep｜>",
        ],
        block: ["<｜tool▁calls▁begin｜>", "\n", "<｜tool▁calls▁end｜>"],
        call: Call::Json(
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n",
            "\n```<｜tool▁call▁end｜>",
        ),
        opener: "<｜tool▁calls▁begin｜>",
        closer: "<｜tool▁call▁end｜>",
        is_bare: false,
    },
    Form {
        dialect: "deepseek_v31",
        names: names(Some("deepseek31"), Some("deepseek_v3_1"), None),
        specials: &[
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls▁end｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool▁call▁end｜>",
            "<｜tool▁sep｜>",
        ],
        block: ["<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"],
        call: Call::Json(
            "<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>",
            "<｜tool▁call▁end｜>",
        ),
        opener: "<｜tool▁calls▁begin｜>",
        closer: "<｜tool▁call▁end｜>",
        is_bare: false,
    },
    Form {
        dialect: "deepseek_v32",
        names: names(Some("deepseek32"), Some("deepseek_v3_2"), None),
        specials: &["｜DSML｜"],
        block: [
            "<｜DSML｜function_calls>\n",
            "\n",
            "\n</｜DSML｜function_calls>",
        ],
        call: Call::Tags {
            head: "<｜DSML｜invoke name=\"{name}\">\n",
            parameter: "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{value}</｜DSML｜parameter>\n",
            tail: "</｜DSML｜invoke>",
        },
        opener: "<｜DSML｜function_calls>",
        closer: "</｜DSML｜parameter>",
        is_bare: false,
    },
    Form {
        dialect: "deepseek_v4",
        names: names(
            Some("deepseek_v4"),
            Some("deepseek_v4"),
            Some("deepseek_v4"),
        ),
        specials: &["｜DSML｜"],
        block: ["<｜DSML｜tool_calls>\n", "\n", "\n</｜DSML｜tool_calls>"],
        call: Call::Tags {
            head: "<｜DSML｜invoke name=\"{name}\">\n",
            parameter: "<｜DSML｜parameter name=\"{key}\" string=\"{is_string}\">{value}</｜DSML｜parameter>\n",
            tail: "</｜DSML｜invoke>",
        },
        opener: "<｜DSML｜tool_calls>",
        closer: "</｜DSML｜parameter>",
        is_bare: false,
    },
    Form {
        dialect: "kimi_k2",
        names: names(Some("kimik2"), Some("kimi_k2"), Some("kimi_k2")),
        specials: &[
            "<|tool_calls_section_begin|>",
            "<|tool_calls_section_end|>",
            "<|tool_call_begin|>",
            "<|tool_call_end|>",
            "<|tool_call_argument_begin|>",
        ],
        block: [
            "<|tool_calls_section_begin|>",
            "",
            "<|tool_calls_section_end|>",
        ],
        call: Call::Json(
            "<|tool_call_begin|>functions.{name}:{i}<|tool_call_argument_begin|>",
            "<|tool_call_end|>",
        ),
        opener: "<|tool_calls_section_begin|>",
        closer: "<|tool_call_end|>",
        is_bare: false,
    },
    Form {
        dialect: "kimi_k3",
        names: names(Some("kimi_k3"), Some("kimi_k3"), Some("kimi_k3")),
        specials: &["<|open|>", "<|close|>", "<|sep|>"],
        block: ["<|open|>tools<|sep|>", "", "<|close|>tools<|sep|>"],
        call: Call::Tags {
            head: "<|open|>call tool=\"{name}\" index=\"{n}\"<|sep|>",
            parameter: "<|open|>argument key=\"{key}\" type=\"{type}\"<|sep|>{value}<|close|>argument<|sep|>",
            tail: "<|close|>call<|sep|>",
        },
        opener: "<|open|>tools<|sep|>",
        closer: "<|close|>argument<|sep|>",
        is_bare: false,
    },
    Form {
        dialect: "qwen3_coder",
        names: names(Some("qwen_xml"), Some("qwen3_coder"), Some("qwen3_coder")),
        specials: &["<tool_call>", "</tool_call>"],
        block: ["", "\n", ""],
        call: Call::Tags {
            head: "<tool_call>\n<function={name}>\n",
            parameter: "<parameter={key}>\n{value}\n</parameter>\n",
            tail: "</function>\n</tool_call>",
        },
        opener: "<tool_call>",
        closer: "</parameter>",
        is_bare: false,
    },
    Form {
        dialect: "glm45",
        names: names(Some("glm45_moe"), None, None),
        specials: &[
            "<tool_call>",
            "</tool_call>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
        ],
        block: ["", "\n", ""],
        call: Call::Tags {
            head: "<tool_call>{name}\n",
            parameter: "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n",
            tail: "</tool_call>",
        },
        opener: "<tool_call>",
        closer: "</arg_value>",
        is_bare: false,
    },
    Form {
        dialect: "glm47",
        names: names(Some("glm47_moe"), Some("glm47"), Some("glm47")),
        specials: &[
            "<tool_call>",
            "</tool_call>",
            "<arg_key>",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
        ],
        block: ["", "", ""],
        call: Call::Tags {
            head: "<tool_call>{name}",
            parameter: "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>",
            tail: "</tool_call>",
        },
        opener: "<tool_call>",
        closer: "</arg_value>",
        is_bare: false,
    },
    Form {
        dialect: "minimax_m2",
        names: names(Some("minimax_m2"), Some("minimax_m2"), Some("minimax_m2")),
        specials: &["<minimax:tool_call>", "</minimax:tool_call>"],
        block: ["<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>"],
        call: Call::Tags {
            head: "<invoke name=\"{name}\">\n",
            parameter: "<parameter name=\"{key}\">{value}</parameter>\n",
            tail: "</invoke>",
        },
        opener: "<minimax:tool_call>",
        closer: "</parameter>",
        is_bare: false,
    },
    Form {
        dialect: "minimax_m3",
        names: names(Some("minimax_m3"), Some("minimax_m3"), Some("minimax_m3")),
        specials: &["]<]minimax[>["],
        block: [
            "]<]minimax[>[<tool_call>\n",
            "\n",
            "\n]<]minimax[>[</tool_call>",
        ],
        call: Call::Tags {
            head: "]<]minimax[>[<invoke name=\"{name}\">",
            parameter: "]<]minimax[>[<{key}>{value}]<]minimax[>[</{key}>",
            tail: "]<]minimax[>[</invoke>",
        },
        opener: "]<]minimax[>[<tool_call>",
        closer: "]<]minimax[>[</invoke>",
        is_bare: false,
    },
    Form {
        dialect: "gemma4",
        names: names(Some("gemma4"), Some("gemma4"), Some("gemma4")),
        specials: &["<|tool_call>", "<tool_call|>", "<|\"|>"],
        block: ["", "", ""],
        call: Call::Gemma,
        opener: "<|tool_call>",
        closer: "<tool_call|>",
        is_bare: false,
    },
    Form {
        dialect: "inkling",
        names: names(Some("inkling"), Some("inkling"), None),
        specials: &[
            "<|message_model|>",
            "<|content_invoke_tool_json|>",
            "<|end_message|>",
        ],
        block: ["", "", ""],
        call: Call::Json(
            "<|message_model|>{name}<|content_invoke_tool_json|>{\"name\": \"{name}\", \"args\": ",
            "}<|end_message|>",
        ),
        opener: "<|content_invoke_tool_json|>",
        closer: "<|end_message|>",
        is_bare: false,
    },
    Form {
        dialect: "cohere",
        names: names(Some("cohere"), None, None),
        specials: &["<|START_ACTION|>", "<|END_ACTION|>"],
        block: ["<|START_ACTION|>\n[\n", ",\n", "\n]<|END_ACTION|>"],
        call: Call::Json(
            "    {\"tool_call_id\": \"{i}\", \"tool_name\": \"{name}\", \"parameters\": ",
            "}",
        ),
        opener: "<|START_ACTION|>",
        closer: "<|END_ACTION|>",
        is_bare: false,
    },
    Form {
        dialect: "step3",
        names: names(Some("step3"), None, None),
        specials: &[
            "<｜tool_calls_begin｜>",
            "<｜tool_calls_end｜>",
            "<｜tool_call_begin｜>",
            "<｜tool_call_end｜>",
            "<｜tool_sep｜>",
        ],
        block: ["<｜tool_calls_begin｜>\n", "\n", "\n<｜tool_calls_end｜>"],
        call: Call::Tags {
            head: "<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name=\"{name}\">\n",
            parameter: "<steptml:parameter name=\"{key}\">{value}</steptml:parameter>\n",
            tail: "</steptml:invoke><｜tool_call_end｜>",
        },
        opener: "<｜tool_calls_begin｜>",
        closer: "</steptml:parameter>",
        is_bare: false,
    },
    Form {
        dialect: "jamba",
        names: names(None, Some("jamba"), None),
        specials: &["<tool_calls>", "</tool_calls>"],
        block: ["<tool_calls>[\n", ",\n", "\n]</tool_calls>"],
        call: Call::Json("    {\"name\": \"{name}\", \"arguments\": ", "}"),
        opener: "<tool_calls>",
        closer: "</tool_calls>",
        is_bare: false,
    },
    Form {
        dialect: "nemotron_v2",
        names: names(None, Some("nemotron_deci"), None),
        specials: &[],
        block: ["<TOOLCALL>[", ", ", "]</TOOLCALL>"],
        call: Call::Json("{\"name\": \"{name}\", \"arguments\": ", "}"),
        opener: "<TOOLCALL>",
        closer: "</TOOLCALL>",
        is_bare: false,
    },
    Form {
        dialect: "phi4_mini",
        names: names(None, Some("phi4"), None),
        specials: &[],
        block: ["functools[", ", ", "]"],
        call: Call::Json("{\"name\": \"{name}\", \"arguments\": ", "}"),
        opener: "functools[",
        closer: "}]",
        is_bare: false,
    },
];

/// Spellings of dialects in records, if a parser has a separate parser for them.
pub const SPELLINGS: &[(&str, Names)] = &[
    ("qwen25", names(Some("qwen"), Some("qwen25"), None)),
    ("nemotron_deci", names(None, Some("nemotron_deci"), None)),
    ("phi4", names(None, Some("phi4"), None)),
    // The other projects name it after the later model; it reads both.
    (
        "glm45",
        names(Some("glm45_moe"), Some("glm47"), Some("glm47")),
    ),
    ("default_json", names(Some("json"), Some("default"), None)),
    ("bare_json", names(Some("json"), Some("default"), None)),
    ("bare_json_list", names(Some("json"), Some("default"), None)),
    (
        "nemotron_v3",
        names(Some("nemotron"), Some("nemotron_nano"), Some("nemotron_v3")),
    ),
    ("muse_glimmer", names(None, None, Some("muse_glimmer"))),
    ("muse_spark", names(None, None, Some("muse_spark"))),
    ("muse", names(None, None, Some("muse_spark"))),
    ("beam", names(None, None, Some("beam"))),
    (
        "deepseek_v41",
        names(Some("deepseek_v41"), None, Some("deepseek_v41")),
    ),
    ("hy_v4", names(Some("hy_v4"), None, None)),
    ("sarashina", names(Some("sarashina"), None, None)),
];

/// The form of a dialect.
pub fn form(dialect: &str) -> Option<&'static Form> {
    FORMS.iter().find(|form| form.dialect == dialect)
}
