use crate::cli::toolglot;

#[test]
fn the_list_names_each_dialect_with_its_other_spellings() {
    let ran = toolglot(&["dialects", "list"], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let forge = ran
        .out
        .lines()
        .find(|line| line.starts_with("forge "))
        .expect("forge is listed");
    assert!(forge.contains("forge-xml"), "{forge}");
}

#[test]
fn a_dialect_is_shown_by_any_of_its_names() {
    let shown = toolglot(&["dialects", "show", "hermes"], "");
    assert_eq!(shown.code, 0, "{}", shown.err);
    assert!(shown.out.starts_with("dialect hermes"), "{}", shown.out);
    assert_eq!(toolglot(&["dialects", "show", "qwen25"], "").out, shown.out);
}

#[test]
fn an_unknown_dialect_names_the_nearest() {
    let ran = toolglot(&["dialects", "show", "hermse"], "");
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("did you mean `hermes`"), "{}", ran.err);
}

#[test]
fn a_new_dialect_passes_the_check() {
    let new = toolglot(&["dialects", "new", "mine"], "");
    assert_eq!(new.code, 0, "{}", new.err);
    let check = toolglot(&["dialects", "check", "-"], &new.out);
    assert_eq!(check.code, 0, "{}", check.err);
    assert!(
        check
            .out
            .starts_with("standard input: mine\n\na call without arguments\n")
    );
    assert!(!check.out.contains("not carried"), "{}", check.out);
}

#[test]
fn samples_that_are_not_carried_are_counted_at_the_end() {
    let one = "dialect one\ncall = \"<\" name \">\" (key \"=\" line \"\\n\")* \"</>\"\n";
    let check = toolglot(&["dialects", "check", "-"], one);
    assert_eq!(check.code, 0, "{}", check.out);
    let n_refused = check.out.matches("\nnot carried: ").count();
    assert!(n_refused > 0, "{}", check.out);
    let last = format!("\nnote: {n_refused} of 10 samples are not carried\n");
    assert!(check.out.contains(&last), "{}", check.out);
}

#[test]
fn a_bad_dialect_fails_the_check_and_points_at_the_byte() {
    let check = toolglot(
        &["dialects", "check", "-"],
        "dialect bad\ncall = \"<x>\" json nothing\n",
    );
    assert_eq!(check.code, 1, "{}", check.err);
    assert!(check.out.contains("--> standard input:2:"), "{}", check.out);
}

#[test]
fn words_that_are_called_otherwise_are_fixed_in_the_file_only_when_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine");
    let old = "dialect mine # text\nrefuse: text\ncall = bol \"text \" name \"{skip}\" text(text) end\nresult = text\n";
    std::fs::write(&path, old).expect("written");
    let path_text = path.to_str().expect("UTF-8");

    let parse = toolglot(&["parse", "--dialect", path_text, "-"], "x");
    assert_eq!((parse.code, parse.out.as_str()), (2, ""));
    let command = format!("toolglot dialects check --fix {path_text}");
    assert!(parse.err.contains(&command), "{}", parse.err);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), old);

    let fixed = toolglot(&["dialects", "check", "--fix", path_text], "");
    let expected = ":2 refuse -> not_tools\n";
    assert!(fixed.out.contains(expected), "{} {}", fixed.out, fixed.err);
    let new = "dialect mine # text\nnot_tools: text\ncall = line_start \"text \" name \"{any}\" raw(text) message_end\nresult = raw\n";
    assert_eq!(std::fs::read_to_string(&path).expect("read"), new);
    let again = toolglot(&["dialects", "check", "--fix", path_text], "");
    assert!(!again.out.contains("->"), "{}", again.out);
    assert_eq!(std::fs::read_to_string(&path).expect("read"), new);
}

