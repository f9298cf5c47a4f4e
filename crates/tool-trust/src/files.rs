//! The files of the trust store, read and written whole.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use toolglot_value::Value;

use crate::paths::LOCK;
use crate::{LedgerRecord, TrustError};
use toolglot_tool_signature::{PublicKey, Signer};

/// The keys of a directory, each with its projects; no projects mean all.
pub(crate) fn keys_in(folder: &Path) -> Result<Vec<(Signer, Vec<String>)>, TrustError> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(source) => {
            return Err(TrustError::Io {
                path: folder.to_owned(),
                source,
            });
        }
    };
    let mut paths: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    let mut keys = Vec::new();
    for path in paths {
        let text = read(&path)?.unwrap_or_default();
        let damaged = |why: String| TrustError::Damaged {
            path: path.clone(),
            why,
        };
        let table: toml::Table = text
            .parse()
            .map_err(|error: toml::de::Error| damaged(error.message().to_owned()))?;
        let text_of = |name: &str| table.get(name).and_then(toml::Value::as_str);
        let key = match table.get("public_key") {
            Some(toml::Value::String(text)) => PublicKey::from_text(text),
            Some(toml::Value::Table(inner)) => {
                let pem = inner.get("pem").and_then(toml::Value::as_str);
                PublicKey::from_pem(pem.unwrap_or_default())
            }
            _ => return Err(damaged("it has no `public_key`".to_owned())),
        }
        .map_err(|error| damaged(error.to_string()))?;
        let declared = text_of("fingerprint").unwrap_or_default();
        if declared != key.fingerprint() && declared != key.long_fingerprint() {
            return Err(damaged(format!(
                "it declares the fingerprint `{declared}`, and its key has `{}`",
                key.fingerprint()
            )));
        }
        let projects = table
            .get("projects")
            .and_then(toml::Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(|project| project.as_str().map(str::to_owned))
            .collect();
        keys.push((
            Signer {
                key,
                owner: text_of("owner").unwrap_or("unknown").to_owned(),
                revoked: text_of("revoked").map(str::to_owned),
            },
            projects,
        ));
    }
    Ok(keys)
}

/// The version of the lock file's format, as the file states it.
pub(crate) const LOCK_FORM: u64 = 1;

/// Reads the lock. An unreadable lock stops everything, because the lock forbids.
pub(crate) fn read_lock(project: &Path) -> Result<BTreeMap<String, LedgerRecord>, TrustError> {
    let path = project.join(LOCK);
    let damaged = |why: &str| TrustError::Damaged {
        path: path.clone(),
        why: why.to_owned(),
    };
    if let (Ok(real), Ok(project)) = (path.canonicalize(), project.canonicalize())
        && !real.starts_with(project)
    {
        return Err(damaged("it is a link out of the project"));
    }
    let Some(document) = read_json(&path)? else {
        return Ok(BTreeMap::new());
    };
    // The restrictions of a later format are unknown.
    if document.get("lock") != Some(&LOCK_FORM.into()) {
        return Err(damaged(&format!("its `lock` is not {LOCK_FORM}")));
    }
    let tools = document
        .get("tools")
        .and_then(Value::as_object)
        .ok_or_else(|| damaged("it has no `tools`"))?;
    tools
        .iter()
        .map(|(id, tool)| {
            let text = |name: &str| tool.get(name).and_then(Value::as_str).map(str::to_owned);
            let is_digest = |text: &String| {
                let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
                text.len() == 64 && text.bytes().all(is_hex)
            };
            let whole = text("whole");
            if whole.as_ref().is_some_and(|whole| !is_digest(whole)) {
                return Err(damaged(&format!(
                    "`whole` of `{id}` has not 64 hexadecimal digits"
                )));
            }
            let record = LedgerRecord {
                whole,
                version: text("version")
                    .ok_or_else(|| damaged(&format!("`{id}` has no `version`")))?,
                digest: text("digest").filter(is_digest).ok_or_else(|| {
                    damaged(&format!("`{id}` has no `digest` of 64 hexadecimal digits"))
                })?,
                ..LedgerRecord::default()
            };
            Ok((id.clone(), record))
        })
        .collect()
}

/// Waits until no other program changes a file, and blocks others until the result is dropped.
pub(crate) fn turn(path: &Path) -> Result<File, TrustError> {
    let lock = path.with_extension("turn");
    let failed = |source| TrustError::Io {
        path: lock.clone(),
        source,
    };
    fs::create_dir_all(lock.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(&lock).map_err(failed)?;
    #[cfg(unix)]
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)
        .map_err(|error| failed(error.into()))?;
    Ok(file)
}

/// The text of a file, if it exists. Only a regular file is opened: a pipe would never end.
fn read(path: &Path) -> Result<Option<String>, TrustError> {
    let failed = |source| TrustError::Io {
        path: path.to_owned(),
        source,
    };
    match path.metadata() {
        Ok(metadata) if metadata.is_file() => fs::read_to_string(path).map(Some).map_err(failed),
        Ok(_) => Err(TrustError::Damaged {
            path: path.to_owned(),
            why: "it is not a file".to_owned(),
        }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(source)),
    }
}

pub(crate) fn read_json(path: &Path) -> Result<Option<Value>, TrustError> {
    let Some(text) = read(path)? else {
        return Ok(None);
    };
    toolglot_value::from_str(&text)
        .map(Some)
        .map_err(|error| TrustError::Damaged {
            path: path.to_owned(),
            why: error.to_string(),
        })
}

/// Writes a file whole or not at all, with `mode` from its first byte on.
pub(crate) fn write(path: &Path, bytes: &[u8], mode: u32) -> Result<(), TrustError> {
    replace(path, bytes, mode, File::sync_all)
}

/// The same for a file whose name is its digest, which shows a reader whether the file is whole. It is not synced, as
/// syncing thousands of such files one by one would take long.
pub(crate) fn write_copy(path: &Path, bytes: &[u8]) -> Result<(), TrustError> {
    replace(path, bytes, 0o600, |_| Ok(()))
}

fn replace(
    path: &Path,
    bytes: &[u8],
    mode: u32,
    settle: fn(&File) -> io::Result<()>,
) -> Result<(), TrustError> {
    let failed = |source| TrustError::Io {
        path: path.to_owned(),
        source,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(failed)?;
    let temporary = folder.join(format!(
        ".{}.{}",
        path.file_name().unwrap_or_default().to_string_lossy(),
        std::process::id()
    ));
    let _ = fs::remove_file(&temporary);
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    let written = options
        .open(&temporary)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| settle(&file)))
        .and_then(|()| fs::rename(&temporary, path));
    written.map_err(|source| {
        let _ = fs::remove_file(&temporary);
        failed(source)
    })
}

#[cfg(unix)]
pub(crate) fn mode(path: &Path) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt;
    Some(fs::metadata(path).ok()?.permissions().mode() & 0o777)
}

#[cfg(not(unix))]
pub(crate) fn mode(_: &Path) -> Option<u32> {
    None
}

pub(crate) fn set_mode(path: &Path, mode: u32) -> Result<(), TrustError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).map_err(|source| {
            TrustError::Io {
                path: path.to_owned(),
                source,
            }
        })
    }
    #[cfg(not(unix))]
    {
        let _ = (path, mode);
        Ok(())
    }
}
