//! `toolglot serve`: a gateway that gives agents working tool calls on any model server.

use std::env;
use std::fs::OpenOptions;
use std::io::Write;
use std::net::TcpListener;
use std::path::Path;
use std::sync::Mutex;
use std::time::Duration;

use toolglot_gateway::{GatewayError, Limits, ModelSettings, Models, Server};
use toolglot_session::{OwnFile, SessionBuilder};
use tracing_subscriber::fmt::format::FmtSpan;

use crate::cli::args::{DoctorArguments, GatewayArguments};
use crate::cli::failure::Failure;
use crate::cli::human::screen::{harmless, stderr};
use crate::cli::outcome::Outcome;
use crate::cli::{open_session, source};

/// Serves until ctrl-c or SIGTERM.
pub(crate) fn serve(arguments: &GatewayArguments) -> Result<Outcome, Failure> {
    let mut builder = Server::builder(&arguments.upstream)
        .upstream_key(upstream_key(arguments.upstream_key_file.as_deref())?)
        .keys(keys(arguments)?)
        .hosts(arguments.allow_host.clone())
        .models(models(arguments)?)
        .limits(limits(arguments))
        .on_message(say);
    if let Some(directory) = &arguments.record {
        builder = builder.record(directory, u64::from(arguments.record_max) << 20);
    }
    if arguments.execute {
        builder = builder.execute(session(arguments)?, arguments.execute_tool.clone());
    }
    if let Some(file) = &arguments.trace {
        trace(file)?;
    }
    let server = builder.build()?;
    let listener = TcpListener::bind(arguments.listen).map_err(|source| Failure::Listen {
        address: arguments.listen,
        source,
    })?;
    server.run(listener)?;
    Ok(Outcome::Fine)
}

/// The builder of the session that runs tools for clients.
fn session(arguments: &GatewayArguments) -> Result<SessionBuilder, Failure> {
    let log = open_session::log(arguments.audit.as_deref(), arguments.audit_values);
    let session = open_session::builder(&arguments.root, &arguments.policy, log)?;
    // The person at the terminal of a server is not the client, so nobody is asked for approval.
    let mut session = open_session::with_sandbox(session, &arguments.sandbox);
    let files = [
        (&arguments.api_key_file, OwnFile::TOKEN),
        (&arguments.upstream_key_file, OwnFile::TOKEN),
    ];
    for (file, kind) in files {
        if let Some(file) = file {
            session = session.protect(file, kind);
        }
    }
    Ok(session)
}

/// Appends every later span and event to a file, each as a line of JSON when it ends.
fn trace(file: &Path) -> Result<(), Failure> {
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let opened = options
        .open(file)
        .map_err(|error| source::failed(file, error))?;
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(Mutex::new(opened))
        .finish();
    // No other code sets a global subscriber.
    let _ = tracing::subscriber::set_global_default(subscriber);
    Ok(())
}

/// Writes the configuration for an upstream.
pub(crate) fn diagnose(
    arguments: &DoctorArguments,
    out: &mut dyn Write,
) -> Result<Outcome, Failure> {
    let mut limits = Limits::default();
    limits.silence = Duration::from_secs(arguments.upstream_timeout.into());
    let text = Server::builder(arguments.upstream.as_deref().unwrap_or_default())
        .upstream_key(upstream_key(arguments.upstream_key_file.as_deref())?)
        .limits(limits)
        .diagnose(&arguments.model)?;
    out.write_all(text.as_bytes()).map_err(Failure::Output)?;
    Ok(Outcome::Fine)
}

/// Writes a line for the person who started the gateway.
fn say(line: &str) {
    // Nothing can be done where standard error is closed.
    let _ = writeln!(stderr(), "toolglot serve: {}", harmless(line));
}

fn models(arguments: &GatewayArguments) -> Result<Models, Failure> {
    if let Some(file) = &arguments.config {
        return Models::from_toml(&source::document(file)?).map_err(|error| match error {
            GatewayError::Configuration { line, column, why } => Failure::GatewayFile {
                origin: source::name(file),
                line,
                column,
                why,
            },
            error => error.into(),
        });
    }
    let mut settings = ModelSettings::default();
    settings.mode = arguments.mode.map(Into::into);
    settings.dialect.clone_from(&arguments.dialect);
    settings.reasoning_open = arguments.reasoning_open.then_some(true);
    Ok(Models::all(settings))
}

fn keys(arguments: &GatewayArguments) -> Result<Vec<String>, Failure> {
    let text = match &arguments.api_key_file {
        Some(file) => source::document(file)?,
        None => env::var("TOOLGLOT_API_KEY").unwrap_or_default(),
    };
    let lines = text.lines().map(str::trim);
    let keys: Vec<String> = lines
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    // An empty file must not open the gateway to all.
    if keys.is_empty() && arguments.api_key_file.is_some() {
        return Err(GatewayError::Key("the API key file").into());
    }
    Ok(keys)
}

fn upstream_key(file: Option<&Path>) -> Result<Option<String>, Failure> {
    let read = |file: &Path| source::document(file).map(|text| text.trim().to_owned());
    let key = match file {
        Some(file) => Some(read(file)?),
        None => env::var("TOOLGLOT_UPSTREAM_KEY").ok(),
    };
    Ok(key.filter(|key| !key.is_empty()))
}

fn limits(arguments: &GatewayArguments) -> Limits {
    let mut limits = Limits::default();
    limits.requests = arguments.max_requests as usize;
    limits.body_bytes = (arguments.max_body as usize) << 20;
    limits.held_bytes = limits.held_bytes.max(limits.body_bytes * 4);
    limits.silence = Duration::from_secs(arguments.upstream_timeout.into());
    limits
}
