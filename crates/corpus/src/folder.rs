//! A run that writes files to a folder, and that can be resumed.
//!
//! Each input becomes shards of a fixed number of rows. A shard is written under a temporary name, synchronized and
//! renamed, and then added to the manifest. A run that finds a manifest skips the rows of its shards.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};
use toolglot_value::Value;

use crate::compression::{Compression, Encoder};
use crate::error::CorpusError;
use crate::input::{Input, Source};
use crate::runner::{Meter, Observer, Runner, Summary, observe};
use crate::task::{Tally, Task, Written};

/// The name of the manifest.
const MANIFEST: &str = "manifest.json";

/// The lock file of the writing process.
const LOCK: &str = ".lock";

/// The output folder of a run.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The folder; it is created if it does not exist.
    pub path: PathBuf,
    /// The number of rows in a shard: at most this many are lost when a run is killed.
    pub shard_rows: u64,
    /// The compression of shards; by default the one of their input.
    pub compression: Option<Compression>,
}

/// The progress of a run.
#[derive(Debug, Serialize, Deserialize)]
struct Manifest<T> {
    /// The version of this format.
    schema: u32,
    #[serde(flatten)]
    origin: Origin,
    shards: Vec<Shard<T>>,
}

/// The settings that the outputs depend on.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Origin {
    toolglot: String,
    settings: Value,
    shard_rows: u64,
    compression: Option<String>,
    inputs: Vec<InputState>,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InputState {
    path: String,
    bytes: Option<u64>,
    /// The time of the last change, in nanoseconds since 1970.
    modified: Option<u64>,
}

/// A finished shard.
#[derive(Debug, Serialize, Deserialize)]
struct Shard<T> {
    /// The input of its rows, and the first row.
    input: usize,
    first_row: u64,
    rows: u64,
    /// Whether it is the last shard of the input.
    is_last: bool,
    data: Option<String>,
    report: Option<String>,
    /// Why the input could not be read further; the next run tries again.
    error: Option<String>,
    tally: T,
}

impl Runner {
    /// Runs a task over all rows, into files of a folder. An interrupted run can be resumed, with the same files as a
    /// full run.
    ///
    /// # Errors
    /// A file that cannot be written, a folder of another run, or two inputs of one name. An unreadable input only ends
    /// its own part of the run.
    pub fn into_folder<T: Task>(
        &self,
        task: &T,
        inputs: &[Input],
        folder: &Folder,
        observer: &mut Observer<'_>,
    ) -> Result<Summary<T::Tally>, CorpusError> {
        let names = output_names(inputs)?;
        let failed = |path: &Path| {
            let path = path.to_owned();
            move |source| CorpusError::Write { path, source }
        };
        fs::create_dir_all(&folder.path).map_err(failed(&folder.path))?;
        let _lock = lock(&folder.path)?;
        let mut manifest = folder.manifest::<T>(task, inputs)?;
        let mut summary = Summary::<T::Tally>::default();
        let mut meter = Meter::new(inputs);
        for (index, (input, name)) in inputs.iter().zip(&names).enumerate() {
            let shards = manifest.shards.iter().filter(|shard| shard.input == index);
            let (mut n_shards, mut n_rows, mut is_done) = (0, 0, false);
            for shard in shards {
                n_shards += 1;
                n_rows += shard.rows;
                is_done |= shard.is_last;
                summary.tally.add(shard.tally.clone());
            }
            meter.pass(n_rows);
            let mut source = None;
            while !is_done {
                let mut run = ShardRun {
                    runner: self,
                    task,
                    folder,
                    name: format!("{name}-{n_shards:05}"),
                    meter: &mut meter,
                    observer,
                };
                let opened = match source.take() {
                    Some(source) => Ok(source),
                    None => run.open(input, n_rows),
                };
                let (shard, failure) = match opened {
                    Ok(mut opened) => {
                        let made = run.shard(&mut opened, index, n_rows)?;
                        source = Some(opened);
                        made
                    }
                    Err(error) if error.is_of_input() => {
                        summary.failures.push(error);
                        break;
                    }
                    Err(error) => return Err(error),
                };
                n_shards += 1;
                n_rows += shard.rows;
                is_done = shard.is_last || failure.is_some();
                summary.tally.add(shard.tally.clone());
                summary.failures.extend(failure);
                manifest.shards.push(shard);
                folder.write_manifest(&manifest)?;
            }
            meter.end_input();
        }
        Ok(summary)
    }
}

