//! A call, from its name to its result.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use toolglot_exec::{Outcome, ProgramSandbox};
use toolglot_policy::{Effect, ServerRules};
use toolglot_toolfiles::{
    Found, ItemId, Registry, ReturnContract, Returned, Spaces, Standing, Trust, TrustError,
    capability,
};

use crate::answer::Answer;
use crate::attempt::{attempt, check_variables};
use crate::environment::Variables;
use crate::files::{self, Builtin};
use crate::interpreter_variable::{InterpreterVariable, interpreter_variables};
use crate::programs;
use crate::resolve::{Chain, resolve};
use crate::{CallError, Interpreters, Progress, Servers, Warm, Watch};

/// Where tools are called, with what rights, behind which walls.
#[derive(Debug)]
pub struct Host<'a> {
    /// Where they are found.
    pub registry: &'a Registry,
    /// Whom the user trusts.
    pub trust: &'a RefCell<Trust>,
    /// The project: absolute, without links.
    pub project: PathBuf,
    /// What is granted: `fs.write`, `net.http`, `shell.execute`, `rye.execute.*`, ..
    pub granted: Vec<String>,
    /// The sandbox of their programs.
    pub sandbox: ProgramSandbox,
    /// The environment that files may name variables of.
    pub variables: Variables,
    /// What runs tools.
    pub interpreters: Interpreters,
    /// What calls may cost.
    pub budget: Budget,
    /// How one waits between attempts.
    pub pause: fn(Duration),
    /// Sessions with servers of tools, kept between calls.
    pub servers: Servers,
    /// Which of them may be asked, and for what.
    pub server_rules: ServerRules,
    /// Who may end calls, and is told how far they are.
    pub watch: Watch,
    /// Interpreters that wait for the next call.
    pub warm: RefCell<Warm>,
    /// What was approved for the call under way, beyond what is granted.
    pub approved: RefCell<Vec<String>>,
}

/// What calls may cost together, and what they have. Copies share what was spent.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The most; none is no limit.
    pub cap: Option<f64>,
    spent: Arc<Mutex<f64>>,
}

impl Budget {
    /// At most `cap`.
    pub fn of(cap: Option<f64>) -> Budget {
        Budget {
            cap,
            spent: Arc::default(),
        }
    }

