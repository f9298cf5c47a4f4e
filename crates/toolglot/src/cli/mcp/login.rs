//! `toolglot mcp login` and `logout`.

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;

use toolglot_mcp::auth::Person;
use toolglot_session::{CallError, Grants};
use toolglot_tool_files::ItemId;
use toolglot_tool_trust::server_name;
use toolglot_value::json;

use super::approve::{answer, definition_of, id_of, opened, ungiven};
use crate::cli::args::{LoginArguments, McpProject, SandboxArguments};
use crate::cli::call;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;

/// What opens an address in a browser.
const OPENER: &str = if cfg!(target_os = "macos") {
    "open"
} else {
    "xdg-open"
};

pub(super) fn login(
    server: &str,
    login: &LoginArguments,
    common: &McpProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    // A login needs the network.
    let net = "net".parse().expect("a word of grants");
    let session = opened(&common.root, net, &login.sandbox)?;
    let found = definition_of(session.registry(), server)?;
    if let Some((json, text)) = ungiven(&found, server, &login.give) {
        answer(common, out, &json, &text)?;
        return Ok(Outcome::Faulty);
    }
    let opens = login.open;
    let person = Person {
        show: Box::new(move |address| show(address, opens)),
        port: login.port,
        time: Duration::from_secs(login.wait),
    };
    let name = server_name(found.id.as_str());
    match session.login_unjudged(&id_of(server), login.scope.as_deref(), person) {
        Err(error) => refused(name, &error, common, out),
        Ok(done) => {
            let json = json!({
                "server": name, "url": done.url, "issuer": done.issuer, "scope": done.scope, "tools": done.n_tools,
            });
            let text = match &done.issuer {
                Some(issuer) => format!("{name}  logged in by {issuer}, {} tools\n", done.n_tools),
                None => format!("{name}  needs no login, {} tools\n", done.n_tools),
            };
            answer(common, out, &json, &text)?;
            Ok(Outcome::Fine)
        }
    }
}

/// Shows the address to visit on standard error, since standard output is for the result.
fn show(address: &str, opens: bool) {
    let mut out = screen::stderr();
    let _ = writeln!(out, "visit {address}").and_then(|()| out.flush());
    if opens {
        // The address is one word without characters that a program could interpret, and starts with its scheme.
        let opener = Command::new(OPENER)
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if let Err(error) = opener {
            let _ = writeln!(
                screen::stderr(),
                "note: `{OPENER}` cannot open a browser: {error}"
            );
        }
    }
}

pub(super) fn logout(
    server: &str,
    common: &McpProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let session = opened(
        &common.root,
        Grants::default(),
        &SandboxArguments::default(),
    )?;
    let id = ItemId::new(&id_of(server)).map_err(Failure::BadId)?;
    let name = server_name(id.as_str());
    match session.logout(id.as_str()) {
        Err(error) => refused(name, &error, common, out),
        Ok(was) => {
            let word = if was {
                "logged out"
            } else {
                "was not logged in"
            };
            answer(
                common,
                out,
                &json!({"server": name, "was_logged_in": was}),
                &format!("{name}  {word}\n"),
            )?;
            Ok(Outcome::faulty_if(!was))
        }
    }
}

fn refused(
    name: &str,
    error: &CallError,
    common: &McpProject,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    answer(
        common,
        out,
        &call::refusal(name, error),
        &format!("{name} refused: {error}\n"),
    )?;
    Ok(Outcome::Faulty)
}
