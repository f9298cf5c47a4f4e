//! Rows from a file of one JSON value per line, compressed or not.

use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::batch::Batch;
use crate::compression::Compression;
use crate::limits::Limits;

/// Counts the bytes read from a reader.
pub(crate) struct CountingReader<R> {
    inner: R,
    n_read: Arc<AtomicU64>,
}

impl<R> CountingReader<R> {
    pub(crate) fn new(inner: R, n_read: Arc<AtomicU64>) -> CountingReader<R> {
        CountingReader { inner, n_read }
    }
}

impl<R: BufRead> Read for CountingReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(into)?;
        self.n_read.fetch_add(n as u64, Ordering::Relaxed);
        Ok(n)
    }
}

impl<R: BufRead> BufRead for CountingReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, n: usize) {
        self.inner.consume(n);
        self.n_read.fetch_add(n as u64, Ordering::Relaxed);
    }
}

/// The number of bytes per read from a file.
const BUFFER: usize = 256 << 10;

/// Reads lines.
pub(crate) struct LineSource {
    input: BufReader<Box<dyn Read + Send>>,
    next_row: u64,
    /// The error after the last row, kept until the rows before it are returned.
    failure: Option<io::Error>,
}

impl LineSource {
    /// The lines of `input`, whose bytes are counted as they are read.
    pub(crate) fn new(
        input: impl Read + Send + 'static,
        n_read: Arc<AtomicU64>,
    ) -> io::Result<(LineSource, Compression)> {
        let mut input = BufReader::with_capacity(BUFFER, input);
        let compression = Compression::of_start(input.fill_buf()?);
        let decoder = compression.decoder(CountingReader::new(input, n_read))?;
        let source = LineSource {
            input: BufReader::with_capacity(BUFFER, decoder),
            next_row: 0,
            failure: None,
        };
        Ok((source, compression))
    }

    /// The next rows, as many as the limits allow and no more than `n_rows`; no rows at the end of the input.
    pub(crate) fn next(&mut self, limits: &Limits, n_rows: u64) -> io::Result<Batch> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        let most = limits
            .batch_rows
            .min(usize::try_from(n_rows).unwrap_or(usize::MAX));
        let mut batch = Batch::new(self.next_row);
        while batch.len() < most && batch.n_bytes() < limits.batch_bytes {
            match self.line(&mut batch, limits.row_bytes) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if batch.is_empty() => return Err(error),
                Err(error) => {
                    // A part of a row is not a row.
                    batch.drop_row();
                    self.failure = Some(error);
                    break;
                }
            }
        }
        self.next_row += batch.len() as u64;
        Ok(batch)
    }

    /// Adds the next nonblank line; `false` at the end of the input.
    fn line(&mut self, batch: &mut Batch, most: usize) -> io::Result<bool> {
        let start = batch.row_start();
        let mut n_bytes: u64 = 0;
        loop {
            let buffer = match self.input.fill_buf() {
                Ok(buffer) => buffer,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => {
                    batch.drop_row();
                    return Err(error);
                }
            };
            let is_end = buffer.is_empty();
            let newline = memchr::memchr(b'\n', buffer);
            let piece = &buffer[..newline.unwrap_or(buffer.len())];
            n_bytes += piece.len() as u64;
            let room = most.saturating_sub(batch.n_bytes() - start);
            let text = batch.text_mut();
            text.extend_from_slice(&piece[..piece.len().min(room)]);
            let n_taken = piece.len() + usize::from(newline.is_some());
            self.input.consume(n_taken);
            if newline.is_none() && !is_end {
                continue;
            }
            if n_bytes > most as u64 {
                batch.end_row(Some(n_bytes));
                return Ok(true);
            }
            if !batch.text_mut()[start..].trim_ascii().is_empty() {
                batch.end_row(None);
                return Ok(true);
            }
            batch.drop_row();
            if is_end {
                return Ok(false);
            }
            n_bytes = 0;
        }
    }

    /// Skips rows that an earlier run read.
    pub(crate) fn skip(&mut self, limits: &Limits, n_rows: u64) -> io::Result<()> {
        let end = self.next_row + n_rows;
        while self.next_row < end {
            if self.next(limits, end - self.next_row)?.is_empty() {
                break;
            }
        }
        Ok(())
    }
}