/// A shard in progress.
struct ShardRun<'r, 'o, T> {
    runner: &'r Runner,
    task: &'r T,
    folder: &'r Folder,
    name: String,
    meter: &'r mut Meter,
    observer: &'r mut Observer<'o>,
}

impl<T: Task> ShardRun<'_, '_, T> {
    fn open(&self, input: &Input, n_rows: u64) -> Result<Source, CorpusError> {
        let needs_whole_rows = self.task.writes() == Written::Rows;
        let mut source = input.open(self.task.columns(), needs_whole_rows)?;
        source.skip(&self.runner.limits, n_rows)?;
        Ok(source)
    }

    /// Makes the shard that starts at that row; with the error, if its input could not be read further.
    fn shard(
        &mut self,
        source: &mut Source,
        input: usize,
        first_row: u64,
    ) -> Result<(Shard<T::Tally>, Option<CorpusError>), CorpusError> {
        let compression = self.folder.compression.unwrap_or(source.compression);
        let writes = self.task.writes();
        let mut data = match writes {
            Written::Nothing => None,
            Written::Report | Written::Rows => {
                let name = format!("{}.jsonl{}", self.name, compression.suffix());
                Some(ShardFile::create(&self.folder.path, name, compression)?)
            }
        };
        let mut report: Option<ShardFile> = None;
        let mut tally = T::Tally::default();
        let most = self.folder.shard_rows;
        let read = self
            .runner
            .rows(self.task, source, most, &mut |output, n_read| {
                if let Some(file) = &mut data {
                    file.write(&output.data)?;
                }
                if !output.report.is_empty() {
                    if report.is_none() {
                        let name = format!("{}.report.jsonl", self.name);
                        report = Some(ShardFile::create(
                            &self.folder.path,
                            name,
                            Compression::None,
                        )?);
                    }
                    if let Some(file) = &mut report {
                        file.write(&output.report)?;
                    }
                }
                self.meter.advance(output.tally.rows(), n_read);
                tally.add(output.tally);
                observe(self.observer, &self.meter.progress)
            });
        let (is_last, failure) = match read {
            Ok(read) => (read.is_end || read.rows < most, None),
            Err(error) if error.is_of_input() => (false, Some(error)),
            Err(error) => return Err(error),
        };
        let rows = tally.rows();
        // An input that ends exactly at the end of a shard leads to an empty shard, which is not needed.
        let is_needed = rows > 0 || first_row == 0;
        let shard = Shard {
            input,
            first_row,
            rows,
            is_last,
            data: data
                .map(|file| file.finish(is_needed))
                .transpose()?
                .flatten(),
            report: report.map(|file| file.finish(true)).transpose()?.flatten(),
            error: failure.as_ref().map(with_sources),
            tally,
        };
        Ok((shard, failure))
    }
}

/// A file that gets its final name when it is complete.
struct ShardFile {
    folder: PathBuf,
    name: String,
    out: Encoder<BufWriter<File>>,
}