    fn add(&self, cost: f64) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += cost;
    }

    /// What was spent, attempts that failed included.
    pub fn spent(&self) -> f64 {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One attempt of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Attempt {
    /// From 1.
    pub number: u32,
    /// Whether it did what was asked.
    pub success: bool,
    /// How it failed.
    pub error: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// How long was waited behind it.
    pub delay: Option<Duration>,
}

/// What came of a call.
#[derive(Debug)]
pub struct Called {
    /// The tool.
    pub id: String,
    /// The action, if one was called.
    pub action: Option<String>,
    /// The tool's version.
    pub version: Option<String>,
    /// The links of its chain.
    pub chain: Vec<String>,
    /// Why it was allowed to run.
    pub standing: Standing,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// What it returned.
    pub returned: Returned,
    /// Every attempt.
    pub attempts: Vec<Attempt>,
    /// What it cost.
    pub cost: f64,
    /// All of it, pauses included.
    pub duration: Duration,
    /// What is to be said about it, such as that the tool is deprecated.
    pub notes: Vec<String>,
}

/// A tool that was found, verified and read, with arguments that fit: what is judged here is what then runs.
#[derive(Debug)]
pub struct Prepared {
    /// The tool and what runs it, with their texts.
    pub chain: Chain,
    /// The action, if one is called.
    pub action: Option<String>,
    /// The arguments, defaults filled in.
    pub arguments: Map<String, Value>,
    /// The calls of builtin tools that this is, one for each file that is written: whoever judges calls judges it as those
    /// as well.
    pub builtins: Vec<Builtin>,
    /// What the tool requires, and whatever runs it.
    pub requires: Vec<String>,
    /// What of it nobody granted: it runs only once that is [approved](Prepared::approve).
    pub missing: Vec<String>,
    approved: Vec<String>,
    contract: Arc<ReturnContract>,
}

impl Prepared {
    /// Grants what is missing, for this call only.
    pub fn approve(&mut self) {
        self.approved.append(&mut self.missing);
    }

    /// Whether a builtin tool carries it out, and no program.
    pub fn is_builtin(&self) -> bool {
        self.chain.primitive() == "filesystem"
    }
}

impl Host<'_> {
    /// The registry and the trust of a project, for [`Host`].
    ///
    /// # Errors
    /// If either cannot be opened.
    pub fn open(project: &Path) -> Result<(Registry, RefCell<Trust>), OpenError> {
        let spaces = Spaces::of(project);
        let trust = Trust::open(&spaces)?;
        let registry = Registry::open(&spaces)?.with_servers(&trust);
        Ok((registry, RefCell::new(trust)))
    }

    /// Calls a tool by its id, or an action of it as `id.action`.
    ///
    /// Blocks until it has ended, at most for its timeout, times its attempts, with their delays.
    ///
    /// # Errors
    /// If it was not run. A tool that ran and failed is no error: [`Called::returned`] says so.
    pub fn call(&self, name: &str, arguments: Map<String, Value>) -> Result<Called, CallError> {
        self.carry_out(self.prepare(name, arguments)?)
    }

    /// Runs what was [prepared](Host::prepare).
    ///
    /// # Errors
    /// As [`call`](Host::call).
    pub fn carry_out(&self, prepared: Prepared) -> Result<Called, CallError> {
        let effect = &mut |builtin: &Builtin| files::unjudged(self, builtin);
        self.carry_out_by(prepared, effect, &mut |_| {})
    }

    /// The same, where the caller carries out what is a call of a [builtin](Prepared::is_builtin) tool, and is told of each
    /// attempt as soon as it has ended.
    ///
    /// # Errors
    /// As [`call`](Host::call).
    pub fn carry_out_by(
        &self,
        prepared: Prepared,
        effect: &mut dyn FnMut(&Builtin) -> Outcome,
        attempted: &mut dyn FnMut(&Attempt),
    ) -> Result<Called, CallError> {
        if !prepared.missing.is_empty() {
            return Err(CallError::NotGranted {
                id: prepared.chain.tool().0.id.to_string(),
                missing: prepared.missing,
            });
        }
        self.approved.replace(prepared.approved.clone());
        let called = self.run(prepared, effect, attempted);
        self.approved.take();
        called
    }

    fn run(
        &self,
        prepared: Prepared,
        effect: &mut dyn FnMut(&Builtin) -> Outcome,
        attempted: &mut dyn FnMut(&Attempt),
    ) -> Result<Called, CallError> {
        let started = Instant::now();
        let is_builtin = prepared.is_builtin();
        let Prepared {
            chain,
            action,
            arguments,
            builtins,
            contract,
            ..
        } = prepared;
        let (found, tool) = chain.tool();
        let id = found.id.to_string();
        let cost = tool.metadata.cost.clone().unwrap_or_default();
        let retry = tool.metadata.retry;
        let (mut attempts, mut spent) = (Vec::<Attempt>::new(), 0.0);
        let is_too_much = || {
            let after = self.budget.spent() + cost.estimate();
            self.budget.cap.filter(|cap| after > *cap)
        };
        let mut notes = Vec::new();
        let returned = loop {
            if let Some(cap) = is_too_much() {
                return Err(CallError::TooExpensive {
                    id,
                    estimate: cost.estimate(),
                    spent: self.budget.spent(),
                    cap,
                    currency: cost.currency,
                });
            }
            if self.watch.is_cancelled() && attempts.is_empty() {
                return Err(CallError::Cancelled { id });
            }
            self.watch
                .tell(Progress::Attempt(attempts.len() as u32 + 1));
            let begin = Instant::now();
            let answer = if is_builtin {
                Answer {
                    returned: files::carried_out(found, &arguments, &builtins, effect),
                    is_transient: false,
                }
            } else {
                match attempt(self, &chain, &arguments, &contract) {
                    Ok(answer) => answer,
                    Err(error) => {
                        attempted(&Attempt {
                            number: attempts.len() as u32 + 1,
                            success: false,
                            error: Some(error.to_string()),
                            duration: begin.elapsed(),
                            delay: None,
                        });
                        return Err(error);
                    }
                }
            };
            let duration = begin.elapsed();
            spent += cost.of(duration);
            self.budget.add(cost.of(duration));
            let number = attempts.len() as u32 + 1;
            let mut delay = retry
                .filter(|_| answer.is_transient && !self.watch.is_cancelled())
                .and_then(|retry| retry.delay(number));
            // What was done and paid for is told, though no other attempt can be paid for.
            if delay.is_some()
                && let Some(cap) = is_too_much()
            {
                delay = None;
                notes.push(format!(
                    "`{id}` was not tried again: {:.4} of {cap:.4} {} are spent",
                    self.budget.spent(),
                    cost.currency
                ));
            }
            attempts.push(Attempt {
                number,
                success: answer.returned.success,
                error: answer
                    .returned
                    .value
                    .get("error")
                    .and_then(Value::as_str)
                    .map(str::to_owned),
                duration,
                delay,
            });
            attempted(&attempts[attempts.len() - 1]);
            match delay {
                Some(delay) => {
                    self.watch.tell(Progress::Waiting(delay));
                    self.watch.wait(delay, self.pause);
                    if self.watch.is_cancelled() {
                        break answer.returned;
                    }
                }
                None => break answer.returned,
            }
        };
        let modules = chain.modules.iter().map(|(_, module)| module);
        for file in chain.links.iter().chain(modules) {
            let version = file.tool().metadata.version.as_deref();
            // That it ran is more than that it was written down; where it cannot be, nothing is lost but the memory.
            let _ = self
                .trust
                .borrow_mut()
                .seen(file, version.unwrap_or("0.0.0"));
        }
        if let Some(why) = tool.metadata.deprecation() {
            let why = if why.is_empty() {
                String::new()
            } else {
                format!(": {why}")
            };
            notes.push(format!("`{id}` is deprecated{why}"));
        }
        if chain.primitive() == "subprocess" && !chain.is_server() {
            let variables = interpreter_variables(self, &chain);
            notes.extend(variables.iter().filter_map(InterpreterVariable::note));
        }
        for one in programs::left_out(&chain, &arguments).unwrap_or_default() {
            let (name, why) = (one.name, one.why);
            notes.push(format!(
                "`{name}` is on the standard input of `{id}` and no variable: {why}"
            ));
        }
        notes.extend(returned.breaches.iter().cloned());
        Ok(Called {
            id,
            action,
            version: tool.metadata.version.clone(),
            chain: chain.ids(),
            standing: chain.standing.clone(),
            arguments,
            returned,
            attempts,
            cost: spent,
            duration: started.elapsed(),
            notes,
        })
    }

    /// Everything that is checked before a call: the file is found, read and verified with all that runs it, and the
    /// arguments fit. Nothing of that is looked up again by [`carry_out`](Host::carry_out).
    ///
    /// # Errors
    /// What keeps it from running, but for what is [missing](Prepared::missing).
    pub fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prepared, CallError> {
        let (found, action) = self.find(name)?;
        let chain = resolve(self.registry, &self.trust.borrow(), found)?;
        let (found, _) = chain.tool();
        let id = found.id.to_string();
        let (action, arguments) = fitted(found, action, arguments)?;
        let builtins = files::builtins(&chain, &arguments)?;
        let mut requires = chain.requires();
        if chain.is_server() {
            // Whatever a call starts or asks is asked for as the tool is.
            let of_server = crate::mcp::requires(self, &chain);
            requires.extend(of_server);
            let mut known = std::collections::BTreeSet::new();
            requires.retain(|name| known.insert(name.clone()));
        }
        if programs::is_container(&chain)
            && !requires
                .iter()
                .any(|name| name == programs::CONTAINER_ENGINE)
        {
            requires.push(programs::CONTAINER_ENGINE.to_owned());
        }
        let writes = builtins
            .iter()
            .any(|builtin| builtin.effect == Effect::Write);
        if writes && !requires.iter().any(|name| name == "fs.write") {
            // Whether it says so or not.
            requires.push("fs.write".to_owned());
        }
        programs::left_out(&chain, &arguments)?;
        check_variables(self, &chain, &arguments)?;
        let missing: Vec<String> = requires
            .iter()
            .filter(|requirement| !self.grants(requirement))
            .cloned()
            .collect();
        let contract = found
            .contract()
            .map_err(|source| CallError::Schema { id, source })?;
        Ok(Prepared {
            chain,
            action,
            arguments,
            builtins,
            requires,
            missing,
            approved: Vec::new(),
            contract,
        })
    }

    /// The address that a call would ask, of a tool that asks one over HTTP.
    pub fn reach(&self, prepared: &Prepared) -> Option<String> {
        (prepared.chain.primitive() == "http_client" && !prepared.chain.is_server())
            .then(|| crate::http_client::reach(self, &prepared.chain, &prepared.arguments))
            .flatten()
    }

    /// Whether something is granted, or approved for the call under way.
    pub fn grants(&self, capability: &str) -> bool {
        let approved = self.approved.borrow();
        let granted: Vec<&str> = self
            .granted
            .iter()
            .chain(approved.iter())
            .map(String::as_str)
            .collect();
        capability::covers(&granted, capability)
    }

    /// The environment that programs may get, as far as files name its variables: what the policy lists.
    pub(crate) fn program_variables(&self) -> Variables {
        let settings = &self.sandbox.settings;
        let all = self.variables.iter();
        all.filter(|(name, _)| settings.tool_variable(name))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }

    /// The refusal of a program whose file names a variable that has a value, and that the policy does not list.
    pub(crate) fn unlisted(&self, error: CallError) -> CallError {
        match error {
            CallError::UnsetVariable { id, name, file }
                if self.variables.contains_key(&name)
                    && !self.sandbox.settings.tool_variable(&name) =>
            {
                CallError::UnlistedVariable { id, name, file }
            }
            error => error,
        }
    }

    /// A word that nobody guesses, and that no text holds.
    pub(crate) fn nonce(&self) -> String {
        format!("\u{1}toolglot:{}:", self.word())
    }

    /// Letters that nobody guesses.
    pub(crate) fn word(&self) -> String {
        let mut bytes = [0_u8; 16];
        // Without random bytes the clock and the place of this value tell two calls apart; a tool cannot see either.
        if getrandom::fill(&mut bytes).is_err() {
            let now = format!("{:?}{:p}", Instant::now(), self);
            bytes
                .iter_mut()
                .zip(now.bytes().rev())
                .for_each(|(to, from)| *to = from);
        }
        let mut word = String::with_capacity(32);
        for byte in bytes {
            word.push(char::from(b'a' + (byte >> 4)));
            word.push(char::from(b'a' + (byte & 15)));
        }
        word
    }

    /// `id`, or `id.action`. What means both is neither.
    fn find(&self, name: &str) -> Result<(Found, Option<String>), CallError> {
        let whole = ItemId::new(name)?;
        let error = match self.registry.find_called(&whole) {
            Ok(found) => {
                return match self.action_called(name) {
                    Some((id, action)) => Err(CallError::TwoTools {
                        name: name.to_owned(),
                        id,
                        action,
                    }),
                    None => Ok((found, None)),
                };
            }
            Err(error) => error,
        };
        if let (toolglot_toolfiles::FindError::NotFound { .. }, Some((id, action))) =
            (&error, name.rsplit_once('.'))
            && let Ok(id) = ItemId::new(id)
            && let Ok(found) = self.registry.find(&id)
        {
            let tool = found.tool();
            if tool.action(action).is_some() {
                return Ok((found, Some(action.to_owned())));
            }
            if !tool.actions.is_empty() {
                return Err(CallError::UnknownAction {
                    id: id.to_string(),
                    action: action.to_owned(),
                    known: tool
                        .actions
                        .iter()
                        .map(|action| action.name.clone())
                        .collect(),
                });
            }
        }
        let of_server = matches!(error, toolglot_toolfiles::FindError::NotFound { .. });
        let of_server = of_server.then(|| self.of_server(name)).flatten();
        Err(of_server.unwrap_or_else(|| error.into()))
    }

    /// The tool and its action that a name means, if there is one.
    fn action_called(&self, name: &str) -> Option<(String, String)> {
        let (id, action) = name.rsplit_once('.')?;
        let found = self.registry.find(&ItemId::new(id).ok()?).ok()?;
        found.tool().action(action)?;
        Some((id.to_owned(), action.to_owned()))
    }
}

