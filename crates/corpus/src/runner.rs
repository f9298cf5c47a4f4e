//! Processes batches on all threads, and writes the results in the order of the rows.

use std::collections::VecDeque;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, sync_channel};

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::CorpusError;
use crate::input::{Input, Source};
use crate::limits::Limits;
use crate::task::{Output, Tally, Task, Written};

/// The progress of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Written rows, including those of an earlier run.
    pub rows: u64,
    /// The rows among them that an earlier run wrote.
    pub earlier_rows: u64,
    /// Bytes read from the inputs, in their stored form.
    pub bytes: u64,
    /// Bytes of all inputs, if known.
    pub total_bytes: Option<u64>,
}

/// Gets the progress after each batch, and decides whether to continue.
pub type Observer<'o> = dyn FnMut(&Progress) -> ControlFlow<()> + 'o;

/// The result of a run.
#[derive(Debug)]
#[non_exhaustive]
pub struct Summary<T> {
    /// The counts.
    pub tally: T,
    /// Inputs that were not read to their end, each with the reason. The rows before the error are counted and written.
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
    /// The memory limits.
    pub limits: Limits,
}

/// The part of an input that was read.
pub(crate) struct RowsRead {
    pub(crate) rows: u64,
    pub(crate) is_end: bool,
}

/// The stack size of a thread: JSON values are read and dropped by recursion, to a bounded depth.
const STACK: usize = 8 << 20;

impl Runner {
    /// A runner with this many threads; by default as many as the machine has cores.
    ///
    /// # Errors
    /// The system cannot start a thread.
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

    /// Runs a task over all rows, and writes its output to `data` and `report`, in order. The bytes do not depend on
    /// the number of threads.
    ///
    /// # Errors
    /// An output that cannot be written. An unreadable input only ends its own part of the run.
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

    /// Runs a task over the next rows of one input. `write` gets the outputs in order, with the number of bytes read so
    /// far.
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
                                // The receiver is gone if an output could not be written.
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
                // If there is no output, its thread panicked; the scope propagates the panic.
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

/// The outputs of a run.
pub struct Streams<'s> {
    /// The output of the task.
    pub data: &'s mut dyn Write,
    /// The report on rows, if the task rewrites them.
    pub report: &'s mut dyn Write,
}

pub(crate) fn observe(observer: &mut Observer<'_>, progress: &Progress) -> Result<(), CorpusError> {
    match observer(progress) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(CorpusError::Stopped),
    }
}

/// The total progress over all inputs.
pub(crate) struct Meter {
    pub(crate) progress: Progress,
    sizes: Vec<Option<u64>>,
    n_ended: usize,
    /// Bytes of the finished inputs.
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

    /// Adds written rows; `n_read` is the number of bytes read from this input so far.
    pub(crate) fn advance(&mut self, rows: u64, n_read: u64) {
        self.progress.rows += rows;
        self.progress.bytes = self.bytes_before + n_read;
    }

    /// Adds rows that an earlier run wrote.
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
