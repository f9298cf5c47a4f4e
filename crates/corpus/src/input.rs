//! Inputs: files, folders of files, and standard input.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::batch::Batch;
use crate::columns::Columns;
use crate::compression::Compression;
use crate::error::CorpusError;
use crate::limits::Limits;
use crate::lines::LineSource;
#[cfg(feature = "parquet")]
use crate::parquet_file::ParquetSource;

/// The name suffixes of the files that are read in a folder.
pub(crate) const ENDINGS: &[&str] = &[
    ".jsonl",
    ".ndjson",
    ".jsonl.gz",
    ".ndjson.gz",
    ".jsonl.zst",
    ".ndjson.zst",
    ".parquet",
];

/// The first bytes of a Parquet file.
const PARQUET: &[u8] = b"PAR1";

/// A file, or standard input as `-`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    path: PathBuf,
}

impl Input {
    /// The inputs that these paths name, in order; for a folder its files, by name.
    ///
    /// # Errors
    /// A path that does not exist, an unreadable folder, or a folder without a supported file.
    pub fn all(paths: &[PathBuf]) -> Result<Vec<Input>, CorpusError> {
        let mut inputs = Vec::new();
        for path in paths {
            let input = Input { path: path.clone() };
            let failed = |source| CorpusError::Open {
                path: path.clone(),
                source,
            };
            if !path.is_dir() {
                if !input.is_stdin() {
                    fs::metadata(path).map_err(failed)?;
                }
                inputs.push(input);
                continue;
            }
            let files = files(path).map_err(failed)?;
            if files.is_empty() {
                return Err(CorpusError::EmptyFolder(path.clone()));
            }
            inputs.extend(files.into_iter().map(|path| Input { path }));
        }
        Ok(inputs)
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is standard input.
    pub fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// The size in bytes, if it is known before reading.
    pub fn n_bytes(&self) -> Option<u64> {
        let metadata = fs::metadata(&self.path).ok()?;
        metadata.is_file().then_some(metadata.len())
    }

    /// The name of its outputs: the file name without the suffixes of format and compression.
    pub(crate) fn stem(&self) -> String {
        if self.is_stdin() {
            return "stdin".to_owned();
        }
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let mut stem: &str = &name;
        for ending in [".gz", ".zst", ".jsonl", ".ndjson", ".json", ".parquet"] {
            stem = stem
                .strip_suffix(ending)
                .filter(|stem| !stem.is_empty())
                .unwrap_or(stem);
        }
        stem.to_owned()
    }

    /// Opens it.
    ///
    /// # Errors
    /// It cannot be opened, or has none of the columns.
    pub(crate) fn open(
        &self,
        columns: &Columns,
        needs_whole_rows: bool,
    ) -> Result<Source, CorpusError> {
        let failed = |source| CorpusError::Open {
            path: self.path.clone(),
            source,
        };
        let n_read = Arc::new(AtomicU64::new(0));
        let (kind, compression) = if self.is_stdin() {
            lines(io::stdin(), &n_read).map_err(failed)?
        } else {
            let mut file = File::open(&self.path).map_err(failed)?;
            let mut start = Vec::new();
            // A pipe cannot be read from its start again, and a Parquet file is read from its end.
            (&mut file)
                .take(PARQUET.len() as u64)
                .read_to_end(&mut start)
                .map_err(failed)?;
            if start == PARQUET {
                let kind = self.parquet(file, columns, needs_whole_rows, &n_read)?;
                (kind, Compression::Zstd)
            } else {
                let whole = io::Cursor::new(start).chain(file);
                lines(whole, &n_read).map_err(failed)?
            }
        };
        Ok(Source {
            path: self.path.clone(),
            kind,
            compression,
            n_read,
            n_rows: 0,
        })
    }

    #[cfg(feature = "parquet")]
    fn parquet(
        &self,
        file: File,
        columns: &Columns,
        needs_whole_rows: bool,
        n_read: &Arc<AtomicU64>,
    ) -> Result<SourceKind, CorpusError> {
        let columns = if needs_whole_rows {
            (columns, None)
        } else {
            (columns, Some(columns.needed()))
        };
        ParquetSource::open(&self.path, file, columns, Arc::clone(n_read)).map(SourceKind::Parquet)
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(
        &self,
        _: File,
        _: &Columns,
        _: bool,
        _: &Arc<AtomicU64>,
    ) -> Result<SourceKind, CorpusError> {
        Err(CorpusError::WithoutParquet(self.path.clone()))
    }
}

fn lines(
    input: impl Read + Send + 'static,
    n_read: &Arc<AtomicU64>,
) -> io::Result<(SourceKind, Compression)> {
    let (lines, compression) = LineSource::new(input, Arc::clone(n_read))?;
    Ok((SourceKind::Lines(lines), compression))
}

/// The supported files of a folder, by name.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if ENDINGS.iter().any(|ending| name.ends_with(ending)) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// An open input.
pub(crate) struct Source {
    path: PathBuf,
    kind: SourceKind,
    /// The compression of the input, which is the default for its outputs.
    pub(crate) compression: Compression,
    n_read: Arc<AtomicU64>,
    n_rows: u64,
}

enum SourceKind {
    Lines(LineSource),
    #[cfg(feature = "parquet")]
    Parquet(ParquetSource),
}

impl Source {
    /// The next rows, at most `n_rows`; no rows at the end.
    ///
    /// # Errors
    /// The input is truncated. The rows before the end were returned already.
    pub(crate) fn next(&mut self, limits: &Limits, n_rows: u64) -> Result<Batch, CorpusError> {
        let batch = match &mut self.kind {
            SourceKind::Lines(lines) => lines.next(limits, n_rows),
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(file) => file.next(limits, n_rows),
        };
        let batch = batch.map_err(|source| self.failed(source))?;
        self.n_rows += batch.len() as u64;
        Ok(batch)
    }

    /// Skips rows that an earlier run read.
    pub(crate) fn skip(&mut self, limits: &Limits, n_rows: u64) -> Result<(), CorpusError> {
        let skipped = match &mut self.kind {
            SourceKind::Lines(lines) => lines.skip(limits, n_rows),
            #[cfg(feature = "parquet")]
            SourceKind::Parquet(file) => file.skip(n_rows),
        };
        skipped.map_err(|source| self.failed(source))?;
        self.n_rows += n_rows;
        Ok(())
    }

    /// The number of bytes read from the file.
    pub(crate) fn n_read(&self) -> u64 {
        self.n_read.load(Ordering::Relaxed)
    }

    fn failed(&self, source: io::Error) -> CorpusError {
        CorpusError::Read {
            path: self.path.clone(),
            byte: self.n_read(),
            rows: self.n_rows,
            source,
        }
    }
}
