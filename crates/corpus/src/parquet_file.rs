//! Rows from a Parquet file, each as the text of one JSON object.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_json::LineDelimitedWriter;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader,
    ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use crate::batch::Batch;
use crate::columns::Columns;
use crate::error::CorpusError;
use crate::limits::Limits;

/// Reads the row groups in order, and only the needed columns.
pub(crate) struct ParquetSource {
    file: File,
    metadata: ArrowReaderMetadata,
    /// The columns that are read; `None` for all.
    columns: Option<Vec<String>>,
    n_read: Arc<AtomicU64>,
    next_group: usize,
    /// The number of rows to skip in the next group.
    n_skipped: usize,
    /// The reader of the current group.
    reader: Option<ParquetRecordBatchReader>,
    next_row: u64,
    /// Rows that were read and not returned yet: their text, and the start of the first one.
    text: Vec<u8>,
    start: usize,
}

impl ParquetSource {
    pub(crate) fn open(
        path: &Path,
        file: File,
        (columns, needed): (&Columns, Option<Vec<String>>),
        n_read: Arc<AtomicU64>,
    ) -> Result<ParquetSource, CorpusError> {
        let n_bytes = file.metadata().map(|metadata| metadata.len()).unwrap_or(0);
        let metadata =
            ArrowReaderMetadata::load(&file, ArrowReaderOptions::default()).map_err(|error| {
                // The footer is at the end.
                CorpusError::Read {
                    path: path.to_owned(),
                    byte: n_bytes,
                    rows: 0,
                    source: failed(error),
                }
            })?;
        let names: Vec<String> = metadata
            .schema()
            .fields()
            .iter()
            .map(|field| field.name().clone())
            .collect();
        let has = |name: &str| names.iter().any(|column| column == name);
        if columns.chosen(has).is_none() {
            return Err(CorpusError::NoColumn {
                path: path.to_owned(),
                wanted: columns.wanted(),
                columns: names,
            });
        }
        Ok(ParquetSource {
            file,
            metadata,
            columns: needed,
            n_read,
            next_group: 0,
            n_skipped: 0,
            reader: None,
            next_row: 0,
            text: Vec::new(),
            start: 0,
        })
    }

    /// The next rows, as many as the limits allow and no more than `n_rows`; no rows at the end of the file.
    pub(crate) fn next(&mut self, limits: &Limits, n_rows: u64) -> io::Result<Batch> {
        let most = limits
            .batch_rows
            .min(usize::try_from(n_rows).unwrap_or(usize::MAX));
        let mut batch = Batch::new(self.next_row);
        while batch.is_empty() {
            while batch.len() < most
                && batch.n_bytes() < limits.batch_bytes
                && let Some(end) = memchr::memchr(b'\n', &self.text[self.start..])
            {
                let row = &self.text[self.start..self.start + end];
                self.start += end + 1;
                if row.len() > limits.row_bytes {
                    batch.end_row(Some(row.len() as u64));
                } else {
                    batch.push(row);
                }
            }
            if batch.is_empty() && !self.read(limits)? {
                break;
            }
        }
        self.next_row += batch.len() as u64;
        Ok(batch)
    }

    /// Skips rows that an earlier run read.
    #[expect(clippy::unnecessary_wraps, reason = "as for lines")]
    pub(crate) fn skip(&mut self, mut n_rows: u64) -> io::Result<()> {
        self.next_row += n_rows;
        while self.next_group < self.metadata.metadata().num_row_groups() {
            let group = self.metadata.metadata().row_group(self.next_group);
            let in_group = u64::try_from(group.num_rows()).unwrap_or(0);
            if n_rows < in_group {
                break;
            }
            n_rows -= in_group;
            self.next_group += 1;
        }
        self.n_skipped = n_rows as usize;
        Ok(())
    }

    /// Reads some rows; `false` at the end of the file.
    fn read(&mut self, limits: &Limits) -> io::Result<bool> {
        loop {
            if let Some(reader) = &mut self.reader {
                match reader.next() {
                    Some(Ok(rows)) => {
                        self.text.clear();
                        self.start = 0;
                        let mut writer = LineDelimitedWriter::new(&mut self.text);
                        writer.write(&rows).map_err(io::Error::other)?;
                        writer.finish().map_err(io::Error::other)?;
                        return Ok(true);
                    }
                    Some(Err(error)) => return Err(self.in_group(error)),
                    None => {
                        self.reader = None;
                        self.count_groups();
                    }
                }
            }
            if self.next_group == self.metadata.metadata().num_row_groups() {
                return Ok(false);
            }
            self.open_group(limits)?;
        }
    }

    fn open_group(&mut self, limits: &Limits) -> io::Result<()> {
        let group = self.metadata.metadata().row_group(self.next_group);
        let n_rows = usize::try_from(group.num_rows()).unwrap_or(0).max(1);
        let n_bytes = usize::try_from(group.total_byte_size()).unwrap_or(0);
        // Rows of a group are decoded together: as many as fill a batch on average.
        let at_once = (limits.batch_bytes / (n_bytes / n_rows).max(1)).clamp(1, limits.batch_rows);
        let file = self.file.try_clone()?;
        let builder =
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, self.metadata.clone());
        let mask = match &self.columns {
            None => ProjectionMask::all(),
            Some(columns) => {
                let columns = columns.iter().map(String::as_str);
                ProjectionMask::columns(builder.parquet_schema(), columns)
            }
        };
        let reader = builder
            .with_row_groups(vec![self.next_group])
            .with_projection(mask)
            .with_batch_size(at_once)
            .with_offset(std::mem::take(&mut self.n_skipped))
            .build()
            .map_err(|error| self.in_group(error))?;
        self.reader = Some(reader);
        self.next_group += 1;
        Ok(())
    }

    /// Counts the bytes of the groups that were read.
    fn count_groups(&self) {
        let groups = &self.metadata.metadata().row_groups()[..self.next_group];
        let bytes: i64 = groups.iter().map(|group| group.compressed_size()).sum();
        self.n_read.store(bytes.unsigned_abs(), Ordering::Relaxed);
    }

    /// An error in the current row group, with its place in the file.
    fn in_group(&self, error: impl std::fmt::Display) -> io::Error {
        let number = self.next_group.saturating_sub(1);
        let group = self.metadata.metadata().row_groups().get(number);
        let start = group.and_then(|group| {
            let columns = group.columns().iter();
            columns.map(|column| column.byte_range().0).min()
        });
        if let Some(start) = start {
            self.n_read.store(start, Ordering::Relaxed);
        }
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("row group {number}: {error}"),
        )
    }
}

fn failed(error: ParquetError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
