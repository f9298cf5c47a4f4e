//! `toolglot grammar`: a grammar under which a model can write only calls that fit.

use std::io::Write;

use toolglot_constrain::{
    InputGrammar, Options, Reasoning, Target, ToolChoice, ToolSchema, grammar,
};

use crate::cli::args::{GrammarArguments, GrammarFormat, GrammarReasoning};
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::toolboxes;

/// Writes the grammar; notes and triggers are reported on standard error.
pub(crate) fn write_grammar(
    arguments: &GrammarArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let (dialect, toolbox) =
        toolboxes::taught_dialect(arguments.dialect.as_deref(), arguments.tools.as_deref())?;
    let tools: Vec<ToolSchema<'_>> = toolbox
        .iter()
        .map(|tool| ToolSchema {
            name: &tool.name,
            parameters: &tool.parameters,
        })
        .collect();
    let mut options = Options::new(match arguments.format {
        GrammarFormat::Gbnf => Target::Gbnf,
        GrammarFormat::Lark => Target::Lark,
        GrammarFormat::StructuralTag => Target::StructuralTag,
        GrammarFormat::LegacyStructuralTag => Target::LegacyStructuralTag,
        GrammarFormat::JsonSchema => Target::JsonSchema,
    });
    options.tool_choice = ToolChoice::from(arguments.tool_choice.as_str());
    options.parallel = arguments.parallel;
    options.reasoning = match arguments.reasoning {
        GrammarReasoning::None => Reasoning::None,
        GrammarReasoning::Open => Reasoning::Open,
        GrammarReasoning::Optional => Reasoning::Optional,
    };
    options.strict = arguments.strict;
    let tokens: Vec<&str> = arguments.tokens.iter().map(String::as_str).collect();
    options.tokens = &tokens;
    let inputs: Vec<InputGrammar<'_>> = toolbox.input_grammars().map(InputGrammar::from).collect();
    options.inputs = &inputs;
    let grammar = grammar(&dialect, &tools, &options)?;
    let mut text = grammar.text;
    if !text.ends_with('\n') {
        text.push('\n');
    }
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    let mut screen = screen::stderr();
    for note in &grammar.notes {
        let _ = writeln!(screen, "note: {note}");
    }
    if !grammar.triggers.is_empty() {
        let triggers: Vec<String> = grammar
            .triggers
            .iter()
            .map(|trigger| format!("{trigger:?}"))
            .collect();
        let _ = writeln!(
            screen,
            "the grammar holds from the first of these texts on (a lazy grammar): {}",
            triggers.join(", ")
        );
    }
    if arguments.explain {
        let _ = writeln!(
            screen,
            "{} rules, {} bytes, {} tools",
            grammar.n_rules,
            text.len(),
            tools.len()
        );
    }
    Ok(Outcome::Fine)
}