impl ShardFile {
    fn create(
        folder: &Path,
        name: String,
        compression: Compression,
    ) -> Result<ShardFile, CorpusError> {
        let path = partial(folder, &name);
        let out = File::create(&path)
            .and_then(|file| compression.encoder(BufWriter::with_capacity(256 << 10, file)));
        Ok(ShardFile {
            folder: folder.to_owned(),
            out: out.map_err(|source| CorpusError::Write { path, source })?,
            name,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), CorpusError> {
        self.out
            .write_all(bytes)
            .map_err(|source| CorpusError::Write {
                path: partial(&self.folder, &self.name),
                source,
            })
    }

    /// Renames the file to its final name, or deletes it; returns the name of an existing file.
    fn finish(self, is_needed: bool) -> Result<Option<String>, CorpusError> {
        let (folder, name) = (self.folder, self.name);
        let finished = self.out.finish().and_then(|out| {
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            if is_needed {
                publish(&file, &folder, &name)
            } else {
                fs::remove_file(partial(&folder, &name))
            }
        });
        match finished {
            Ok(()) => Ok(is_needed.then_some(name)),
            Err(source) => Err(CorpusError::Write {
                path: folder.join(name),
                source,
            }),
        }
    }
}

impl Folder {
    /// Writes a file that gets its final name when it is complete.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CorpusError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let written = File::create(partial(folder, &name)).and_then(|mut file| {
            file.write_all(bytes)?;
            publish(&file, folder, &name)
        });
        written.map_err(|source| CorpusError::Write {
            path: path.to_owned(),
            source,
        })
    }

    /// The manifest in the folder, if it belongs to this run, or a new one.
    fn manifest<T: Task>(
        &self,
        task: &T,
        inputs: &[Input],
    ) -> Result<Manifest<T::Tally>, CorpusError> {
        let origin = Origin {
            toolglot: env!("CARGO_PKG_VERSION").to_owned(),
            settings: task.settings(),
            shard_rows: self.shard_rows,
            compression: self.compression.map(|compression| compression.to_string()),
            inputs: inputs.iter().map(InputState::of).collect(),
        };
        let path = self.path.join(MANIFEST);
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Manifest {
                    schema: 1,
                    origin,
                    shards: Vec::new(),
                });
            }
            Err(source) => return Err(CorpusError::Open { path, source }),
        };
        let other = |what| CorpusError::OtherRun {
            folder: self.path.clone(),
            what,
        };
        // The counts depend on the task, so the task's name is compared first.
        let found: Manifest<serde::de::IgnoredAny> =
            serde_json::from_slice(&text).map_err(|source| CorpusError::Manifest {
                path: path.clone(),
                source,
            })?;
        if let Some(what) = found.origin.difference(&origin) {
            return Err(other(what));
        }
        let mut found: Manifest<T::Tally> = serde_json::from_slice(&text)
            .map_err(|source| CorpusError::Manifest { path, source })?;
        let files = |shard: &Shard<T::Tally>| {
            let mut names = shard.data.iter().chain(&shard.report);
            names.all(|name| self.path.join(name).is_file())
        };
        // A shard with an error or without its files is made again, and so are all later shards of the input.
        let mut broken: Vec<usize> = Vec::new();
        found.shards.retain(|shard| {
            if shard.error.is_some() || !files(shard) {
                broken.push(shard.input);
            }
            !broken.contains(&shard.input)
        });
        Ok(found)
    }

    fn write_manifest<T: Serialize>(&self, manifest: &Manifest<T>) -> Result<(), CorpusError> {
        let mut text = serde_json::to_vec_pretty(manifest).expect("it is JSON");
        text.push(b'\n');
        Folder::write_file(&self.path.join(MANIFEST), &text)
    }
}

impl Origin {
    /// The setting that differs.
    fn difference(&self, other: &Origin) -> Option<&'static str> {
        [
            (self.toolglot == other.toolglot, "the versions of toolglot"),
            (
                self.settings == other.settings,
                "the command and its options",
            ),
            (
                (self.shard_rows, &self.compression) == (other.shard_rows, &other.compression),
                "the form of the shards",
            ),
            (
                self.inputs == other.inputs,
                "the inputs, or their sizes and times,",
            ),
        ]
        .into_iter()
        .find_map(|(is_same, what)| (!is_same).then_some(what))
    }
}

impl InputState {
    fn of(input: &Input) -> InputState {
        let metadata = fs::metadata(input.path())
            .ok()
            .filter(|_| !input.is_stdin());
        let modified = metadata
            .as_ref()
            .and_then(|metadata| metadata.modified().ok());
        let modified = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        InputState {
            path: input.path().display().to_string(),
            bytes: input.n_bytes(),
            modified: modified.and_then(|since| u64::try_from(since.as_nanos()).ok()),
        }
    }
}

/// The names of the outputs of each input.
fn output_names(inputs: &[Input]) -> Result<Vec<String>, CorpusError> {
    let names: Vec<String> = inputs.iter().map(Input::stem).collect();
    for (at, name) in names.iter().enumerate() {
        if let Some(first) = names[..at].iter().position(|other| other == name) {
            return Err(CorpusError::SameName {
                first: inputs[first].path().to_owned(),
                second: inputs[at].path().to_owned(),
                name: name.clone(),
            });
        }
    }
    Ok(names)
}

/// The temporary path of a file.
fn partial(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.partial"))
}

/// Gives a complete file its name, so that after a crash it is complete or absent.
fn publish(file: &File, folder: &Path, name: &str) -> io::Result<()> {
    file.sync_all()?;
    fs::rename(partial(folder, name), folder.join(name))?;
    #[cfg(unix)]
    {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Takes the write lock of a folder, until the returned file is dropped.
fn lock(folder: &Path) -> Result<File, CorpusError> {
    let path = folder.join(LOCK);
    let file = File::create(&path).map_err(|source| CorpusError::Write { path, source })?;
    #[cfg(unix)]
    {
        use rustix::fs::{FlockOperation, flock};
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Err(CorpusError::Locked(folder.to_owned()));
        }
    }
    Ok(file)
}

/// An error and its sources, on one line.
fn with_sources(error: &CorpusError) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
