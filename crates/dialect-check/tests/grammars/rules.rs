//! Grammars in the words of the notation: calls with parameters in every shape, in blocks and alone.

use toolglot_value::Value;

use crate::grammars::random::Random;

/// A dialect, and the limits of its calls.
pub(super) struct Grammar {
    pub(super) file: String,
    /// All literals of the rules for parsing.
    pub(super) literals: Vec<String>,
    /// The only tool, with its required and its optional arguments.
    pub(super) fixed: Option<(String, Vec<String>, Vec<String>)>,
    /// Whether calls have ids.
    pub(super) has_id: bool,
    /// Whether lists are in brackets.
    pub(super) has_lists: bool,
}

impl Grammar {
    /// Whether one of the grammar's literals separates list items.
    fn separates(&self) -> bool {
        let is_separator = |literal: &String| self.file.contains(&format!("lists(\"{literal}\")"));
        self.literals.iter().any(is_separator)
    }

    /// Whether no text in the arguments contains a literal of the grammar, or ends with the start of one.
    pub(super) fn is_plain(&self, arguments: &Value) -> bool {
        match arguments {
            Value::String(text) => self.literals.iter().all(|literal| {
                let whole = format!("{text}{literal}");
                whole.find(literal.as_str()) == Some(text.len())
            }),
            Value::Array(items) if self.has_lists => items.iter().all(|item| self.is_plain(item)),
            // An empty list would repeat no key.
            Value::Array(items) if items.is_empty() && self.file.contains("repeated") => false,
            Value::Array(items) if items.len() > 1 && self.separates() => false,
            Value::Array(_) => self.is_plain(&Value::from(
                arguments.to_string().replace("\",\"", "\", \""),
            )),
            Value::Object(members) => members.iter().all(|(_, value)| self.is_plain(value)),
            _ => true,
        }
    }
}

/// A rule under construction, and its literals.
#[derive(Default)]
struct Rule {
    text: String,
    literals: Vec<String>,
    has_lists: bool,
}

impl Rule {
    fn literal(&mut self, literal: &str) {
        let quoted = literal
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        self.add(&format!("\"{quoted}\""));
        self.literals.push(literal.to_owned());
    }

