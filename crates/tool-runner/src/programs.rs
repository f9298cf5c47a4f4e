//! Builds the program of a chain with its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use toolglot_tool_files::{Language, javascript_of, template};
use toolglot_tool_registry::ToolSource;
use toolglot_value::{Map, Value, json};

use crate::environment::{self, LeftOut, Variables};
use crate::failure::CallError;
use crate::interpreter::Interpreter;
use crate::interpreter_variable::{InterpreterVariable, interpreter_variables};
use crate::program::{Manner, Program, WarmProgram};
use crate::random_word::nonce;
use crate::resolve::Chain;
use crate::runner::ToolRunner;
use crate::shell_command::ShellCommand;
use crate::sizes;
use crate::texts::texts;
use crate::words::words;

const PYTHON: &str = concat!(
    include_str!("../loaders/tool.py"),
    include_str!("../loaders/python.py")
);
/// The loader of a resident interpreter.
const WARM: &str = concat!(
    include_str!("../loaders/tool.py"),
    include_str!("../loaders/warm.py")
);
const NODE: &str = include_str!("../loaders/node.mjs");

/// The longest text that is passed as one word of a command line.
const MAX_WORD: usize = 100_000;

/// The program that runs a tool with these parameters, and its form for a resident interpreter, if there is one.
pub(crate) fn program(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<(Program, Option<WarmProgram>), CallError> {
    let (found, _) = chain.tool();
    let settings = Value::Object(chain.settings());
    let config = Some(&settings);
    let protocol = chain.protocol();
    let protocol = protocol.as_deref();
    let interpreters = interpreter_variables(runner, chain);
    let mut variables = runner.program_variables();
    let mut env = environment::base(&variables);
    for one in &interpreters {
        if let Some(interpreter) = &one.interpreter {
            let program = interpreter.program.display().to_string();
            env.insert(one.name.clone(), program.clone());
            variables.insert(one.name.clone(), program);
        }
    }
    let mut configured = |config: Option<&Value>| {
        let config = config.and_then(|config| config.get("env"));
        environment::configured(config, &variables, &mut env).map_err(|unset| chain.unset(unset))
    };
    for link in chain.links.iter().rev().map(ToolSource::tool) {
        configured(link.metadata.env.as_ref())?;
    }
    for link in chain.links[1..].iter().rev().map(ToolSource::tool) {
        configured(link.metadata.config.as_ref())?;
    }
    let builder = Builder {
        runner,
        chain,
        params,
        env,
        variables,
        interpreters,
    };
    let bad = |why: &str| CallError::Config {
        id: found.id.to_string(),
        why: why.to_owned(),
    };
    let program = match protocol {
        Some("function" | "program") if found.language != Language::Python => {
            // A configuration with a Python runtime and the program to run.
            builder.configured(config)
        }
        Some("function") => return builder.python("function"),
        Some("program") => return builder.python("program"),
        Some("module") => builder.node(),
        Some("shell") => builder.shell(config),
        Some(other) => Err(bad(&format!("there is no protocol `{other}`"))),
        None => match found.language {
            Language::Python => return builder.python("program"),
            Language::JavaScript | Language::TypeScript => builder.node(),
            Language::Bash => builder.shell(config),
            _ => builder.configured(config),
        },
    };
    Ok((program?, None))
}

/// The parameters that the tool's program should get as variables and cannot.
///
/// # Errors
/// If the program reads such a variable: it would run as if the parameter were missing.
pub(crate) fn left_out(
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<Vec<LeftOut>, CallError> {
    let (found, _) = chain.tool();
    let is_code = match chain.protocol().as_deref() {
        Some("function" | "program") => found.language == Language::Python,
        Some("shell") => false,
        Some(_) => true,
        None => matches!(
            found.language,
            Language::Python | Language::JavaScript | Language::TypeScript
        ),
    };
    if chain.primitive() != "subprocess" || is_code {
        return Ok(Vec::new());
    }
    let left_out = environment::parameters(params, &mut Variables::new());
    if left_out.is_empty() {
        return Ok(left_out);
    }
    let settings = texts(&Value::Object(chain.settings()));
    let code = found.code();
    let reads = |name: &str| {
        (found.language == Language::Bash && environment::is_read(&code, name))
            || environment::is_read(&settings, name)
    };
    match left_out.iter().find(|one| reads(&one.name)) {
        Some(one) => Err(CallError::NoVariable {
            id: found.id.to_string(),
            name: one.name.clone(),
            why: one.why.clone(),
        }),
        None => Ok(left_out),
    }
}

/// The builder of a chain's program.
pub(crate) struct Builder<'a> {
    pub(crate) runner: &'a ToolRunner,
    pub(crate) chain: &'a Chain,
    pub(crate) params: &'a Map<String, Value>,
    pub(crate) env: Variables,
    /// The values of `${NAME}`: the host's variables and the interpreters that files name.
    pub(crate) variables: Variables,
    pub(crate) interpreters: Vec<InterpreterVariable>,
}

impl Builder<'_> {
    /// Adds the `env` of a configuration to the program's environment.
    fn configure(&mut self, config: Option<&Value>) -> Result<(), CallError> {
        let config = config.and_then(|config| config.get("env"));
        environment::configured(config, &self.variables, &mut self.env)
            .map_err(|unset| self.chain.unset(unset))
    }

    pub(crate) fn expand(
        &self,
        config: &Map<String, Value>,
    ) -> Result<Map<String, Value>, CallError> {
        template::expand(config, &self.variables).map_err(|unset| self.chain.unset(unset))
    }

    pub(crate) fn id(&self) -> String {
        self.chain.tool().0.id.to_string()
    }

    pub(crate) fn bad(&self, why: impl Into<String>) -> CallError {
        CallError::Config {
            id: self.id(),
            why: why.into(),
        }
    }

    pub(crate) fn params_json(&self) -> String {
        Value::Object(self.params.clone()).to_string()
    }

    pub(crate) fn project(&self) -> String {
        self.runner.project.display().to_string()
    }

    fn path(&self) -> String {
        let (found, _) = self.chain.tool();
        found.name()
    }

    pub(crate) fn start(
        self,
        interpreter: Interpreter,
        words: Vec<OsString>,
        stdin: Vec<u8>,
        manner: Manner,
    ) -> Program {
        let argv = std::iter::once(interpreter.program.into_os_string())
            .chain(words)
            .collect();
        let modules = self.chain.modules.iter().map(|(_, file)| file.text());
        let mut code = modules.chain([self.chain.tool().0.text()]);
        Program {
            id: self.id(),
            argv,
            cwd: self.runner.project.clone(),
            names_cache: code.any(|code| code.contains("cache")),
            env: self.env,
            stdin,
            reads: interpreter.reads,
            manner,
            is_container: false,
        }
    }

    fn python(mut self, mode: &str) -> Result<(Program, Option<WarmProgram>), CallError> {
        let (found, _) = self.chain.tool();
        let interpreter = self
            .runner
            .interpreters
            .python(&self.runner.project)
            .ok_or_else(|| CallError::NoInterpreter {
                id: self.id(),
                program: "Python 3",
            })?;
        let modules: Map<String, Value> = self
            .chain
            .modules
            .iter()
            .map(|(name, file)| {
                (
                    name.clone(),
                    json!({"path": file.name(), "source": file.code()}),
                )
            })
            .collect();
        let nonce = nonce();
        let mut request = json!({
            "mode": mode,
            "path": self.path(),
            "project": self.project(),
            "params": self.params_json(),
            "source": found.code(),
            "modules": modules,
            "nonce": nonce,
            "printed_bytes": sizes::printed(self.runner),
        });
        let base = self.env.clone();
        let config = self.chain.tool().1.metadata.config.clone();
        self.configure(config.as_ref())?;
        // Isolated mode: neither the environment nor the directory changes the imports.
        let words = |loader: &str| {
            ["-I", "-B", "-X", "utf8", "-c", loader]
                .map(OsString::from)
                .to_vec()
        };
        let stdin = request.to_string().into_bytes();
        if mode != "function" {
            let program = self.start(interpreter, words(PYTHON), stdin, Manner::Printed);
            return Ok((program, None));
        }
        request["env"] = json!(self.env);
        let program = interpreter.program.clone().into_os_string();
        let mut argv = vec![program];
        argv.extend(words(WARM));
        if found.text().contains("async def execute") {
            argv.push("asyncio".into());
        }
        let warm = WarmProgram {
            argv,
            env: base,
            request: request.to_string().into_bytes(),
        };
        let program = self.start(interpreter, words(PYTHON), stdin, Manner::Framed(nonce));
        Ok((program, Some(warm)))
    }

    fn node(self) -> Result<Program, CallError> {
        let (found, _) = self.chain.tool();
        let interpreter =
            self.runner
                .interpreters
                .program("node")
                .ok_or_else(|| CallError::NoInterpreter {
                    id: self.id(),
                    program: "Node",
                })?;
        let modules: Map<String, Value> = self
            .chain
            .modules
            .iter()
            .map(|(path, file)| Ok((path.clone(), self.script(file)?)))
            .collect::<Result<_, CallError>>()?;
        let nonce = nonce();
        let request = json!({
            "path": self.path(),
            "project": self.project(),
            "params": self.params_json(),
            "tool": self.script(found)?,
            "modules": modules,
            "nonce": nonce,
            "printed_bytes": sizes::printed(self.runner),
        });
        // Modules are built from texts, not from files: the API for that is marked experimental and exists since Node
        // 12.
        let words = [
            "--no-warnings",
            "--experimental-vm-modules",
            "--input-type=module",
            "-e",
            NODE,
        ]
        .map(OsString::from)
        .to_vec();
        Ok(self.start(
            interpreter,
            words,
            request.to_string().into_bytes(),
            Manner::Framed(nonce),
        ))
    }

    /// The text of a file that Node runs, and whether it is a module.
    fn script(&self, found: &ToolSource) -> Result<Value, CallError> {
        let source = match found.language {
            Language::TypeScript => javascript_of(&found.code()).map_err(|why| self.bad(why))?,
            Language::JavaScript => found.code().into_owned(),
            _ => return Err(self.bad("it is not JavaScript or TypeScript")),
        };
        let is_module = match found.extension {
            "cjs" => false,
            "mjs" | "ts" => true,
            _ => has_module_syntax(&source),
        };
        Ok(json!({"source": source, "module": is_module}))
    }

    /// A script, a configured command, or the command that the caller gives.
    fn shell(mut self, config: Option<&Value>) -> Result<Program, CallError> {
        let (found, _) = self.chain.tool();
        let interpreter =
            self.runner
                .interpreters
                .program("bash")
                .ok_or_else(|| CallError::NoInterpreter {
                    id: self.id(),
                    program: "bash",
                })?;
        let text = |key: &str| config.and_then(|config| config.get(key)?.as_str());
        let command = ShellCommand::of(self.chain, self.params)?;
        let (script, manner) = match command {
            // A script runs its own text, which may run the parameter as well.
            _ if found.language == Language::Bash => (found.code().into_owned(), Manner::Printed),
            Some(command) => {
                let text = command.text.to_owned();
                (text.clone(), Manner::Command(text))
            }
            None => {
                let fixed = text("command").ok_or_else(|| self.bad("`config.command` is missing"));
                (fixed?.to_owned(), Manner::Printed)
            }
        };
        if script.len() > MAX_WORD {
            return Err(self.bad(format!(
                "its script has {} bytes, and a shell is given {MAX_WORD} at most",
                script.len()
            )));
        }
        let directory = match command {
            Some(command) => command.directory.to_owned(),
            None => text("directory_parameter")
                .and_then(|parameter| self.params.get(parameter)?.as_str())
                .unwrap_or(".")
                .to_owned(),
        };
        let name = self.path();
        self.configure(config)?;
        // Parameters that are left out are reported by [`left_out`].
        let _ = environment::parameters(self.params, &mut self.env);
        self.env
            .insert("TOOLGLOT_PROJECT".to_owned(), self.project());
        let words = [OsString::from("-c"), script.into(), name.into()].to_vec();
        let stdin = self.params_json().into_bytes();
        let cwd = inside(&self.runner.project, &directory).map_err(|why| self.bad(why))?;
        let mut program = self.start(interpreter, words, stdin, manner);
        program.cwd = cwd;
        Ok(program)
    }

    /// `config.command` with `config.args`, here or in a container.
    fn configured(mut self, config: Option<&Value>) -> Result<Program, CallError> {
        let Some(config) = config.and_then(Value::as_object) else {
            return Err(self.bad("`config.command` is missing"));
        };
        if config.contains_key("image") {
            return self.container(config);
        }
        // The configuration is the file's own text and contains no parameters.
        let expanded = self.expand(config)?;
        let command = match expanded.get("command") {
            Some(Value::String(command)) => command.clone(),
            None | Some(Value::Null) => return Err(self.bad("`config.command` is missing")),
            Some(_) => {
                return Err(
                    self.bad("`config.command` is not a string: write its words in `config.args`")
                );
            }
        };
        let args = words(expanded.get("args")).map_err(|why| self.bad(why))?;
        environment::configured(config.get("env"), &self.variables, &mut self.env)
            .map_err(|unset| self.chain.unset(unset))?;
        // Parameters that are left out are reported by [`left_out`].
        let _ = environment::parameters(self.params, &mut self.env);
        self.env
            .insert("TOOLGLOT_PROJECT".to_owned(), self.project());
        let interpreter = match command.as_str() {
            "python" | "python3" => self.runner.interpreters.python(&self.runner.project),
            name if !name.contains('/') => self.runner.interpreters.program(name),
            path => {
                let found = self.interpreters.iter();
                let mut found = found.filter_map(|one| one.interpreter.as_ref());
                let found = found.find(|found| found.program == Path::new(path));
                Some(found.cloned().unwrap_or_else(|| Interpreter {
                    program: inside_or_absolute(&self.runner.project, path),
                    reads: Vec::new(),
                }))
            }
        };
        let interpreter = interpreter
            .ok_or_else(|| self.bad(format!("no program `{command}` is found along PATH")))?;
        let stdin = self.params_json().into_bytes();
        Ok(self.start(
            interpreter,
            args.into_iter().map(OsString::from).collect(),
            stdin,
            Manner::Printed,
        ))
    }
}

/// A directory of the project, real and inside it.
fn inside(project: &Path, directory: &str) -> Result<PathBuf, String> {
    let whole = std::fs::canonicalize(project.join(directory))
        .map_err(|error| format!("the directory `{directory}` cannot be used: {error}"))?;
    if whole.starts_with(project) {
        Ok(whole)
    } else {
        Err(format!(
            "the directory `{directory}` is outside of the project"
        ))
    }
}

fn inside_or_absolute(project: &Path, command: &str) -> PathBuf {
    let path = Path::new(command);
    if path.is_absolute() {
        path.to_owned()
    } else {
        project.join(path)
    }
}

/// Whether a `.js` is a module: a line starts with `export` or `import`.
fn has_module_syntax(source: &str) -> bool {
    source.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("export ")
            || line.starts_with("import ")
            || line.starts_with("import{")
            || line.starts_with("export{")
    })
}
