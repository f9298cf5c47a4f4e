//! Opens files and directories at resolved paths without following a link.
//!
//! Every directory on the way is opened by its parent's handle. Opening fails if a link was put there after the path
//! was resolved: the tool uses the place that the policy decided on.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, FileType, Metadata, OpenOptions};

use crate::shown::shown;
use crate::{Failure, Root};

/// The kind of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Directory,
    Link,
    /// A pipe, a socket, a device.
    Special,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Kind {
        if kind.is_symlink() {
            Kind::Link
        } else if kind.is_dir() {
            Kind::Directory
        } else if kind.is_file() {
            Kind::File
        } else {
            Kind::Special
        }
    }
}

impl Root {
    /// The directory at `path`.
    pub(crate) fn directory(&self, path: &Path) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for name in path {
            dir = dir.open_dir_nofollow(name)?;
        }
        Ok(dir)
    }

    /// The directory at `path`; creates its missing parts.
    pub(crate) fn make_directory(&self, path: &Path) -> io::Result<Dir> {
        let mut dir = self.dir.try_clone()?;
        for name in path {
            dir = match dir.open_dir_nofollow(name) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    match dir.create_dir(name) {
                        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                            return Err(error);
                        }
                        _ => dir.open_dir_nofollow(name)?,
                    }
                }
                opened => opened?,
            };
        }
        Ok(dir)
    }

    /// The kind of the entry at `path`.
    pub(crate) fn kind(&self, path: &Path) -> io::Result<Kind> {
        match split(path) {
            None => Ok(Kind::Directory),
            Some((parent, name)) => Ok(self
                .directory(parent)?
                .symlink_metadata(name)?
                .file_type()
                .into()),
        }
    }

    /// The regular file at `path`, for reading.
    pub(crate) fn file(&self, path: &Path) -> Result<(File, Metadata), Failure> {
        let Some((parent, name)) = split(path) else {
            return Err(Failure::IsDirectory { path: shown(path) });
        };
        let open = || {
            open_regular(
                &self.directory(parent)?,
                name,
                OpenOptions::new().read(true),
            )
        };
        open().map_err(|error| self.explain("read", path, error))
    }

    /// Converts a system error at `path` to the caller's error.
    pub(crate) fn explain(&self, action: &'static str, path: &Path, error: OpenError) -> Failure {
        let shown_path = || shown(path);
        match error {
            OpenError::Wrong(Kind::Directory) => Failure::IsDirectory { path: shown_path() },
            OpenError::Wrong(Kind::Link) => Failure::Changed { path: shown_path() },
            OpenError::Wrong(Kind::File | Kind::Special) => {
                Failure::NotRegular { path: shown_path() }
            }
            OpenError::Io(source) if source.kind() == io::ErrorKind::NotFound => {
                Failure::NotFound {
                    path: shown_path(),
                    nearest: shown(self.nearest(path)),
                }
            }
            OpenError::Io(source) => Failure::Io {
                action,
                path: shown_path(),
                source,
            },
        }
    }

    /// The nearest directory above `path` that exists.
    fn nearest<'p>(&self, path: &'p Path) -> &'p Path {
        let mut above = path.ancestors().skip(1);
        above
            .find(|above| self.directory(above).is_ok())
            .unwrap_or(Path::new(""))
    }
}

/// The directory and the name of a path; `None` for the root itself.
pub(crate) fn split(path: &Path) -> Option<(&Path, &OsStr)> {
    Some((path.parent()?, path.file_name()?))
}

/// Why a file was not opened.
#[derive(Debug)]
pub(crate) enum OpenError {
    /// The entry is not a regular file.
    Wrong(Kind),
    Io(io::Error),
}

impl From<io::Error> for OpenError {
    fn from(error: io::Error) -> OpenError {
        OpenError::Io(error)
    }
}

/// Opens the regular file `name` in `dir`.
///
/// It checks the kind before it opens, since opening a device can have an effect. It opens without waiting, since a
/// pipe may have no writer. It checks the opened file again, since the name may have changed.
pub(crate) fn open_regular(
    dir: &Dir,
    name: &OsStr,
    options: &mut OpenOptions,
) -> Result<(File, Metadata), OpenError> {
    regular(&dir.symlink_metadata(name)?)?;
    let file = dir.open_with(name, options.follow(FollowSymlinks::No).nonblock(true))?;
    let metadata = file.metadata()?;
    regular(&metadata)?;
    Ok((file, metadata))
}

fn regular(metadata: &Metadata) -> Result<(), OpenError> {
    match Kind::from(metadata.file_type()) {
        Kind::File => Ok(()),
        other => Err(OpenError::Wrong(other)),
    }
}
