//! `Session`: a message's calls carried out under a policy.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBoolMethods, PyDict, PyList, PyString, PyTuple};
use toolglot_chat::dialects_named;
use toolglot_engine::{Note as EngineNote, Span};
use toolglot_session::{
    Approval, ApprovalRequest as Question, Approver, Cancel, FileLog, Grants, Level, Policies,
    ReadingSettings, Run as SessionRun, RunRecord, Session as Inner, SessionBuilder, SessionError,
    State,
};
use toolglot_toolset::Toolbox;
use toolglot_value::Map;

use crate::error::Fault;
use crate::from_python::Pushed;
use crate::function_tool::{FunctionTool, Interrupts};
use crate::message::{Message, MessageData};
use crate::note::Note;
use crate::panic::caught;
use crate::reading_options::{dialect_fault, finish, tool_list, toolbox};
use crate::source_text::SourceText;
use crate::to_python::{dict, object};

/// A root with its policy, its tools, and whoever approves calls.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Session {
    inner: Inner,
    cancel: Cancel,
    root: PathBuf,
    is_dry: bool,
    interrupts: Interrupts,
    #[pyo3(get)]
    warnings: Vec<String>,
}

#[pymethods]
impl Session {
    #[new]
    #[pyo3(signature = (root, *, policy=None, policy_text=None, tools=None, approver=None, dialect="auto", allow="", audit=None, audit_values=false, dry_run=false, many=false, journal=true, sandbox=None, finish=None))]
    #[expect(
        clippy::too_many_arguments,
        clippy::fn_params_excessive_bools,
        clippy::needless_pass_by_value,
        reason = "they are keywords of Python, extracted from its objects"
    )]
    fn new(
        py: Python<'_>,
        root: PathBuf,
        policy: Option<PathBuf>,
        policy_text: Option<&str>,
        tools: Option<Bound<'_, PyAny>>,
        approver: Option<Py<PyAny>>,
        dialect: &str,
        allow: &str,
        audit: Option<PathBuf>,
        audit_values: bool,
        dry_run: bool,
        many: bool,
        journal: bool,
        sandbox: Option<&str>,
        finish: Option<&str>,
    ) -> PyResult<Session> {
        let fault = |error: String| Fault::new("SessionError", error).raised(py);
        let policies = match policy_text {
            Some(text) => Policies::of_text(&root, text),
            None => Policies::read(&root, policy.as_deref()),
        };
        // The builder would deny every call; who embeds a session is told at once.
        if let Some(broken) = policies.faults().into_iter().next() {
            return Err(fault(broken));
        }
        let warnings = policies.warnings().to_vec();
        let interrupts = Interrupts::default();
        let given = tools.map(|tools| GivenTools::of(&tools)).transpose()?;
        let named = given.as_ref().map(|given| &given.toolbox);
        let dialects = dialects_named(dialect, named).map_err(|error| dialect_fault(py, &error))?;
        let grants: Grants = allow
            .parse()
            .map_err(|error| Fault::new("SessionError", format!("`allow`: {error}")).raised(py))?;
        let cancel = Cancel::new().map_err(|error| fault(error.to_string()))?;
        let mut builder = Inner::builder(&root, policies)
            .dialects(dialects)
            .grants(grants)
            .many(many)
            .dry_run(dry_run)
            .cancel(cancel.clone())
            .reading(ReadingSettings {
                finish: finish.map(self::finish).transpose()?,
                ..ReadingSettings::default()
            });
        if let Some(audit) = &audit {
            builder = builder.audit(FileLog::new(audit, audit_values));
        }
        if !journal {
            builder = builder.without_journal();
        }
        if let Some(word) = sandbox {
            builder = builder.sandbox(level(word)?);
        }
        if let Some(approver) = approver {
            builder = builder.approver(PythonApprover {
                approver,
                interrupts: interrupts.clone(),
            });
        }
        if let Some(given) = given {
            builder = given.added(builder, &interrupts);
        }
        let session = caught(py, || builder.build())?.map_err(|error| match &error {
            SessionError::Chat(error) => dialect_fault(py, error),
            SessionError::Root { source, .. } => fault(format!("{error}: {source}")),
            error => fault(error.to_string()),
        })?;
        Ok(Session {
            inner: session,
            cancel,
            root,
            is_dry: dry_run,
            interrupts,
            warnings,
        })
    }

    /// Reads a message, carries out its calls, and writes the answer.
    fn run(&self, py: Python<'_>, text: &Bound<'_, PyAny>) -> PyResult<Run> {
        let text = match Pushed::of(text)? {
            Pushed::Text(text) => text.to_owned(),
            Pushed::Surrogates(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Pushed::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        };
        let run = caught(py, || py.detach(|| self.inner.run(text)))?;
        // What ends a program is not a tool's failure alone.
        if let Some(interrupt) = self.interrupts.take() {
            return Err(interrupt);
        }
        let run = run.map_err(|error| Fault::new("SessionError", error.to_string()).raised(py))?;
        Ok(Run {
            inner: Arc::new(run),
            root: self.root.clone(),
            is_dry: self.is_dry,
        })
    }

    /// Ends the calls that are running, and all that come later. For another thread.
    fn cancel(&self) {
        self.cancel.cancel();
    }

    #[getter]
    fn root(&self) -> PathBuf {
        self.root.clone()
    }
}

