//! CPU time of this thread: what a busy machine disturbs least.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The CPU time that this thread has used so far.
pub fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(
        u64::try_from(time.tv_sec).unwrap_or(0),
        u32::try_from(time.tv_nsec).unwrap_or(0),
    )
}

/// How much of it `work` takes.
pub fn timed(work: impl FnOnce()) -> Duration {
    let begin = now();
    work();
    now().saturating_sub(begin)
}

/// The one in the middle; zero of none.
pub fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
