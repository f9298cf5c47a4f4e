//! How a text was read that is searched for look-alikes.

use toolglot_engine::Dialect;
use toolglot_toolset::Toolbox;

use super::cache::LookalikeCache;
use crate::reader::Reader;

/// How a text was read.
#[derive(Clone, Copy, Debug)]
pub struct LookalikeContext<'a> {
    /// The dialects that it was read with.
    pub dialects: &'a [Dialect],
    /// The tools that the caller named.
    pub toolbox: Option<&'a Toolbox>,
    /// The reader of the text.
    pub reader: &'a Reader,
    /// The cached data of earlier messages with these dialects and tools.
    pub cache: &'a LookalikeCache,
}