#[test]
fn what_no_word_replaces_is_left_to_the_author() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mine");
    std::fs::write(&path, "dialect mine\ncall = bol \"a\" nmae json\n").expect("written");
    let path = path.to_str().expect("UTF-8");
    let fixed = toolglot(&["dialects", "check", "--fix", path], "");
    assert_eq!(fixed.code, 1, "{}", fixed.err);
    for expected in [
        ":2 bol -> line_start\n",
        "no rule is called `nmae`",
        "did you mean `name`?",
    ] {
        assert!(fixed.out.contains(expected), "{}", fixed.out);
    }
    assert_eq!(toolglot(&["dialects", "check", "--fix", "-"], "").code, 2);
}

#[test]
fn a_file_without_a_dialect_fails_the_check() {
    for file in ["", "# a comment\n"] {
        let check = toolglot(&["dialects", "check", "-"], file);
        assert_eq!(check.code, 1, "{}", check.err);
        assert!(check.out.contains("holds no dialect"), "{}", check.out);
    }
}

/// Every dialect file on the page of recipes passes its check.
#[test]
fn recipes_pass_their_check() {
    let page = include_str!("../../../../docs/recipes.md");
    let files = page.split("text file=").skip(1);
    let files = files.filter_map(|file| file.split_once('\n')?.1.split("\n```").next());
    let dialects: Vec<&str> = files.filter(|file| file.starts_with("dialect ")).collect();
    assert_eq!(dialects.len(), 25);
    for dialect in dialects {
        let check = toolglot(&["dialects", "check", "-"], format!("{dialect}\n"));
        assert_eq!(check.code, 0, "{dialect}\n{}{}", check.out, check.err);
    }
}

#[test]
fn a_name_that_is_none_is_an_error_of_usage() {
    assert_eq!(toolglot(&["dialects", "new", "Not-A-Name"], "").code, 2);
}

/// A template in the style of Qwen3-Coder: the tags of one parameter, and reasoning.
const TEMPLATE: &str = r"{%- for call in message.tool_calls %}
{{- '<tool_call>\n<function=' + call.name + '>\n' }}
{%- for key, value in call.arguments | items %}
{{- '<parameter=' + key + '>\n' + value + '\n</parameter>\n' }}
{%- endfor %}
{{- '</function>\n</tool_call>' }}
{%- endfor %}
";

#[test]
fn a_template_is_told_by_its_literals() {
    let ran = toolglot(&["dialects", "detect", "--template", "-"], TEMPLATE);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert!(ran.out.starts_with("qwen3_coder\n"), "{}", ran.out);
    assert!(ran.out.contains("\"<function=\" at 2:"), "{}", ran.out);
}

