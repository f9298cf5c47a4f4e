//! Systems without a sandbox: everything is refused.

use crate::{Command, Isolation, Layer, Layers, Outcome, Refusal};

pub(crate) fn run(_: &[Command]) -> Result<Vec<Outcome>, Refusal> {
    Err(Refusal::Unsupported {
        os: std::env::consts::OS,
    })
}

/// There is nothing to be done about it here.
pub fn outlive_file_limits() {}

/// What there is to build walls of: nothing.
pub fn layers() -> Layers {
    Layers {
        layers: vec![Layer {
            name: "operating system",
            needed_by: Some(Isolation::Plain),
            found: Err(format!("no sandbox for {} yet", std::env::consts::OS)),
        }],
    }
}
