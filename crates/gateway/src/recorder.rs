//! Records messages as lines of a file that `toolglot parse --jsonl` reads.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use toolglot_value::{Map, Value};

use crate::error::GatewayError;
use crate::messages::Messages;

/// The most rows that wait for the disk; one more is dropped and counted, so that no client waits.
const MOST_WAITING: usize = 256;

/// The most time that a stopping server waits for the disk.
const FLUSH: Duration = Duration::from_secs(5);

/// A thread that appends rows to its own file.
///
/// Only their owner can read the directory and the file: rows contain the text of models, arguments included.
#[derive(Clone)]
pub(crate) struct Recorder(Arc<Mutex<SyncSender<Order>>>);

/// A message to the thread.
enum Order {
    Row(Map),
    /// The thread answers once all earlier rows are written.
    Flush(SyncSender<()>),
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Recorder")
    }
}

impl Recorder {
    /// Creates the directory if it is missing, and a new file in it.
    ///
    /// # Errors
    /// If the directory cannot be created, others can read it, or it has no room for a file.
    pub(crate) fn new(
        directory: &Path,
        max_bytes: u64,
        messages: Messages,
    ) -> Result<Recorder, GatewayError> {
        let failed = |source: io::Error| GatewayError::Record {
            directory: directory.to_owned(),
            source,
        };
        make_private(directory).map_err(failed)?;
        if !is_private(directory).map_err(failed)? {
            return Err(GatewayError::PublicRecord(directory.to_owned()));
        }
        let mut file = RecordFile {
            file: new_file(directory).map_err(failed)?,
            left: max_bytes.saturating_sub(size(directory).map_err(failed)?),
            n_rows: 0,
            is_over: false,
            messages,
        };
        let (orders, received) = sync_channel(MOST_WAITING);
        thread::Builder::new()
            .name("toolglot-record".to_owned())
            .spawn(move || file.write_all(&received))
            .map_err(failed)?;
        Ok(Recorder(Arc::new(Mutex::new(orders))))
    }

    /// Queues a row. `false`: the disk is too slow, and the row is dropped.
    pub(crate) fn push(&self, row: Map) -> bool {
        let orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        orders.try_send(Order::Row(row)).is_ok()
    }

    /// Blocks until the queued rows are written, for a few seconds at most.
    pub(crate) fn flush(&self) {
        let (done, is_done) = sync_channel(1);
        let orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if orders.send(Order::Flush(done)).is_ok() {
            drop(orders);
            let _ = is_done.recv_timeout(FLUSH);
        }
    }
}

/// The file, and the bytes that may still be written.
struct RecordFile {
    file: File,
    left: u64,
    n_rows: u64,
    is_over: bool,
    messages: Messages,
}

impl RecordFile {
    fn write_all(&mut self, orders: &Receiver<Order>) {
        for order in orders {
            match order {
                Order::Row(row) if !self.is_over => self.write(row),
                Order::Row(_) => {}
                Order::Flush(done) => {
                    let _ = done.send(());
                }
            }
        }
    }

    fn write(&mut self, fields: Map) {
        self.n_rows += 1;
        let mut row = Map::new();
        row.insert("id".to_owned(), Value::from(self.n_rows));
        row.extend(fields);
        let line = format!("{}\n", Value::Object(row));
        let outcome = match self.left.checked_sub(line.len() as u64) {
            None => Err("the directory is full".to_owned()),
            Some(left) => {
                self.left = left;
                let written = self.file.write_all(line.as_bytes());
                written.map_err(|error| error.to_string())
            }
        };
        if let Err(why) = outcome {
            self.is_over = true;
            self.messages.say(&format!("recording has stopped: {why}"));
        }
    }
}

fn new_file(directory: &Path) -> io::Result<File> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let time = since.unwrap_or_default().as_millis();
    let name = format!("{time}-{}.jsonl", process::id());
    let mut options = OpenOptions::new();
    options.append(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(directory.join(name))
}

/// The bytes of all files in the directory.
fn size(directory: &Path) -> io::Result<u64> {
    let mut size = 0;
    for entry in fs::read_dir(directory)? {
        size += entry?.metadata()?.len();
    }
    Ok(size)
}

fn make_private(directory: &Path) -> io::Result<()> {
    if directory.is_dir() {
        return Ok(());
    }
    let builder = DirBuilder::new();
    #[cfg(unix)]
    let builder = {
        let mut builder = builder;
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder
    };
    builder.create(directory)
}

/// Whether only the owner can read the directory.
fn is_private(directory: &Path) -> io::Result<bool> {
    let metadata = fs::metadata(directory)?;
    #[cfg(unix)]
    {
        let of_others = 0o077;
        let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
        Ok(mode & of_others == 0)
    }
    #[cfg(not(unix))]
    Ok(metadata.is_dir())
}
