//! Whom the user trusts, and what was seen before.
//!
//! | file | what |
//! |---|---|
//! | `~/.ai/keys/private_key.pem` | the user's own key, mode 0600 |
//! | `~/.ai/trusted_keys/KEY.toml` | keys that the user trusts, revoked ones, and those pinned for one project |
//! | `~/.ai/toolglot/ledger.json` | what was trusted and seen, by project and tool |
//! | `PROJECT/.ai/toolglot.lock` | id, version and digest of the project's tools; it can only forbid |
//! | `PROJECT/.ai/trusted_keys/KEY.toml` | keys that a project brings; they count for nothing until the user pins them |

mod demands;
mod files;
mod servers;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Mutex;

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use thiserror::Error;

pub use servers::Approved;

pub use demands::Demands;
use files::{keys_in, mode, read_json, read_lock, set_mode, write};

use crate::chain::version;
use crate::sign::{
    Header, Keyring, PrivateKey, PublicKey, Refusal, Signer, Style, Verified, body, digest, hex,
    verify,
};
use crate::{Found, Space, Spaces, system};

/// What the trust store cannot do.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TrustError {
    /// There is no home to keep it in.
    #[error("there is no home directory: set `HOME` or `USER_SPACE`")]
    NoHome,
    /// The user has no key.
    #[error("there is no key to sign with; `toolglot tools keys new` makes one")]
    NoKey,
    /// There is one already.
    #[error(
        "`{0}` is there already; a second key would leave the signatures of the first without their owner"
    )]
    KeyExists(PathBuf),
    /// The file of the private key can be read by others.
    #[error(
        "`{path}` can be read by others (mode {mode:o}); `chmod 600` it, or make a new key if they may have"
    )]
    OpenKey {
        /// The file.
        path: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// The file of a key holds none.
    #[error("`{path}`: {source}")]
    BadKey {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: crate::BadKey,
    },
    /// No key has that fingerprint.
    #[error("no key has the fingerprint `{0}`; `toolglot tools keys list` shows them")]
    UnknownKey(String),
    /// A key of a policy file is none.
    #[error(
        "`keys` of `[trust]` holds `{name}`, which is no fingerprint (16 or 64 hexadecimal digits) and no `ed25519:<base64>`"
    )]
    BadPolicyKey {
        /// The text.
        name: String,
        /// What is wrong with it.
        #[source]
        source: crate::BadKey,
    },
    /// What a server says of a tool was not approved, and the policy takes nothing on first sight.
    #[error(
        "what the server says of `{0}` was not approved yet, and the policy takes nothing on first sight; look at it, then `toolglot tools trust {0}`"
    )]
    NotApproved(String),
    /// A file of ours is not as we left it.
    #[error("`{path}` is damaged: {why}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// The system refused.
    #[error("`{path}` cannot be used: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        source: io::Error,
    },
}

/// Why a tool may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It came with toolglot.
    System,
    /// A trusted key signed it.
    Signed(Verified),
    /// The user trusted exactly this text.
    Trusted,
    /// It lies in the user's own directory.
    Own,
}

impl Standing {
    /// One word for it.
    pub fn word(&self) -> &'static str {
        match self {
            Standing::System => "system",
            Standing::Signed(_) => "signed",
            Standing::Trusted => "trusted",
            Standing::Own => "own",
        }
    }
}

/// A key of the store, for a listing.
#[derive(Clone, Debug)]
pub struct KnownKey {
    /// The key and its owner.
    pub signer: Signer,
    /// Where it is from: `user`, `system`, `project` (not trusted), `pinned`.
    pub from: &'static str,
    /// Whether its signatures count here.
    pub is_trusted: bool,
}

/// What is known of a tool from before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Its version then.
    pub version: String,
    /// The digest of its body.
    pub digest: String,
    /// Whether the user trusted it without a signature.
    pub trusted: bool,
}

