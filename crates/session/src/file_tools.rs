//! Tools that are files, called by a model: by id, by server and name, or through Rye's four verbs.

use std::collections::BTreeMap;
use std::path::Path;

use toolglot_builtins::{Outcome, clock};
use toolglot_engine::{Call, Calls, End};
use toolglot_policy::{Decision, Effect, Inside, Layer, PathFact, Request, Verdict};
use toolglot_tool_registry::{ItemId, Registry, Space, ToolFile, capability, sign_text};
use toolglot_tool_runner::{CallError, ToolRunner, resolve};
use toolglot_toolset::{Canonical, ToolSpec, Toolbox};
use toolglot_value::{Map, Value, json};

use crate::VERBS;
use crate::approval::CallSummary;
use crate::audit::log_before;
use crate::gate::{CallReport, CallRequest, Gate};
use crate::policies::real;
use crate::step::{LoggedCall, State, Step};
use toolglot_chat::is_local_server;

/// The tools of a registry that a message may name.
pub(crate) struct FileTools {
    runner: ToolRunner,
    /// The names that may be called, with what a model is to know of them.
    specs: BTreeMap<String, ToolSpec>,
    /// The ids of all tools of the project and the user, for who mistypes one.
    others: Vec<String>,
}

/// What else is to be known of a call of a file.
#[derive(Debug, Default)]
pub(crate) struct FileCall {
    /// What is to be said about the tool.
    pub(crate) remarks: Vec<String>,
    /// The call as the log has it; `None` where that is the call of the message.
    pub(crate) logged: Option<LoggedCall>,
}

/// Calls that name a tool of a server, and its arguments, among their own.
const WRAPPERS: &[&str] = &["use_mcp_tool", "mcp_call"];

/// The id of the server's tool that such a call means, and the arguments for it.
fn unwrapped(arguments: &str) -> Option<(String, String)> {
    let arguments: Map<String, Value> = serde_json::from_str(arguments).ok()?;
    let any = |names: [&str; 2]| names.into_iter().find_map(|name| arguments.get(name));
    let server = any(["server_name", "server"])?.as_str()?.trim();
    let tool = any(["tool_name", "tool"])?.as_str()?.trim();
    let given = match any(["arguments", "args"]) {
        // A value of a tag is text; what it holds is the object.
        Some(Value::String(text)) if text.trim().is_empty() => "{}".to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "{}".to_owned(),
        Some(value) => value.to_string(),
    };
    let id = format!("mcp/{server}/{tool}");
    ItemId::new(&id).ok().map(|_| (id, given))
}

impl FileTools {
    /// The tools that `text` names. What it does not name, it cannot call, and is not read.
    ///
    /// A name that `others` know stays theirs: a project's file takes no other tool's place.
    pub(crate) fn named_in(text: &str, runner: ToolRunner, others: &Toolbox) -> FileTools {
        let is_taken = |name: &str| others.canonical(name).is_some();
        let mut specs = BTreeMap::new();
        let (entries, _) = runner.registry.list();
        for entry in &entries {
            if !names(text, entry.id.as_str()) || is_taken(entry.id.as_str()) {
                continue;
            }
            // What cannot be read is not called; `toolglot tools check` tells why.
            if let Ok(found) = runner.registry.read(entry) {
                let is_of_server = found.tool().metadata.tool_type.as_deref() == Some("mcp");
                let callable = found.tool().callable_specs().into_iter();
                for mut spec in callable.filter(|spec| !is_taken(&spec.name)) {
                    if is_of_server {
                        open(&mut spec.parameters);
                    }
                    specs.insert(spec.name.clone(), spec);
                }
            }
        }
        let others = entries
            .iter()
            .filter(|entry| entry.space != Space::System)
            .map(|entry| entry.id.to_string())
            .collect();
        if VERBS.iter().any(|verb| text.contains(verb)) {
            specs.extend(verbs().into_iter().map(|spec| (spec.name.clone(), spec)));
        }
        FileTools {
            runner,
            specs,
            others,
        }
    }

    /// The tool that was probably meant, of those that the message does not name.
    pub(crate) fn nearest(&self, name: &str) -> Option<ToolSpec> {
        let names = self.others.iter().map(String::as_str);
        let id = ItemId::new(toolglot_toolset::nearest(name, names)?).ok()?;
        let found = self.runner.registry.find(&id).ok()?;
        found.tool().specs().into_iter().next()
    }

