//! Measures one server of any kind: requests a second, the first byte, the first byte of arguments, memory.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tokio::sync::mpsc;

use crate::client::Reply;
use crate::message::{Plan, PlanEnd, request};
use crate::process::{Usage, load_average};

pub const HEAD: &str = "\
| server | first byte, ms | first byte of text | first byte of arguments | end | requests/s | CPU, ms a request | memory, MiB | failures | load |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// The times of the first byte of each kind.
#[derive(Clone, Copy, Debug, Default)]
struct Firsts {
    byte: Option<Duration>,
    text: Option<Duration>,
    arguments: Option<Duration>,
    end: Duration,
}

/// Prints a row: single streams at a model's pace, then requests without pauses for some seconds.
pub async fn measure(
    name: &str,
    address: SocketAddr,
    pid: u32,
    seconds: u64,
) -> Result<(), String> {
    let paced = Plan {
        text: 40,
        call: 60,
        pause: 10_000,
        end: PlanEnd::Stop,
    };
    let (mut firsts, mut failures) = (Vec::new(), 0_usize);
    for _ in 0..5 {
        match one(address, &paced).await {
            Ok(first) => firsts.push(first),
            Err(why) => {
                failures += 1;
                eprintln!("{name}: {why}");
            }
        }
    }
    let median = |of: fn(&Firsts) -> Option<Duration>| {
        let mut all: Vec<Duration> = firsts.iter().filter_map(of).collect();
        all.sort_unstable();
        all.get(all.len() / 2).map_or("–".to_owned(), |time| {
            format!("{:.0}", time.as_secs_f64() * 1e3)
        })
    };
    let is_over = Arc::new(AtomicBool::new(false));
    let (done, mut all_done) = mpsc::unbounded_channel();
    let before = Usage::of(pid);
    let start = Instant::now();
    for _ in 0..8 {
        let (is_over, done) = (Arc::clone(&is_over), done.clone());
        tokio::spawn(async move {
            let plan = Plan { pause: 0, ..paced };
            while !is_over.load(Ordering::Relaxed) {
                let _ = done.send(one(address, &plan).await.is_ok());
            }
        });
    }
    drop(done);
    let (mut n, mut most) = (0_usize, before.memory_bytes);
    let until = tokio::time::Instant::now() + Duration::from_secs(seconds);
    while let Ok(outcome) = tokio::time::timeout_at(until, all_done.recv()).await {
        match outcome {
            Some(true) => n += 1,
            Some(false) => failures += 1,
            None => break,
        }
        if n.is_multiple_of(16) {
            most = most.max(Usage::of(pid).memory_bytes);
        }
    }
    let (wall, after) = (start.elapsed(), Usage::of(pid));
    is_over.store(true, Ordering::Relaxed);
    println!(
        "| {name} | {} | {} | {} | {} | {:.1} | {:.1} | {:.1} | {failures} | {} |",
        median(|firsts| firsts.byte),
        median(|firsts| firsts.text),
        median(|firsts| firsts.arguments),
        median(|firsts| Some(firsts.end)),
        n as f64 / wall.as_secs_f64(),
        (after.cpu - before.cpu).as_secs_f64() * 1e3 / n.max(1) as f64,
        most.max(after.memory_bytes) as f64 / f64::from(1 << 20),
        load_average(),
    );
    Ok(())
}

async fn one(address: SocketAddr, plan: &Plan) -> Result<Firsts, String> {
    let start = Instant::now();
    let body = request("chat/completions", plan);
    let mut reply = Reply::post(address, "/v1/chat/completions", &body)
        .await
        .map_err(|error| error.to_string())?;
    let mut firsts = Firsts::default();
    let mut all = Vec::new();
    loop {
        let is_more = reply
            .next(&mut |bytes| all.extend_from_slice(bytes))
            .await
            .map_err(|error| error.to_string())?;
        let now = start.elapsed();
        let has = |what: &[u8]| all.windows(what.len()).any(|window| window == what);
        if firsts.byte.is_none() && !all.is_empty() {
            firsts.byte = Some(now);
        }
        if firsts.text.is_none() && has(b"some words") {
            firsts.text = Some(now);
        }
        // The first name within the arguments of a call; in a text the same bytes have a backslash before each quote.
        let field = b"\"arguments\":";
        let call = all.windows(field.len()).position(|window| window == field);
        let has_argument =
            call.is_some_and(|at| all[at..].windows(7).any(|window| window == b"content"));
        if firsts.arguments.is_none() && has_argument {
            firsts.arguments = Some(now);
        }
        if !is_more {
            firsts.end = now;
            break;
        }
    }
    if reply.status != 200 || firsts.arguments.is_none() {
        let end = String::from_utf8_lossy(&all[all.len().saturating_sub(300)..]).into_owned();
        return Err(format!(
            "status {}, no call in an answer that ends with: {end}",
            reply.status
        ));
    }
    Ok(firsts)
}
