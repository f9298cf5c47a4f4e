//! `toolglot mcp servers`, `approve` and `disapprove`: which servers and which of their tools are approved.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use toolglot_mcp::pin::{digest, digest_of_all, pinned_fields, without_hidden};
use toolglot_session::{Grants, Policies, Session};
use toolglot_tool_files::ItemId;
use toolglot_tool_registry::{FindError, Registry, ToolSource};
use toolglot_tool_runner::{Offer, ToolRunner};
use toolglot_tool_trust::{ServerApproval, Trust, server_name};
use toolglot_value::{Value, json};

use crate::cli::args::{McpFormat, McpProject, SandboxArguments};
use crate::cli::call;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::open_session;
use crate::cli::outcome::Outcome;
use crate::cli::output::write_line;

/// The most characters of a changed text that are shown.
const MOST: usize = 4_000;

/// How long a server may take to list its tools.
const TIME: Duration = Duration::from_secs(30);

pub(super) fn answer(
    common: &McpProject,
    out: &mut dyn Write,
    json: &Value,
    text: &str,
) -> Result<(), Failure> {
    match common.format {
        McpFormat::Human => out.write_all(text.as_bytes()),
        McpFormat::Json => write_line(out, json),
    }
    .map_err(Failure::Output)
}

/// The id of a server's file.
pub(super) fn id_of(server: &str) -> String {
    if server.contains('/') {
        server.to_owned()
    } else {
        format!("mcp/servers/{server}")
    }
}

/// The definition of a server.
pub(super) fn definition_of(registry: &Registry, server: &str) -> Result<ToolSource, Failure> {
    let id = ItemId::new(&id_of(server)).map_err(Failure::BadId)?;
    registry.find(&id).map_err(|error| match error {
        FindError::NotFound { .. } => Failure::UnknownServer(server.to_owned()),
        error => error.into(),
    })
}

/// The servers: files of type `mcp_server`, and those of `.mcp.json`.
fn all(registry: &Registry) -> (Vec<ToolSource>, Vec<String>) {
    let (entries, problems) = registry.list();
    let mut servers = Vec::new();
    for entry in &entries {
        let Ok(found) = registry.read(entry) else {
            continue;
        };
        if found.text().contains("mcp_server")
            && found.tool().metadata.tool_type.as_deref() == Some("mcp_server")
        {
            servers.push(found);
        }
    }
    (servers, problems)
}

/// The state of a server: `approved`, its standing, or why it is refused.
fn state(trust: &Trust, found: &ToolSource) -> String {
    let version = found.tool().metadata.version.as_deref();
    match trust.standing(found, version) {
        Err(refusal) => refusal.code().to_owned(),
        Ok(_) if trust.approved(found.id.as_str(), found.space).is_some() => "approved".to_owned(),
        Ok(standing) => standing.word().to_owned(),
    }
}

pub(super) fn servers(common: &McpProject, out: &mut dyn Write) -> Result<Outcome, Failure> {
    let project = open_session::project(&common.root)?;
    let runner = ToolRunner::open(&project)?;
    let (registry, trust) = (runner.registry(), runner.trust().read());
    let (servers, problems) = all(registry);
    let (mut text, mut rows) = (String::new(), Vec::new());
    for found in &servers {
        let config = found.tool().metadata.config.clone().unwrap_or_default();
        let state = state(&trust, found);
        let reached = config["url"]
            .as_str()
            .or(config["command"].as_str())
            .unwrap_or("?");
        let (reached, _) = without_hidden(&json!(reached));
        let approved = trust.approved(found.id.as_str(), found.space);
        let n_tools = approved.map(|approved| approved.tools.len());
        let name = server_name(found.id.as_str());
        let tools = n_tools.map_or(String::new(), |n| format!(", {n} tools"));
        let _ = writeln!(
            text,
            "{name}  {}  {state}{tools}",
            reached.as_str().unwrap_or_default()
        );
        rows.push(json!({
            "name": name, "id": found.id.as_str(), "file": found.name(), "space": found.space.to_string(),
            "reached": reached, "state": state, "tools": n_tools,
        }));
    }
    for problem in &problems {
        let _ = writeln!(screen::stderr(), "note: {problem}");
    }
    answer(
        common,
        out,
        &json!({"servers": rows, "problems": problems}),
        &text,
    )?;
    Ok(Outcome::Fine)
}