    /// What a model is to know of one of them.
    pub(crate) fn spec(&self, name: &str) -> Option<&ToolSpec> {
        self.specs.get(name)
    }

    /// What a model is to know of them.
    pub(crate) fn specs(&self) -> impl Iterator<Item = ToolSpec> {
        self.specs.values().cloned()
    }

    /// Why there is no such tool of a server that there is.
    pub(crate) fn of_server(&self, name: &str) -> Option<CallError> {
        self.runner.of_server(name)
    }

    /// Brings calls of a server's tool to the tool's id. A name that `known` has is brought to no other tool.
    pub(crate) fn resolve_servers(&self, message: &mut Calls, known: &Toolbox) {
        for call in &mut message.calls {
            if WRAPPERS.contains(&call.name.as_str())
                && let Some((id, arguments)) = unwrapped(&call.arguments)
            {
                call.name = id;
                call.arguments = arguments;
                call.server = None;
                continue;
            }
            let id = format!("mcp/{}", call.name);
            if call.server.is_none()
                && known.canonical(&call.name).is_none()
                && self.specs.contains_key(&id)
            {
                call.name = id;
                continue;
            }
            let Some(server) = call
                .server
                .as_deref()
                .filter(|server| !is_local_server(server))
            else {
                continue;
            };
            let ids = [
                format!("mcp/{server}/{}", call.name),
                format!("{server}/{}", call.name),
            ];
            if let Some(id) = ids.into_iter().find(|id| self.specs.contains_key(id)) {
                call.name = id;
                call.server = None;
            }
        }
    }

