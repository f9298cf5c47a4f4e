//! Minutes of streams whose clients disconnect: no resource leaks, and the other clients lose no byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::client::Reply;
use crate::message::{APIS, Plan, PlanEnd, TOOL, request};
use crate::process::{Server, Usage};
use crate::upstream::Counters;

#[derive(Debug, Default)]
struct Outcomes {
    whole: AtomicU64,
    vanished: AtomicU64,
    wrong: AtomicU64,
}

/// Runs `clients` clients for `minutes`; returns whether all checks pass.
pub async fn soak(server: &Server, counters: &Arc<Counters>, clients: usize, minutes: f64) -> bool {
    let outcomes = Arc::new(Outcomes::default());
    let until = Instant::now() + Duration::from_secs_f64(minutes * 60.0);
    let mut tasks = Vec::new();
    for seed in 0..clients as u64 {
        let (outcomes, address) = (Arc::clone(&outcomes), server.address);
        tasks.push(tokio::spawn(async move {
            let mut random = Random(seed * 2 + 1);
            while Instant::now() < until {
                client(address, &mut random, &outcomes).await;
            }
        }));
    }
    println!(
        "| seconds | memory, MiB | files | whole answers | vanished clients | wrong |\n|--:|--:|--:|--:|--:|--:|"
    );
    let start = Instant::now();
    let every = Duration::from_secs_f64((minutes * 6.0).max(1.0));
    let mut memory = Vec::new();
    while Instant::now() + every / 2 < until {
        tokio::time::sleep(every).await;
        let usage = Usage::of(server.pid());
        memory.push(usage.memory_bytes);
        row(&format!("{}", start.elapsed().as_secs()), usage, &outcomes);
    }
    for task in tasks {
        let _ = task.await;
    }
    // Connections that were kept for the next request are closed after 20 seconds.
    let mut usage = Usage::of(server.pid());
    let mut under_way = None;
    for _ in 0..60 {
        usage = Usage::of(server.pid());
        under_way = requests_under_way(server.address).await;
        if under_way == Some(0) && counters.open.load(Ordering::Relaxed) == 0 && usage.files < 24 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    row("end", usage, &outcomes);
    let open = counters.open.load(Ordering::Relaxed);
    println!(
        "\nrequests under way: {under_way:?}; answers open at the upstream: {open}; cancelled there: {}",
        counters.left.load(Ordering::Relaxed)
    );
    // One-time allocations fall into the first tenth.
    let early = memory.get(memory.len() / 10).copied().unwrap_or(0);
    let late = memory.last().copied().unwrap_or(0);
    let growth = late as f64 / early.max(1) as f64;
    println!(
        "memory at the end of the run is {:.2} times that after a tenth of it",
        growth
    );
    under_way == Some(0)
        && open == 0
        && outcomes.wrong.load(Ordering::Relaxed) == 0
        && usage.files < 24
        && growth < 1.25
}

fn row(when: &str, usage: Usage, outcomes: &Outcomes) {
    println!(
        "| {when} | {:.1} | {} | {} | {} | {} |",
        usage.memory_bytes as f64 / f64::from(1 << 20),
        usage.files,
        outcomes.whole.load(Ordering::Relaxed),
        outcomes.vanished.load(Ordering::Relaxed),
        outcomes.wrong.load(Ordering::Relaxed),
    );
}

async fn requests_under_way(address: SocketAddr) -> Option<u64> {
    let metrics = Reply::get(address, "/metrics").await.ok()?;
    let metrics = String::from_utf8_lossy(&metrics);
    let line = metrics
        .lines()
        .find(|line| line.starts_with("toolglot_requests_under_way "))?;
    // The count includes the metrics request.
    Some(
        line.rsplit(' ')
            .next()?
            .parse::<u64>()
            .ok()?
            .saturating_sub(1),
    )
}

async fn client(address: SocketAddr, random: &mut Random, outcomes: &Outcomes) {
    let api = APIS[random.below(3) as usize];
    let plan = Plan {
        text: 1 + random.below(80) as usize,
        call: random.below(2) as usize * (1 + random.below(60) as usize),
        pause: [0, 1_000, 10_000][random.below(3) as usize],
        end: PlanEnd::Known,
    };
    let stays = random.below(2) == 0;
    let most = if stays {
        usize::MAX
    } else {
        random.below(12_000) as usize
    };
    let mut got = Vec::new();
    let read = async {
        let mut reply = Reply::post(address, &format!("/v1/{api}"), &request(api, &plan)).await?;
        while got.len() < most
            && reply
                .next(&mut |bytes| got.extend_from_slice(bytes))
                .await?
        {}
        Ok::<_, std::io::Error>(reply.status)
    };
    let status = read.await;
    if !stays {
        outcomes.vanished.fetch_add(1, Ordering::Relaxed);
        return;
    }
    let seen = seen(api, &got);
    let mut calls = Vec::new();
    if plan.call > 0 {
        calls.push((TOOL.to_owned(), plan.arguments()));
    }
    // The blanks before a call may be missing.
    if matches!(status, Ok(200)) && seen.0.trim_end() == plan.text().trim_end() && seen.1 == calls {
        outcomes.whole.fetch_add(1, Ordering::Relaxed);
    } else if outcomes.wrong.fetch_add(1, Ordering::Relaxed) < 5 {
        eprintln!(
            "WRONG: {api} {plan:?}: {status:?}\n{}\n",
            String::from_utf8_lossy(&got[got.len().saturating_sub(2000)..])
        );
    }
}

/// The text and the calls of a streamed answer.
fn seen(api: &str, bytes: &[u8]) -> (String, Vec<(String, Value)>) {
    let mut text = String::new();
    let (mut names, mut pieces) = (Vec::new(), Vec::<String>::new());
    for line in String::from_utf8_lossy(bytes).lines() {
        let Some(event) = line
            .strip_prefix("data: ")
            .and_then(|data| serde_json::from_str::<Value>(data).ok())
        else {
            continue;
        };
        match api {
            "chat/completions" => {
                let delta = &event["choices"][0]["delta"];
                text += delta["content"].as_str().unwrap_or_default();
                let call = &delta["tool_calls"][0]["function"];
                if let Some(name) = call["name"].as_str() {
                    names.push(name.to_owned());
                    pieces.push(String::new());
                }
                if let (Some(all), Some(piece)) = (pieces.last_mut(), call["arguments"].as_str()) {
                    *all += piece;
                }
            }
            "responses" => match event["type"].as_str().unwrap_or_default() {
                "response.output_text.delta" => text += event["delta"].as_str().unwrap_or_default(),
                "response.output_item.added" if event["item"]["type"] == "function_call" => {
                    names.push(
                        event["item"]["name"]
                            .as_str()
                            .unwrap_or_default()
                            .to_owned(),
                    );
                    pieces.push(String::new());
                }
                "response.function_call_arguments.delta" => {
                    if let Some(all) = pieces.last_mut() {
                        *all += event["delta"].as_str().unwrap_or_default();
                    }
                }
                _ => {}
            },
            _ => match event["type"].as_str().unwrap_or_default() {
                "content_block_start" if event["content_block"]["type"] == "tool_use" => {
                    names.push(
                        event["content_block"]["name"]
                            .as_str()
                            .unwrap_or_default()
                            .to_owned(),
                    );
                    pieces.push(String::new());
                }
                "content_block_delta" => {
                    text += event["delta"]["text"].as_str().unwrap_or_default();
                    if let (Some(all), Some(piece)) =
                        (pieces.last_mut(), event["delta"]["partial_json"].as_str())
                    {
                        *all += piece;
                    }
                }
                _ => {}
            },
        }
    }
    let calls = names
        .into_iter()
        .zip(pieces)
        .map(|(name, json)| (name, serde_json::from_str(&json).unwrap_or_default()))
        .collect();
    (text, calls)
}

/// Marsaglia's xorshift: the same clients in each run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}
