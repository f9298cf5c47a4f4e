//! One attempt: the program in its sandbox.

use std::time::Duration;

use toolglot_sandbox::{Exit, Watch};
use toolglot_tool_files::ReturnContract;
use toolglot_tool_registry::ToolSource;
use toolglot_tool_trust::Space;
use toolglot_value::{Map, Value};

use crate::answer::{self, Answer};
use crate::failure::CallError;
use crate::program::{Program, WarmProgram};
use crate::programs;
use crate::resolve::Chain;
use crate::runner::ToolRunner;
use crate::sandboxed::command;
use crate::sizes;
use crate::warm_call::{Ended, NotWarm, Terms};

/// The default time limit of a call.
const DEFAULT_SECONDS: u64 = 300;
/// The time limit for the engine to remove a container.
const REMOVAL: Duration = Duration::from_secs(20);
/// The time limit of a resident interpreter: a day.
const LIFE: Duration = Duration::from_secs(86_400);

/// The time limit of a call: the caller's or the tool's value, narrowed by the policy; otherwise the runtime's value or
/// the default. A value in a file of the system set counts only as a default.
pub(crate) fn time(runner: &ToolRunner, chain: &Chain, params: &Map<String, Value>) -> Duration {
    let (found, tool) = chain.tool();
    let config = tool.metadata.config.as_ref();
    let seconds = |seconds: f64| Duration::try_from_secs_f64(seconds).ok();
    let parameter = config.and_then(|config| config.get("timeout_parameter")?.as_str());
    let given = parameter
        .and_then(|parameter| params.get(parameter))
        .filter(|given| {
            // A system tool's schema default, filled in for a missing argument, does not count as the caller's value.
            let default =
                &tool.schema.input["properties"][parameter.unwrap_or_default()]["default"];
            found.space != Space::System || *given != default
        })
        .and_then(|given| seconds(given.as_f64()?));
    let of_link = |link: &ToolSource| {
        let metadata = &link.tool().metadata;
        let configured = metadata.config.as_ref();
        let configured = configured.and_then(|config| config.get("timeout")?.as_f64());
        metadata.timeout.or_else(|| configured.and_then(seconds))
    };
    let own = given.or_else(|| of_link(found).filter(|_| found.space != Space::System));
    let usual = chain.links.iter().find_map(of_link);
    let usual = usual.unwrap_or(Duration::from_secs(DEFAULT_SECONDS));
    runner.sandbox.settings.tool_time(own, usual)
}

