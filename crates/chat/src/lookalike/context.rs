//! How the text was read in which look-alikes are looked for.

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
    /// What read it.
    pub reader: &'a Reader,
    /// What earlier messages of these dialects and tools have prepared.
    pub cache: &'a LookalikeCache,
}
