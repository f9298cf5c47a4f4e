//! A call of an MCP server's tool, with all of toolglot's work for it, compared with a bare round trip of rmcp.
//!
//! Both use the same server: this binary with the word `serve`, rmcp's server over standard input and output.
//! rmcp's client starts it as a child. toolglot starts it in its sandbox, and finds, verifies, validates and pins with
//! every call. `cargo run --release` prints minima and medians in microseconds, and their ratio.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{RequestContext, RoleServer};
use rmcp::transport::TokioChildProcess;
use rmcp::{ErrorData, ServerHandler, ServiceExt};
use serde_json::{Map, Value, json};
use toolglot_tool_runner::{Budget, Host, Interpreters, Servers, Warm, Watch};
use toolglot_tool_registry::{Registry, Spaces, Trust};

const N: usize = 3_000;

struct Echo;

impl ServerHandler for Echo {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let schema: Map<String, Value> = serde_json::from_value(json!({
            "type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"],
        }))
        .expect("an object");
        Ok(ListToolsResult::with_all_items(vec![Tool::new(
            "echo",
            "Echoes",
            Arc::new(schema),
        )]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let text = request.arguments.unwrap_or_default()["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    if std::env::args().nth(1).as_deref() == Some("serve") {
        return runtime.block_on(async {
            let running = Echo
                .serve((tokio::io::stdin(), tokio::io::stdout()))
                .await?;
            running.waiting().await?;
            Ok(())
        });
    }
    let mut bare = runtime.block_on(bare())?;
    let mut ours = ours()?;
    let (bare, ours) = (
        told("rmcp, bare", &mut bare),
        told("toolglot, all of it", &mut ours),
    );
    println!(
        "ratio            minimum {:.2}  median {:.2}",
        ours.0 / bare.0,
        ours.1 / bare.1
    );
    Ok(())
}

fn told(name: &str, times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    let (minimum, median) = (micros(times[0]), micros(times[times.len() / 2]));
    println!("{name:20} minimum {minimum:7.1} us  median {median:7.1} us");
    (minimum, median)
}

async fn bare() -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let mut command = tokio::process::Command::new(std::env::current_exe()?);
    command.arg("serve");
    let client = ().serve(TokioChildProcess::new(command)?).await?;
    let mut times = Vec::new();
    for _ in 0..N {
        let mut request = CallToolRequestParams::new("echo");
        request.arguments = json!({"text": "hello"}).as_object().cloned();
        let started = Instant::now();
        let result = client.call_tool(request).await?;
        times.push(started.elapsed());
        assert!(result.is_error != Some(true));
    }
    client.cancel().await?;
    Ok(times)
}

fn ours() -> Result<Vec<Duration>, Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let whole = std::fs::canonicalize(folder.path())?;
    let (project, home) = (whole.join("project"), whole.join("home"));
    std::fs::create_dir_all(project.join(".ai/tools"))?;
    std::fs::create_dir_all(&home)?;
    let own = std::fs::canonicalize(std::env::current_exe()?)?;
    let (place, name) = (
        own.parent().ok_or("no folder")?,
        own.file_name().ok_or("no name")?,
    );
    let servers = json!({"mcpServers": {"peer": {"command": name.to_str(), "args": ["serve"]}}});
    std::fs::write(project.join(".mcp.json"), servers.to_string())?;
    let path = format!("{}:{}", place.display(), std::env::var("PATH")?);
    let spaces = Spaces {
        project: Some(project.clone()),
        user: Some(home),
    };
    let sessions = Servers::default();
    let mut times = Vec::new();
    for is_approved in [false, true] {
        let trust = Trust::open(&spaces)?;
        let registry = Registry::open(&spaces)?.with_servers(&trust);
        let trust = RefCell::new(trust);
        let host = Host {
            registry: &registry,
            trust: &trust,
            project: project.clone(),
            granted: vec!["fs.read".into()],
            isolation: toolglot_sandbox::Isolation::Namespaces,
            variables: BTreeMap::from([("PATH".to_owned(), path.clone())]),
            interpreters: Interpreters::new(Some(path.as_ref()), &project),
            budget: Budget::of(None),
            pause: std::thread::sleep,
            servers: sessions.clone(),
            server_rules: toolglot_policy::ServerRules::default(),
            refused: toolglot_policy::Refusals::default(),
            watch: Watch::default(),
            warm: RefCell::new(Warm::default()),
            approved: RefCell::default(),
        };
        if !is_approved {
            let offer = host.offer("mcp/servers/peer", Duration::from_secs(10))?;
            host.approve(&offer)?;
            continue;
        }
        for _ in 0..N {
            let arguments = json!({"text": "hello"})
                .as_object()
                .cloned()
                .unwrap_or_default();
            let started = Instant::now();
            let called = host.call("mcp/peer/echo", arguments)?;
            times.push(started.elapsed());
            assert!(called.returned.success, "{:?}", called.returned);
        }
    }
    Ok(times)
}