/// Templates that several dialects would write, the first line of the output, and a line about another dialect.
#[test]
fn what_tells_dialects_apart_is_told() {
    for (template, first, line) in [
        (
            r#"{{- '<tool_call>\n{"name": "' }}{{- call.name }}{{- '", "arguments": ' }}{{- call.arguments | tojson }}{{- '}\n</tool_call>' }}"#,
            "hermes",
            r#"as much of ernie45: that has "<response>" "</response>" "<|end_of_sentence|>" as well, which the template lacks"#,
        ),
        (
            "{{- '[TOOL_CALLS]' + call.name + '[ARGS]' + call.arguments }}{{- eos_token }}",
            "mistral_args",
            "as much of mistral: both write this alike",
        ),
        // Blanks between the parts distinguish the older models from the newer.
        (
            "<tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value></tool_call>",
            "glm47",
            "as much of glm45: both write this alike",
        ),
        (
            "{{- '<tool_call>' + name + '\n<arg_key>' + k + '</arg_key>\n<arg_value>' + v + '</arg_value>\n</tool_call>' }}",
            "glm45",
            "as much of glm47: both write this alike",
        ),
        // A model's own token, and its name.
        (
            "<tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value></tool_call><|role_end|>",
            "ling3",
            "",
        ),
        (
            "{#- laguna v5 -#}<tool_call>{{ name }}<arg_key>{{ k }}</arg_key><arg_value>{{ v }}</arg_value></tool_call>",
            "poolside_v1",
            "",
        ),
        // Constants are replaced by their values.
        (
            "{% set mark = '｜DSML｜' %}{{ '<' + mark + 'tool_calls>\n<' ~ mark ~ 'invoke name=\"' + name + '\">' }}{{ '<' + mark + 'parameter name=\"' }}{{ '</' + mark + 'parameter>\n</' + mark + 'invoke>\n</' + mark + 'tool_calls>' }}",
            "deepseek_v4",
            "",
        ),
        (
            "{% set end = ':x' %}{%- set open = '<tool_calls{}>'.format(end) -%}{{ open }}{{ '<tool_call{}>'.format(end) + name }}{{ '<tool_sep{0}>'.format(end) }}{{ '<arg_key{}>'.format(end) + k + '</arg_key{}><arg_value{}>'.format(end, end) + v + '</arg_value{}>'.format(end) }}{{ '</tool_call{}></tool_calls{}>'.format(end, end) }}",
            "hy_v4",
            "",
        ),
        (
            "{% set tokens = namespace(call='<|function_call|>') %}{{ tokens.call + call | tojson }}",
            "gigachat3",
            "",
        ),
        // A macro is expanded where it is called, without its loop over an empty list.
        (
            "{% macro tag(name, attrs=[]) %}{{ '<|open|>' + name }}{% for a in attrs %}{{ ' ' + a[0] + '=' }}{% endfor %}{{ '<|sep|>' }}{% endmacro %}{% macro end(name) %}{{ '<|close|>' + name + '<|sep|>' }}{% endmacro %}{{ tag('tools') }}{{ tag('call', [('tool', f)]) }}{{ tag('argument', [('key', k)]) }}{{ v }}{{ end('argument') }}{{ end('call') }}{{ end('tools') }}",
            "kimi_k3",
            "",
        ),
        // Strings that code looks up, splits by or compares are not output.
        (
            "{% if '<tool_call>' in x %}{{ x.split('</tool_call>')[0] }}{% endif %}{{- '<｜tool▁calls▁begin｜>' }}{{ '<｜tool▁call▁begin｜>' + tool['function']['name'] + '<｜tool▁sep｜>' + args + '<｜tool▁call▁end｜>' }}",
            "deepseek_v31",
            "",
        ),
        // An object after the tag is not a list; a bare object is a call without a marker.
        (
            "You are Granite.\n<tool_call>\n{{ '{\"name\": \"' + name + '\", \"arguments\": ' + args + '}' }}\n</tool_call>",
            "hermes",
            "",
        ),
        (
            "You have access to the following functions. {{ '{\"name\": \"' + name + '\", \"parameters\": ' + args + '}' }}",
            "llama3_json",
            "",
        ),
        (
            r#"{{- "<|start|>assistant to=" }}{{- "functions." + call.name + "<|channel|>commentary " }}{{- "json<|message|>" }}{{- call.arguments }}{{- "<|call|>" }}"#,
            "harmony",
            "",
        ),
        (
            "{{'<｜tool▁calls▁begin｜>' + '<｜tool▁call▁begin｜>' + name + '<｜tool▁sep｜>' + args + '<｜tool▁call▁end｜>'}}",
            "deepseek_v31",
            "",
        ),
    ] {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], template);
        assert_eq!(ran.out.lines().next(), Some(first), "{}", ran.out);
        assert!(
            line.is_empty() || ran.out.lines().any(|one| one.starts_with(line)),
            "{}",
            ran.out
        );
    }
}

