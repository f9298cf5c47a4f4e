//! Hashes JSON while it is written: arguments may be large, and their text is never stored.

use std::io;

use sha2::{Digest, Sha256};

/// A writer that hashes its input.
#[derive(Debug, Default)]
pub(crate) struct HashWriter(Sha256);

impl HashWriter {
    /// The SHA-256 of the whole input.
    pub(crate) fn hash(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

impl io::Write for HashWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
