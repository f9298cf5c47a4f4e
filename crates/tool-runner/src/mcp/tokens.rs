//! Stores the tokens of servers: one file for each server in the user's directory, which nobody else may read.

use std::any::Any;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use toolglot_mcp::auth::{Grant, Store, canonical};

use super::private_files::{self, is_private};

/// The directory below the user's. Its name is one of the secret names that no model reads.
const FOLDER: &str = ".ai/mcp-tokens";
/// The most bytes of a token file.
const MAX_BYTES: u64 = 1 << 20;

/// The file of one server.
#[derive(Debug)]
pub(super) struct Tokens {
    folder: PathBuf,
    file: PathBuf,
}

impl Tokens {
    /// The file of the server at `url`, below the user's directory.
    pub(super) fn of(home: &Path, url: &str) -> Result<Tokens, String> {
        let url = canonical(url).ok_or_else(|| format!("invalid address {url:?}"))?;
        let mut name = String::new();
        for byte in &Sha256::digest(url.as_bytes())[..16] {
            let _ = write!(name, "{byte:02x}");
        }
        let folder = home.join(FOLDER);
        let file = folder.join(format!("{name}.json"));
        Ok(Tokens { folder, file })
    }

    /// Removes the file. Returns whether there was one.
    pub(super) fn remove(&self) -> Result<bool, String> {
        match fs::remove_file(&self.file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.failed(&error)),
        }
    }

    fn failed(&self, error: &io::Error) -> String {
        format!("`{}`: {error}", self.file.display())
    }

    fn read(&self) -> io::Result<Option<String>> {
        let file = match private_files::open(&self.file) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() > MAX_BYTES {
            return Err(io::Error::other("it holds no token"));
        }
        if !is_private(&metadata) {
            return Err(io::Error::other(
                "others may read it, and may have: `toolglot mcp logout`, then log in again",
            ));
        }
        let mut text = String::new();
        file.take(MAX_BYTES).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    fn write(&self, grant: &Grant) -> io::Result<()> {
        private_files::make_folder(&self.folder)?;
        // `tempfile` creates the file private, before the first byte.
        let mut file = tempfile::Builder::new()
            .prefix(".new")
            .tempfile_in(&self.folder)?;
        file.write_all(grant.write().to_string().as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
    }

    fn lock(&self) -> io::Result<File> {
        private_files::make_folder(&self.folder)?;
        private_files::lock(&self.folder.join(".lock"))
    }
}

impl Store for Tokens {
    fn load(&self) -> Result<Option<Grant>, String> {
        let Some(text) = self.read().map_err(|error| self.failed(&error))? else {
            return Ok(None);
        };
        // The error does not quote the text, since it may contain the token.
        let stored = toolglot_value::from_str(&text).ok();
        let grant = stored.and_then(|stored| Grant::read(stored.as_object()?));
        let damaged = || {
            format!(
                "`{}` is damaged: `toolglot mcp logout`, then log in again",
                self.file.display()
            )
        };
        grant.map(Some).ok_or_else(damaged)
    }

    fn save(&self, grant: &Grant) -> Result<(), String> {
        self.write(grant).map_err(|error| self.failed(&error))
    }

    fn alone(&self) -> Result<Box<dyn Any>, String> {
        Ok(Box::new(self.lock().map_err(|error| self.failed(&error))?))
    }
}
