//! Renderer, grammar and parser of a dialect agree. The grammar accepts rendered calls, and its texts parse as closed
//! calls with arguments that fit. It accepts a damaged text only if the text parses the same way.
//!
//! `TOOLGLOT_CASES` is the number of texts for each dialect, set of tools and test. `TOOLGLOT_ALL_CASES=1` checks each
//! dialect with each recorded set of tools, on all cores, and reports every fault.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use toolglot_constrain::{GrammarError, Options, Target, ToolChoice, grammar};
use toolglot_engine::{
    CallText, Calls, Code, Dialect, End, Finish, Input, Limits, Note, Parser, Program, Renderer,
};
use toolglot_toolset::normalize;
use toolglot_value::Value;

use crate::gbnf;
use crate::random::Random;
use crate::tool_sets::{self, Tools};
use crate::values::{damaged_call, damaged_text, fitting};

/// Prefixes of tool names that a dialect's parser reads as markup. There `function` before the name is a form of its
/// own, and the text after `to=python` is code.
const NOT_READ: &[(&str, &str)] = &[("beam", "python"), ("deepseek_v31", "function")];

/// The counts and faults of a run.
#[derive(Default)]
struct Report {
    n_grammars: usize,
    n_rendered: usize,
    n_sampled: usize,
    n_damaged: usize,
    n_rejected: usize,
    /// Dialects without a grammar for a set, by the reason.
    refused: BTreeMap<String, usize>,
    /// By dialect and kind: the number of faults, and the first one.
    faults: BTreeMap<(String, &'static str), (usize, String)>,
}

impl Report {
    fn fault(&mut self, dialect: &Dialect, kind: &'static str, fault: String) {
        let key = (dialect.name().to_owned(), kind);
        let (n, _) = self.faults.entry(key).or_insert((0, fault));
        *n += 1;
    }

    fn add(&mut self, other: Report) {
        self.n_grammars += other.n_grammars;
        self.n_rendered += other.n_rendered;
        self.n_sampled += other.n_sampled;
        self.n_damaged += other.n_damaged;
        self.n_rejected += other.n_rejected;
        for (reason, n) in other.refused {
            *self.refused.entry(reason).or_default() += n;
        }
        for (key, (n, first)) in other.faults {
            self.faults.entry(key).or_insert((0, first)).0 += n;
        }
    }