fn level(word: &str) -> PyResult<Level> {
    match word {
        "plain" => Ok(Level::Plain),
        "landlock" => Ok(Level::Landlock),
        "namespaces" => Ok(Level::Namespaces),
        other => Err(pyo3::exceptions::PyValueError::new_err(format!(
            "unknown `sandbox`: `{other}`; it is `plain`, `landlock` or `namespaces`"
        ))),
    }
}

/// The tools that a session is given: functions, and others by name.
struct GivenTools {
    toolbox: Toolbox,
    functions: Vec<FunctionTool>,
}

impl GivenTools {
    fn of(tools: &Bound<'_, PyAny>) -> PyResult<GivenTools> {
        let py = tools.py();
        let mut given = GivenTools {
            toolbox: Toolbox::default(),
            functions: Vec::new(),
        };
        let is_list = tools.is_instance_of::<PyList>() || tools.is_instance_of::<PyTuple>();
        if !is_list {
            given.toolbox = toolbox(py, &tool_list(tools)?)?;
            return Ok(given);
        }
        let others = PyList::empty(py);
        for tool in tools.try_iter()? {
            let tool = tool?;
            if tool.is_instance_of::<PyString>() {
                let named = toolbox(py, &tool_list(&tool)?)?;
                given.toolbox.extend(named.iter().cloned());
            } else if !tool.is_instance_of::<PyDict>() && tool.is_callable() {
                given.functions.push(FunctionTool::of(&tool)?);
            } else {
                others.append(tool)?;
            }
        }
        if !others.is_empty() {
            let listed = toolbox(py, &tool_list(&others)?)?;
            given.toolbox.extend(listed.iter().cloned());
        }
        Ok(given)
    }

    fn added(self, builder: SessionBuilder, interrupts: &Interrupts) -> SessionBuilder {
        let functions = self.functions.into_iter();
        functions.fold(builder.tools(self.toolbox), |builder, function| {
            builder.function(function.with_interrupts(interrupts.clone()))
        })
    }
}

/// A function of Python that is asked.
struct PythonApprover {
    approver: Py<PyAny>,
    interrupts: Interrupts,
}

impl Approver for PythonApprover {
    fn ask(&self, question: &Question<'_>) -> Approval {
        let answer = Python::attach(|py| {
            let asked = || -> PyResult<bool> {
                let request = Py::new(py, ApprovalRequest::new(py, question)?)?;
                let answer = self.approver.bind(py).call1((request,))?;
                // Nothing but `True` approves: a function that returns nothing has not.
                Ok(answer.cast::<PyBool>().is_ok_and(PyBoolMethods::is_true))
            };
            asked().map_err(|error| {
                if error.is_instance_of::<PyKeyboardInterrupt>(py) {
                    self.interrupts.keep(error);
                } else {
                    error.write_unraisable(py, Some(self.approver.bind(py)));
                }
            })
        });
        match answer {
            Ok(true) => Approval::Yes,
            Ok(false) => Approval::No,
            // The session takes this for an approver that failed, and denies.
            Err(()) => std::panic::resume_unwind(Box::new("the approver raised")),
        }
    }
}

/// A question about a call.
#[pyclass(frozen, get_all, module = "toolglot")]
pub(crate) struct ApprovalRequest {
    tool: String,
    arguments: Py<PyDict>,
    root: PathBuf,
    /// The rule that asks.
    rule: String,
    because: String,
    /// What an edit would change.
    diff: Option<String>,
    /// The SHA-256 of the call and of the file that it would change.
    digest: String,
    notes: Vec<Note>,
}

impl ApprovalRequest {
    fn new(py: Python<'_>, question: &Question<'_>) -> PyResult<ApprovalRequest> {
        let call = question.call();
        let text = question.message().map_or("", |message| message.text);
        let text = SourceText::of(text.to_owned());
        let notes = question.notes().iter();
        Ok(ApprovalRequest {
            tool: call.tool().to_owned(),
            arguments: dict(py, call.arguments())?.unbind(),
            root: call.root().to_path_buf(),
            rule: question.verdict().rule.to_string(),
            because: question.verdict().because.clone(),
            diff: call.diff(),
            digest: call.digest(),
            notes: notes.map(|note| Note::new(note, &text)).collect(),
        })
    }
}

#[pymethods]
impl ApprovalRequest {
    fn __repr__(&self, py: Python<'_>) -> String {
        format!(
            "<ApprovalRequest {} {}: {}>",
            self.tool,
            self.arguments.bind(py),
            self.because
        )
    }
}