    /// Carries out a call of one of these tools; `None` if it is of another.
    pub(crate) fn carry_out(
        &self,
        canonical: &Canonical,
        call: (&Call, End),
        place: (&Gate<'_>, &[Step]),
    ) -> Option<(Verdict, State, FileCall)> {
        let mut file_call = FileCall::default();
        let (verdict, state) = self.carried_out(canonical, call, place, &mut file_call)?;
        Some((verdict, state, file_call))
    }

    fn carried_out(
        &self,
        canonical: &Canonical,
        (call, end): (&Call, End),
        (gate, before): (&Gate<'_>, &[Step]),
        file_call: &mut FileCall,
    ) -> Option<(Verdict, State)> {
        if !self.specs.contains_key(&canonical.tool) {
            return None;
        }
        let text = |name: &str| {
            canonical
                .arguments
                .get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
        };
        let of_message = |request: Request<'_>| gate.verdict(&request).verdict;
        if call.end == End::Truncated {
            let request = Request::new(&canonical.tool, Effect::Read, end, &[]);
            return Some((of_message(request), State::Refused));
        }
        let asked = |id, arguments| CallRequest {
            id,
            arguments,
            end,
            n_before: before.len(),
            is_repeat: before.iter().any(|step| {
                step.call.tool == canonical.tool && step.call.arguments == canonical.arguments
            }),
        };
        let read = |look: &dyn Fn() -> Result<Value, String>| {
            let request = Request {
                n_before: before.len(),
                ..Request::new(&call.name, Effect::Read, end, &[])
            };
            looked(canonical, (of_message(request), &[]), gate, look)
        };
        Some(match canonical.tool.as_str() {
            "rye_execute" => {
                if let Some(other) = self.elsewhere(text("project_path")) {
                    return Some(other);
                }
                let parameters = canonical
                    .arguments
                    .get("parameters")
                    .and_then(Value::as_object)
                    .cloned()
                    .unwrap_or_default();
                let is_dry = canonical.arguments.get("dry_run") == Some(&Value::Bool(true));
                let dry = Gate {
                    dry_run: gate.dry_run || is_dry,
                    // What is only checked is done by nobody.
                    seen: gate.seen.filter(|_| !is_dry),
                    ..*gate
                };
                match self.execute(asked(text("item_id"), parameters), &dry, file_call) {
                    (verdict, State::Planned) if !gate.dry_run => {
                        (verdict, State::Done(checked(text("item_id"))))
                    }
                    other => other,
                }
            }
            "rye_search" => {
                let hides = |path: &Path| self.hides(path);
                read(&|| Ok(search(&self.runner, text("query"), &hides)))
            }
            "rye_load" => {
                let id = text("item_id");
                let path = ItemId::new(id)
                    .ok()
                    .and_then(|id| self.runner.registry.find(&id).ok()?.path);
                if path.is_some_and(|path| self.hides(&path)) {
                    return Some(hidden(id));
                }
                read(&|| load(&self.runner.registry, id))
            }
            "rye_sign" => {
                // Signing is vouching for something: a model does it only where the user granted exactly that.
                let granted: Vec<&str> = self.runner.granted.iter().map(String::as_str).collect();
                let needed = capability::of_item("sign", "tool", text("item_id"));
                if !capability::allows(&granted, &needed) {
                    return Some(refused(&CallError::NotGranted {
                        id: "rye_sign".to_owned(),
                        missing: vec![needed],
                    }));
                }
                let paths = self.changed_by_signing(text("item_id"));
                let request = Request {
                    n_before: before.len(),
                    is_repeat: asked("", Map::new()).is_repeat,
                    ..Request::new(&call.name, Effect::Write, end, &paths)
                };
                // Signing is the one way in which a model changes a guarded file, and was granted by its name.
                let ruled = gate
                    .verdict(&request)
                    .reasons
                    .into_iter()
                    .filter(|reason| reason.layer != Layer::Usual && !reason.is_default())
                    .map(|reason| reason.verdict)
                    .filter(|verdict| verdict.rule != "guarded-path")
                    .find(|verdict| verdict.decision != Decision::Allow);
                let verdict = ruled.unwrap_or_else(|| {
                    of_message(Request {
                        paths: &[],
                        ..request
                    })
                });
                looked(canonical, (verdict, &paths), gate, &|| {
                    self.signed(text("item_id"))
                })
            }
            id => self.execute(asked(id, canonical.arguments.clone()), gate, file_call),
        })
    }

    /// Whether a rule refuses to read a file of the project.
    fn hides(&self, path: &Path) -> bool {
        let path = real(path);
        let place = path.strip_prefix(real(&self.runner.project));
        place.is_ok_and(|place| {
            ["rye_load", "read_file"]
                .iter()
                .any(|tool| self.runner.sandbox.refused.hides(tool, place))
        })
    }

    /// Why a call for another project is refused; the one here may be named.
    fn elsewhere(&self, path: &str) -> Option<(Verdict, State)> {
        let here = &self.runner.project;
        let is_here = path.is_empty()
            || std::fs::canonicalize(here.join(path)).is_ok_and(|path| path == *here);
        if is_here {
            return None;
        }
        let verdict = Verdict {
            decision: Decision::Deny,
            rule: "other-project".into(),
            because: format!(
                "`{path}` is not the project here, and tools run in no other: leave out `project_path`"
            ),
        };
        Some((verdict, State::Refused))
    }

    fn execute(
        &self,
        asked: CallRequest<'_>,
        gate: &Gate<'_>,
        file_call: &mut FileCall,
    ) -> (Verdict, State) {
        let (id, mut arguments) = (asked.id.to_owned(), asked.arguments.clone());
        let report = gate.pass(&self.runner, asked, &mut arguments);
        // What is refused before is the model's call as it wrote it.
        if matches!(report, CallReport::Refused(_) | CallReport::Done(..)) {
            file_call.logged = Some(LoggedCall { id, arguments });
        }
        match report {
            CallReport::Unfit(error) => refused(&error),
            CallReport::Refused(verdict) => (with_grant(verdict), State::Refused),
            CallReport::Planned(verdict, _) => (verdict, State::Planned),
            // A gate is for tools that are files.
            CallReport::Steps(_) => unreachable!("a gate makes no steps"),
            CallReport::Done(verdict, called) => match *called {
                Ok(mut called) => {
                    file_call.remarks.append(&mut called.notes);
                    let text = model_text(&called.returned.value);
                    let output = Value::Object(called.returned.value);
                    let ok = called.returned.success;
                    (verdict, State::Done(Outcome { ok, output, text }))
                }
                Err(error) => refused(&error),
            },
        }
    }

    /// The places in the project that signing a tool changes: its file and the lock.
    fn changed_by_signing(&self, id: &str) -> Vec<PathFact> {
        let found = ItemId::new(id)
            .ok()
            .and_then(|id| self.runner.registry.find(&id).ok());
        let project = real(&self.runner.project);
        let file = found.and_then(|found| {
            let path = real(&found.path?);
            Some(path.strip_prefix(&project).ok()?.to_owned())
        });
        let Some(file) = file else { return Vec::new() };
        [file, Path::new(".ai/toolglot.lock").to_owned()]
            .map(|path| PathFact {
                written: path.display().to_string(),
                found: Ok(Inside {
                    path,
                    ..Inside::default()
                }),
            })
            .to_vec()
    }

    fn signed(&self, id: &str) -> Result<Value, String> {
        let id = ItemId::new(id).map_err(|error| error.to_string())?;
        let found = self
            .runner
            .registry
            .find(&id)
            .map_err(|error| error.to_string())?;
        let tool: ToolFile = found.checked();
        if let Some(error) = tool.worst() {
            return Err(format!(
                "`{id}` breaks rules of tool files: {}",
                error.message
            ));
        }
        let (Some(path), true) = (&found.path, found.space != Space::System) else {
            return Err("tools of the system cannot be signed anew".to_owned());
        };
        let mut trust = self.runner.trust.write();
        let key = trust.private_key().map_err(|error| error.to_string())?;
        let style = found.language.signature_style();
        let now = clock::now();
        let signed = found
            .clone()
            .with_text(sign_text(found.text(), style, &key, &now, None));
        std::fs::write(path, signed.text()).map_err(|error| error.to_string())?;
        let version = tool.metadata.version.unwrap_or_default();
        trust
            .signed(&[(&signed, &version)])
            .map_err(|error| error.to_string())?;
        Ok(
            json!({"success": true, "output": format!("signed {id} {version}"), "digest": signed.digest()}),
        )
    }
}

/// Says of a schema that it is open, where it does not say that it is closed: what a server does not list it may take all the
/// same, as the schema is the server's and no list of ours.
fn open(schema: &mut Value) {
    if let Value::Object(keywords) = schema
        && !keywords.contains_key("unevaluatedProperties")
    {
        keywords
            .entry("additionalProperties")
            .or_insert(Value::Bool(true));
    }
}

/// What the model is told of a call that it asked to have checked and not run.
fn checked(id: &str) -> Outcome {
    let text = format!("`{id}` would run; nothing was run");
    let output = json!({"success": true, "dry_run": true, "output": text});
    Outcome {
        ok: true,
        output,
        text,
    }
}

/// Something that only looks, or was granted by name.
fn looked(
    canonical: &Canonical,
    (verdict, paths): (Verdict, &[PathFact]),
    gate: &Gate<'_>,
    look: &dyn Fn() -> Result<Value, String>,
) -> (Verdict, State) {
    if verdict.decision != Decision::Allow {
        return (verdict, State::Refused);
    }
    if gate.dry_run {
        return (verdict, State::Planned);
    }
    let call = CallSummary::new(gate.root, &canonical.tool, &canonical.arguments);
    if let Err(refused) = log_before(gate.log, &call, &verdict, paths) {
        return (refused, State::Refused);
    }
    let output = look().unwrap_or_else(|why| json!({"success": false, "error": why}));
    let ok = output["success"] == json!(true);
    let text = output.as_object().map(model_text).unwrap_or_default();
    (verdict, State::Done(Outcome { ok, output, text }))
}

impl std::fmt::Debug for FileTools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.specs.keys()).finish()
    }
}

