//! Finding the program that a word names.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::sys;
use crate::SandboxError;

/// The directories where programs are looked up without `PATH`.
const USUAL: &str = "/usr/local/bin:/usr/bin:/bin";

/// The `PATH` of a program in a sandbox: only the directories that lead into `reach`.
///
/// `pyenv`, `nvm` and `cargo` put a directory of a home before the others. Shells would find a program there first, and
/// the sandbox would refuse it, so that the system's own program is never tried. A relative directory would depend on
/// the working directory, which the model chooses. Nothing is made readable: a policy can do that.
pub(super) fn reachable(path: &OsStr, reach: &[&Path]) -> OsString {
    let is_reached = |directory: &PathBuf| {
        directory.is_absolute()
            && directory
                .canonicalize()
                .is_ok_and(|real| reach.iter().any(|place| real.starts_with(place)))
    };
    let reached = std::env::split_paths(path).filter(is_reached);
    // A part of a text that was split at colons contains no colon.
    let joined = std::env::join_paths(reached).unwrap_or_default();
    if joined.is_empty() {
        USUAL.into()
    } else {
        joined
    }
}

/// The file that `name` names: a path if it contains a slash, otherwise the first match along `PATH`.
///
/// In a sandbox only files inside `reach` match: an unreadable program counts as missing, and a later one may match.
pub(super) fn find(
    name: &OsStr,
    env: &[(OsString, OsString)],
    cwd: &Path,
    reach: Option<&[&Path]>,
) -> Result<PathBuf, SandboxError> {
    let not_found = || SandboxError::NotFound {
        name: name.to_string_lossy().into_owned(),
    };
    if name.is_empty() {
        return Err(SandboxError::NoProgram);
    }
    let fits = |path: PathBuf| -> Option<PathBuf> {
        let metadata = path.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let real = path.canonicalize().ok()?;
        let is_reached =
            reach.is_none_or(|reach| reach.iter().any(|place| real.starts_with(place)));
        is_reached.then_some(path)
    };
    if name.as_bytes().contains(&b'/') {
        return fits(cwd.join(name)).ok_or_else(not_found);
    }
    let path = env
        .iter()
        .find(|(known, _)| known == "PATH")
        .map(|(_, value)| value.as_os_str());
    let directories = std::env::split_paths(path.unwrap_or(OsStr::new(USUAL)));
    // Without a sandbox `PATH` may contain relative directories.
    let mut candidates = directories
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name));
    candidates.find_map(fits).ok_or_else(not_found)
}

/// The loader in a program's ELF header (`PT_INTERP`, 64 bits, the byte order of this machine). `None` for a program
/// without a loader, and for a file that is not such a program: starting it would start another program.
pub(super) fn loader(program: &Path) -> Option<PathBuf> {
    let mut head = Vec::new();
    std::fs::File::open(program)
        .ok()?
        .take(64 << 10)
        .read_to_end(&mut head)
        .ok()?;
    if !head.starts_with(b"\x7fELF\x02") {
        return None;
    }
    let number = |at: usize, size: usize| -> Option<usize> {
        let mut bytes = [0; 8];
        let found = head.get(at..at + size)?;
        if cfg!(target_endian = "little") {
            bytes[..size].copy_from_slice(found);
        } else {
            bytes[8 - size..].copy_from_slice(found);
        }
        usize::try_from(u64::from_ne_bytes(bytes)).ok()
    };
    let (table, size, n) = (number(32, 8)?, number(54, 2)?, number(56, 2)?);
    (0..n).find_map(|index| {
        let entry = table.checked_add(index.checked_mul(size)?)?;
        // `PT_INTERP` is 3. Its offset follows the kind and the flags, its length comes later.
        if number(entry, 4)? != 3 {
            return None;
        }
        let (start, length) = (
            number(entry.checked_add(8)?, 8)?,
            number(entry.checked_add(32)?, 8)?,
        );
        let name = head
            .get(start..start.checked_add(length)?)?
            .strip_suffix(b"\0")?;
        Some(PathBuf::from(OsStr::from_bytes(name)))
    })
}

/// The number of processes and threads of this user.
pub(super) fn n_own_tasks() -> u64 {
    let (user, _) = sys::ids();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return 0;
    };
    let own = entries.flatten().filter(|entry| {
        entry
            .file_name()
            .as_bytes()
            .first()
            .is_some_and(u8::is_ascii_digit)
    });
    let tasks = own.filter_map(|entry| entry.path().join("task").metadata().ok());
    // A directory has a link for each directory in it, and two more.
    tasks
        .filter(|task| task.uid() == user)
        .map(|task| task.nlink().saturating_sub(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::path::Path;

    use super::{USUAL, loader, reachable};

    #[test]
    fn a_program_names_its_loader_and_a_script_names_none() {
        let shell = std::fs::canonicalize("/bin/sh").expect("there is a shell");
        let loader_of_shell = loader(&shell).expect("a shell is linked");
        assert!(loader_of_shell.is_absolute() && loader_of_shell.exists());
        let base = tempfile::tempdir().expect("a directory");
        for text in ["#!/bin/sh\n", "", "\u{7f}ELF"] {
            let path = base.path().join("script");
            std::fs::write(&path, text).expect("written");
            assert_eq!(loader(&path), None, "{text:?}");
        }
        assert_eq!(loader(&base.path().join("none")), None);
    }

    #[test]
    fn only_directories_that_can_be_run_from_stay_in_the_path() {
        let base = tempfile::tempdir().expect("a directory");
        let real = base.path().canonicalize().expect("it is there");
        for name in ["home/shims", "granted/bin"] {
            std::fs::create_dir_all(real.join(name)).expect("made");
        }
        std::os::unix::fs::symlink(real.join("home/shims"), real.join("granted/link"))
            .expect("made");
        let granted = real.join("granted");
        let reach = [Path::new("/usr"), granted.as_path()];
        let base = real.to_str().expect("a plain name");
        for (path, expected) in [
            (
                format!("{base}/home/shims:/usr/bin:{base}/granted/bin"),
                format!("/usr/bin:{base}/granted/bin"),
            ),
            // A link out of a granted directory, a missing one, relative ones, and the empty name that means "here".
            (
                format!("{base}/granted/link:{base}/none:bin:.::/usr/bin"),
                "/usr/bin".to_owned(),
            ),
            (format!("{base}/home/shims"), USUAL.to_owned()),
            (String::new(), USUAL.to_owned()),
        ] {
            assert_eq!(
                reachable(OsStr::new(&path), &reach),
                OsStr::new(&expected),
                "{path}"
            );
        }
    }
}
