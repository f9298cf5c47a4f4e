//! A call, from its name to its result.

use std::time::Instant;

use toolglot_builtins::Outcome;
use toolglot_policy::Effect;
use toolglot_tool_files::ItemId;
use toolglot_tool_registry::ToolSource;
use toolglot_value::{Map, Value};

use crate::answer::Answer;
use crate::attempt::{attempt, check_variables};
use crate::budget::BudgetExceeded;
use crate::call_result::{Attempt, CallResult};
use crate::container;
use crate::failure::CallError;
use crate::files;
use crate::interpreter_variable::{InterpreterVariable, interpreter_variables};
use crate::prepared::{Builtin, Prepared};
use crate::programs;
use crate::resolve::resolve;
use crate::runner::ToolRunner;
use crate::watch::Progress;

impl ToolRunner {
    /// Calls a tool by its id, or one of its actions as `id.action`, without a policy decision.
    ///
    /// Blocks until the call ends: at most the timeout times the attempts, plus their delays.
    ///
    /// # Errors
    /// If the tool did not run. A tool that ran and failed is not an error: [`CallResult::returned`] has the failure.
    pub fn call_unjudged(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<CallResult, CallError> {
        let prepared = self.prepare(name, arguments)?;
        let effect = &mut |builtin: &Builtin| files::unjudged(self, builtin);
        self.carry_out_unjudged(prepared, effect, &mut |_| {})
    }

    /// Runs a [prepared](ToolRunner::prepare) call without a policy decision: the caller has it. `effect` executes
    /// calls of [builtin](Prepared::is_builtin) tools; `attempted` receives each attempt when it ends.
    ///
    /// # Errors
    /// As [`call_unjudged`](ToolRunner::call_unjudged).
    pub fn carry_out_unjudged(
        &self,
        prepared: Prepared,
        effect: &mut dyn FnMut(&Builtin) -> Outcome,
        attempted: &mut dyn FnMut(&Attempt),
    ) -> Result<CallResult, CallError> {
        if !prepared.missing.is_empty() {
            return Err(CallError::NotGranted {
                id: prepared.chain.tool().0.id.to_string(),
                missing: prepared.missing,
            });
        }
        if prepared.approved.is_empty() {
            return self.run(prepared, effect, attempted);
        }
        self.granting(&prepared.approved)
            .run(prepared, effect, attempted)
    }

    fn run(
        &self,
        prepared: Prepared,
        effect: &mut dyn FnMut(&Builtin) -> Outcome,
        attempted: &mut dyn FnMut(&Attempt),
    ) -> Result<CallResult, CallError> {
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
        // A reservation keeps parallel attempts from spending the same amount.
        let mut reservation = match self.budget.reserve(cost.estimate()) {
            Ok(reservation) => reservation,
            Err(BudgetExceeded { spent, cap }) => {
                return Err(CallError::TooExpensive {
                    id,
                    estimate: cost.estimate(),
                    spent,
                    cap,
                    currency: cost.currency,
                });
            }
        };
        let mut notes = Vec::new();
        let returned = loop {
            if self.watch.is_cancelled() && attempts.is_empty() {
                return Err(CallError::Cancelled { id });
            }
            self.watch
                .tell(Progress::Attempt(attempts.len() as u32 + 1));
            let start = Instant::now();
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
                            duration: start.elapsed(),
                            delay: None,
                        });
                        return Err(error);
                    }
                }
            };
            let duration = start.elapsed();
            spent += cost.of(duration);
            reservation.settle(cost.of(duration));
            let number = attempts.len() as u32 + 1;
            let mut delay = retry
                .filter(|_| answer.is_transient && !self.watch.is_cancelled())
                .and_then(|retry| retry.delay(number));
            // The attempts so far are reported, even if the budget allows no retry.
            if delay.is_some() {
                match self.budget.reserve(cost.estimate()) {
                    Ok(next) => reservation = next,
                    Err(BudgetExceeded { spent, cap }) => {
                        delay = None;
                        notes.push(format!(
                            "`{id}` was not tried again: {spent:.4} of {cap:.4} {} are spent",
                            cost.currency
                        ));
                    }
                }
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
            // An error is ignored: the call has run, and only the record of the seen file is lost.
            let _ = self.trust.write().seen(file, version.unwrap_or("0.0.0"));
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
        Ok(CallResult {
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

    /// Makes all checks before a call: finds, reads and verifies the file and its chain, and validates the arguments.
    /// [`carry_out_unjudged`](ToolRunner::carry_out_unjudged) repeats no lookup.
    ///
    /// # Errors
    /// If the call cannot run. Missing grants are not an error: see [missing](Prepared::missing).
    pub fn prepare(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Prepared, CallError> {
        let (found, action) = self.find(name)?;
        let chain = resolve(&self.registry, &self.trust.read(), found)?;
        let (found, _) = chain.tool();
        let id = found.id.to_string();
        let (action, arguments) = fitted(found, action, arguments)?;
        let builtins = files::builtins(&chain, &arguments)?;
        let mut requires = chain.requires();
        if chain.is_server() {
            // The server needs the grants for its program or address, like the tool.
            let of_server = crate::mcp::requires(self, &chain);
            requires.extend(of_server);
            let mut known = std::collections::BTreeSet::new();
            requires.retain(|name| known.insert(name.clone()));
        }
        if container::is_container(&chain)
            && !requires
                .iter()
                .any(|name| name == container::CONTAINER_ENGINE)
        {
            requires.push(container::CONTAINER_ENGINE.to_owned());
        }
        let writes = builtins
            .iter()
            .any(|builtin| builtin.effect == Effect::Write);
        if writes && !requires.iter().any(|name| name == "fs.write") {
            // Required even if the file does not declare it.
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

    /// The URL that a call of an HTTP tool would request.
    pub fn reach(&self, prepared: &Prepared) -> Option<String> {
        (prepared.chain.primitive() == "http_client" && !prepared.chain.is_server())
            .then(|| crate::http_client::reach(self, &prepared.chain, &prepared.arguments))
            .flatten()
    }

    /// Finds `id` or `id.action`. An ambiguous name is an error.
    fn find(&self, name: &str) -> Result<(ToolSource, Option<String>), CallError> {
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
        if let (toolglot_tool_registry::FindError::NotFound { .. }, Some((id, action))) =
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
        let of_server = matches!(error, toolglot_tool_registry::FindError::NotFound { .. });
        let of_server = of_server.then(|| self.of_server(name)).flatten();
        Err(of_server.unwrap_or_else(|| error.into()))
    }

    /// The tool and the action that `id.action` names, if they exist.
    fn action_called(&self, name: &str) -> Option<(String, String)> {
        let (id, action) = name.rsplit_once('.')?;
        let found = self.registry.find(&ItemId::new(id).ok()?).ok()?;
        found.tool().action(action)?;
        Some((id.to_owned(), action.to_owned()))
    }
}

/// Fills in defaults and validates the arguments against the schema of the tool or its action. The result contains
/// `action`.
fn fitted(
    found: &ToolSource,
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
    // A tool with actions that is called by its id takes the action from its arguments.
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