/// Whether a text may call a tool: its id stands in it, or the parts of it that a server and a name are.
fn names(text: &str, id: &str) -> bool {
    if text.contains(id) {
        return true;
    }
    match id.rsplit_once('/') {
        Some((category, name)) => {
            let server = category.strip_prefix("mcp/").unwrap_or(category);
            !server.contains('/') && text.contains(server) && text.contains(name)
        }
        None => false,
    }
}

/// A verdict that says how what is missing is granted.
pub(crate) fn with_grant(mut verdict: Verdict) -> Verdict {
    if verdict.rule == "not-granted" {
        verdict.because.push_str("; `--allow` grants it");
    }
    verdict
}

pub(crate) fn refused(error: &CallError) -> (Verdict, State) {
    let mut because = error.to_string();
    if let CallError::NotGranted { missing, .. } = error {
        because.push_str("; `--allow ");
        because.push_str(&missing.join(","));
        because.push_str("` grants it");
    }
    let verdict = Verdict {
        decision: Decision::Deny,
        rule: error.code().into(),
        because,
    };
    (verdict, State::Refused)
}

/// What a model reads of a result: its one part where there is but one, else the map; whether it succeeded, its dialect
/// says.
pub(crate) fn model_text(value: &Map<String, Value>) -> String {
    let mut parts = value.iter().filter(|(key, _)| *key != "success");
    match (parts.next(), parts.next()) {
        (Some((key, Value::String(text))), None)
            if ["output", "data", "error"].contains(&key.as_str()) =>
        {
            text.clone()
        }
        (Some((key, value)), None) if ["output", "data", "error"].contains(&key.as_str()) => {
            value.to_string()
        }
        _ => Value::Object(value.clone()).to_string(),
    }
}

