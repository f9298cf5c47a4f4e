//! Letters that are not seen, or are seen as something else.

/// Whether a character shows nothing, shows a blank that is not one, or drives what shows it: controls, directions, and what
/// Unicode says may be ignored (`Default_Ignorable_Code_Point`, Unicode 16) or draws as blank.
///
/// Line breaks and tabs are controls.
pub fn is_hidden(c: char) -> bool {
    match c {
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{2800}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => c.is_control() || (c.is_whitespace() && !c.is_ascii()),
    }
}

/// Whether a character chooses how the one before it is drawn: emoji are written so.
pub(crate) fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a character joins the letters around it or keeps them apart: scripts and emoji need it.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}')
}

#[cfg(test)]
mod tests {
    use super::is_hidden;

    #[test]
    fn what_is_not_seen_is_hidden_and_letters_are_not() {
        for c in "\u{0}\n\u{7f}\u{9b}\u{a0}\u{ad}\u{200b}\u{202e}\u{2800}\u{3164}\u{115f}\u{fe0f}\u{e0041}\u{1d173}".chars() {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in " aéяक日本🦀~\u{301}".chars() {
            assert!(!is_hidden(c), "{c:?}");
        }
    }
}
