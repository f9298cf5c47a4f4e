//! Data on standard output.

use std::io::{self, Write};

/// Writes a value as one line of JSON.
pub(crate) fn write_line(out: &mut dyn Write, value: &impl serde::Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *out, value)?;
    out.write_all(b"\n")
}