/// A session for requests to servers. The process of a server has the same sandbox as a call.
pub(super) fn opened(
    root: &Path,
    grants: Grants,
    sandbox: &SandboxArguments,
) -> Result<Session, Failure> {
    let policies = Policies::discover(&open_session::project(root)?);
    let session = Session::builder(root, policies).grants(grants);
    Ok(open_session::with_sandbox(session, sandbox).build()?)
}

pub(super) fn approve(
    (server, give): (&str, &str),
    (allow, sandbox): (&Grants, &SandboxArguments),
    dry_run: bool,
    common: &McpProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let session = opened(&common.root, allow.clone(), sandbox)?;
    let registry = session.registry();
    let found = definition_of(registry, server)?;
    if let Some((json, text)) = ungiven(&found, server, give) {
        answer(common, out, &json, &text)?;
        return Ok(Outcome::Faulty);
    }
    let offer = match session.offer_unjudged(&id_of(server), TIME) {
        Ok(offer) => offer,
        Err(error) => {
            let refusal = call::refusal(server, &error);
            let text = format!("{server} refused: {error}\n");
            answer(common, out, &refusal, &text)?;
            return Ok(Outcome::Faulty);
        }
    };
    let (before, pinned) = session.with_trust(|trust| {
        let before = trust.approved(offer.server.id.as_str(), offer.server.space);
        (before, pinned_otherwise(registry, trust, &offer))
    });
    let (text, rows) = told(&offer, before.as_ref(), &pinned);
    let status = if dry_run {
        "shown"
    } else {
        // A server of `.mcp.json` has no other definition. A server with a file of its own is trusted like every file.
        session.approve(&offer)?;
        "approved"
    };
    let name = server_name(offer.server.id.as_str());
    let pin = digest_of_all(&offer.tools);
    let head = format!("{name}  {}  {status}\n", &pin[..19]);
    let json = json!({
        "server": name, "status": status, "transport": offer.transport, "pin": pin, "info": offer.info["serverInfo"],
        "definition": defined(&offer.server), "tools": rows,
    });
    answer(
        common,
        out,
        &json,
        &format!("{head}{}{text}", definition(&offer.server)),
    )?;
    Ok(Outcome::Fine)
}

/// The refusal of a definition that names variables that were not given. No variable of the user is sent before the
/// user has seen where it would go.
pub(super) fn ungiven(found: &ToolSource, server: &str, give: &str) -> Option<(Value, String)> {
    let given: Vec<&str> = give.split(',').map(str::trim).collect();
    let missing: Vec<String> = variables(found)
        .into_iter()
        .filter(|name| !given.contains(&name.as_str()))
        .collect();
    if missing.is_empty() {
        return None;
    }
    let missing = missing.join(",");
    let why = format!(
        "it would be given variables of yours: look at where they go, then `--give {missing}` lets it have them"
    );
    let json = json!({
        "success": false, "server": server_name(found.id.as_str()), "error": why, "code": "gives-variables",
        "definition": defined(found),
    });
    let text = format!("{server} refused: {why}\n{}", definition(found));
    Some((json, text))
}

pub(super) fn disapprove(
    server: &str,
    common: &McpProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let project = open_session::project(&common.root)?;
    let runner = ToolRunner::open(&project)?;
    let found = definition_of(runner.registry(), server)?;
    let was = runner.trust().write().disapprove(&found)?;
    let word = if was {
        "not approved any more"
    } else {
        "was not approved"
    };
    let name = server_name(found.id.as_str());
    let text = format!("{name}  {word}\n");
    answer(
        common,
        out,
        &json!({"server": name, "was_approved": was}),
        &text,
    )?;
    Ok(Outcome::faulty_if(!was))
}

fn defined(server: &ToolSource) -> Value {
    server.tool().metadata.config.clone().unwrap_or_default()
}

