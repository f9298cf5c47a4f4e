//! `toolglot tools keys`.

use std::fmt::Write as _;
use std::io::Write;

use toolglot_builtins::clock;
use toolglot_tool_signature::PublicKey;
use toolglot_tool_trust::TrustError;
use toolglot_value::{Value, json};

use super::project::{self, answer};
use crate::cli::args::KeysCommand;
use crate::cli::failure::Failure;
use crate::cli::human::screen;
use crate::cli::outcome::Outcome;
use crate::cli::source;

pub(super) fn keys(command: &KeysCommand, out: &mut dyn Write) -> Result<Outcome, Failure> {
    match command {
        KeysCommand::List { common } => {
            let catalog = project::open(&common.root)?;
            let mut text = String::new();
            let rows: Vec<Value> = catalog
                .trust
                .keys()
                .iter()
                .map(|known| {
                    let signer = &known.signer;
                    let fingerprint = signer.key.fingerprint();
                    // The user may revoke a key that is installed with toolglot.
                    let same = |other: &&toolglot_tool_trust::KnownKey| {
                        other.signer.key.fingerprint() == fingerprint
                    };
                    let revoked = catalog.trust.keys();
                    let mut revoked = revoked.iter().filter(same);
                    let revoked = revoked.find_map(|other| other.signer.revoked.clone());
                    let status = match &revoked {
                        Some(since) => format!("revoked {since}"),
                        None if known.is_trusted => "trusted".to_owned(),
                        None => format!("not trusted: `toolglot tools keys pin {fingerprint}`"),
                    };
                    let _ = writeln!(
                        text,
                        "{fingerprint}  {:7}  {}  {status}",
                        known.from, signer.owner
                    );
                    json!({
                        "fingerprint": fingerprint,
                        "owner": signer.owner,
                        "from": known.from,
                        "trusted": known.is_trusted && revoked.is_none(),
                        "revoked": revoked,
                    })
                })
                .collect();
            answer(common, out, &json!({"keys": rows}), &text)?;
        }
        KeysCommand::New { owner, common } => {
            let mut catalog = project::open(&common.root)?;
            let key = catalog.trust.new_key(owner)?;
            let fingerprint = key.fingerprint();
            let json =
                json!({"fingerprint": fingerprint, "owner": owner, "public_key": key.to_pem()});
            answer(common, out, &json, &format!("{fingerprint}  {owner}\n"))?;
        }
        KeysCommand::Trust {
            file,
            owner,
            common,
        } => {
            let mut catalog = project::open(&common.root)?;
            let text = source::text(file)?;
            let text = text.trim();
            let key = if text.starts_with("ed25519:") {
                PublicKey::from_text(text)
            } else {
                PublicKey::from_pem(text)
            };
            let key = key.map_err(|source| TrustError::BadKey {
                path: file.clone(),
                source,
            })?;
            let signer = catalog.trust.trust_key(key, owner)?;
            let fingerprint = signer.key.fingerprint();
            let json = json!({"fingerprint": fingerprint, "owner": owner});
            answer(
                common,
                out,
                &json,
                &format!("{fingerprint}  {owner}  trusted\n"),
            )?;
        }
        KeysCommand::Revoke { key, common } => {
            let mut catalog = project::open(&common.root)?;
            let time = clock::now();
            let of_system = catalog
                .trust
                .keys()
                .iter()
                .any(|known| known.from == "system" && known.signer.key.fingerprint() == *key);
            catalog.trust.revoke(key, &time)?;
            let json = json!({"fingerprint": key, "revoked": time});
            answer(common, out, &json, &format!("{key}  revoked {time}\n"))?;
            if of_system {
                let _ = writeln!(
                    screen::stderr(),
                    "note: no tool runs any more without what this key signed, the runtimes of toolglot; delete `~/.ai/trusted_keys/{key}.toml` to take that back"
                );
            }
        }
        KeysCommand::Pin { key, common } => {
            let mut catalog = project::open(&common.root)?;
            let signer = catalog.trust.pin(key)?;
            let json = json!({"fingerprint": key, "owner": signer.owner});
            answer(
                common,
                out,
                &json,
                &format!("{key}  {}  trusted in this project\n", signer.owner),
            )?;
        }
    }
    Ok(Outcome::Fine)
}
