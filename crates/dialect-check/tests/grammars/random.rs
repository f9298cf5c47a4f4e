//! A generator of numbers, and of the texts in calls.

use crate::grammars::rules::Grammar;

/// Numbers determined by a seed (splitmix64, Steele, Lea and Flood 2014).
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(super) fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    /// True once in `n`.
    pub(super) fn chance(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub(super) fn one<'t, T>(&mut self, all: &'t [T]) -> &'t T {
        &all[self.below(all.len())]
    }

    pub(super) fn word(&mut self) -> &'static str {
        self.one::<&str>(&[
            "a",
            "src/main.rs",
            "cats",
            "x1",
            "Größe",
            "the",
            "42",
            "true",
            "no",
        ])
    }

    /// A text: words with signs between; if `is_wild`, also literals of the grammar, whole or in part.
    pub(super) fn text(&mut self, grammar: &Grammar, is_wild: bool) -> String {
        const SIGNS: &[&str] = &[
            " ", " ", " ", ", ", ". ", "\n", "\n  ", ": ", "=", "\"", "'", "<", "</", ">", "<b>",
            "</b>", "{", "}", "[1]", "(", ")", "|", "&amp;", "\\", "\\n", " -- ", " --x ", "#",
            "`", "@", ";", "/", "key: ", "a=1 ", "\t", "\r\n", "-", "$", "%", "!",
        ];
        let mut text = String::new();
        for n in 0..=self.below(4) {
            if n > 0 {
                if is_wild && self.chance(3) {
                    let literal = self.one(&grammar.literals).clone();
                    let cut = if self.chance(2) {
                        literal.len()
                    } else {
                        self.below(literal.len() + 1)
                    };
                    text.push_str(literal.get(..cut).unwrap_or(""));
                } else {
                    text.push_str(self.one::<&str>(SIGNS));
                }
            }
            text.push_str(self.word());
        }
        text
    }
}