/// The arguments with defaults, checked against the schema of the tool or of its action; with the action among them.
fn fitted(
    found: &Found,
    action: Option<String>,
    mut arguments: Map<String, Value>,
) -> Result<(Option<String>, Map<String, Value>), CallError> {
    let tool = found.tool();
    if let (Some(action), Some(other)) = (&action, arguments.get("action"))
        && other.as_str() != Some(action)
    {
        return Err(CallError::TwoActions {
            id: found.id.to_string(),
            action: action.clone(),
            other: other.to_string(),
        });
    }
    // Called by its own name, a tool with actions is told which among its arguments.
    let action = action.or_else(|| {
        let named = arguments.get("action")?.as_str()?;
        tool.action(named).map(|action| action.name.clone())
    });
    let schema = match action.as_deref().and_then(|name| tool.action(name)) {
        Some(action) => {
            arguments.shift_remove("action");
            &action.input
        }
        None => &tool.schema.input,
    };
    let id = || found.id.to_string();
    let validator = found
        .validator(action.as_deref())
        .map_err(|source| CallError::Schema { id: id(), source })?;
    let mut value = Value::Object(arguments);
    toolglot_schema::fill_defaults(schema, &mut value);
    toolglot_schema::write_whole(schema, &mut value);
    let violations = validator.validate(&value);
    if !violations.is_empty() {
        return Err(CallError::Arguments {
            id: id(),
            violations,
        });
    }
    let Value::Object(mut arguments) = value else {
        unreachable!("it was made an object above")
    };
    if let Some(action) = &action {
        arguments.insert("action".to_owned(), Value::String(action.clone()));
    }
    Ok((action, arguments))
}

/// Why a project's tools cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// The registry.
    #[error(transparent)]
    Find(#[from] toolglot_toolfiles::FindError),
    /// The trust store.
    #[error(transparent)]
    Trust(#[from] TrustError),
}
