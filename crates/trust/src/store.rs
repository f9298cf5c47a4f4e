//! The store: whom the user trusts, and what was seen before.
//!
//! | file | what |
//! |---|---|
//! | `~/.ai/keys/private_key.pem` | the user's own key, mode 0600 |
//! | `~/.ai/trusted_keys/KEY.toml` | keys that the user trusts, revoked ones, and those pinned for one project |
//! | `~/.ai/toolglot/ledger.json` | what was trusted and seen, by project and tool |
//! | `PROJECT/.ai/toolglot.lock` | id, version and digest of the project's tools; it can only forbid |
//! | `PROJECT/.ai/trusted_keys/KEY.toml` | keys that a project brings; they count for nothing until the user pins them |

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use toolglot_signature::{Generation, Keyring, PublicKey, Signer, Verified, digest, hex};

use crate::demands;
use crate::files::{LOCK_FORM, keys_in, read_json, read_lock, write, write_copy};
use crate::servers::approved_as;
use crate::{Demands, KnownKey, Origin, Space, Spaces, Subject, TrustError};

/// What is known of a tool from before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its version then.
    pub version: String,
    /// The digest of its body.
    pub digest: String,
    /// The digest of all of its text, where that is what was trusted or locked; `None` of a signed one, and of one that was
    /// written down by a toolglot that noted the body only.
    pub whole: Option<String>,
    /// Whether the user trusted it without a signature.
    pub trusted: bool,
    /// The latest time that a signature of version 2 bound to it, whichever text that was of.
    pub time: Option<String>,
    /// The digests of the texts that were there before, the latest last.
    pub before: Vec<String>,
}

impl Record {
    /// The digest of the text that was trusted. Of an earlier form it is that of the body: all of a text from which nothing
    /// was left out, and no other text.
    pub fn trusted_digest(&self) -> &str {
        self.whole.as_ref().unwrap_or(&self.digest)
    }
}

/// The store.
#[derive(Debug)]
pub struct Trust {
    pub(crate) spaces: Spaces,
    /// The project's path without links, by which the ledger knows it.
    pub(crate) project: String,
    pub(crate) keys: Keyring,
    pub(crate) known: Vec<KnownKey>,
    pub(crate) ledger: Map<String, Value>,
    pub(crate) lock: BTreeMap<String, Record>,
    pub(crate) demands: Demands,
    /// The keys that count under the demands; `None` where these name none.
    pub(crate) counted: Option<Keyring>,
    /// Signatures that held, by the hash of id and file: with the same keys they hold again.
    pub(crate) held: Mutex<HashMap<[u8; 32], Verified>>,
}

/// The key that signed the tools that come with toolglot. The other half was thrown away: a change of the files comes with a
/// new key.
const SYSTEM_KEY: &str = include_str!("../system_key.pem");
const LEDGER: &str = ".ai/toolglot/ledger.json";
/// Where the ledger keeps what servers said; no project's path is this.
const PINS: &str = "servers";
const COPIES: &str = ".ai/toolglot/trusted";
pub(crate) const LOCK: &str = ".ai/toolglot.lock";
/// How many earlier texts of a tool are remembered.
const MAX_BEFORE: usize = 64;
/// Where keys lie: first the place of the format, then that of its later versions.
pub(crate) const TRUSTED: &[&str] = &[".ai/trusted_keys", ".ai/config/keys/trusted"];

