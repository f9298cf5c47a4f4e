//! `write_file`, `append_file`, `create_directory`.

use std::io::{self, Read, Write};
use std::path::Path;

use cap_std::fs::{File, Metadata, OpenOptions};
use serde_json::json;

use crate::place::{Kind, OpenError, open_regular, split};
use crate::replace::replace;
use crate::shown::{counted, plain, shown};
use crate::{Failure, Outcome, Root};

/// What becomes of the content that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Old {
    Replaced,
    Kept,
}

pub(crate) fn write(root: &Root, path: &Path, content: &str, old: Old) -> Result<Outcome, Failure> {
    let Some((parent, name)) = split(path) else {
        return Err(Failure::IsDirectory { path: shown(path) });
    };
    let limit = root.limits.file_bytes;
    let too_large = |what, size| Failure::TooLarge {
        what,
        path: shown(path),
        size,
        limit,
    };
    let n_bytes = content.len() as u64;
    if n_bytes > limit {
        return Err(too_large("the content", n_bytes));
    }
    let fail = |error: OpenError| root.explain("written", path, error);
    let dir = root
        .make_directory(parent)
        .map_err(|error| fail(error.into()))?;
    let there = match open_regular(
        &dir,
        name,
        OpenOptions::new().read(old == Old::Kept).write(true),
    ) {
        Ok((file, metadata)) => Some(changeable(file, metadata, path)?),
        Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::NotFound => None,
        Err(OpenError::Io(error)) if error.kind() == io::ErrorKind::PermissionDenied => {
            return Err(Failure::ReadOnly { path: shown(path) });
        }
        Err(error) => return Err(fail(error)),
    };
    let n_before = there
        .as_ref()
        .filter(|_| old == Old::Kept)
        .map_or(0, |(_, metadata)| metadata.len());
    if n_before.saturating_add(n_bytes) > limit {
        return Err(too_large(
            "the file with what is appended",
            n_before.saturating_add(n_bytes),
        ));
    }
    let (is_new, metadata) = (
        there.is_none(),
        there.as_ref().map(|(_, metadata)| metadata.clone()),
    );
    replace(&dir, name, metadata.as_ref(), |new| {
        if let Some((file, _)) = there
            && old == Old::Kept
        {
            io::copy(&mut file.take(n_before), new)?;
        }
        new.write_all(content.as_bytes())
    })
    .map_err(|error| fail(error.into()))?;

    let (done, size) = match old {
        Old::Replaced => ("wrote", n_bytes),
        Old::Kept => ("appended", n_before + n_bytes),
    };
    let output = json!({
        "success": true,
        "path": plain(path),
        "bytesWritten": n_bytes,
        "size": size,
        "created": is_new,
    });
    let to = if is_new { "the new file " } else { "" };
    Ok(Outcome::success(
        output,
        format!("{done} {} to {to}{}", counted(n_bytes, "byte"), shown(path)),
    ))
}

/// A file that may be written, although it is another one that takes its place: renaming asks only whether
/// the directory may be changed.
fn changeable(file: File, metadata: Metadata, path: &Path) -> Result<(File, Metadata), Failure> {
    if metadata.permissions().readonly() {
        return Err(Failure::ReadOnly { path: shown(path) });
    }
    Ok((file, metadata))
}

pub(crate) fn create_directory(root: &Root, path: &Path) -> Result<Outcome, Failure> {
    let is_new = match root.kind(path) {
        Ok(Kind::Directory) => false,
        Ok(_) => return Err(Failure::NotDirectory { path: shown(path) }),
        Err(_) => {
            root.make_directory(path)
                .map_err(|error| root.explain("created", path, error.into()))?;
            true
        }
    };
    let output = json!({"success": true, "path": plain(path), "created": is_new});
    let text = if is_new {
        "created the directory"
    } else {
        "there already is a directory"
    };
    Ok(Outcome::success(output, format!("{text} {}", shown(path))))
}