    fn text(&self) -> String {
        let mut text = format!(
            "{} grammars, {} rendered calls, {} texts of grammars, {} damaged, {} of them rejected\n",
            self.n_grammars, self.n_rendered, self.n_sampled, self.n_damaged, self.n_rejected
        );
        for (reason, n) in &self.refused {
            let _ = writeln!(text, "no grammar, {n} times: {reason}");
        }
        for ((dialect, kind), (n, first)) in &self.faults {
            let _ = writeln!(text, "{dialect}: {kind}, {n} times: {first}");
        }
        text
    }
}

/// The number of texts to check.
fn n_texts(usual: usize) -> usize {
    let n = std::env::var("TOOLGLOT_CASES").ok();
    n.and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// A dialect with a set of tools.
struct Subject<'a> {
    dialect: &'a Dialect,
    tools: &'a Tools,
    grammar: gbnf::Grammar,
    program: Arc<Program>,
    /// Whether the grammar expresses the complete schemas.
    is_whole: bool,
    /// Whether an object is JSON in the grammar, while the renderer writes it otherwise.
    is_narrow: bool,
    /// Whether the grammar allows undeclared parameters.
    takes_others: bool,
}

fn judge(dialect: &Dialect, tools: &Tools, n: usize, report: &mut Report) {
    let has_name = |start: &str| tools.list.iter().any(|tool| tool.name.starts_with(start));
    let is_not_read = |(name, start): &&(&str, &str)| *name == dialect.name() && has_name(start);
    if let Some((_, start)) = NOT_READ.iter().find(is_not_read) {
        let reason = format!("{}: `{start}` is not read as a name", dialect.name());
        *report.refused.entry(reason).or_default() += 1;
        return;
    }
    let mut options = Options::new(Target::Gbnf);
    options.tool_choice = ToolChoice::Required;
    let grammar = match grammar(dialect, &tools.schemas(), &options) {
        Ok(grammar) => grammar,
        Err(GrammarError::Dialect { reason, .. }) => {
            let reason = format!("{}: {reason}", dialect.name());
            *report.refused.entry(reason).or_default() += 1;
            return;
        }
        Err(GrammarError::Nothing { .. }) => {
            *report
                .refused
                .entry("a schema allows nothing".to_owned())
                .or_default() += 1;
            return;
        }
        Err(error) => {
            return report.fault(dialect, "no grammar", format!("{}: {error}", tools.name));
        }
    };
    report.n_grammars += 1;
    let has_note = |words: &str| {
        grammar
            .notes
            .iter()
            .any(|note| note.message.contains(words))
    };
    let program = Program::compile(std::slice::from_ref(dialect), &tools.set, Limits::default());
    let subject = Subject {
        dialect,
        tools,
        grammar: gbnf::Grammar::read(&grammar.text),
        program: Arc::new(program.expect("a dialect of ours")),
        is_whole: !has_note(" in the grammar") && !has_note("not excluded"),
        is_narrow: has_note("are JSON in the grammar"),
        takes_others: !has_note("parameters that are not declared"),
    };
    let renderer = Renderer::new(dialect, &tools.set).expect("a dialect of ours");
    let mut random = Random::new(7);
    for _ in 0..n {
        let calls: Option<Vec<(String, Value)>> = (0..=random.below(3))
            .map(|_| {
                let tool = &tools.list[random.below(tools.list.len())];
                let arguments = fitting(tool, subject.takes_others, &mut random)?;
                Some((tool.name.clone(), arguments))
            })
            .collect();
        // A call that a dialect cannot carry is not in its grammar either.
        if let Some(text) = calls.and_then(|calls| rendered(&renderer, &calls)) {
            report.n_rendered += 1;
            if !subject.grammar.accepts(&text) && !subject.is_narrow {
                let fault = format!("{}: {text:?}", tools.name);
                report.fault(dialect, "rendered, not in the grammar", fault);
            }
            subject.damaged(&damaged_text(&text, &mut random), report);
        }
        let text = subject.grammar.sample(&mut random);
        report.n_sampled += 1;
        if let Err(fault) = subject.fits(&text) {
            let fault = format!("{}: {fault} in {text:?}", tools.name);
            report.fault(dialect, "of the grammar, not parsed", fault);
        }
        subject.damaged(&damaged_text(&text, &mut random), report);
        let call = damaged_call(tools, &mut random);
        if let Some(text) = call.and_then(|call| rendered(&renderer, &[call])) {
            subject.damaged(&text, report);
        }
    }
}

impl Subject<'_> {
    /// The grammar accepts a damaged text only if it is read as calls that fit.
    fn damaged(&self, text: &str, report: &mut Report) {
        report.n_damaged += 1;
        if !self.grammar.accepts(text) {
            report.n_rejected += 1;
        } else if let Err(fault) = self.fits(text) {
            let fault = format!("{}: {fault} in {text:?}", self.tools.name);
            report.fault(self.dialect, "damaged, in the grammar, not parsed", fault);
        }
    }

    /// Whether a text is calls of the tools and nothing else, read whole and byte by byte.
    fn fits(&self, text: &str) -> Result<(), String> {
        let whole = read(text, text.len(), &self.program);
        let cut = read(text, 1, &self.program);
        if whole != cut {
            return Err("a cut changes the calls".to_owned());
        }
        if whole.calls.is_empty() {
            return Err("no call".to_owned());
        }
        // A grammar cannot forbid that a free key occurs twice.
        let is_double = |note: &Note| note.code == Code::DuplicateKey;
        if whole.notes.iter().any(is_double) || text.matches("\"\":").count() > 1 {
            return Ok(());
        }
        if let Some(call) = whole.calls.iter().find(|call| call.end != End::Closed) {
            return Err(format!("`{}` is {:?}", call.name, call.end));
        }
        for call in normalize(&whole.calls, &self.tools.toolbox) {
            let tool = self.tools.list.iter().find(|tool| tool.name == call.tool);
            let tool = tool.ok_or_else(|| format!("unknown `{}`", call.tool))?;
            let arguments = Value::Object(call.arguments);
            let violations = tool.validator.validate(&arguments);
            if let (Some(violation), true) = (violations.first(), self.is_whole) {
                return Err(format!("{} of {arguments}", violation.message));
            }
        }
        if !whole.content.trim().is_empty() {
            return Err(format!("text {:?}", whole.content));
        }
        Ok(())
    }
}

