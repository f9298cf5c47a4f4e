//! Times as logs and signatures write them.

use std::time::{SystemTime, UNIX_EPOCH};

/// Now, in UTC: `2026-02-23T05:24:41Z`.
pub fn now() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    format!("{}Z", at(since.unwrap_or_default().as_secs()))
}

/// The same to the millisecond: `2026-02-23T05:24:41.007Z`.
pub(crate) fn now_ms() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or_default();
    format!("{}.{:03}Z", at(since.as_secs()), since.subsec_millis())
}

/// Days to a date as in Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms".
fn at(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
}

#[cfg(test)]
mod tests {
    use super::at;

    #[test]
    fn seconds_are_a_date() {
        for (seconds, date) in [
            (0, "1970-01-01T00:00:00"),
            (951_782_399, "2000-02-28T23:59:59"),
            (951_782_400, "2000-02-29T00:00:00"),
            (1_771_824_281, "2026-02-23T05:24:41"),
            (4_107_542_400, "2100-03-01T00:00:00"),
        ] {
            assert_eq!(at(seconds), date);
        }
    }
}
