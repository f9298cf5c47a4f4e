//! The counts of a conversion.

/// The converted and unchanged data, over all conversations of a converter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConversionReport {
    /// The number of conversations.
    pub conversations: usize,
    /// The number of converted calls.
    pub calls: usize,
    /// The number of converted results.
    pub results: usize,
    /// Unchanged messages: the place and the reason of each.
    pub left: Vec<String>,
    /// The number of those that the target would read differently.
    pub differ: usize,
    /// Converted values that are in doubt: the place and the reason of each.
    pub doubtful: Vec<String>,
}
