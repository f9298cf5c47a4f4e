//! Batches worked on by all threads, and written in the order of the rows.

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::CorpusError;
use crate::input::{Input, Source};
use crate::limits::Limits;
use crate::task::{Output, Tally, Task, Written};

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Rows that are written, those of an earlier run too.
    pub rows: u64,
    /// Those among them that an earlier run wrote.
    pub earlier_rows: u64,
    /// Bytes of the inputs that were read, as they are stored.
    pub bytes: u64,
    /// Bytes of all inputs, where that is known.
    pub total_bytes: Option<u64>,
}

/// Gets the progress after each batch, and says whether to go on.
pub type Observer<'o> = dyn FnMut(&Progress) -> ControlFlow<()> + 'o;

/// What a run came to.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary<T> {
    /// What was counted.
    pub tally: T,
    /// Inputs that were not read to their end, each with the reason. The rows before it are counted and written.
    pub failures: Vec<CorpusError>,
}

impl<T: Default> Default for Summary<T> {
    fn default() -> Summary<T> {
        Summary {
            tally: T::default(),
            failures: Vec::new(),
        }
    }
}

/// Runs tasks on threads of its own.
#[derive(Debug)]
pub struct Runner {
    pool: ThreadPool,
    /// How much is held at once.
    pub limits: Limits,
}

/// How much of an input was read.
pub(crate) struct RowsRead {
    pub(crate) rows: u64,
    pub(crate) is_end: bool,
}

/// The stack of a thread: values of JSON are read and dropped by recursion, to a depth that is bounded.
const STACK: usize = 8 << 20;

impl Runner {
    /// A runner with so many threads; with as many as the machine has cores, where nothing is said.
    ///
    /// # Errors
    /// The system starts no thread.
    pub fn new(threads: Option<usize>) -> Result<Runner, CorpusError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .stack_size(STACK)
            .thread_name(|n| format!("corpus-{n}"))
            .build()
            .map_err(CorpusError::Threads)?;
        Ok(Runner {
            pool,
            limits: Limits::default(),
        })
    }

    /// Runs a task over all rows, and writes what it gives to `data` and `report`, in order. The bytes do not depend on the
    /// number of threads.
    ///
    /// # Errors
    /// An output that cannot be written. An input that cannot be read ends itself, and no more.
    pub fn stream<T: Task>(
        &self,
        task: &T,
        inputs: &[Input],
        streams: Streams<'_>,
        observer: &mut Observer<'_>,
    ) -> Result<Summary<T::Tally>, CorpusError> {
        let Streams { data, report } = streams;
        let mut summary = Summary::<T::Tally>::default();
        let mut meter = Meter::new(inputs);
        for input in inputs {
            let needs_whole_rows = task.writes() == Written::Rows;
            let read = input
                .open(task.columns(), needs_whole_rows)
                .and_then(|mut source| {
                    self.rows(task, &mut source, u64::MAX, &mut |output, n_read| {
                        data.write_all(&output.data).map_err(CorpusError::Output)?;
                        report
                            .write_all(&output.report)
                            .map_err(CorpusError::Output)?;
                        meter.advance(output.tally.rows(), n_read);
                        summary.tally.add(output.tally);
                        observe(observer, &meter.progress)
                    })
                });
            match read {
                Ok(_) => {}
                Err(error) if error.is_of_input() => summary.failures.push(error),
                Err(error) => return Err(error),
            }
            meter.end_input();
        }
        data.flush().map_err(CorpusError::Output)?;
        report.flush().map_err(CorpusError::Output)?;
        Ok(summary)
    }

    /// Runs a task over the next rows of one input. `write` gets what it gives in order, and how many bytes were read by then.
    pub(crate) fn rows<T: Task>(
        &self,
        task: &T,
        source: &mut Source,
        n_rows: u64,
        write: &mut dyn FnMut(Output<T::Tally>, u64) -> Result<(), CorpusError>,
    ) -> Result<RowsRead, CorpusError> {
        let most_waiting = 2 * self.pool.current_num_threads() + 1;
        let mut read = RowsRead {
            rows: 0,
            is_end: false,
        };
        let mut failure = None;
        self.pool.in_place_scope(|scope| {
            let mut waiting: VecDeque<Receiver<Output<T::Tally>>> = VecDeque::new();
            loop {
                while waiting.len() < most_waiting
                    && failure.is_none()
                    && !read.is_end
                    && read.rows < n_rows
                {
                    match source.next(&self.limits, n_rows - read.rows) {
                        Ok(batch) if batch.is_empty() => read.is_end = true,
                        Ok(batch) => {
                            read.rows += batch.len() as u64;
                            let (sender, receiver) = sync_channel(1);
                            scope.spawn(move |_| {
                                // Nobody waits any more where an output could not be written.
                                let _ = sender.send(task.run(&batch));
                            });
                            waiting.push_back(receiver);
                        }
                        Err(error) => failure = Some(error),
                    }
                }
                let Some(first) = waiting.pop_front() else {
                    return Ok(());
                };
                // Without an output its thread panicked; the scope ends by the same panic.
                let Ok(output) = first.recv() else {
                    return Ok(());
                };
                write(output, source.n_read())?;
            }
        })?;
        match failure {
            Some(error) => Err(error),
            None => Ok(read),
        }
    }
}

/// Where a run writes to.
pub struct Streams<'s> {
    /// What the task gives.
    pub data: &'s mut dyn Write,
    /// What is to be said about rows, where the task writes them anew.
    pub report: &'s mut dyn Write,
}

pub(crate) fn observe(observer: &mut Observer<'_>, progress: &Progress) -> Result<(), CorpusError> {
    match observer(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(CorpusError::Stopped),
    }
}

/// Adds up the progress over all inputs.
pub(crate) struct Meter {
    pub(crate) progress: Progress,
    sizes: Vec<Option<u64>>,
    n_ended: usize,
    /// Bytes of the inputs that ended.
    bytes_before: u64,
}

impl Meter {
    pub(crate) fn new(inputs: &[Input]) -> Meter {
        let sizes: Vec<Option<u64>> = inputs.iter().map(Input::n_bytes).collect();
        Meter {
            progress: Progress {
                total_bytes: sizes.iter().copied().sum(),
                ..Progress::default()
            },
            sizes,
            n_ended: 0,
            bytes_before: 0,
        }
    }

    /// So many rows more were written, and so many bytes of this input were read by now.
    pub(crate) fn advance(&mut self, rows: u64, n_read: u64) {
        self.progress.rows += rows;
        self.progress.bytes = self.bytes_before + n_read;
    }

    /// So many rows were written by an earlier run.
    pub(crate) fn pass(&mut self, rows: u64) {
        self.progress.rows += rows;
        self.progress.earlier_rows += rows;
    }

    pub(crate) fn end_input(&mut self) {
        self.bytes_before = match self.sizes.get(self.n_ended).copied().flatten() {
            Some(size) => self.bytes_before + size,
            None => self.progress.bytes,
        };
        self.progress.bytes = self.bytes_before;
        self.n_ended += 1;
    }
}
