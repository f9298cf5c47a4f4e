//! `toolglot doctor`: what the sandbox can use on this machine, for this user.

use std::io::Write;

use toolglot_sandbox::{Command, Isolation, Layers, Network};

use crate::cli::failure::Failure;
use crate::cli::outcome::Outcome;

const LEVELS: [Isolation; 3] = [Isolation::Plain, Isolation::Landlock, Isolation::Namespaces];

/// Reports which layers are available and which are missing, and tries each level with a program.
///
/// Commands need the level `namespaces` unless a policy says otherwise; without it the outcome is faulty.
pub(crate) fn doctor(out: &mut dyn Write) -> Result<Outcome, Failure> {
    let layers = toolglot_sandbox::layers();
    write(&layers, out).map_err(Failure::Output)?;
    Ok(Outcome::faulty_if(
        layers.level() != Some(Isolation::Namespaces),
    ))
}

fn write(layers: &Layers, out: &mut dyn Write) -> std::io::Result<()> {
    writeln!(out, "layers of the sandbox:")?;
    for layer in &layers.layers {
        let (sign, what) = match &layer.found {
            Ok(what) => ("ok     ", what),
            Err(why) => ("MISSING", why),
        };
        let needed = layer.needed_by.map_or("optional", |level| match level {
            Isolation::Plain => "required",
            Isolation::Landlock => "required from level landlock on",
            Isolation::Namespaces => "required for level namespaces",
        });
        writeln!(out, "  {sign} {:22} {what} ({needed})", layer.name)?;
    }
    writeln!(out, "levels:")?;
    for level in LEVELS {
        writeln!(out, "  {:10} {}", level.word(), tried(level))?;
    }
    Ok(())
}

/// Runs a program that does nothing at this level, and describes the result.
fn tried(level: Isolation) -> String {
    let mut command = Command::new(["true"], "/");
    command.isolation = level;
    if level == Isolation::Plain {
        command.network = Network::Host;
    }
    match command.run() {
        Ok(outcome) if outcome.is_success() => "works".to_owned(),
        Ok(outcome) => format!(
            "FAILS: a program that does nothing ended with {:?}",
            outcome.exit
        ),
        Err(refusal) => format!("REFUSES: {refusal}"),
    }
}
