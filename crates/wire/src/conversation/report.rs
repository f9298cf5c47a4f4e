//! What a conversion counts.

/// What was carried and what was not, over all conversations of a converter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionReport {
    /// How many conversations there were.
    pub conversations: usize,
    /// How many calls were carried.
    pub calls: usize,
    /// How many results were carried.
    pub results: usize,
    /// Messages that stayed as they were: the place of each, and why.
    pub left: Vec<String>,
    /// How many of them the target would read otherwise.
    pub differ: usize,
    /// What was carried and is in doubt: the place of each, and why.
    pub doubtful: Vec<String>,
}
