//! The keys: the user's own, the trusted ones and the revoked ones.

use std::fs;
use std::io;

use crate::files::{mode, set_mode, write};
use crate::paths::TRUSTED;
use crate::{KnownKey, Trust, TrustError};
use toolglot_tool_signature::{Keyring, PrivateKey, PublicKey, Signer};

const PRIVATE_KEY: &str = ".ai/keys/private_key.pem";
const PUBLIC_KEY: &str = ".ai/keys/public_key.pem";

impl Trust {
    pub(crate) fn add(&mut self, signer: Signer, from: &'static str, is_trusted: bool) {
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

    /// The keys, trusted or not.
    pub fn keys(&self) -> &[KnownKey] {
        &self.known
    }

    /// The keys whose signatures count.
    pub fn keyring(&self) -> &Keyring {
        &self.keys
    }

    /// The user's own key, to sign with.
    ///
    /// # Errors
    /// If there is none, others can read it, or it was revoked.
    pub fn private_key(&self) -> Result<PrivateKey, TrustError> {
        let key = self.own_key()?;
        let fingerprint = key.public().fingerprint();
        match self.revoked(&fingerprint) {
            Some(since) => Err(TrustError::RevokedOwn {
                key: fingerprint,
                since: since.to_owned(),
            }),
            None => Ok(key),
        }
    }

    /// The time at which a key was revoked.
    fn revoked(&self, fingerprint: &str) -> Option<&str> {
        self.keys.find(fingerprint)?.revoked.as_deref()
    }

    fn own_key(&self) -> Result<PrivateKey, TrustError> {
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

    /// Makes the user's key, trusts it, and returns its public half. A revoked key is moved aside, not overwritten.
    ///
    /// # Errors
    /// If a key exists that is not revoked, or the new one cannot be written.
    pub fn new_key(&mut self, owner: &str) -> Result<PublicKey, TrustError> {
        let home = self.home()?;
        let path = home.join(PRIVATE_KEY);
        if path.exists() {
            let old = self.own_key()?.public().fingerprint();
            if self.revoked(&old).is_none() {
                return Err(TrustError::KeyExists(path));
            }
            let aside = path.with_file_name(format!("revoked-{old}.pem"));
            fs::rename(&path, aside).map_err(|source| TrustError::Io {
                path: path.clone(),
                source,
            })?;
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

    /// Revokes a key from any source: nothing that it signed runs afterwards.
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

    /// Trusts a key that the user was given, in every project.
    ///
    /// # Errors
    /// If it was revoked, or cannot be written.
    pub fn trust_key(&mut self, key: PublicKey, owner: &str) -> Result<Signer, TrustError> {
        let fingerprint = key.fingerprint();
        let known = self.known(&fingerprint).ok();
        let known = known.and_then(|known| known.revoked);
        if let Some(since) = self.revoked(&fingerprint).map(str::to_owned).or(known) {
            return Err(TrustError::Revoked {
                key: fingerprint,
                since,
            });
        }
        let signer = Signer {
            key,
            owner: owner.to_owned(),
            revoked: None,
        };
        self.save_key(&signer, &[])?;
        self.add(signer.clone(), "user", true);
        Ok(signer)
    }

    /// Trusts a key that the project brings, for this project only.
    ///
    /// # Errors
    /// If no key is known by that fingerprint, or it was revoked.
    pub fn pin(&mut self, fingerprint: &str) -> Result<Signer, TrustError> {
        let signer = self.known(fingerprint)?;
        let revoked = self.revoked(fingerprint).or(signer.revoked.as_deref());
        if let Some(since) = revoked {
            return Err(TrustError::Revoked {
                key: fingerprint.to_owned(),
                since: since.to_owned(),
            });
        }
        self.save_key(&signer, std::slice::from_ref(&self.project))?;
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
        // The name on one line: Rust and TOML write the escapes of control characters differently.
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
}