impl Trust {
    /// Reads what there is; nothing has to be there.
    ///
    /// # Errors
    /// If a file is there and damaged: what cannot be read must not be taken for "nothing is revoked".
    pub fn open(spaces: &Spaces) -> Result<Trust, TrustError> {
        let mut trust = Trust {
            spaces: spaces.clone(),
            project: spaces
                .project
                .as_deref()
                .map_or_else(String::new, path_name),
            keys: Keyring::default(),
            known: Vec::new(),
            ledger: Map::new(),
            lock: BTreeMap::new(),
            demands: Demands::default(),
            counted: None,
            held: Mutex::default(),
        };
        if let Some(user) = &spaces.user {
            for folder in TRUSTED {
                for (key, projects) in keys_in(&user.join(folder))? {
                    let is_here = projects.is_empty() || projects.contains(&trust.project);
                    trust.add(
                        key,
                        if projects.is_empty() {
                            "user"
                        } else {
                            "pinned"
                        },
                        is_here,
                    );
                }
            }
            if let Some(Value::Object(ledger)) = read_json(&user.join(LEDGER))? {
                trust.ledger = ledger;
            }
        }
        trust.add(system_signer(), "system", true);
        if let Some(project) = &spaces.project {
            // A project that is the user's home has no keys of its own.
            if spaces.user.as_ref() != Some(project) {
                for folder in TRUSTED {
                    // What a project brings and nobody can read is nothing.
                    for (key, _) in keys_in(&project.join(folder)).unwrap_or_default() {
                        if trust.keys.find(&key.key.fingerprint()).is_none() {
                            trust.add(key, "project", false);
                        }
                    }
                }
            }
            trust.lock = read_lock(project)?;
        }
        Ok(trust)
    }

    /// The hash of all that trust depends on beside the tools: whoever kept what a standing was may go on if it is the same.
    ///
    /// Reads the files and understands none of them.
    pub fn fingerprint(spaces: &Spaces) -> String {
        let mut files = Vec::new();
        for (root, own) in [(&spaces.user, LEDGER), (&spaces.project, LOCK)] {
            let Some(root) = root else { continue };
            files.push(root.join(own));
            for folder in TRUSTED {
                let entries = fs::read_dir(root.join(folder)).into_iter().flatten();
                let mut keys: Vec<PathBuf> = entries
                    .filter_map(|entry| Some(entry.ok()?.path()))
                    .collect();
                keys.sort();
                files.append(&mut keys);
            }
        }
        let lines: Vec<String> = files
            .into_iter()
            .map(|file| {
                let hash = match file.metadata() {
                    Ok(metadata) if !metadata.is_file() => "no file".to_owned(),
                    _ => fs::read(&file).map_or_else(
                        |error| error.kind().to_string(),
                        |bytes| hex(&Sha256::digest(bytes)),
                    ),
                };
                format!("{} {hash}", file.display())
            })
            .collect();
        digest(&lines.join("\n"))
    }

    /// Demands more of tools than before.
    ///
    /// # Errors
    /// If a key that is named is none.
    pub fn demand(&mut self, demands: Demands) -> Result<(), TrustError> {
        self.counted = demands
            .keys
            .as_deref()
            .map(|named| demands::counted(&self.keys, named))
            .transpose()?;
        self.demands = demands;
        self.forget();
        Ok(())
    }

    /// The keys are others: what held before need not hold now.
    pub(crate) fn forget(&mut self) {
        self.held = Mutex::default();
    }

    /// What is known of a tool from before.
    pub fn record(&self, found: &impl Subject) -> Option<Record> {
        let tools = self.ledger.get(self.place(found.space()))?;
        read_record(tools.get(found.id())?)
    }

    /// Another tool of the same place that this text was seen as, where it was never seen as this one.
    pub(crate) fn seen_as(&self, found: &impl Subject) -> Option<&str> {
        let digest = found.digest();
        let knows = |record: &Value| {
            read_record(record).is_some_and(|record| {
                record.digest == digest || record.before.iter().any(|before| *before == *digest)
            })
        };
        let tools = self.ledger.get(self.place(found.space()))?.as_object()?;
        if tools.get(found.id()).is_some_and(knows) {
            return None;
        }
        let mut others = tools.iter().filter(|(_, record)| knows(record));
        others.next().map(|(id, _)| id.as_str())
    }

    /// The text that was trusted when the record was made.
    pub fn trusted_text(&self, record: &Record) -> Option<String> {
        let (user, name) = (self.spaces.user.as_ref()?, record.trusted_digest());
        let text = fs::read_to_string(user.join(COPIES).join(name)).ok()?;
        (digest(&text) == name).then_some(text)
    }

