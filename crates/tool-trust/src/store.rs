//! The trust store: the trusted keys and texts, and the texts that were seen before.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sha2::{Digest, Sha256};
use toolglot_tool_signature::{Keyring, PublicKey, Signer, Verification, digest, hex};
use toolglot_value::{Map, Value, json};

use crate::files::{LOCK_FORM, keys_in, read_json, read_lock, turn, write, write_copy};
use crate::ledger::{Ledger, LedgerRecord, Sighting, SigningTime};
use crate::paths::{COPIES, LEDGER, LOCK, TRUSTED};
use crate::requirements;
use crate::server_id::approved_as;
use crate::{KnownKey, Origin, Space, Spaces, Subject, TrustError, TrustRequirements};

/// The trust store.
#[derive(Debug)]
pub struct Trust {
    pub(crate) spaces: Spaces,
    /// The project's path without links, which is its key in the ledger.
    pub(crate) project: String,
    pub(crate) keys: Keyring,
    pub(crate) known: Vec<KnownKey>,
    pub(crate) ledger: Ledger,
    pub(crate) lock: BTreeMap<String, LedgerRecord>,
    pub(crate) demands: TrustRequirements,
    /// The keys that count under the requirements; `None` if the requirements name no keys.
    pub(crate) counted: Option<Keyring>,
    /// Valid signatures, by the hash of id and file: with the same keys they stay valid.
    pub(crate) held: Mutex<HashMap<[u8; 32], Verification>>,
}

