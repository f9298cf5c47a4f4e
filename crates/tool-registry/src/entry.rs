//! A file of a listing.

use toolglot_tool_files::ItemId;
use toolglot_tool_trust::Space;

/// A file of a listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// What it is called by.
    pub id: ItemId,
    /// Whose it is.
    pub space: Space,
    /// Its extension.
    pub extension: &'static str,
}
