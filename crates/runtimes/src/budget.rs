//! What calls may cost.

use std::sync::{Arc, Mutex, PoisonError};

/// What calls may cost together, and what they have. Copies share what was spent.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The most; none is no limit.
    pub cap: Option<f64>,
    spent: Arc<Mutex<f64>>,
}

impl Budget {
    /// At most `cap`.
    pub fn of(cap: Option<f64>) -> Budget {
        Budget {
            cap,
            spent: Arc::default(),
        }
    }

    pub(crate) fn add(&self, cost: f64) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) += cost;
    }

    /// What was spent, attempts that failed included.
    pub fn spent(&self) -> f64 {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
