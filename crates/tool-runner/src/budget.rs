//! The budget of calls.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The total cost limit of calls, and the amount spent. Clones share the account.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    /// The limit; `None` is unlimited.
    pub cap: Option<f64>,
    account: Arc<Mutex<Account>>,
}

#[derive(Debug, Default)]
struct Account {
    spent: f64,
    /// The estimates of the running attempts.
    reserved: f64,
    n_reserved: usize,
}

/// The estimate of an attempt: no other attempt spends it. Released when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation<'a> {
    budget: &'a Budget,
    /// None once it is settled.
    amount: Option<f64>,
}

/// An estimate exceeds the rest of the budget.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BudgetExceeded {
    /// The amount spent, with the estimates of the running attempts.
    pub(crate) spent: f64,
    pub(crate) cap: f64,
}

impl Budget {
    /// A budget of at most `cap`.
    pub fn of(cap: Option<f64>) -> Budget {
        Budget {
            cap,
            account: Arc::default(),
        }
    }

    /// Reserves the estimate of an attempt.
    ///
    /// # Errors
    /// If the estimate, with those of the running attempts, exceeds the budget.
    pub(crate) fn reserve(&self, estimate: f64) -> Result<Reservation<'_>, BudgetExceeded> {
        let mut account = self.account();
        let spent = account.spent + account.reserved;
        if let Some(cap) = self.cap.filter(|cap| spent + estimate > *cap) {
            return Err(BudgetExceeded { spent, cap });
        }
        account.reserved += estimate;
        account.n_reserved += 1;
        Ok(Reservation {
            budget: self,
            amount: Some(estimate),
        })
    }

    /// The amount spent, failed attempts included.
    pub fn spent(&self) -> f64 {
        self.account().spent
    }

    fn account(&self) -> MutexGuard<'_, Account> {
        self.account.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation<'_> {
    /// Replaces the reservation by the cost of the ended attempt.
    pub(crate) fn settle(&mut self, cost: f64) {
        let Some(amount) = self.amount.take() else {
            return;
        };
        let mut account = self.budget.account();
        account.n_reserved -= 1;
        // Resets rounding errors of the sums.
        account.reserved = if account.n_reserved == 0 {
            0.0
        } else {
            account.reserved - amount
        };
        account.spent += cost;
    }
}

impl Drop for Reservation<'_> {
    fn drop(&mut self) {
        self.settle(0.0);
    }
}
