//! Characters that are invisible, or that look like other characters.

/// Whether a character is invisible, is a blank other than a space, or controls the display. These are controls,
/// directions, and what Unicode may ignore (`Default_Ignorable_Code_Point`, Unicode 16) or draws as blank.
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

/// Whether a character is a variation selector: it chooses how the character before it is drawn, in emoji for example.
pub(crate) fn is_presentation(c: char) -> bool {
    matches!(c, '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a character joins or separates the letters around it: some scripts and emoji need such characters.
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
