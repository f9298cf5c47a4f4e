//! Asks an upstream about a model's chat template: whether a prompt ends inside reasoning.

use axum::http::HeaderMap;
use toolglot_value::json;

use crate::tool_program::ToolProgram;
use crate::upstream::Upstream;
use crate::upstream_kind::UpstreamKind;

/// The most bytes of such an answer that are read.
const CAP: usize = 4 << 20;

/// Whether a model's answer starts in reasoning that the upstream leaves in the text. `None`: the upstream does not
/// report it.
pub(crate) async fn opens_reasoning(
    upstream: &Upstream,
    kind: UpstreamKind,
    (client, model): (&HeaderMap, &str),
    program: &ToolProgram,
) -> Option<bool> {
    match kind {
        UpstreamKind::LlamaCpp { .. } => {
            let props = upstream.ask("/props", client, None, CAP).await?;
            let format = &props["default_generation_settings"]["params"]["reasoning_format"];
            // Any other format removes the reasoning from the text.
            if format.as_str()? != "none" {
                return Some(false);
            }
            let messages = json!([{"role": "user", "content": "hi"}]);
            let body = json!({"model": model, "messages": messages}).to_string();
            let rendered = upstream.ask("/apply-template", client, Some(body), CAP);
            let rendered = rendered.await?;
            Some(program.starts_in_reasoning(rendered["prompt"].as_str()?))
        }
        UpstreamKind::Ollama => {
            let body = json!({"model": model}).to_string();
            let shown = upstream.ask("/api/show", client, Some(body), CAP).await?;
            let mut capabilities = shown["capabilities"].as_array()?.iter();
            // Ollama itself removes the reasoning of these models from the text.
            if capabilities.any(|word| word == "thinking") {
                return Some(false);
            }
            let prompt = end_of_prompt(shown["template"].as_str()?);
            Some(program.starts_in_reasoning(&prompt))
        }
        UpstreamKind::Vllm | UpstreamKind::Other => None,
    }
}

/// The literal text before the answer in a template of Ollama: it is Go's `text/template`, and `.Response` is the answer.
fn end_of_prompt(template: &str) -> String {
    let mut text = String::new();
    let mut before_response = None;
    let mut rest = template;
    while let Some((literal, action)) = rest.split_once("{{") {
        text.push_str(literal);
        let (action, after) = action.split_once("}}").unwrap_or((action, ""));
        if action.contains(".Response") {
            before_response = Some(text.len());
        }
        rest = after;
    }
    text.push_str(rest);
    text.truncate(before_response.unwrap_or(text.len()));
    text
}

#[cfg(test)]
mod tests {
    use toolglot_toolset::Toolbox;

    use super::*;
    use crate::tool_program::ToolPrograms;

    #[test]
    fn templates_of_ollama_open_the_reasoning_or_not() {
        let programs = ToolPrograms::default();
        let program = programs
            .get(&Toolbox::default(), None)
            .expect("a program without tools");
        for (template, expected) in [
            ("<|im_start|>assistant\n<think>\n", true),
            (
                "{{ if .System }}{{ .System }}{{ end }}<|user|>{{ .Prompt }}<|assistant|><think>\n{{ .Response }}<|end|>",
                true,
            ),
            (
                "{{- range .Messages }}<think>{{ .Thinking }}</think>{{ .Content }}{{- end }}<|im_start|>assistant\n",
                false,
            ),
            ("<|im_start|>assistant\n{{ .Response }}<think>", false),
            ("{{ .Prompt }", false),
            ("", false),
        ] {
            let prompt = end_of_prompt(template);
            assert_eq!(program.starts_in_reasoning(&prompt), expected, "{template}");
        }
    }
}