/// What came of a message.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Run {
    inner: Arc<SessionRun>,
    root: PathBuf,
    is_dry: bool,
}

#[pymethods]
impl Run {
    /// What is given back to the model; empty where there is nothing to say.
    #[getter]
    fn answer(&self) -> &str {
        &self.inner.answer
    }

    /// Whether every call did what was asked, and no text looks like a call that was not read.
    #[getter]
    fn is_fine(&self) -> bool {
        self.inner.is_fine()
    }

    /// The index of the call that waits for a person, if one does.
    #[getter]
    fn pending(&self) -> Option<usize> {
        self.inner.pending()
    }

    /// Why what the calls changed cannot be taken back, if it cannot.
    #[getter]
    fn journal_problem(&self) -> Option<&str> {
        self.inner.journal_problem.as_deref()
    }

    /// The message that was read.
    #[getter]
    fn message(&self) -> Message {
        let run = &self.inner;
        let names = run.message.calls.iter().map(|call| call.name_span);
        Message::new(MessageData {
            text: SourceText::of(run.text.clone()),
            original: crate::message::Original::default(),
            pieces: run.pieces.clone(),
            names: names.filter(|name| !name.is_empty()).collect(),
            is_faulty: !run.is_fine(),
            message: run.message.clone(),
            // A session runs functions.
            freeform: Vec::new(),
            document: std::sync::OnceLock::new(),
            segments: std::sync::OnceLock::new(),
            finish: toolglot_engine::Finish::Unknown,
        })
    }

    /// What became of each call, in order.
    #[getter]
    fn steps(&self) -> Vec<Step> {
        (0..self.inner.steps.len())
            .map(|index| Step {
                run: Arc::clone(&self.inner),
                index,
            })
            .collect()
    }

    /// The document that `toolglot run --format json` writes.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let record = RunRecord::new(&self.inner, &self.root, self.is_dry);
        let record = toolglot_value::to_value(&record)
            .map_err(|error| Fault::new("Error", error.to_string()).raised(py))?;
        object(py, &record)
    }

    fn __repr__(&self) -> String {
        let steps = self.inner.steps.iter();
        let steps: Vec<String> = steps
            .map(|step| format!("{} {}", step.call.tool, step.state.word()))
            .collect();
        format!("<Run {}>", steps.join(", "))
    }
}

/// What became of one call.
#[pyclass(frozen, module = "toolglot")]
pub(crate) struct Step {
    run: Arc<SessionRun>,
    index: usize,
}

impl Step {
    fn step(&self) -> &toolglot_session::Step {
        &self.run.steps[self.index]
    }
}

#[pymethods]
impl Step {
    /// The tool's own name.
    #[getter]
    fn tool(&self) -> &str {
        &self.step().call.tool
    }

    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arguments: &Map = &self.step().call.arguments;
        dict(py, arguments)
    }

    /// `done`, `refused`, `repeated`, `planned` or `pending`.
    #[getter]
    fn state(&self) -> &'static str {
        self.step().state.word()
    }

    /// `allow`, `ask` or `deny`.
    #[getter]
    fn decision(&self) -> &'static str {
        self.step().verdict.decision.word()
    }

    #[getter]
    fn rule(&self) -> &str {
        &self.step().verdict.rule
    }

    #[getter]
    fn because(&self) -> &str {
        &self.step().verdict.because
    }

    /// Whether nothing is wrong with it.
    #[getter]
    fn is_fine(&self) -> bool {
        self.step().is_fine()
    }

    /// What the model reads of it, without the frame of its dialect.
    #[getter]
    fn text(&self) -> Option<String> {
        self.step().text()
    }

    /// What the tool gave, as objects of Python; `None` where it did not run.
    #[getter]
    fn output<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.step().state {
            State::Done(outcome) => object(py, &outcome.output).map(Some),
            _ => Ok(None),
        }
    }

    #[getter]
    fn duration_s(&self) -> f64 {
        self.step().duration.as_secs_f64()
    }

    #[getter]
    fn notes(&self) -> Vec<Note> {
        let text = SourceText::of(self.run.text.clone());
        let written = self.run.message.calls.get(self.step().call.call);
        let written = written.into_iter().flat_map(|call| &call.notes);
        let placed = |note: &EngineNote| {
            // A note on a call of a tool that is a file may point into no text.
            let end = (note.span.end).min(text.as_str().len() as u64);
            let span = Span::new(note.span.start.min(end), end);
            Note::new(
                &EngineNote {
                    span,
                    ..note.clone()
                },
                &text,
            )
        };
        written.chain(&self.step().notes).map(placed).collect()
    }

    fn __repr__(&self) -> String {
        let step = self.step();
        format!(
            "<Step {} {}: {}>",
            step.call.tool,
            step.state.word(),
            step.verdict.because
        )
    }
}