fn rendered(renderer: &Renderer<'_>, calls: &[(String, Value)]) -> Option<String> {
    let calls: Vec<(&str, String)> = calls
        .iter()
        .map(|(name, arguments)| (name.as_str(), arguments.to_string()))
        .collect();
    let calls: Vec<CallText<'_>> = calls
        .iter()
        .map(|(name, arguments)| CallText {
            name,
            arguments,
            server: None,
            id: None,
        })
        .collect();
    renderer.calls(&calls).ok()
}

#[test]
fn the_readings_agree_for_our_own_tools() {
    let mut report = Report::default();
    for tools in tool_sets::own() {
        let n = n_texts(if tools.name == "tests" { 8 } else { 2 });
        for dialect in toolglot_dialects::all() {
            judge(dialect, &tools, n, &mut report);
        }
    }
    assert!(report.faults.is_empty(), "{}", report.text());
    assert!(
        report.n_rejected * 2 > report.n_damaged,
        "{}",
        report.text()
    );
}

/// Formats that no model was taught, with words of the notation that no shipped dialect uses.
const INVENTED: &[&str] = &[
    "bracket_lists",
    "directives",
    "lisp_lists",
    "no_flags",
    "plist",
    "braces",
    "quoted_lines",
    "quoted_lists",
    "sentence",
    "repeated",
    "rpc",
    "shell_flags",
    "switches",
    "typed_blocks",
    "yaml_blocks",
    "yes_no",
];

#[test]
fn the_readings_agree_for_invented_formats() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../dialect-check/tests/formats");
    let own = tool_sets::own();
    let mut report = Report::default();
    for name in INVENTED {
        let path = folder.join(name).with_extension("dialect");
        let file = fs::read_to_string(&path).expect("a dialect");
        let dialects = toolglot_dialects::parse(&file).expect("a dialect that compiles");
        // A schema that also allows an object is not a list with a parameter for each item.
        let is_read = |tools: &&Tools| !{
            ["bracket_lists", "directives", "quoted_lists", "repeated"].contains(name)
                && tools.name != "tests"
        };
        for tools in own.iter().filter(is_read) {
            judge(&dialects[0], tools, n_texts(8), &mut report);
        }
    }
    let is_right = report.faults.is_empty() && report.n_grammars >= INVENTED.len();
    assert!(is_right, "{}", report.text());
}

#[test]
#[cfg_attr(
    not(shared_cases),
    ignore = "needs the recorded cases beside the checkout"
)]
fn the_readings_agree_for_recorded_tools() {
    let sets = tool_sets::recorded();
    let dialects: Vec<&Dialect> = toolglot_dialects::all().iter().collect();
    let is_all = std::env::var_os("TOOLGLOT_ALL_CASES").is_some();
    let n = n_texts(1);
    let next = AtomicUsize::new(0);
    let report = Mutex::new(Report::default());
    let work = || {
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(tools) = sets.get(at) else { return };
            let mut part = Report::default();
            for (n_dialect, dialect) in dialects.iter().enumerate() {
                // One dialect for each set, or all dialects in a full run.
                if is_all || at % dialects.len() == n_dialect {
                    judge(dialect, tools, n, &mut part);
                }
            }
            report.lock().expect("no panic").add(part);
        }
    };
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..if is_all { n_threads } else { 1 } {
            scope.spawn(work);
        }
    });
    let report = report.into_inner().expect("no panic");
    if is_all {
        #[expect(
            clippy::print_stderr,
            reason = "how much was judged, for the person who asked"
        )]
        {
            eprintln!("{}", report.text());
        }
    }
    assert!(report.faults.is_empty(), "{}", report.text());
    assert!(
        report.n_rejected * 2 > report.n_damaged,
        "{}",
        report.text()
    );
}

fn read(text: &str, piece: usize, program: &Arc<Program>) -> Calls {
    let mut calls = Calls::default();
    let mut parser = Parser::new(Arc::clone(program));
    let mut rest = text;
    while !rest.is_empty() {
        let mut at = piece.min(rest.len());
        while !rest.is_char_boundary(at) {
            at += 1;
        }
        let (now, later) = rest.split_at(at);
        parser.push(Input::Text(now), &mut calls);
        rest = later;
    }
    parser.finish(Finish::Stop, &mut calls);
    calls
}
