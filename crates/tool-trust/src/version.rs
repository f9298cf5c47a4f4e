//! Versions, for comparison.

/// A version as numbers, for comparison; a part that is not a number counts as 0, and parts after the third do not
/// count.
///
/// ```
/// use toolglot_tool_trust::version_numbers;
///
/// assert!(version_numbers("1.10.0") > version_numbers("1.9.2"));
/// assert_eq!(version_numbers("2"), [2, 0, 0]);
/// ```
pub fn version_numbers(text: &str) -> [u64; 3] {
    let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}
