//! Peak heap: an allocator that counts while counting is on.
//!
//! An allocator needs `unsafe`; each function passes its arguments on unchanged.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering::Relaxed};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static IS_COUNTING: AtomicBool = AtomicBool::new(false);
static BYTES: AtomicI64 = AtomicI64::new(0);
static PEAK: AtomicI64 = AtomicI64::new(0);

/// The peak of allocated bytes while `work` ran, relative to its start. One thread only.
pub fn peak(work: impl FnOnce()) -> u64 {
    BYTES.store(0, Relaxed);
    PEAK.store(0, Relaxed);
    IS_COUNTING.store(true, Relaxed);
    work();
    IS_COUNTING.store(false, Relaxed);
    PEAK.load(Relaxed).unsigned_abs()
}

fn count(change: i64) {
    if IS_COUNTING.load(Relaxed) {
        let now = BYTES.fetch_add(change, Relaxed) + change;
        if now > PEAK.load(Relaxed) {
            PEAK.store(now, Relaxed);
        }
    }
}

// SAFETY: all allocation is done by the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as i64);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as i64 - layout.size() as i64);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as i64));
        unsafe { System.dealloc(at, layout) }
    }
}