    fn add(&mut self, text: &str) {
        if !self.text.is_empty()
            && !self.text.ends_with([' ', '('])
            && text != ")"
            && text != ")*"
            && text != ")?"
        {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

/// Openers of a call, each with its closers.
const CALLS: &[(&str, &[&str])] = &[
    ("<|call|>", &["<|end|>", "<|/call|>", "\n"]),
    ("<call ", &["</call>", "/>", ">"]),
    ("<call>", &["</call>"]),
    ("@call ", &["@end", "\n"]),
    ("[[", &["]]", "]"]),
    ("{{", &["}}"]),
    ("```tool\n", &["\n```"]),
    ("$ ", &["\n"]),
    ("### Tool: ", &["\n\n", "\n"]),
    ("CALL ", &["\n", "END\n", "."]),
    ("(", &[")"]),
    ("<tool name=\"", &["</tool>"]),
    (">>> ", &["\n"]),
    ("[call: ", &["]"]),
    ("%%", &["%%"]),
    ("⚙ ", &["✅", "⚙"]),
    ("« ", &["»", " »\n"]),
];

/// How results are written.
const RESULTS: &[&str] = &[
    "",
    "result = \"<result>\" raw \"</result>\"\n",
    "result = \"<result \" name \">\\n\" raw \"\\n</result>\"\nfailure = \"<error>\" raw \"</error>\"\n",
    "result = \"<result\" (\" id='\" id \"'\")? \">\" xml \"</result>\"\nresult_block = \"<results>\" result result* \"</results>\"\n",
    "result = \"{\\\"tool\\\": \\\"\" name \"\\\", \\\"said\\\": \" json \"}\"\n",
    "result = \"<|result|>\" raw \"<|/result|>\"\nnot_in_results = \"<call\" | \"@call\" | \"CALL \"\n",
    "result = \"Result of \" name \":\\n\" raw\n",
];

pub(super) fn grammar(random: &mut Random) -> Grammar {
    let mut rule = Rule::default();
    let mut fixed = None;
    let (opener, closers) = *random.one(CALLS);
    if random.chance(3) {
        rule.add("line_start");
    }
    rule.literal(opener);
    let is_fixed = random.chance(5);
    let body = if is_fixed { 0 } else { random.below(14) };
    let is_whole = matches!(body, 1 | 2 | 6);
    let mut closers = closers;
    let has_id = !is_fixed && !is_whole && random.chance(6);
    if has_id {
        rule.add("id");
        rule.literal(random.one::<&str>(&[": ", "|", "\" name=\"", "\n"]));
    }
    if !is_fixed && !is_whole {
        blank(&mut rule, random, 6);
        rule.add("name");
    }
    match body {
        _ if is_fixed => fixed = Some(fixed_values(&mut rule, random)),
        1 => rule.add(random.one::<&str>(&[
            "object(name: tool, args: args)",
            "object(type = \"call\", name: tool, args: args)",
            "object(name: tool, args: args, \"is call\" = true)",
            "object(v = 2, name: function.name, args: function.args, function.type = \"f\"|\"g\")",
            "(object(type = \"a\", name: tool, args: args) | object(type = \"b\", args: args, name: tool))",
        ])),
        2 => rule.add("python"),
        6 => {
            rule.add("attrs(name: tool, args: *)");
            closers = &["/>", ">"];
        }
        3 => {
            separator(&mut rule, random);
            blank(&mut rule, random, 3);
            rule.add("json");
            blank(&mut rule, random, 3);
        }
        4 => {
            separator(&mut rule, random);
            rule.add("xml");
            closers = &["</call>", "</c>"];
        }
        5 => {
            separator(&mut rule, random);
            rule.add("(");
            rule.add("json");
            rule.add(")?");
        }
        _ => {
            if random.chance(2) {
                separator(&mut rule, random);
            }
            loop_of_parameters(&mut rule, random);
        }
    }
    if random.chance(6) && !rule.text.ends_with("xml") && !rule.text.ends_with("nl") {
        rule.literals.push("\n".to_owned());
        rule.add(random.one::<&str>(&["eol", "(\"\\n\" | message_end)"]));
    } else {
        if random.chance(4) {
            rule.add("ws");
        }
        let closer = *random.one(closers);
        rule.literal(closer);
    }
    let tool = fixed
        .as_ref()
        .map_or(String::new(), |(tool, ..)| format!(" {tool}"));
    let lists = *random.one(&[
        "",
        "",
        "",
        ", lists(\",\")",
        ", items(\"+ \")",
        ", lists(\";\"), items(\"*\")",
        ", repeated",
        ", escapes(\"\\\\|\" = \"|\", \"<br>\" = \"\\n\")",
        ", percent",
        ", words(\"yes\" = true, \"no\" = false)",
    ]);
    let mut file = format!(
        "dialect mine\nvalues: schema, entities in attrs{lists}\ncall{tool} = {}\n",
        rule.text
    );
    if random.chance(5) && fixed.is_none() {
        let (opener, closer) = *random.one(&[
            ("<calls>", "</calls>"),
            ("<|calls|>", "<|/calls|>"),
            ("BEGIN\n", "END"),
        ]);
        let between = *random.one(&["ws", "ws(\"\\n\")", "\"\\n\"?"]);
        rule.literals.extend([opener.to_owned(), closer.to_owned()]);
        let opener = opener.replace('\n', "\\n");
        let line = format!("block = \"{opener}\" {between} (call {between})* \"{closer}\"\n");
        file.push_str(&line);
    }
    if random.chance(8) && fixed.is_none() {
        // The same with blanks.
        let line = format!("write = {}\n", rule.text.replace(" ws ", " ws(\" \") "));
        file.push_str(&line);
    }
    file.push_str(random.one::<&str>(RESULTS));
    Grammar {
        file,
        has_id,
        has_lists: rule.has_lists,
        literals: rule.literals,
        fixed,
    }
}

fn blank(rule: &mut Rule, random: &mut Random, n: usize) {
    if random.chance(n) {
        rule.add(random.one::<&str>(&["ws", "ws(\" \")", "ws(\"\\n\")", "nl"]));
    }
}

fn separator(rule: &mut Rule, random: &mut Random) {
    let separator = *random.one(&[">", "\">", "\n", " ", ": ", "(", "|", "<|args|>", "</name>"]);
    rule.literal(separator);
}

/// `("<arg " key ">" raw "</arg>")*`
fn loop_of_parameters(rule: &mut Rule, random: &mut Random) {
    rule.add("(");
    let has_opener = !random.chance(5);
    if random.chance(12) {
        rule.add("line_start");
    }
    if has_opener {
        let opener = *random.one(&[
            "<|arg|>",
            "<arg ",
            "<",
            " --",
            ", ",
            "|",
            "\n- ",
            "- ",
            " :",
            ";",
            "@",
            "<arg name=\"",
            "<p>",
            " ",
            "&",
            "[",
            "\n",
            "• ",
            "  ",
        ]);
        if random.chance(10) {
            rule.literal(&format!("{opener}no-"));
            rule.add("key false |");
        }
        rule.literal(opener);
    } else if random.chance(4) {
        rule.add("ws");
    }
    let may_be_flag = random.chance(6);
    rule.add("key");
    if may_be_flag {
        rule.add("(");
    }
    if random.chance(8) {
        rule.add("(");
        rule.literal(random.one::<&str>(&["<|text|>", "<<\n", "#"]));
        rule.add("raw");
        rule.literal(random.one::<&str>(&["\n>>", "<|/text|>", ";"]));
        rule.add("|");
        rule.literal(random.one::<&str>(&["=", ": ", "<|val|>"]));
        rule.add("raw");
        rule.literal(random.one::<&str>(&["\n", ";", "<|/val|>"]));
        rule.add(")");
        if may_be_flag {
            rule.add(")?");
        }
        rule.add(")*");
        return;
    }
    let between = *random.one(&[
        "<|val|>", ">", "=", ": ", ":", " ", "\">", "</p>", " = ", ":\n", "]", "=\"",
    ]);
    rule.literal(between);
    let trim = random.below(6);
    if trim == 0 {
        rule.add("ws");
    } else if trim == 1 {
        rule.add("nl");
    }
    if random.chance(8) {
        block_of_lines(rule, random);
    } else if random.chance(6) {
        rule.add("(");
        let (open, close) = *random.one(&[
            ("\"", "\""),
            ("[", "]"),
            ("<q>", "</q>"),
            ("\"\"\"\n", "\"\"\""),
            ("%\n", "\n%"),
        ]);
        rule.literal(open);
        rule.add("raw");
        if close.starts_with('"') && random.chance(2) {
            rule.add("nl");
        }
        rule.literal(close);
        rule.add("|");
        rule.add("raw");
        rule.add(")");
    } else if random.chance(9) {
        list_of_lines(rule, random);
    } else if random.chance(7) {
        list(rule, random);
    } else if random.chance(4) {
        rule.add(random.one::<&str>(&[
            "value",
            "value(\"'\")",
            "value(\"<|q|>\")",
            "value(\"''\")",
            "value(\"\\\\'\")",
        ]));
        rule.literals.extend(["'", "<|q|>"].map(str::to_owned));
    } else if trim > 1 && random.chance(8) {
        counted(rule, random, "bytes");
    } else if trim > 1 && random.chance(7) {
        rule.add(random.one::<&str>(&["line eol", "line ws(\"\\n\")", "line \"\\n\"", "line"]));
        rule.literals.push("\n".to_owned());
    } else {
        rule.add("raw");
    }
    if trim == 0 {
        rule.add("ws");
    } else if trim == 1 {
        rule.add("nl");
    }
    if may_be_flag {
        rule.add(")?");
    }
    if random.chance(12) && trim > 1 && !may_be_flag {
        rule.add("line_start");
        rule.literal(random.one::<&str>(&["</arg>", "EOF\n", "---\n"]));
    } else if !random.chance(3) {
        let closer = *random.one(&[
            "</arg>", "<|/val|>", "\n", ";", "\"", "</p>", ",", "</{key}>", "|", "\n\n", ">", "·",
            "”",
        ]);
        if closer == "</{key}>" {
            rule.add("\"</{key}>\"");
            rule.literals.extend(
                ["text", "more", "count", "path", "ok", "items"].map(|key| format!("</{key}>")),
            );
        } else {
            rule.literal(closer);
        }
    }
    blank(rule, random, 4);
    rule.add(")*");
}

/// `("\n" ("- " raw "\n")* | " " raw "\n")`, or with one closer for both forms.
fn list_of_lines(rule: &mut Rule, random: &mut Random) {
    rule.has_lists = true;
    let is_in_lines = random.chance(2);
    let item = *random.one(&["- ", "  * ", "[*]", "<li>", "• "]);
    rule.add("(");
    if is_in_lines {
        rule.literal("\n");
    }
    rule.add("(");
    rule.literal(item);
    rule.add(random.one::<&str>(&["raw", "line", "value"]));
    if is_in_lines {
        rule.literal("\n");
    }
    rule.add(")* |");
    if is_in_lines {
        rule.literal(": ");
    }
    rule.add(random.one::<&str>(&["raw", "value"]));
    if is_in_lines {
        rule.literal("\n");
    }
    rule.add(")");
    if !is_in_lines {
        rule.literal(random.one::<&str>(&["</arg>", "[/]", "\n·"]));
    }
}

/// `("[" value ("," value)* "]" | value)`, or a list alone.
fn list(rule: &mut Rule, random: &mut Random) {
    rule.has_lists = true;
    let is_alternative = !random.chance(4);
    if is_alternative {
        rule.add("(");
    }
    let (open, close) = *random.one(&[
        ("[", "]"),
        ("(", ")"),
        ("{", "}"),
        ("ARRAY[", "]"),
        ("<|", "|>"),
    ]);
    rule.literal(open);
    let item = *random.one(&["value", "value(\"''\")", "value(\"\\\\'\")", "raw"]);
    let between = *random.one(&[
        "\",\"",
        "\",\" ws(\" \")",
        "ws \";\"",
        "\" \" ws",
        "\" / \"",
    ]);
    let is_loop = random.chance(5);
    rule.add(&match random.below(3) {
        _ if is_loop => format!("({item} {between})*"),
        0 => format!("({item} ({between} {item})*)?"),
        _ => format!("{item} ({between} {item})*"),
    });
    if random.chance(3) {
        rule.add("ws");
    }
    rule.literal(close);
    let more = [",", ";", " / ", "'"].into_iter();
    let blank = (item == "raw" && between.starts_with("\" ")).then_some(" ");
    rule.literals.extend(more.chain(blank).map(str::to_owned));
    if is_alternative {
        rule.add("|");
        rule.add(random.one::<&str>(&["raw", "value", "value(\"''\")"]));
        rule.add(")");
    }
}

/// `length "\n" bytes`
fn counted(rule: &mut Rule, random: &mut Random, bytes: &str) {
    rule.add("length");
    rule.literal(random.one::<&str>(&["\n", ">", ":", " bytes\n", "\r\n\r\n"]));
    rule.add(bytes);
}

/// `"|\n" lines "\n"`, for all values or as one alternative.
fn block_of_lines(rule: &mut Rule, random: &mut Random) {
    let is_alternative = random.chance(2);
    if is_alternative {
        rule.add("(");
    }
    rule.literal(random.one::<&str>(&["\n", "|\n", " |\n", "<<\n"]));
    rule.add(random.one::<&str>(&[
        "lines",
        "lines(\"  \")",
        "lines(\"    \")",
        "lines(\"> \")",
        "lines(\"\\t\")",
    ]));
    let keeps_break = random.chance(3);
    if is_alternative && keeps_break {
        rule.add("line_start | \" |-\\n\" lines");
    }
    if is_alternative {
        rule.literal("\n");
        rule.add("|");
        rule.literal(random.one::<&str>(&["=", "' ", ": "]));
        rule.add(random.one::<&str>(&["raw", "line"]));
        rule.literal("\n");
        rule.add(")");
    } else if keeps_break {
        rule.add("line_start");
        return;
    }
    rule.literal("\n");
}

/// Texts of a rule for one tool, in order; all but the first are optional.
fn fixed_values(rule: &mut Rule, random: &mut Random) -> (String, Vec<String>, Vec<String>) {
    let keys = ["text", "more", "path"];
    let (mut required, mut optional) = (Vec::new(), Vec::new());
    for (n, key) in keys.iter().enumerate().take(1 + random.below(3)) {
        let is_optional = n > 0 && random.chance(3);
        if is_optional {
            rule.add("(");
        }
        if n > 0 {
            let opener = *random.one(&[" IN ", "<p>", "\n", ", ", "|", " > "]);
            rule.literal(opener);
        }
        if random.chance(4) {
            rule.add(&format!("any({key})"));
            let closer = *random.one(&["</p>", "\n", " :: ", "|"]);
            rule.literal(closer);
            rule.literals
                .extend(["<", "\n", "\r", &closer[..1]].map(str::to_owned));
        } else if random.chance(6) {
            counted(rule, random, &format!("bytes({key})"));
        } else {
            rule.add(&format!("raw({key})"));
        }
        if random.chance(2) {
            let closer = *random.one(&["</p>", "\n", ";", "|"]);
            rule.literal(closer);
        }
        if is_optional {
            rule.add(")?");
            optional.push((*key).to_owned());
        } else {
            required.push((*key).to_owned());
        }
    }
    ("save".to_owned(), required, optional)
}
