//! The spaces of tools, and their directories.

use std::fmt;
use std::path::{Path, PathBuf};

/// Whose tools; an earlier space shadows a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Those of the project.
    Project,
    /// Those of the user.
    User,
    /// Those that come with toolglot.
    System,
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Project => "project",
            Space::User => "user",
            Space::System => "system",
        })
    }
}

/// The directories that hold `.ai`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spaces {
    /// The project's root.
    pub project: Option<PathBuf>,
    /// The user's home.
    pub user: Option<PathBuf>,
}

impl Spaces {
    /// A project, and the user's home as the environment has it: `USER_SPACE`, or else `HOME`.
    pub fn of(project: &Path) -> Spaces {
        let home = ["USER_SPACE", "HOME"]
            .iter()
            .find_map(|name| std::env::var_os(name).filter(|value| !value.is_empty()));
        Spaces {
            project: Some(project.to_owned()),
            user: home.map(PathBuf::from),
        }
    }
}