fn verbs() -> Vec<ToolSpec> {
    let item = json!({"type": "string", "enum": ["tool"], "default": "tool", "description": "What kind of item"});
    let id = json!({"type": "string", "minLength": 1, "description": "The item's id, as in rye/file-system/read"});
    let spec = |name: &str, description: &str, properties: Value, required: Value| ToolSpec {
        name: name.to_owned(),
        description: description.to_owned(),
        parameters: json!({"type": "object", "properties": properties, "required": required}),
        effect: toolglot_toolset::Effect::Unknown,
    };
    vec![
        spec(
            "rye_execute",
            "Runs a tool by its id",
            json!({
                "item_type": item,
                "item_id": id,
                "parameters": {"type": "object", "default": {}, "description": "The tool's arguments"},
                "project_path": {"type": "string", "default": "", "description": "The project here; no other"},
                "dry_run": {"type": "boolean", "default": false, "description": "Check it and run nothing"},
            }),
            json!(["item_id"]),
        ),
        spec(
            "rye_search",
            "Finds tools by words",
            json!({"item_type": item, "query": {"type": "string", "default": "", "description": "Words that a tool's name, tags or description hold"}}),
            json!([]),
        ),
        spec(
            "rye_load",
            "Shows a tool's text and schema",
            json!({"item_type": item, "item_id": id}),
            json!(["item_id"]),
        ),
        spec(
            "rye_sign",
            "Signs a tool with the user's key",
            json!({"item_type": item, "item_id": id}),
            json!(["item_id"]),
        ),
    ]
}

fn search(runner: &ToolRunner, query: &str, hides: &dyn Fn(&Path) -> bool) -> Value {
    const MOST: usize = 50;
    let words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
    let (entries, _) = runner.registry.list();
    let mut found = Vec::new();
    for entry in &entries {
        let Ok(file) = runner.registry.read(entry) else {
            continue;
        };
        let tool = file.tool();
        if file.path.as_deref().is_some_and(hides) {
            continue;
        }
        if !tool.is_callable() || tool.metadata.is_deprecated() {
            continue;
        }
        let description = tool.metadata.description.clone().unwrap_or_default();
        let all = format!(
            "{} {} {description}",
            entry.id,
            tool.metadata.tags.join(" ")
        )
        .to_lowercase();
        if words.iter().all(|word| all.contains(word)) {
            let mut row = json!({"item_id": entry.id.as_str(), "description": description, "space": entry.space.to_string()});
            // What would be refused is found, and said to be so: it may be mended.
            if let Err(why) = resolve(&runner.registry, &runner.trust.read(), file) {
                row["cannot_run"] = json!(why.to_string());
            }
            found.push(row);
        }
        if found.len() == MOST {
            break;
        }
    }
    json!({"success": true, "data": found})
}

/// A tool whose file is not to be read.
fn hidden(id: &str) -> (Verdict, State) {
    let verdict = Verdict {
        decision: Decision::Deny,
        rule: "refused-to-read".into(),
        because: format!("a rule of the policy refuses to read the file of `{id}`"),
    };
    (verdict, State::Refused)
}

fn load(registry: &Registry, id: &str) -> Result<Value, String> {
    let id = ItemId::new(id).map_err(|error| error.to_string())?;
    let found = registry.find(&id).map_err(|error| error.to_string())?;
    let tool = found.tool();
    Ok(json!({
        "success": true,
        "data": {
            "item_id": id.as_str(),
            "version": tool.metadata.version,
            "description": tool.metadata.description,
            "input_schema": tool.schema.input,
            "text": found.text(),
        },
    }))
}
