//! A program that is ready to start.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::environment::Variables;

/// A program that is ready to start.
#[derive(Debug)]
pub(crate) struct Program {
    /// The tool, as rules name it.
    pub(crate) id: String,
    pub(crate) argv: Vec<OsString>,
    pub(crate) cwd: PathBuf,
    pub(crate) env: Variables,
    pub(crate) stdin: Vec<u8>,
    pub(crate) reads: Vec<PathBuf>,
    pub(crate) manner: Manner,
    /// Whether it is the client of a container engine, which runs outside the sandbox.
    pub(crate) is_container: bool,
    /// Whether the tool's code mentions a cache. Other tools get no cache, so that they share a warm interpreter.
    pub(crate) names_cache: bool,
}

impl Program {
    /// The program that removes this one's container, which continues without its client. `None` if there is no
    /// container.
    pub(crate) fn remover(&self) -> Option<Program> {
        let name = self.argv.iter().skip_while(|word| *word != "--name").nth(1);
        let name = name.filter(|_| self.is_container)?.clone();
        let argv = vec![
            self.argv.first()?.clone(),
            "rm".into(),
            "--force".into(),
            name,
        ];
        Some(Program {
            id: self.id.clone(),
            argv,
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            stdin: Vec::new(),
            reads: self.reads.clone(),
            manner: Manner::Printed,
            is_container: true,
            names_cache: false,
        })
    }
}

/// A program that a resident interpreter can run in a fork of itself.
#[derive(Debug)]
pub(crate) struct WarmProgram {
    pub(crate) argv: Vec<OsString>,
    /// The environment of the interpreter; the fork gets the environment in the request.
    pub(crate) env: Variables,
    pub(crate) request: Vec<u8>,
}

/// How a program returns its result.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// By its output and its exit code.
    Printed,
    /// The caller's command: its output is text, even if it looks like JSON.
    Command(String),
    /// As JSON after this marker, which the tool does not know.
    Framed(String),
}
