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
    /// The inputs that it needs from the link before it, where it declares them.
    pub inputs: Vec<String>,
    /// The outputs that it gives to the link after it, where it declares them.
    pub outputs: Vec<String>,
    /// Version bounds for the links before it, `(minimum, maximum)` by id.
    pub constraints: BTreeMap<String, (Option<String>, Option<String>)>,
}

/// Why two links do not fit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A link of a wider space would depend on a link of a narrower one.
    #[error("`{id}` of the {space} space depends on `{on}` of the {on_space} space")]
    Upwards {
        /// The dependent link.
        id: String,
        /// Its space.
        space: Space,
        /// What it depends on.
        on: String,
        /// The space of that link.
        on_space: Space,
    },
    /// A link needs an input that the link before it does not give.
    #[error("`{id}` needs {missing:?}, which `{from}` does not give")]
    MissingInput {
        /// The link that needs it.
        id: String,
        /// The missing inputs.
        missing: Vec<String>,
        /// The link before.
        from: String,
    },
    /// A version is out of the required range.
    #[error("`{id}` asks for `{of}` {bound}, and it is {found}")]
    Version {
        /// The link that requires it.
        id: String,
        /// The link with that version.
        of: String,
        /// The required bound, in words.
        bound: String,
        /// The version that was found.
        found: String,
    },
}

/// Checks each link against the one after it, and returns every misfit.
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
            let mut report = |bound: String| {
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
                report(format!("{minimum} or later"));
            }
            if let Some(maximum) = maximum
                && version(found) > version(maximum)
            {
                report(format!("{maximum} or earlier"));
            }
        }
    }
    bad
}