#[test]
fn every_dialect_with_a_marker_is_told_by_its_own_rules() {
    let list = toolglot(&["dialects", "list"], "").out;
    for name in list.lines().filter_map(|line| line.split(' ').next()) {
        // The dialect's own output is the best template.
        let written = toolglot(
            &["render", "--dialect", name],
            r#"{"calls":[{"name":"f","arguments":{"a":"b","c":"d"}}]}"#,
        );
        if written.code != 0 {
            continue;
        }
        let ran = toolglot(&["dialects", "detect", "--template", "-"], &written.out);
        let found = ran.out.lines().any(|line| {
            line == name
                || line.starts_with(&format!("less of {name}:"))
                || line.starts_with(&format!("as much of {name}:"))
        });
        // Bare JSON, bare Python and Roo's tags have no literal of their own.
        let has_marker = !matches!(
            name,
            "json"
                | "generic_json"
                | "pythonic"
                | "python_lines"
                | "name_json"
                | "keyed_json"
                | "call_pairs"
                | "roo"
                | "xlam"
                | "llama3_json"
                | "sarashina"
        );
        assert!(found || !has_marker, "{name}: {}\n{}", written.out, ran.out);
    }
}

#[test]
fn a_template_of_no_dialect_is_told_so() {
    for template in [
        "Hello {{ name }}!",
        // Words of ordinary prose are not markers.
        "You have access to the following functions. Use the tools. Call a function.",
        "{% if m['function'] == '<tool_call>' %}{{ x.replace('<tool_call>', '') }}{% endif %}",
        "{{ '<|tool_calls|>' }}{{ '<|tool_call:begin|>' + id }}",
        "{# <tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call> #}```json\n{{ x }}\n```",
    ] {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], template);
        assert_eq!(ran.code, 1, "{template}: {}", ran.out);
        assert!(ran.out.starts_with("no dialect"), "{}", ran.out);
    }
}

/// Mistakes of new users, and the messages for them.
#[test]
fn a_slip_is_answered_with_what_to_do() {
    let directory = tempfile::tempdir().expect("a directory");
    for (file, bytes, words, says) in [
        (
            "mine",
            &b"dialect mine\ncall = \"<c>\" name \":\" json\n"[..],
            "parse --dialect mine -",
            "to name the file, write `./mine`",
        ),
        (
            "chat",
            b"{%- for m in messages %}{{ m }}",
            "dialects check chat",
            "dialects detect --template chat",
        ),
        (
            "odd",
            b"dialect a\n# \xff\n",
            "dialects check odd",
            "line 2 is not UTF-8",
        ),
        (
            "none",
            b"dialect none\n",
            "dialects check none",
            "dialect `none` has no rules",
        ),
    ] {
        std::fs::write(directory.path().join(file), bytes).expect("it is written");
        let ran = std::process::Command::new(env!("CARGO_BIN_EXE_toolglot"))
            .args(words.split(' '))
            .current_dir(directory.path())
            .stdin(std::process::Stdio::null())
            .output()
            .expect("it runs");
        let output = [ran.stdout, ran.stderr].concat();
        let output = String::from_utf8_lossy(&output).into_owned();
        assert!(
            !ran.status.success() && output.contains(says),
            "{words}: {output}"
        );
    }
}

/// Templates of one expression that is nested `n` times.
fn deep(n: usize) -> Vec<String> {
    let chain = |first: &str, more: &str| format!("{{{{ {first}{} }}}}", more.repeat(n));
    let around =
        |open: &str, close: &str| format!("{{{{ {}1{} }}}}", open.repeat(n), close.repeat(n));
    vec![
        chain("a", " ~ a"),
        chain("a", "|upper"),
        chain("a", ".a"),
        chain("a", "[0]"),
        chain("a", "()"),
        chain("1", " and 1"),
        chain("1", " ** 1"),
        chain("1", " if 1 else 1"),
        around("not ", ""),
        around("-", ""),
        around("(", ")"),
        around("[", "]"),
        format!("{{{{ a{}", " ~ a".repeat(n)),
    ]
}

