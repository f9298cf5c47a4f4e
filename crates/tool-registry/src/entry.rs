//! A file in a listing.

use toolglot_tool_files::ItemId;
use toolglot_tool_trust::Space;

/// A file in a listing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The id that it is called by.
    pub id: ItemId,
    /// The space that it is in.
    pub space: Space,
    /// Its extension.
    pub extension: &'static str,
}
