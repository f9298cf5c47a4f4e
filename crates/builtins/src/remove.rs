//! `delete_file` and `move_file`.

use std::path::Path;

use toolglot_value::json;

use crate::place::{Kind, split};
use crate::shown::{plain, shown};
use crate::subtree::refused_below;
use crate::{Failure, Outcome, Root};

/// Deletes one file. For a link the target is deleted, since paths are resolved.
pub(crate) fn delete(root: &Root, path: &Path) -> Result<Outcome, Failure> {
    let Some((parent, name)) = split(path) else {
        return Err(Failure::IsDirectory { path: shown(path) });
    };
    let fail = |error: std::io::Error| root.explain("deleted", path, error.into());
    let dir = root.directory(parent).map_err(fail)?;
    let metadata = dir.symlink_metadata(name).map_err(fail)?;
    match Kind::from(metadata.file_type()) {
        Kind::File => {}
        Kind::Directory => return Err(Failure::DeletesDirectory { path: shown(path) }),
        Kind::Link => return Err(Failure::Changed { path: shown(path) }),
        Kind::Special => return Err(Failure::NotRegular { path: shown(path) }),
    }
    dir.remove_file(name).map_err(fail)?;
    let output = json!({"success": true, "path": plain(path), "bytesDeleted": metadata.len()});
    Ok(Outcome::success(output, format!("deleted {}", shown(path))))
}

/// Moves a file or directory. Nothing is replaced.
pub(crate) fn move_file(root: &Root, from: &Path, to: &Path) -> Result<Outcome, Failure> {
    let (Some((from_parent, from_name)), Some((to_parent, to_name))) = (split(from), split(to))
    else {
        return Err(Failure::IsDirectory {
            path: shown(Path::new("")),
        });
    };
    if root.kind(to).is_ok() {
        return Err(Failure::Exists { path: shown(to) });
    }
    if to.starts_with(from) {
        return Err(Failure::IntoItself { path: shown(from) });
    }
    let source = root
        .directory(from_parent)
        .map_err(|error| root.explain("moved", from, error.into()))?;
    let metadata = source
        .symlink_metadata(from_name)
        .map_err(|error| root.explain("moved", from, error.into()))?;
    match Kind::from(metadata.file_type()) {
        Kind::File => {}
        Kind::Directory => {
            if let Some(held) = refused_below(root, from, to) {
                return Err(Failure::HoldsRefused {
                    path: shown(from),
                    held: shown(&held),
                });
            }
        }
        Kind::Link => return Err(Failure::Changed { path: shown(from) }),
        Kind::Special => return Err(Failure::NotRegular { path: shown(from) }),
    }
    let target = root
        .make_directory(to_parent)
        .map_err(|error| root.explain("moved to", to, error.into()))?;
    source
        .rename(from_name, &target, to_name)
        .map_err(|error| root.explain("moved to", to, error.into()))?;
    let output = json!({"success": true, "from": plain(from), "to": plain(to)});
    Ok(Outcome::success(
        output,
        format!("moved {} to {}", shown(from), shown(to)),
    ))
}
