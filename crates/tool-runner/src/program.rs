//! A program that is ready to be started.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::environment::Variables;

/// A program that is ready to be started.
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
    /// Whether it talks to a container engine, which our sandbox does not hold.
    pub(crate) is_container: bool,
    /// Whether the tool's code speaks of a cache: for others none is made or opened, so that they share a warm interpreter.
    pub(crate) names_cache: bool,
}

impl Program {
    /// The program that ends the container of this one, which continues without its client; `None` if there is none.
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

/// A program that an interpreter which stays can make a copy of itself for.
#[derive(Debug)]
pub(crate) struct WarmProgram {
    pub(crate) argv: Vec<OsString>,
    /// What the interpreter itself gets; the copy gets that of the request.
    pub(crate) env: Variables,
    pub(crate) request: Vec<u8>,
}

/// How a program answers.
#[derive(Clone, Debug)]
pub(crate) enum Manner {
    /// By what it prints and its exit code.
    Printed,
    /// It is this command that the caller gave: what it prints is text, whatever that looks like.
    Command(String),
    /// By JSON after this word, which the tool does not know.
    Framed(String),
}
