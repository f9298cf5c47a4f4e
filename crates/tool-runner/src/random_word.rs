//! Random words.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A random marker that no ordinary text contains.
pub(crate) fn nonce() -> String {
    format!("\u{1}toolglot:{}:", random_word())
}

/// 32 letters.
pub(crate) fn random_word() -> String {
    static N_WORDS: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0_u8; 16];
    // Without random bytes the clock and a counter distinguish two calls; a tool cannot see them.
    if getrandom::fill(&mut bytes).is_err() {
        let n = N_WORDS.fetch_add(1, Ordering::Relaxed);
        let now = format!("{:?}{n}", Instant::now());
        bytes
            .iter_mut()
            .zip(now.bytes().rev())
            .for_each(|(to, from)| *to = from);
    }
    let mut word = String::with_capacity(32);
    for byte in bytes {
        word.push(char::from(b'a' + (byte >> 4)));
        word.push(char::from(b'a' + (byte & 15)));
    }
    word
}
