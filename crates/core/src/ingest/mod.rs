//! A batch: checked, counted, written in one transaction.

mod receipt;

pub use receipt::{Receipt, StopOrder};
