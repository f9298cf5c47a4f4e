//! `write_file`, `append_file`, `create_directory`.

use std::io::{self, Read, Write};
use std::path::Path;

use cap_std::fs::OpenOptions;
use toolglot_value::json;

use crate::encoding::Encoding;
use crate::place::{Kind, OpenError, open_regular, split};
use crate::read::SNIFFED;
use crate::replace::replace;
use crate::shown::{counted, plain, shown};
use crate::{Failure, Outcome, Root, approved_writes};

/// What happens to the present content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Old {
    Replaced,
    Kept,
}

/// Writes a text as UTF-8. Text appended to UTF-16 is encoded as UTF-16.
pub(crate) fn write(root: &Root, path: &Path, content: &str, old: Old) -> Result<Outcome, Failure> {
    if old == Old::Kept
        && let Some(encoding @ Encoding::Utf16 { .. }) = head(root, path)
        && let Ok(content) = encoding.unmarked().write(content)
    {
        return write_bytes(root, path, &content, old);
    }
    write_bytes(root, path, content.as_bytes(), old)
}

/// The encoding that the start of a file shows.
fn head(root: &Root, path: &Path) -> Option<Encoding> {
    let (file, _) = root.file(path).ok()?;
    let mut head = Vec::new();
    file.take(SNIFFED as u64).read_to_end(&mut head).ok()?;
    Encoding::of_head(&head)
}

/// Writes bytes.
pub(crate) fn write_bytes(
    root: &Root,
    path: &Path,
    content: &[u8],
    old: Old,
) -> Result<Outcome, Failure> {
    let Some((parent, name)) = split(path) else {
        return Err(Failure::IsDirectory { path: shown(path) });
    };
    let limit = root.limits.file_bytes;
    let check = |what, size| {
        if size > limit {
            Err(Failure::TooLarge {
                what,
                path: shown(path),
                size,
                limit,
            })
        } else {
            Ok(())
        }
    };
    let n_bytes = content.len() as u64;
    check("the content", n_bytes)?;

    let fail = |error: OpenError| root.explain("written", path, error);
    let dir = root
        .make_directory(parent)
        .map_err(|error| fail(error.into()))?;
    let mut options = OpenOptions::new();
    options.read(old == Old::Kept).write(true);
    let there = match open_regular(&dir, name, &mut options) {
        Ok(there) => Some(there),
        Err(OpenError::Io(error)) => match error.kind() {
            io::ErrorKind::NotFound => None,
            io::ErrorKind::PermissionDenied => return Err(Failure::ReadOnly { path: shown(path) }),
            _ => return Err(fail(error.into())),
        },
        Err(error) => return Err(fail(error)),
    };
    // The file is replaced by a rename, which needs no write permission for it. So the file was opened for writing
    // above, and this check is for users such as root.
    if there
        .as_ref()
        .is_some_and(|(_, metadata)| metadata.permissions().readonly())
    {
        return Err(Failure::ReadOnly { path: shown(path) });
    }
    let kept = there.as_ref().filter(|_| old == Old::Kept);
    let n_kept = kept.map_or(0, |(_, metadata)| metadata.len());
    let size = n_kept.saturating_add(n_bytes);
    check("the file with what is appended", size)?;

    let metadata = there.as_ref().map(|(_, metadata)| metadata);
    if old == Old::Replaced {
        // Noted before the write, since another call's program may end right after it.
        approved_writes::note(root.path(), path, content);
    }
    replace(&dir, name, metadata, |new| {
        if let Some((file, _)) = kept {
            io::copy(&mut file.take(n_kept), new)?;
        }
        new.write_all(content)
    })
    .map_err(|error| fail(error.into()))?;

    let done = match old {
        Old::Replaced => "wrote",
        Old::Kept => "appended",
    };
    let to = if there.is_none() { "the new file " } else { "" };
    let output = json!({
        "success": true,
        "path": plain(path),
        "bytesWritten": n_bytes,
        "size": size,
        "created": there.is_none(),
    });
    let text = format!("{done} {} to {to}{}", counted(n_bytes, "byte"), shown(path));
    Ok(Outcome::success(output, text))
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