/// The store.
#[derive(Debug)]
pub struct Trust {
    spaces: Spaces,
    keys: Keyring,
    known: Vec<KnownKey>,
    ledger: Map<String, Value>,
    lock: BTreeMap<String, Record>,
    demands: Demands,
    /// The keys that count under the demands; `None` where these name none.
    counted: Option<Keyring>,
    /// Signatures that held, by the hash of id and file: with the same keys they hold again.
    held: Mutex<HashMap<[u8; 32], Verified>>,
}

const LEDGER: &str = ".ai/toolglot/ledger.json";
/// Where the ledger keeps what servers said; no project's path is this.
const PINS: &str = "servers";
/// A pin that the user approved before the server was asked: what it says next is taken.
const NEXT: &str = "";
const COPIES: &str = ".ai/toolglot/trusted";
const LOCK: &str = ".ai/toolglot.lock";
const PRIVATE_KEY: &str = ".ai/keys/private_key.pem";
const PUBLIC_KEY: &str = ".ai/keys/public_key.pem";
/// Where keys lie: first the place of the format, then that of its later versions.
const TRUSTED: &[&str] = &[".ai/trusted_keys", ".ai/config/keys/trusted"];

impl Trust {
    /// Reads what there is; nothing has to be there.
    ///
    /// # Errors
    /// If a file is there and damaged: what cannot be read must not be taken for "nothing is revoked".
    pub fn open(spaces: &Spaces) -> Result<Trust, TrustError> {
        let mut trust = Trust {
            spaces: spaces.clone(),
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
                    let is_here = projects.is_empty() || projects.contains(&trust.project_name());
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
        trust.add(system::signer(), "system", true);
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
            trust.lock = read_lock(&project.join(LOCK))?;
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
                let hash = match fs::read(&file) {
                    Ok(bytes) => hex(&Sha256::digest(bytes)),
                    Err(error) => error.kind().to_string(),
                };
                format!("{} {hash}", file.display())
            })
            .collect();
        digest(&lines.join("\n"))
    }

    fn add(&mut self, signer: Signer, from: &'static str, is_trusted: bool) {
        if is_trusted {
            self.keys.add(signer.clone());
            self.forget();
        }
        self.known.push(KnownKey {
            signer,
            from,
            is_trusted,
        });
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

    /// Whether a file may run, and why.
    ///
    /// # Errors
    /// Why not.
    pub fn standing(&self, found: &Found, its_version: Option<&str>) -> Result<Standing, Refusal> {
        let id = found.id.as_str();
        if found.extension == crate::servers::EXTENSION {
            return self.standing_of_server(found);
        }
        let style = Style::of(found.language);
        if found.space == Space::System {
            return self.verified(found, &self.keys).map(|_| Standing::System);
        }
        let here = its_version.unwrap_or("0.0.0");
        let actual = digest(body(&found.text, style));
        let record = self.record(found);
        let needs_signature = (self.demands.signed)(id);
        let is_trusted = record
            .as_ref()
            .is_some_and(|record| record.trusted && record.digest == actual);
        if is_trusted && !needs_signature {
            return Ok(Standing::Trusted);
        }
        let is_signed = Header::find(&found.text, style).is_some();
        let locked = self.lock.get(id).filter(|_| found.space == Space::Project);
        if !is_signed {
            let id = id.to_owned();
            return match (record.as_ref().or(locked), found.space) {
                _ if is_trusted => Err(Refusal::SignatureRequired { id }),
                (Some(before), _) if before.trusted => Err(Refusal::Changed {
                    id,
                    version: before.version.clone(),
                }),
                (Some(before), _) => Err(Refusal::Stripped {
                    id,
                    version: before.version.clone(),
                }),
                (None, Space::User) if !needs_signature => Ok(Standing::Own),
                (None, _) if needs_signature => Err(Refusal::SignatureRequired { id }),
                (None, _) => Err(Refusal::Unsigned { id }),
            };
        }
        let keys = self.counted.as_ref().unwrap_or(&self.keys);
        let verified = self.verified(found, keys)?;
        if found.space == Space::Project
            && locked.is_none()
            && let Some((signed_as, _)) = self.lock.iter().find(|(_, other)| other.digest == actual)
        {
            return Err(Refusal::Moved {
                id: id.to_owned(),
                signed_as: signed_as.clone(),
            });
        }
        for before in record.iter().chain(locked) {
            if before.digest != actual && version(here) < version(&before.version) {
                return Err(Refusal::Replayed {
                    id: id.to_owned(),
                    version: here.to_owned(),
                    seen: before.version.clone(),
                });
            }
        }
        if let Some(locked) = locked.filter(|locked| locked.digest != actual) {
            return Err(Refusal::NotLocked {
                id: id.to_owned(),
                version: locked.version.clone(),
                locked: locked.digest.clone(),
                actual,
            });
        }
        Ok(Standing::Signed(verified))
    }

    /// Checks a signature, once for the same file and keys.
    fn verified(&self, found: &Found, keys: &Keyring) -> Result<Verified, Refusal> {
        let id = found.id.as_str();
        let mut hash = Sha256::new();
        hash.update(id);
        hash.update([0, u8::from(found.space == Space::System)]);
        hash.update(&found.text);
        let key: [u8; 32] = hash.finalize().into();
        if let Ok(held) = self.held.lock()
            && let Some(verified) = held.get(&key)
        {
            return Ok(verified.clone());
        }
        let verified = verify(id, &found.text, Style::of(found.language), keys)?;
        if let Ok(mut held) = self.held.lock() {
            held.insert(key, verified.clone());
        }
        Ok(verified)
    }

    /// The keys are others: what held before need not hold now.
    fn forget(&mut self) {
        self.held = Mutex::default();
    }

    /// What is known of a tool from before.
    pub fn record(&self, found: &Found) -> Option<Record> {
        let record = self
            .ledger
            .get(&self.place(found.space))?
            .get(found.id.as_str())?;
        Some(Record {
            version: record.get("version")?.as_str()?.to_owned(),
            digest: record.get("digest")?.as_str()?.to_owned(),
            trusted: record.get("trusted")?.as_bool()?,
        })
    }

    /// The text that was trusted when the record was made.
    pub fn trusted_text(&self, record: &Record) -> Option<String> {
        let user = self.spaces.user.as_ref()?;
        fs::read_to_string(user.join(COPIES).join(&record.digest)).ok()
    }

    /// Trusts exactly this text, without a signature, and locks it.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn trust(&mut self, found: &Found, its_version: &str) -> Result<(), TrustError> {
        let text = body(&found.text, Style::of(found.language)).to_owned();
        let sha = digest(&text);
        let copies = self.home()?.join(COPIES);
        write(&copies.join(&sha), text.as_bytes(), 0o600)?;
        // Who trusts a tool anew takes what its server says now as well.
        let pins = self.ledger.entry(PINS).or_insert_with(|| json!({}));
        if let Value::Object(pins) = pins
            && found.tool().metadata.tool_type.as_deref() == Some("mcp")
        {
            pins.insert(pin_name(found), Value::String(NEXT.to_owned()));
        }
        self.remember(found, its_version, &sha, true)?;
        self.lock(found, its_version, &sha)
    }

    /// The digest that was pinned of what a server says about a tool.
    pub fn pinned(&self, found: &Found) -> Option<&str> {
        let pin = self.ledger.get(PINS)?.get(pin_name(found))?.as_str();
        pin.filter(|pin| *pin != NEXT)
    }

    /// Pins what a server says about a tool.
    ///
    /// # Errors
    /// If it cannot be written down, or nothing is taken on first sight and the user did not approve.
    pub fn pin_server(&mut self, found: &Found, digest: &str) -> Result<(), TrustError> {
        let is_awaited = || self.ledger.get(PINS)?.get(pin_name(found))?.as_str();
        if !self.demands.first_use && is_awaited() != Some(NEXT) {
            return Err(TrustError::NotApproved(found.id.to_string()));
        }
        let path = self.home()?.join(LEDGER);
        let pins = self.ledger.entry(PINS).or_insert_with(|| json!({}));
        if let Value::Object(pins) = pins {
            pins.insert(pin_name(found), Value::String(digest.to_owned()));
        }
        let text = serde_json::to_string_pretty(&self.ledger).unwrap_or_default();
        write(&path, text.as_bytes(), 0o600)
    }

    /// Notes that a signed tool was run or signed, so that an older one is not taken back.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn seen(&mut self, found: &Found, its_version: &str) -> Result<(), TrustError> {
        if self.spaces.user.is_none() || found.space == Space::System {
            return Ok(());
        }
        let sha = digest(body(&found.text, Style::of(found.language)));
        match self.record(found) {
            Some(record) if record.digest == sha => Ok(()),
            _ => self.remember(found, its_version, &sha, false),
        }
    }

    fn remember(
        &mut self,
        found: &Found,
        its_version: &str,
        sha: &str,
        trusted: bool,
    ) -> Result<(), TrustError> {
        let path = self.home()?.join(LEDGER);
        let place = self.place(found.space);
        let tools = self.ledger.entry(place).or_insert_with(|| json!({}));
        if let Value::Object(tools) = tools {
            tools.insert(
                found.id.to_string(),
                json!({"version": its_version, "digest": sha, "trusted": trusted}),
            );
        }
        let text = serde_json::to_string_pretty(&self.ledger).unwrap_or_default();
        write(&path, text.as_bytes(), 0o600)
    }

    /// Puts a tool of the project into its lock file.
    ///
    /// # Errors
    /// If it cannot be written down.
    pub fn lock(&mut self, found: &Found, its_version: &str, sha: &str) -> Result<(), TrustError> {
        let Some(project) = self
            .spaces
            .project
            .clone()
            .filter(|_| found.space == Space::Project)
        else {
            return Ok(());
        };
        self.lock.insert(
            found.id.to_string(),
            Record {
                version: its_version.to_owned(),
                digest: sha.to_owned(),
                trusted: false,
            },
        );
        let tools: Map<String, Value> = self
            .lock
            .iter()
            .map(|(id, record)| {
                (
                    id.clone(),
                    json!({"version": record.version, "digest": record.digest}),
                )
            })
            .collect();
        let text = serde_json::to_string_pretty(&json!({"lock": 1, "tools": tools}))
            .unwrap_or_default()
            + "\n";
        write(&project.join(LOCK), text.as_bytes(), 0o644)
    }

    /// The keys, trusted or not.
    pub fn keys(&self) -> &[KnownKey] {
        &self.known
    }

    /// The keys whose signatures count.
    pub fn keyring(&self) -> &Keyring {
        &self.keys
    }

    /// The user's own key.
    ///
    /// # Errors
    /// If there is none, or others can read it.
    pub fn private_key(&self) -> Result<PrivateKey, TrustError> {
        let path = self.home()?.join(PRIVATE_KEY);
        let pem = match fs::read_to_string(&path) {
            Ok(pem) => pem,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(TrustError::NoKey),
            Err(source) => return Err(TrustError::Io { path, source }),
        };
        if let Some(mode) = mode(&path).filter(|mode| mode & 0o077 != 0) {
            return Err(TrustError::OpenKey { path, mode });
        }
        PrivateKey::from_pem(&pem).map_err(|source| TrustError::BadKey { path, source })
    }

    /// Makes the user's key, trusts it, and gives its public half.
    ///
    /// # Errors
    /// If there is one already, or it cannot be written.
    pub fn new_key(&mut self, owner: &str) -> Result<PublicKey, TrustError> {
        let home = self.home()?;
        let path = home.join(PRIVATE_KEY);
        if path.exists() {
            return Err(TrustError::KeyExists(path));
        }
        let key = PrivateKey::generate().map_err(|error| TrustError::Io {
            path: path.clone(),
            source: io::Error::other(error.to_string()),
        })?;
        write(&path, key.to_pem().as_bytes(), 0o600)?;
        if let Some(folder) = path.parent() {
            set_mode(folder, 0o700)?;
        }
        let public = key.public();
        write(&home.join(PUBLIC_KEY), public.to_pem().as_bytes(), 0o644)?;
        let signer = Signer {
            key: public.clone(),
            owner: owner.to_owned(),
            revoked: None,
        };
        self.save_key(&signer, &[])?;
        self.add(signer, "user", true);
        Ok(public)
    }

    /// Revokes a key, whoever trusted it: nothing that it signed runs any more.
    ///
    /// # Errors
    /// If no key is known by that fingerprint.
    pub fn revoke(&mut self, fingerprint: &str, time: &str) -> Result<(), TrustError> {
        let mut signer = self.known(fingerprint)?;
        signer.revoked = Some(time.to_owned());
        self.save_key(&signer, &[])?;
        self.keys.add(signer.clone());
        if let Some(counted) = &mut self.counted
            && counted.find(fingerprint).is_some()
        {
            counted.add(signer);
        }
        self.forget();
        Ok(())
    }

    /// Trusts a key that the project brings, for this project only.
    ///
    /// # Errors
    /// If no key is known by that fingerprint.
    pub fn pin(&mut self, fingerprint: &str) -> Result<Signer, TrustError> {
        let signer = self.known(fingerprint)?;
        self.save_key(&signer, &[self.project_name()])?;
        self.add(signer.clone(), "pinned", true);
        Ok(signer)
    }

    fn known(&self, fingerprint: &str) -> Result<Signer, TrustError> {
        let mut all = self.known.iter().map(|known| &known.signer);
        all.find(|signer| {
            signer.key.fingerprint() == fingerprint || signer.key.long_fingerprint() == fingerprint
        })
        .cloned()
        .ok_or_else(|| TrustError::UnknownKey(fingerprint.to_owned()))
    }

    fn save_key(&self, signer: &Signer, projects: &[String]) -> Result<(), TrustError> {
        let fingerprint = signer.key.fingerprint();
        let path = self
            .home()?
            .join(TRUSTED[0])
            .join(format!("{fingerprint}.toml"));
        // A name on one line: control characters would need escapes that Rust and TOML write differently.
        let owner: String = signer.owner.chars().filter(|c| !c.is_control()).collect();
        let mut lines = vec![
            format!("fingerprint = {fingerprint:?}"),
            format!("owner = {owner:?}"),
        ];
        if let Some(revoked) = &signer.revoked {
            lines.push(format!("revoked = {revoked:?}"));
        }
        if !projects.is_empty() {
            lines.push(format!("projects = {projects:?}"));
        }
        lines.push(format!(
            "\n[public_key]\npem = \"\"\"\n{}\"\"\"\n",
            signer.key.to_pem()
        ));
        let text = lines.join("\n");
        write(&path, text.as_bytes(), 0o644)
    }

    /// The user's directory, which holds `.ai`.
    ///
    /// # Errors
    /// If the environment names none.
    pub fn home(&self) -> Result<PathBuf, TrustError> {
        self.spaces.user.clone().ok_or(TrustError::NoHome)
    }

    fn project_name(&self) -> String {
        self.spaces
            .project
            .as_ref()
            .map_or_else(String::new, |project| {
                let project = fs::canonicalize(project).unwrap_or_else(|_| project.clone());
                project.to_string_lossy().into_owned()
            })
    }

    /// The key of the ledger: a project by its path, the user's own tools by `~`.
    fn place(&self, space: Space) -> String {
        match space {
            Space::Project => self.project_name(),
            _ => "~".to_owned(),
        }
    }
}

/// The name of a pin: the file that wraps the server's tool.
fn pin_name(found: &Found) -> String {
    found.name()
}
