//! The frequency of values by size.

use serde::{Deserialize, Serialize};

/// The frequency of values by size: 0, 1, 2 to 3, 4 to 7, and so on by powers of two.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Histogram {
    /// By the number of binary digits of the value; without trailing zeros.
    buckets: Vec<u64>,
}

impl Histogram {
    pub(crate) fn count(&mut self, value: u64) {
        let bucket = (u64::BITS - value.leading_zeros()) as usize;
        if self.buckets.len() <= bucket {
            self.buckets.resize(bucket + 1, 0);
        }
        self.buckets[bucket] += 1;
    }

    pub(crate) fn add(&mut self, later: &Histogram) {
        if self.buckets.len() < later.buckets.len() {
            self.buckets.resize(later.buckets.len(), 0);
        }
        for (n, later) in self.buckets.iter_mut().zip(&later.buckets) {
            *n += later;
        }
    }

    /// The sizes, each with its smallest and largest value, and the number of values.
    pub fn sizes(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        let sizes = self.buckets.iter().enumerate();
        sizes.map(|(bucket, &n)| match bucket {
            0 => (0, 0, n),
            // A value has at most 64 digits.
            _ => (
                1 << (bucket - 1),
                (1 << (bucket - 1)) + ((1 << (bucket - 1)) - 1),
                n,
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_powers_of_two() {
        let mut histogram = Histogram::default();
        for value in [0, 1, 2, 3, 4, 7, 8, u64::MAX] {
            histogram.count(value);
        }
        let sizes: Vec<_> = histogram.sizes().filter(|size| size.2 > 0).collect();
        assert_eq!(
            sizes,
            [
                (0, 0, 1),
                (1, 1, 1),
                (2, 3, 2),
                (4, 7, 2),
                (8, 15, 1),
                (1 << 63, u64::MAX, 1)
            ]
        );
        let mut sum = Histogram::default();
        sum.add(&histogram);
        sum.add(&histogram);
        assert_eq!(sum.sizes().map(|size| size.2).sum::<u64>(), 16);
    }
}
