//! Load on `toolglot serve`: the load figures of `docs/compare.md`. `README.md` next to this crate has the commands.
//!
//! The fake upstream and the clients are this process; servers under test are separate processes. All traffic is on
//! 127.0.0.1.

mod against;
mod client;
mod message;
mod process;
mod proxy;
mod soak;
mod streams;
mod upstream;

use std::env;
use std::net::SocketAddr;
use std::process::{Command, ExitCode};

use message::APIS;
use process::Server;
use streams::Setting;

const USAGE: &str = "\
usage: load streams [STREAMS..]    processor time and delay of each chunk, beside a proxy that decodes and encodes
       load idle [STREAMS]         memory of idle streams
       load soak [MINUTES]         clients that vanish
       load against NAME URL PID   one server that is running already, in front of `load upstream`
       load upstream               the fake upstream alone

TOOLGLOT names the binary (target/release/toolglot). DURATION is how many seconds each measurement takes (10), PAUSE_US the
microseconds between two chunks of a stream (20000).";

#[tokio::main]
async fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["streams", counts @ ..] => run_streams(counts).await,
        ["idle"] => run_idle(1000).await,
        ["idle", n] => run_idle(n.parse().unwrap_or(1000)).await,
        ["soak"] => run_soak(10.0).await,
        ["soak", minutes] => run_soak(minutes.parse().unwrap_or(10.0)).await,
        ["against", "head"] => {
            println!("{}", against::HEAD);
            Ok(())
        }
        ["against", name, url, pid] => run_against(name, url, pid).await,
        ["upstream"] => run_upstream().await,
        // The child process of `streams` and `idle`.
        ["proxy", upstream] => match upstream.parse() {
            Ok(upstream) => proxy::serve(upstream)
                .await
                .map_err(|error| error.to_string()),
            Err(_) => Err(format!("`{upstream}` is no address")),
        },
        _ => Err(USAGE.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    env::var(name)
        .ok()
        .and_then(|value| value.parse().ok())
        .unwrap_or(default)
}

fn gateway(upstream: SocketAddr) -> Result<Server, String> {
    let toolglot = env::var("TOOLGLOT").unwrap_or_else(|_| {
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/toolglot").to_owned()
    });
    Server::start(
        Command::new(toolglot)
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--mode",
                "recover",
                "--max-requests",
                "8192",
                "--upstream",
            ])
            .arg(format!("http://{upstream}")),
    )
}

fn proxy(upstream: SocketAddr) -> Result<Server, String> {
    let own = env::current_exe().map_err(|error| error.to_string())?;
    Server::start(Command::new(own).arg("proxy").arg(upstream.to_string()))
}

async fn run_streams(counts: &[&str]) -> Result<(), String> {
    let counts: Vec<usize> = counts
        .iter()
        .filter_map(|count| count.parse().ok())
        .collect();
    let counts = if counts.is_empty() {
        vec![50, 200, 400, 800]
    } else {
        counts
    };
    let (upstream, counters) = upstream::listen()
        .await
        .map_err(|error| error.to_string())?;
    let (pause_us, seconds) = (number("PAUSE_US", 20_000), number("DURATION", 10));
    println!("{}", streams::HEAD);
    for streams in counts {
        let setting = Setting {
            streams,
            pause_us,
            seconds,
        };
        let server = proxy(upstream)?;
        streams::measure(
            "decodes and encodes",
            false,
            APIS[0],
            &server,
            &counters,
            setting,
        )
        .await;
        drop(server);
        for api in APIS {
            let server = gateway(upstream)?;
            streams::measure(
                &format!("toolglot, `{api}`"),
                true,
                api,
                &server,
                &counters,
                setting,
            )
            .await;
        }
    }
    Ok(())
}

async fn run_idle(streams: usize) -> Result<(), String> {
    let (upstream, counters) = upstream::listen()
        .await
        .map_err(|error| error.to_string())?;
    println!("{}", streams::IDLE_HEAD);
    let server = proxy(upstream)?;
    streams::idle("decodes and encodes", APIS[0], &server, &counters, streams).await?;
    drop(server);
    for api in APIS {
        let server = gateway(upstream)?;
        streams::idle(
            &format!("toolglot, `{api}`"),
            api,
            &server,
            &counters,
            streams,
        )
        .await?;
    }
    Ok(())
}

async fn run_soak(minutes: f64) -> Result<(), String> {
    let (upstream, counters) = upstream::listen()
        .await
        .map_err(|error| error.to_string())?;
    let server = gateway(upstream)?;
    if soak::soak(&server, &counters, number("CLIENTS", 32) as usize, minutes).await {
        Ok(())
    } else {
        Err("something was lost or left".to_owned())
    }
}

async fn run_against(name: &str, url: &str, pid: &str) -> Result<(), String> {
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .parse();
    let address = address.map_err(|_| format!("`{url}` is not `http://ADDRESS:PORT`"))?;
    let pid = pid.parse().map_err(|_| format!("`{pid}` is no process"))?;
    against::measure(name, address, pid, number("DURATION", 10)).await
}

async fn run_upstream() -> Result<(), String> {
    let (upstream, _) = upstream::listen()
        .await
        .map_err(|error| error.to_string())?;
    println!("{upstream}");
    std::future::pending().await
}