/// The user's variables that a definition names: as `${NAME}` in its texts, or in a list under `env`.
fn variables(server: &ToolSource) -> BTreeSet<String> {
    let config = defined(server);
    let mut names: BTreeSet<String> = config["env"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect();
    let mut open = vec![&config];
    while let Some(value) = open.pop() {
        match value {
            Value::String(text) => {
                let pieces = text.split("${").skip(1);
                let inner =
                    pieces.filter_map(|piece| piece.split_once('}').map(|(inner, _)| inner));
                names.extend(
                    inner.map(|inner| inner.split(":-").next().unwrap_or(inner).to_owned()),
                );
            }
            Value::Array(items) => open.extend(items),
            Value::Object(map) => open.extend(map.values()),
            _ => {}
        }
    }
    names
}

/// The definition of a server as text, with the variables that the server would get.
fn definition(server: &ToolSource) -> String {
    let (config, _) = without_hidden(&defined(server));
    let mut text = String::new();
    for (key, value) in config.as_object().into_iter().flatten() {
        let _ = writeln!(
            text,
            "  {key}: {}",
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        );
    }
    text
}

/// The tools whose digest differs from the digest that the first call of a tool's file pinned.
fn pinned_otherwise(registry: &Registry, trust: &Trust, offer: &Offer) -> BTreeSet<String> {
    let (entries, _) = registry.list();
    let server = offer.server.id.as_str();
    let files: Vec<ToolSource> = entries
        .iter()
        .filter_map(|entry| registry.read(entry).ok())
        .filter(|found| found.text().contains(server))
        .collect();
    let is_other = |name: &str, digest: &str| {
        files
            .iter()
            .any(|found| trust.is_pinned_otherwise(found, (server, name), digest))
    };
    let named = offer
        .tools
        .iter()
        .filter_map(|tool| Some((tool["name"].as_str()?, digest(tool))));
    named
        .filter(|(name, digest)| is_other(name, digest))
        .map(|(name, _)| name.to_owned())
        .collect()
}

/// The server's description of its tools, and how it differs from the approved description.
fn told(
    offer: &Offer,
    before: Option<&ServerApproval>,
    pinned: &BTreeSet<String>,
) -> (String, Vec<Value>) {
    let (mut text, mut rows) = (String::new(), Vec::new());
    let known = |name: &Value| {
        before.and_then(|before| before.tools.iter().find(|old| old["name"] == *name))
    };
    for tool in &offer.tools {
        let (clean, n_hidden) = without_hidden(&pinned_fields(tool));
        let name = clean["name"].as_str().unwrap_or_default().to_owned();
        let change = match known(&tool["name"]) {
            // A pin contains only the digest.
            None if pinned.contains(&name) => "changed",
            None if before.is_some() => "new",
            None => "offered",
            Some(old) if old["digest"] == digest(tool) => "unchanged",
            Some(_) => "changed",
        };
        let description = clean["description"].as_str().unwrap_or_default().to_owned();
        let _ = writeln!(text, "  {name}  {change}");
        if let (Some(was), "changed") = (known(&tool["name"]), change) {
            for key in [
                "description",
                "inputSchema",
                "outputSchema",
                "annotations",
                "title",
            ] {
                if was.get(key) != clean.get(key) {
                    let _ = writeln!(text, "    {key} was: {}", short(was.get(key)));
                    let _ = writeln!(text, "    {key} is:  {}", short(clean.get(key)));
                }
            }
        } else {
            // All lines are shown: nobody can approve text that is not shown.
            for line in description.lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        if n_hidden > 0 {
            let _ = writeln!(
                text,
                "    ! {n_hidden} hidden characters in what it says were taken out"
            );
        }
        rows.push(json!({"tool": clean, "digest": digest(tool), "change": change, "hidden_characters": n_hidden}));
    }
    for old in before
        .map(|before| before.tools.as_slice())
        .unwrap_or_default()
    {
        if !offer.tools.iter().any(|tool| tool["name"] == old["name"]) {
            let name = old["name"].as_str().unwrap_or_default();
            let _ = writeln!(text, "  {name}  gone");
            rows.push(json!({"tool": {"name": name}, "change": "gone"}));
        }
    }
    (text, rows)
}

fn short(value: Option<&Value>) -> String {
    let text = value.map_or_else(
        || "nothing".to_owned(),
        |value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        },
    );
    match text.char_indices().nth(MOST) {
        None => text,
        Some((end, _)) => {
            let n = text[end..].chars().count();
            format!(
                "{}.. ({n} characters more: `--format json` shows them)",
                &text[..end]
            )
        }
    }
}
