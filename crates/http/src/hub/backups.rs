//! How long backups of a hub live, which receipts of recalls say.

use std::sync::Mutex;

use bobbin_core::lock::lock;
use bobbin_core::model::Micros;

use super::account::after;

/// How long the backups of a hub live, as whoever runs it says.
#[derive(Debug, Default)]
pub struct Backups(Mutex<Option<u32>>);

impl Backups {
    /// In days; none where nobody said so.
    pub fn days(&self) -> Option<u32> {
        *lock(&self.0)
    }

    pub fn set(&self, days: Option<u32>) {
        *lock(&self.0) = days;
    }

    /// Until when they may hold what is deleted now.
    pub fn until(&self, now: Micros) -> Option<Micros> {
        self.days().map(|days| after(now, days))
    }
}
