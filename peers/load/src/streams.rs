//! Processor time and delay of each chunk, compared with a proxy that only decodes and encodes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;

use crate::client::Reply;
use crate::message::{Plan, PlanEnd, StampReader, request};
use crate::process::{Server, Usage, load_average};
use crate::upstream::Counters;

/// One measurement: a number of streams through one server.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    pub streams: usize,
    pub pause_us: u64,
    pub seconds: u64,
}

/// The output of a coding agent's model: some text and a call.
const TEXT: usize = 150;
const CALL: usize = 50;

/// Measures consecutive streams of 200 pieces; prints a row of the table.
pub async fn measure(
    name: &str,
    reads_calls: bool,
    api: &'static str,
    server: &Server,
    counters: &Arc<Counters>,
    setting: Setting,
) {
    let is_over = Arc::new(AtomicBool::new(false));
    let (delays, mut all_delays) = mpsc::unbounded_channel();
    let mut clients = Vec::new();
    for at in 0..setting.streams {
        let (is_over, delays, counters) =
            (Arc::clone(&is_over), delays.clone(), Arc::clone(counters));
        let address = server.address;
        // Streams do not write at the same time.
        let stagger =
            Duration::from_micros(setting.pause_us * at as u64 / setting.streams.max(1) as u64);
        clients.push(tokio::spawn(async move {
            tokio::time::sleep(stagger).await;
            let mut own = Vec::new();
            let mut failures = 0_usize;
            while !is_over.load(Ordering::Relaxed) {
                let has_call = one(address, api, setting.pause_us, &counters, &mut own).await;
                failures += usize::from(!has_call.is_ok_and(|has_call| has_call || !reads_calls));
                if failures > 10 {
                    break;
                }
            }
            let _ = delays.send((own, failures));
        }));
    }
    drop(delays);
    // All streams are open, and the programs of the tools are compiled.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let (before, events_before) = (
        Usage::of(server.pid()),
        counters.events.load(Ordering::Relaxed),
    );
    let start = std::time::Instant::now();
    tokio::time::sleep(Duration::from_secs(setting.seconds)).await;
    let (after, events_after) = (
        Usage::of(server.pid()),
        counters.events.load(Ordering::Relaxed),
    );
    let wall = start.elapsed();
    is_over.store(true, Ordering::Relaxed);
    let (mut delays, mut failures) = (Vec::new(), 0);
    while let Some((own, failed)) = all_delays.recv().await {
        delays.extend(own);
        failures += failed;
    }
    for client in clients {
        let _ = client.await;
    }
    delays.sort_unstable();
    let quantile = |share: f64| {
        delays
            .get((delays.len() as f64 * share) as usize)
            .copied()
            .unwrap_or(0) as f64
            / 1000.0
    };
    let events = events_after - events_before;
    let cpu = after.cpu - before.cpu;
    println!(
        "| {name} | {} | {:.0} | {:.1} | {:.2} | {:.1} | {:.1} | {:.1} | {failures} | {} |",
        setting.streams,
        events as f64 / wall.as_secs_f64(),
        cpu.as_secs_f64() * 1e6 / events as f64,
        cpu.as_secs_f64() / wall.as_secs_f64(),
        quantile(0.5),
        quantile(0.99),
        after.memory_bytes as f64 / f64::from(1 << 20),
        load_average(),
    );
}

pub const HEAD: &str = "\
| server | streams | chunks/s | CPU, µs a chunk | processors | delay, ms, median | 99th percentile | memory, MiB | failures | load |
|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|";

/// Reads one stream; adds the delay of each stamp in microseconds.
async fn one(
    address: SocketAddr,
    api: &str,
    pause: u64,
    counters: &Counters,
    delays: &mut Vec<u32>,
) -> std::io::Result<bool> {
    let plan = Plan {
        text: TEXT,
        call: CALL,
        pause,
        end: PlanEnd::Stop,
    };
    let mut reply = Reply::post(address, &format!("/v1/{api}"), &request(api, &plan)).await?;
    if reply.status != 200 {
        return Err(std::io::ErrorKind::Other.into());
    }
    let mut stamps = StampReader::default();
    let (mut has_call, mut newest) = (false, 0);
    let mut sink = |bytes: &[u8]| {
        let now = counters.start.elapsed().as_micros() as u64;
        has_call |= bytes.windows(10).any(|window| window == b"write_file");
        // Responses repeats the whole text at the end of a message: each stamp counts once.
        stamps.push(bytes, &mut |stamp| {
            if stamp > newest {
                newest = stamp;
                delays.push(now.saturating_sub(stamp) as u32);
            }
        });
    };
    while reply.next(&mut sink).await? {}
    Ok(has_call)
}

/// The memory of an idle stream: prints a row.
pub async fn idle(
    name: &str,
    api: &'static str,
    server: &Server,
    counters: &Counters,
    streams: usize,
) -> Result<(), String> {
    let plan = Plan {
        text: 20,
        call: 0,
        pause: 1000,
        end: PlanEnd::Idle,
    };
    let read = |n: usize| {
        let (body, address) = (request(api, &plan), server.address);
        let path = format!("/v1/{api}");
        async move {
            let mut open = Vec::new();
            for _ in 0..n {
                let mut reply = Reply::post(address, &path, &body)
                    .await
                    .map_err(|error| error.to_string())?;
                if reply.status != 200 {
                    return Err(format!("status {}", reply.status));
                }
                let (mut stamps, mut seen) = (StampReader::default(), 0);
                while seen < 20 {
                    let mut sink = |bytes: &[u8]| stamps.push(bytes, &mut |_| seen += 1);
                    reply
                        .next(&mut sink)
                        .await
                        .map_err(|error| error.to_string())?;
                }
                open.push(reply);
            }
            Ok::<_, String>(open)
        }
    };
    // One-time allocations of a server do not count for the streams.
    drop(read(16).await?);
    tokio::time::sleep(Duration::from_millis(500)).await;
    let before = Usage::of(server.pid());
    let open = read(streams).await?;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let after = Usage::of(server.pid());
    let n = counters.open.load(Ordering::Relaxed);
    println!(
        "| {name} | {n} | {:.1} | {:.1} |",
        after.memory_bytes.saturating_sub(before.memory_bytes) as f64 / 1024.0 / streams as f64,
        after.memory_bytes as f64 / f64::from(1 << 20)
    );
    drop(open);
    Ok(())
}

pub const IDLE_HEAD: &str = "\
| server | idle streams | KiB a stream | memory, MiB |
|---|--:|--:|--:|";
