//! When a file was written last.

use std::fs::Metadata;
use std::time::UNIX_EPOCH;

use crate::model::Micros;

/// When it was written last, rounded down to microseconds; 1970 where the file system does not say.
pub(crate) fn modified(found: &Metadata) -> Micros {
    let nanos = match found.modified().map(|at| at.duration_since(UNIX_EPOCH)) {
        Ok(Ok(since)) => since.as_nanos().cast_signed(),
        Ok(Err(before)) => -before.duration().as_nanos().cast_signed(),
        Err(_) => 0,
    };
    Micros(nanos.div_euclid(1_000) as i64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_rounded_down_also_before_1970() {
        let file = tempfile::tempfile().unwrap();
        let at = |time| {
            file.set_modified(time).unwrap();
            modified(&file.metadata().unwrap()).0
        };
        assert_eq!(
            at(UNIX_EPOCH + Duration::from_nanos(5_000_001_999)),
            5_000_001
        );
        assert_eq!(at(UNIX_EPOCH - Duration::from_nanos(1_500)), -2);
    }
}
