//! Chains of executors: which links may follow which.

use std::collections::BTreeMap;

use thiserror::Error;
use toolglot_tool_trust::{Space, version_numbers as version};

/// One link of a chain: the tool, its runtime, .. the primitive.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its id.
    pub id: String,
    /// Where it was found.
    pub space: Option<Space>,
    /// Its version.
    pub version: Option<String>,
    /// What it needs of the link before it, where it says so.
    pub inputs: Vec<String>,
    /// What it gives to the link after it, where it says so.
    pub outputs: Vec<String>,
    /// Versions that it asks of links before it, `(minimum, maximum)` by id.
    pub constraints: BTreeMap<String, (Option<String>, Option<String>)>,
}

/// Why two links do not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// What everybody uses would depend on what one project has.
    #[error("`{id}` of the {space} space depends on `{on}` of the {on_space} space")]
    Upwards {
        /// The dependent link.
        id: String,
        /// Its space.
        space: Space,
        /// What it depends on.
        on: String,
        /// That one's space.
        on_space: Space,
    },
    /// Something is needed that is not given.
    #[error("`{id}` needs {missing:?}, which `{from}` does not give")]
    MissingInput {
        /// The link that needs it.
        id: String,
        /// What.
        missing: Vec<String>,
        /// The link before.
        from: String,
    },
    /// A version is out of the range that is asked for.
    #[error("`{id}` asks for `{of}` {bound}, and it is {found}")]
    Version {
        /// The link that asks.
        id: String,
        /// Of which link.
        of: String,
        /// What it asks for, in words.
        bound: String,
        /// The version there is.
        found: String,
    },
}

/// Looks at each link and the one after it; all that does not fit.
pub fn validate(chain: &[Link]) -> Vec<LinkError> {
    let mut bad = Vec::new();
    for pair in chain.windows(2) {
        let (child, parent) = (&pair[0], &pair[1]);
        if let (Some(space), Some(on_space)) = (child.space, parent.space)
            && on_space < space
        {
            bad.push(LinkError::Upwards {
                id: child.id.clone(),
                space,
                on: parent.id.clone(),
                on_space,
            });
        }
        let missing: Vec<String> = parent
            .inputs
            .iter()
            .filter(|input| !child.outputs.contains(input))
            .cloned()
            .collect();
        if !child.outputs.is_empty() && !missing.is_empty() {
            bad.push(LinkError::MissingInput {
                id: parent.id.clone(),
                missing,
                from: child.id.clone(),
            });
        }
        if let Some((minimum, maximum)) = parent.constraints.get(&child.id)
            && let Some(found) = &child.version
        {
            let mut tell = |bound: String| {
                bad.push(LinkError::Version {
                    id: parent.id.clone(),
                    of: child.id.clone(),
                    bound,
                    found: found.clone(),
                });
            };
            if let Some(minimum) = minimum
                && version(found) < version(minimum)
            {
                tell(format!("{minimum} or later"));
            }
            if let Some(maximum) = maximum
                && version(found) > version(maximum)
            {
                tell(format!("{maximum} or earlier"));
            }
        }
    }
    bad
}
