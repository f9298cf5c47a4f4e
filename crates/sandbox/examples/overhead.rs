//! The cost of a sandbox: the time of `/bin/true` without a sandbox and at each level, and the ratio. The figures are
//! minima of many runs.
//!
//! `cargo run --release -p toolglot-sandbox --example overhead`
#![expect(clippy::print_stdout, reason = "an example prints")]

use std::time::{Duration, Instant};

use toolglot_sandbox::{Command, Isolation, Network, layers};

const RUNS: u32 = 300;

fn minimum(mut run: impl FnMut()) -> Duration {
    (0..RUNS)
        .map(|_| {
            let started = Instant::now();
            run();
            started.elapsed()
        })
        .min()
        .expect("there are runs")
}

fn main() {
    let bare = minimum(|| {
        let output = std::process::Command::new("/bin/true").output();
        assert!(output.is_ok_and(|output| output.status.success()));
    });
    println!("bare        {bare:?}");
    for isolation in [Isolation::Plain, Isolation::Landlock, Isolation::Namespaces] {
        if layers().missing(isolation).is_some() {
            println!("{:11} not to be had here", isolation.word());
            continue;
        }
        let mut command = Command::new(["/bin/true"], "/usr");
        command.isolation = isolation;
        if isolation == Isolation::Plain {
            command.network = Network::Host;
        }
        let inside = minimum(|| assert!(command.run().is_ok_and(|outcome| outcome.is_success())));
        println!(
            "{:11} {inside:?} {:.1}x",
            isolation.word(),
            inside.as_secs_f64() / bare.as_secs_f64()
        );
    }
}