#[test]
fn a_template_of_any_depth_is_refused_or_read() {
    for template in deep(50_000) {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], &*template);
        assert_eq!(ran.code, 2, "{}: {}", &template[..20], ran.err);
        assert!(
            ran.err
                .contains("standard input:1:1: a tag holds more than 4096 tokens"),
            "{}",
            ran.err
        );
    }
    // Templates within the allowed depth.
    let branches = format!("{{% if 0 %}}{}{{% endif %}}", "{% elif 0 %}".repeat(512));
    let blocks = "{% if 1 %}".repeat(50_000);
    for template in deep(800).into_iter().chain([branches, blocks]) {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], &*template);
        assert_eq!(ran.code, 1, "{}: {}", &template[..20], ran.err);
        assert!(ran.out.starts_with("no dialect"), "{}", ran.out);
    }
}

/// The output of a template counts towards its limit of steps.
#[test]
fn a_template_builds_no_more_than_it_may() {
    for template in [
        "{% set s = namespace(x='aaaaaaaa') %}{% for i in range(99) %}{% set s.x = s.x ~ s.x %}{% endfor %}{{ s.x }}",
        "{{ 'a' * 90000000 }}",
        "{{ 'a\nb'|indent(900000000) }}",
        "{% for i in range(99999) %}{% for j in range(99999) %}x{% endfor %}{% endfor %}",
        "{% macro f(n) %}{{ f(n + 1) }}{% endmacro %}{{ f(0) }}",
    ] {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], template);
        assert_eq!(ran.code, 1, "{template}: {}", ran.err);
    }
}

/// Templates whose source shows less than their output.
#[test]
fn a_template_is_asked_what_it_writes() {
    for (template, name, reading) in [
        // The role is put together from a loop over the message.
        (
            r#"{%- set marks = namespace(role="<|role_sep|>\n", message="<|message_sep|>\n\n") -%}
{%- macro said(message) -%}{{ message["role"] + marks.role + message["content"] + marks.message }}{%- endmacro -%}
{%- for message in messages -%}{{ said({"role": message.role, "content": message.content or ""}) }}
{%- for call in message.tool_calls or [] -%}
{{ said({"role": "function call", "content": '{"name": "' ~ call.function.name ~ '", "arguments": ' ~ call.function.arguments | tojson ~ "}"}) }}
{%- endfor -%}{%- endfor -%}"#,
            "gigachat3",
            "<|message_sep|>\\n\\nfunction call<|role_sep|>\\n{\\\"name\\\": \\\"look_up_probe\\\"",
        ),
        // Python calls have no marker in the template.
        (
            "{% for message in messages %}{{ message.role + ': ' }}{% if message.tool_calls %}{{ '[' }}{% for call in message.tool_calls %}{{ call.function.name + '(' }}{% for key, value in call.function.arguments.items() %}{% generation %}{{ key + '=' }}{% if value is string %}{{ \"'\" + value + \"'\" }}{% else %}{{ value }}{% endif %}{% endgeneration %}{% if not loop.last %}, {% endif %}{% endfor %}{{ ')' }}{% endfor %}{{ ']' }}{% else %}{{ message.content }}{% endif %}{% endfor %}",
            "pythonic",
            "[look_up_probe(text='one two', number=31)]",
        ),
    ] {
        let ran = toolglot(&["dialects", "detect", "--template", "-"], template);
        assert_eq!(ran.out.lines().next(), Some(name), "{}", ran.out);
        assert!(
            ran.out
                .contains("  reads the call that the template writes: \"")
                && ran.out.contains(reading),
            "{}",
            ran.out
        );
    }
}

#[test]
fn a_template_that_never_ends_is_given_up() {
    let template = "{% for a in range(99999) %}{% for b in range(99999) %}{{ b }}{% endfor %}{% endfor %}<tool_call>{\"name\": {{ name }}, \"arguments\": {{ arguments }}}</tool_call>";
    let ran = toolglot(&["dialects", "detect", "--template", "-"], template);
    assert_eq!(ran.out.lines().next(), Some("hermes"), "{}", ran.out);
}