/// Checks that all variables that the configuration names have a value. The attempt reports other errors.
pub(crate) fn check_variables(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
) -> Result<(), CallError> {
    let checked = if chain.is_server() {
        crate::mcp::check_variables(runner, chain)
    } else if !chain.names_variables() {
        return Ok(());
    } else {
        match chain.primitive() {
            "http_client" => crate::http_client::check_variables(runner, chain, params),
            "subprocess" => programs::program(runner, chain, params).map(|_| ()),
            _ => return Ok(()),
        }
    };
    match checked.map_err(|error| runner.unlisted(error)) {
        Err(error @ (CallError::UnsetVariable { .. } | CallError::UnlistedVariable { .. })) => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Runs the tool once.
pub(crate) fn attempt(
    runner: &ToolRunner,
    chain: &Chain,
    params: &Map<String, Value>,
    contract: &ReturnContract,
) -> Result<Answer, CallError> {
    if chain.protocol().as_deref() == Some("mcp") {
        return crate::mcp::attempt(runner, chain, params, time(runner, chain, params));
    }
    if chain.primitive() == "http_client" {
        let time = time(runner, chain, params);
        let answer = crate::http_client::attempt(runner, chain, params, time)?;
        return Ok(checked(answer, contract));
    }
    let (program, warm) = programs::program(runner, chain, params)?;
    let time = time(runner, chain, params);
    if let Some(warm) = warm
        && let Some(ended) = warmly(runner, &program, warm, time)?
    {
        return Ok(answer::of_call(
            &ended,
            contract,
            time.as_secs_f64(),
            sizes::answer(runner),
        ));
    }
    let manner = program.manner.clone();
    let is_container = program.is_container;
    let remover = program.remover();
    let outcome = command(runner, program, time)?.run()?;
    let mut answer = answer::read(
        &outcome,
        &manner,
        contract,
        (time.as_secs_f64(), sizes::answer(runner)),
    );
    if let Some(remover) = remover
        && !matches!(outcome.exit, Exit::Code(_))
        && let Some(why) = removed(runner, remover)?
        && let Some(Value::String(error)) = answer.returned.value.get_mut("error")
    {
        error.push_str(&why);
    }
    // Docker's own failures have this code.
    if is_container && outcome.exit == Exit::Code(125) {
        let why = format!(
            "the container engine refused: {}",
            toolglot_builtins::cut(outcome.stderr.text(), sizes::PRINTED_BYTES).trim()
        );
        answer
            .returned
            .value
            .insert("error".to_owned(), Value::String(why));
    }
    Ok(answer)
}

/// Removes the container of an ended call: only the client was killed, and the engine continues without it.
///
/// Returns the error if the removal failed.
fn removed(runner: &ToolRunner, remover: Program) -> Result<Option<String>, CallError> {
    let name = remover.argv.last().cloned().unwrap_or_default();
    let mut command = command(runner, remover, REMOVAL)?;
    // Runs even if the call is cancelled.
    command.watch = Watch::default();
    let outcome = command.run()?;
    let said = outcome.stderr.text();
    // The container never started, or is removed already.
    if outcome.exit == Exit::Code(0) || said.contains("No such container") {
        return Ok(None);
    }
    Ok(Some(format!(
        "; its container `{}` may still run, as the engine did not remove it: {}",
        name.display(),
        toolglot_builtins::cut(said, sizes::PRINTED_BYTES).trim()
    )))
}

/// Checks an answer against the tool's return contract.
fn checked(answer: Answer, contract: &ReturnContract) -> Answer {
    let mut returned = contract.of_value(Value::Object(answer.returned.value));
    if !returned.breaches.is_empty() && !returned.value.contains_key("error") {
        let why = Value::String(returned.breaches.join("; "));
        returned.value.insert("error".to_owned(), why);
    }
    if !returned.success {
        returned
            .value
            .insert("success".to_owned(), Value::Bool(false));
    }
    Answer { returned, ..answer }
}

/// Runs the program in a resident interpreter; `None` if that is not possible.
fn warmly(
    runner: &ToolRunner,
    program: &Program,
    warm: WarmProgram,
    time: Duration,
) -> Result<Option<Ended>, CallError> {
    let resident = Program {
        id: program.id.clone(),
        argv: warm.argv,
        cwd: program.cwd.clone(),
        env: warm.env,
        stdin: Vec::new(),
        reads: program.reads.clone(),
        manner: program.manner.clone(),
        is_container: false,
        names_cache: program.names_cache,
    };
    // The resident process has no time limit of a call; each copy has the limit of its call.
    let mut command = command(runner, resident, LIFE)?;
    command.limits.output_bytes = sizes::printed(runner);
    // The resident process counts in addition to its copies.
    command.limits.processes += 1;
    let terms = Terms {
        time,
        answer_bytes: sizes::ANSWER_BYTES,
        printed_bytes: sizes::printed(runner),
    };
    match runner.warm.call(&command, &warm.request, terms) {
        Ok(mut ended) => {
            if let Some(inspection) = &command.inspection {
                let remarks = inspection.text(&[]);
                ended.stderr.bytes.extend(remarks.into_bytes());
            }
            Ok(Some(ended))
        }
        Err(NotWarm::Cold) => Ok(None),
        Err(NotWarm::Refused(refusal)) => Err(refusal.into()),
    }
}