/// The key that signed the tools that come with toolglot. Its private half was destroyed: a change of the files comes
/// with a new key.
const SYSTEM_KEY: &str = include_str!("../system_key.pem");
impl Trust {
    /// Reads the files that exist; none is required.
    ///
    /// # Errors
    /// If a file is damaged: an unreadable file must not be taken for "nothing is revoked".
    pub fn open(spaces: &Spaces) -> Result<Trust, TrustError> {
        let mut trust = Trust {
            spaces: spaces.clone(),
            project: spaces
                .project
                .as_deref()
                .map_or_else(String::new, path_name),
            keys: Keyring::default(),
            known: Vec::new(),
            ledger: Ledger::default(),
            lock: BTreeMap::new(),
            demands: TrustRequirements::default(),
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
            if let Some(ledger) = read_ledger(user)? {
                trust.ledger = ledger;
            }
        }
        trust.add(system_signer(), "system", true);
        if let Some(project) = &spaces.project {
            // A project that is the user's home has no keys of its own.
            if spaces.user.as_ref() != Some(project) {
                for folder in TRUSTED {
                    // An unreadable key of the project is ignored.
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

    /// The hash of all that trust depends on beside the tools. A cached standing is valid while the hash is the same.
    ///
    /// Reads the files without parsing them.
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

    /// Sets the requirements of a policy.
    ///
    /// # Errors
    /// If a named key is invalid.
    pub fn demand(&mut self, demands: TrustRequirements) -> Result<(), TrustError> {
        self.counted = demands
            .keys
            .as_deref()
            .map(|named| requirements::counted(&self.keys, named))
            .transpose()?;
        self.demands = demands;
        self.forget();
        Ok(())
    }

    /// Clears the valid signatures, because the keys have changed.
    pub(crate) fn forget(&mut self) {
        self.held = Mutex::default();
    }

    /// The ledger's record of a tool.
    pub fn record(&self, found: &impl Subject) -> Option<LedgerRecord> {
        self.ledger.record(self.place(found.space()), found.id())
    }

    /// The text that was trusted when the record was made.
    pub fn trusted_text(&self, record: &LedgerRecord) -> Option<String> {
        let (user, name) = (self.spaces.user.as_ref()?, record.trusted_digest());
        let text = fs::read_to_string(user.join(COPIES).join(name)).ok()?;
        (digest(&text) == name).then_some(text)
    }

    /// Trusts exactly these texts, each of a tool and its version, without a signature, and locks them.
    ///
    /// The copies are written first, then the ledger, then the lock, each whole or not at all: the ledger trusts only
    /// texts with a copy.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn trust(&mut self, tools: &[(&impl Subject, &str)]) -> Result<(), TrustError> {
        let copies = self.home()?.join(COPIES);
        let mut noted = Vec::new();
        for &(found, its_version) in tools {
            let whole = found.whole_digest().into_owned();
            write_copy(&copies.join(&whole), found.text().as_bytes())?;
            noted.push((
                self.sighting(found, its_version),
                whole,
                self.outdated_pin(found),
            ));
        }
        self.update_ledger(|ledger| {
            for (sighting, whole, pin) in &noted {
                if let Some(pin) = pin {
                    ledger.pin(pin, None);
                }
                ledger.trust(sighting, whole);
            }
            true
        })?;
        self.lock(tools)
    }

    /// Locks tools that the user has signed, each with its version, and notes them as the newest texts that were seen.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn signed(&mut self, tools: &[(&impl Subject, &str)]) -> Result<(), TrustError> {
        self.lock(tools)?;
        if self.spaces.user.is_none() {
            return Ok(());
        }
        let noted: Vec<Sighting> = tools
            .iter()
            .filter(|(found, _)| found.space() != Space::System)
            .map(|&(found, its_version)| self.sighting(found, its_version))
            .collect();
        self.update_ledger(|ledger| {
            let mut is_new = false;
            for sighting in &noted {
                is_new |= ledger.sign(sighting);
            }
            is_new
        })
    }

    /// Notes that a signed tool ran, so that an older one is refused later.
    ///
    /// # Errors
    /// If the ledger cannot be written.
    pub fn seen(&mut self, found: &impl Subject, its_version: &str) -> Result<(), TrustError> {
        if self.spaces.user.is_none() || found.space() == Space::System {
            return Ok(());
        }
        let sighting = self.sighting(found, its_version);
        // Nearly every call is of a text that ran before, and then the ledger is neither locked nor read.
        if !self.ledger.is_news(&sighting) {
            return Ok(());
        }
        self.update_ledger(|ledger| ledger.see(&sighting))
    }

    /// A text as the ledger notes it, with the time of its signature if that is valid.
    fn sighting(&self, found: &impl Subject, its_version: &str) -> Sighting {
        let keys = self.counted.as_ref().unwrap_or(&self.keys);
        let verified = self.verified(found, keys).ok();
        Sighting {
            place: self.place(found.space()).to_owned(),
            id: found.id().to_owned(),
            version: its_version.to_owned(),
            digest: found.digest().into_owned(),
            time: verified.as_ref().map(SigningTime::of),
        }
    }

    /// The pin of a server's definition, if the newly trusted text wraps another tool than the text before.
    ///
    /// The user who trusts a file has not seen the server's definition, so the pin stays unless the file wraps another
    /// tool.
    fn outdated_pin(&self, found: &impl Subject) -> Option<String> {
        let before = self.record(found)?;
        let before = self.trusted_text(&before)?;
        let is_other = found.server_tool_in(&before) != found.server_tool();
        is_other.then(|| self.pin_name(found))
    }

    /// The pinned digest of a server's definition of a tool.
    pub fn pinned(&self, found: &impl Subject) -> Option<&str> {
        self.ledger.pinned(&self.pin_name(found))
    }

    /// Pins a server's definition of a tool.
    ///
    /// # Errors
    /// If the ledger cannot be written, or nothing is accepted on first use. Also if another digest is pinned, even by
    /// another program after this one read the ledger: that pin stays.
    pub fn pin_server(&mut self, found: &impl Subject, digest: &str) -> Result<(), TrustError> {
        if !self.demands.first_use {
            let server = found.server_tool().map(|(server, _)| server);
            return Err(TrustError::NotApproved {
                id: found.id().to_owned(),
                server: approved_as(server.as_deref().unwrap_or_default()).to_owned(),
            });
        }
        let pin = self.pin_name(found);
        let mut is_other = false;
        self.update_ledger(|ledger| {
            let known = ledger.pinned(&pin);
            is_other = known.is_some_and(|known| known != digest);
            let is_new = known.is_none();
            if is_new {
                ledger.pin(&pin, Some(digest));
            }
            is_new
        })?;
        if is_other {
            let id = found.id().to_owned();
            return Err(TrustError::PinnedOtherwise { id });
        }
        Ok(())
    }

    /// Changes the ledger as it is on disk, where another program may have changed it since it was read. If `change`
    /// returns `false`, nothing is written.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(crate) fn update_ledger(
        &mut self,
        change: impl FnOnce(&mut Ledger) -> bool,
    ) -> Result<(), TrustError> {
        let home = self.home()?;
        let path = home.join(LEDGER);
        let _turn = turn(&path)?;
        if let Some(ledger) = read_ledger(&home)? {
            self.ledger = ledger;
        }
        if !change(&mut self.ledger) {
            return Ok(());
        }
        let text = serde_json::to_string_pretty(&self.ledger.0).unwrap_or_default();
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
            let record = LedgerRecord {
                version: (*its_version).to_owned(),
                digest: found.digest().into_owned(),
                whole: Some(found.whole_digest().into_owned()),
                ..LedgerRecord::default()
            };
            (found.id().to_owned(), record)
        });
        let mut own = own.peekable();
        if own.peek().is_none() {
            return Ok(());
        }
        // Another program may have locked tools since the file was read.
        let home = self.spaces.user.as_ref();
        let _turn = home.map(|home| turn(&home.join(LEDGER))).transpose()?;
        self.lock = read_lock(project)?;
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

    /// The spaces that the store was opened for.
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

    /// The name of a pin: the file that wraps the server's tool, however the project's path was written.
    fn pin_name(&self, found: &impl Subject) -> String {
        if found.space() != Space::Project || found.origin() != Origin::File {
            return found.name();
        }
        let (project, id) = (&self.project, &found.id());
        format!("{project}/.ai/tools/{id}.{}", found.extension())
    }
}

fn read_ledger(user: &Path) -> Result<Option<Ledger>, TrustError> {
    Ok(match read_json(&user.join(LEDGER))? {
        Some(Value::Object(ledger)) => Some(Ledger(ledger)),
        _ => None,
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
