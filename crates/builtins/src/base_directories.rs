//! The directories that a word of a command may be relative to.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::Root;

/// The most base directories that are followed.
const MOST_DIRECTORIES: usize = 64;

/// Options whose value is the directory that a program changes to.
const DIRECTORY_OPTIONS: &[&str] = &["-C", "--chdir", "--directory"];

/// The possible working directories within a command: any `cd` may fail, or may not be reached.
#[derive(Debug)]
pub(crate) struct BaseDirectories {
    /// Paths below the root in the order of discovery; paths that lead out of the root are as written.
    pub(crate) paths: Vec<String>,
    /// Whether there are more directories than were followed.
    pub(crate) has_more: bool,
}

impl BaseDirectories {
    pub(crate) fn of(root: &Root, commands: &[Vec<String>], cwd: &str) -> BaseDirectories {
        let mut found = BaseDirectories {
            paths: vec![cwd.to_owned()],
            has_more: false,
        };
        let mut known = BTreeSet::from([cwd.to_owned()]);
        let mut looked: BTreeMap<&str, usize> = BTreeMap::new();
        // The directory if every `cd` succeeds, including one into a directory that an earlier command makes.
        let mut chain = cwd.to_owned();
        for to in commands.iter().flat_map(|words| changes(words)) {
            // Each target is looked up once from each directory.
            let n_looked = looked.insert(to, found.paths.len()).unwrap_or(0);
            let others = found.paths[n_looked..].iter();
            let others = others.filter_map(|base| existing(root, &joined(base, to)));
            let others: Vec<String> = others.collect();
            let next = joined(&chain, to);
            chain = root
                .resolve(&next)
                .map_or(next, |inside| shown(&inside.path));
            for place in others.into_iter().chain([chain.clone()]) {
                if !known.insert(place.clone()) {
                    continue;
                }
                if found.paths.len() == MOST_DIRECTORIES {
                    found.has_more = true;
                    return found;
                }
                found.paths.push(place);
            }
        }
        found
    }
}

/// A word as a path relative to a directory.
pub(crate) fn joined(base: &str, word: &str) -> String {
    if Path::new(word).is_absolute() {
        word.to_owned()
    } else {
        format!("{base}/{word}")
    }
}

/// The directories that one command changes to.
fn changes(words: &[String]) -> Vec<&str> {
    if let [program, to] = words
        && program == "cd"
    {
        return vec![to];
    }
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        for option in DIRECTORY_OPTIONS {
            let Some(value) = word.strip_prefix(option) else {
                continue;
            };
            match value.strip_prefix('=') {
                Some(value) => found.push(value),
                None if value.is_empty() => found.extend(words.get(at + 1).map(String::as_str)),
                None if !option.starts_with("--") => found.push(value),
                None => {}
            }
        }
    }
    found
}

/// The directory below the root that a path leads to, without links.
fn existing(root: &Root, path: &str) -> Option<String> {
    let inside = root.resolve(path).ok()?;
    root.directory(&inside.path)
        .is_ok()
        .then(|| shown(&inside.path))
}

fn shown(path: &Path) -> String {
    let path = path.to_string_lossy();
    if path.is_empty() {
        ".".into()
    } else {
        path.into()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn of(root: &Root, text: &str) -> (String, bool) {
        let commands: Vec<Vec<String>> = text
            .split(';')
            .map(|words| words.split_whitespace().map(str::to_owned).collect())
            .collect();
        let found = BaseDirectories::of(root, &commands, ".");
        (found.paths.join(" "), found.has_more)
    }

    #[test]
    fn each_directory_that_may_be_in_force_is_found() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        fs::create_dir_all(folder.path().join("a/b"))?;
        fs::create_dir(folder.path().join("b"))?;
        #[cfg(unix)]
        std::os::unix::fs::symlink("a/b", folder.path().join("link"))?;
        let root = Root::open(folder.path())?;
        for (text, expected) in [
            ("cat a", "."),
            ("cd a", ". a"),
            // After a `cd` that fails, the next one starts in the old directory.
            ("cd none; cd b", ". none b none/b"),
            ("cd a; cd b", ". a b a/b"),
            ("cd a; cd ..; cd b", ". a b a/b"),
            ("cd made; cd deep", ". made made/deep"),
            ("cd link; cd ..", ". a/b a"),
            ("cd a b", "."),
            (
                "git -C a log; make -Cb --directory=a/b; env --chdir a x",
                ". a b a/b a/b/a/b a/b/a/b/a",
            ),
            ("grep -C 3 x", ". 3"),
            ("cd /etc", ". /etc"),
            ("cd a; cd ../..; cd x", ". a a/../.. a/../../x"),
        ] {
            let (found, has_more) = of(&root, text);
            assert_eq!(found, expected, "{text}");
            assert!(!has_more, "{text}");
        }
        Ok(())
    }

    #[test]
    fn more_directories_than_are_followed_are_said_to_be_there() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let mut commands = Vec::new();
        for n in 0..MOST_DIRECTORIES {
            let name = format!("d{n}");
            fs::create_dir(folder.path().join(&name))?;
            commands.push(format!("cd {name};cd .."));
        }
        let root = Root::open(folder.path())?;
        let (last, others) = commands.split_last().expect("there are some");
        assert!(!of(&root, &others.join(";")).1);
        assert!(of(&root, &[others.join(";"), last.clone()].join(";")).1);
        assert!(!of(&root, &"cd d1;cd ..;".repeat(1000)).1);
        Ok(())
    }
}