    /// Trusts exactly these texts, each of a tool and its version, without a signature, and locks them.
    ///
    /// The copies come first, then the ledger, then the lock, each file whole or not at all: what the ledger trusts is there.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn trust(&mut self, tools: &[(&impl Subject, &str)]) -> Result<(), TrustError> {
        let copies = self.home()?.join(COPIES);
        for &(found, _) in tools {
            write_copy(
                &copies.join(&*found.whole_digest()),
                found.text().as_bytes(),
            )?;
        }
        for &(found, its_version) in tools {
            self.forget_other_server(found);
            self.remember(found, its_version, Some(&*found.whole_digest()));
        }
        self.write_ledger()?;
        self.lock(tools)
    }

    /// Locks tools that the user has signed, each with its version, and notes them as [`Trust::seen`] does.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn signed(&mut self, tools: &[(&impl Subject, &str)]) -> Result<(), TrustError> {
        self.lock(tools)?;
        let mut is_new = false;
        for &(found, its_version) in tools {
            is_new |= self.see(found, its_version);
        }
        if is_new { self.write_ledger() } else { Ok(()) }
    }

    /// Forgets what a server said where the file that is trusted now is one of another tool than before.
    fn forget_other_server(&mut self, found: &impl Subject) {
        // Who trusts a file has not seen what a server says. That stays as it was taken, but for a file of another tool now.
        let before = self.record(found);
        let before = before.and_then(|before| self.trusted_text(&before));
        if let Some(before) = before
            && found.server_tool_in(&before) != found.server_tool()
        {
            let pin = self.pin_name(found);
            if let Some(Value::Object(pins)) = self.ledger.get_mut(PINS) {
                pins.shift_remove(&pin);
            }
        }
    }

    /// The digest that was pinned of what a server says about a tool.
    pub fn pinned(&self, found: &impl Subject) -> Option<&str> {
        let pin = self.ledger.get(PINS)?.get(self.pin_name(found))?.as_str();
        // Of an earlier form: whatever the server would say next.
        pin.filter(|pin| !pin.is_empty())
    }

    /// Pins what a server says about a tool.
    ///
    /// # Errors
    /// If it cannot be written down, or nothing is taken on first sight.
    pub fn pin_server(&mut self, found: &impl Subject, digest: &str) -> Result<(), TrustError> {
        if !self.demands.first_use {
            let server = found.server_tool().map(|(server, _)| server);
            return Err(TrustError::NotApproved {
                id: found.id().to_owned(),
                server: approved_as(server.as_deref().unwrap_or_default()).to_owned(),
            });
        }
        let pin = self.pin_name(found);
        let pins = self.ledger.entry(PINS).or_insert_with(|| json!({}));
        if let Value::Object(pins) = pins {
            pins.insert(pin, Value::String(digest.to_owned()));
        }
        self.write_ledger()
    }

    /// Notes that a signed tool was run, so that an older one is not taken back.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn seen(&mut self, found: &impl Subject, its_version: &str) -> Result<(), TrustError> {
        if self.see(found, its_version) {
            self.write_ledger()
        } else {
            Ok(())
        }
    }

    /// Whether that is news.
    fn see(&mut self, found: &impl Subject, its_version: &str) -> bool {
        if self.spaces.user.is_none() || found.space() == Space::System {
            return false;
        }
        match self.record(found) {
            Some(record)
                if record.digest == found.digest() && self.bound_time(found) <= record.time =>
            {
                return false;
            }
            Some(record) if record.digest == found.digest() => {
                let trusted = record.trusted.then(|| record.trusted_digest());
                self.remember(found, its_version, trusted);
            }
            _ => self.remember(found, its_version, None),
        }
        true
    }

    /// The time that a signature which holds binds to a file.
    fn bound_time(&self, found: &impl Subject) -> Option<String> {
        let keys = self.counted.as_ref().unwrap_or(&self.keys);
        let verified = self.verified(found, keys).ok()?;
        (verified.generation == Generation::V2).then_some(verified.time)
    }

    /// Notes a tool, and the digest of the whole text if that is trusted.
    fn remember(&mut self, found: &impl Subject, its_version: &str, trusted: Option<&str>) {
        let place = self.place(found.space()).to_owned();
        let known = self.record(found).unwrap_or_default();
        let sha = found.digest();
        let time = self.bound_time(found).max(known.time);
        let mut before = known.before;
        before.push(known.digest);
        before.retain(|digest| !digest.is_empty() && **digest != *sha);
        before.drain(..before.len().saturating_sub(MAX_BEFORE));
        let is_trusted = trusted.is_some();
        let mut record = json!({"version": its_version, "digest": sha, "trusted": is_trusted});
        if let Some(whole) = trusted {
            record["whole"] = json!(whole);
        }
        if let Some(time) = time {
            record["time"] = json!(time);
        }
        if !before.is_empty() {
            record["before"] = json!(before);
        }
        let tools = self.ledger.entry(place).or_insert_with(|| json!({}));
        if let Value::Object(tools) = tools {
            tools.insert(found.id().to_owned(), record);
        }
    }

    pub(crate) fn write_ledger(&self) -> Result<(), TrustError> {
        let path = self.home()?.join(LEDGER);
        let text = serde_json::to_string_pretty(&self.ledger).unwrap_or_default();
        write(&path, text.as_bytes(), 0o600)
    }

    /// Puts the project's tools among these into its lock file.
    fn lock(&mut self, tools: &[(&impl Subject, &str)]) -> Result<(), TrustError> {
        let Some(project) = &self.spaces.project else {
            return Ok(());
        };
        let own = tools
            .iter()
            .filter(|(found, _)| found.space() == Space::Project);
        let own = own.map(|(found, its_version)| {
            let record = Record {
                version: (*its_version).to_owned(),
                digest: found.digest().into_owned(),
                whole: Some(found.whole_digest().into_owned()),
                ..Record::default()
            };
            (found.id().to_owned(), record)
        });
        let mut own = own.peekable();
        if own.peek().is_none() {
            return Ok(());
        }
        self.lock.extend(own);
        let tools: Map<String, Value> = self
            .lock
            .iter()
            .map(|(id, record)| {
                let mut locked = json!({"version": record.version, "digest": record.digest});
                if let Some(whole) = &record.whole {
                    locked["whole"] = json!(whole);
                }
                (id.clone(), locked)
            })
            .collect();
        let text = serde_json::to_string_pretty(&json!({"lock": LOCK_FORM, "tools": tools}))
            .unwrap_or_default()
            + "\n";
        write(&project.join(LOCK), text.as_bytes(), 0o644)
    }

    /// The spaces that it was opened for.
    pub fn spaces(&self) -> &Spaces {
        &self.spaces
    }

    /// The user's directory, which holds `.ai`.
    ///
    /// # Errors
    /// If the environment names none.
    pub fn home(&self) -> Result<PathBuf, TrustError> {
        self.spaces.user.clone().ok_or(TrustError::NoHome)
    }

    /// The key of the ledger: a project by its path, the user's own tools by `~`.
    pub(crate) fn place(&self, space: Space) -> &str {
        match space {
            Space::Project => &self.project,
            _ => "~",
        }
    }

    /// The name of a pin: the file that wraps the server's tool, however the way to the project was written.
    fn pin_name(&self, found: &impl Subject) -> String {
        if found.space() != Space::Project || found.origin() != Origin::File {
            return found.name();
        }
        let (project, id) = (&self.project, &found.id());
        format!("{project}/.ai/tools/{id}.{}", found.extension())
    }
}

/// A tool of the ledger.
fn read_record(record: &Value) -> Option<Record> {
    let text = |key: &str| record.get(key)?.as_str().map(str::to_owned);
    let before = record.get("before").and_then(Value::as_array);
    Some(Record {
        version: text("version")?,
        digest: text("digest")?,
        whole: text("whole"),
        trusted: record.get("trusted")?.as_bool()?,
        time: text("time"),
        before: before
            .into_iter()
            .flatten()
            .filter_map(|digest| digest.as_str().map(str::to_owned))
            .collect(),
    })
}

fn system_signer() -> Signer {
    Signer {
        key: PublicKey::from_pem(SYSTEM_KEY).expect("a test reads the embedded key"),
        owner: "toolglot".to_owned(),
        revoked: None,
    }
}

fn path_name(project: &Path) -> String {
    let project = fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
    project.to_string_lossy().into_owned()
}
