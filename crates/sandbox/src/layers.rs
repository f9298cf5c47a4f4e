//! What a sandbox can be built of.

use crate::Isolation;

/// What a sandbox can be built of, on this machine, for this user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layers {
    /// Every layer that was looked for.
    pub layers: Vec<Layer>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layer {
    /// Its name.
    pub name: &'static str,
    /// The levels from this on need it; `None` if it is used where it is there, and nothing waits for it.
    pub needed_by: Option<Isolation>,
    /// What is there, or why it is not.
    pub found: Result<String, String>,
}

impl Layers {
    /// The strongest level that can be held here; `None` where nothing can be run at all.
    pub fn level(&self) -> Option<Isolation> {
        [Isolation::Namespaces, Isolation::Landlock, Isolation::Plain]
            .into_iter()
            .find(|level| self.missing(*level).is_none())
    }

    /// The first layer that a level needs and that is missing.
    pub fn missing(&self, level: Isolation) -> Option<&Layer> {
        self.layers.iter().find(|layer| {
            layer.found.is_err() && layer.needed_by.is_some_and(|needed| needed <= level)
        })
    }
}
