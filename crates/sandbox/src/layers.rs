//! The layers of a sandbox.

use crate::Isolation;

/// The layers that a sandbox can use on this machine, for this user.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layers {
    /// Every layer that was probed.
    pub layers: Vec<Layer>,
}

/// One layer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layer {
    /// The name of the layer.
    pub name: &'static str,
    /// The weakest level that needs the layer; `None` if no level needs it, and it is used where available.
    pub needed_by: Option<Isolation>,
    /// The available feature, or the reason why it is missing.
    pub found: Result<String, String>,
}

impl Layers {
    /// The strongest level that is available here; `None` where nothing can be run at all.
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
