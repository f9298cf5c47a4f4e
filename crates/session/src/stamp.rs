//! Detects changes of the files that a session is built from.

use std::path::Path;

use toolglot_tool_trust::Spaces;

use crate::files_hash::FilesHash;
use crate::policies::Policies;

/// A stamp of the registry, the trust store and the policy files, to compare two states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SessionStamp {
    policies: FilesHash,
    project: FilesHash,
}

impl SessionStamp {
    /// The present state of the project, with the policy files as they were before they were read.
    pub(crate) fn as_read(project: &Path, policies: &Policies) -> SessionStamp {
        SessionStamp {
            policies: policies.stamp(),
            project: project_stamp(project),
        }
    }

    /// The present state of all files.
    pub(crate) fn now(project: &Path, policies: &Policies) -> SessionStamp {
        SessionStamp {
            policies: policies.stamp_now(),
            project: project_stamp(project),
        }
    }
}

fn project_stamp(project: &Path) -> FilesHash {
    const PROJECT: &[&str] = &[
        ".mcp.json",
        ".ai/toolglot.lock",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    const USER: &[&str] = &[
        ".ai/mcp.json",
        ".ai/toolglot/ledger.json",
        ".ai/tools",
        ".ai/trusted_keys",
    ];
    let of_project = PROJECT.iter().map(|file| project.join(file));
    let user = Spaces::of(project).user;
    let of_user = user
        .iter()
        .flat_map(|user| USER.iter().map(|file| user.join(file)));
    FilesHash::of(of_project.chain(of_user))
}
