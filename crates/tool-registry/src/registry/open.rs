//! A file below a directory: opened without leaving it, read once.

use std::io::{self, Read};

use cap_fs_ext::OpenOptionsSyncExt;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use crate::FindError;
use toolglot_tool_files::MAX_BYTES;

/// The text of a file below `dir`; `None` if it does not exist.
pub(super) fn read(dir: &Dir, relative: &str) -> Result<Option<String>, FindError> {
    let path = || relative.to_owned();
    let failed = |error| failure(error, relative);
    // Opening never blocks: a pipe is closed again.
    let opened = dir.open_with(relative, OpenOptions::new().read(true).nonblock(true));
    let file = match opened {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        // A path that cannot be opened may be a directory or a socket.
        Err(error) => {
            let metadata = dir.metadata(relative).ok();
            let checked = metadata.map(|metadata| is_text_file(&metadata, relative));
            return match checked {
                Some(Ok(false)) => Ok(None),
                Some(Err(refusal)) => Err(refusal),
                _ => Err(failed(error)),
            };
        }
    };
    let metadata = file.metadata().map_err(failed)?;
    if !is_text_file(&metadata, relative)? {
        return Ok(None);
    }
    let mut bytes = Vec::with_capacity(metadata.len() as usize + 1);
    file.take(MAX_BYTES as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(failed)?;
    if bytes.len() > MAX_BYTES {
        return Err(FindError::TooLarge {
            path: path(),
            bytes: bytes.len() as u64,
        });
    }
    String::from_utf8(bytes)
        .map(Some)
        .map_err(|_| FindError::NotText { path: path() })
}

/// Whether a folder does not exist: then no file name in it has to be tried.
pub(super) fn lacks(dir: &Dir, folder: &str) -> bool {
    !folder.is_empty() && dir.metadata(folder).is_err_and(|error| is_absent(&error))
}

fn is_absent(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
    )
}

/// Whether a file may be a tool. A directory is not one, and not an error.
fn is_text_file(metadata: &Metadata, relative: &str) -> Result<bool, FindError> {
    let path = || relative.to_owned();
    if metadata.is_dir() {
        return Ok(false);
    }
    if !metadata.is_file() {
        return Err(FindError::NotRegular { path: path() });
    }
    if metadata.len() > MAX_BYTES as u64 {
        return Err(FindError::TooLarge {
            path: path(),
            bytes: metadata.len(),
        });
    }
    Ok(true)
}

pub(super) fn failure(error: io::Error, path: &str) -> FindError {
    let path = path.to_owned();
    // The error of cap-std for a path that leads out of its directory.
    if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
        return FindError::Escapes { path };
    }
    FindError::Io {
        path,
        source: error,
    }
}
