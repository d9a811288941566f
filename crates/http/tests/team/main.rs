//! Laptops, a hub, and what comes between.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets something unexpected has failed"
)]

mod access;
mod bench;
mod fuller;
mod kills;
mod limits;
mod live;
mod older;
mod pages;
mod proxies;
mod reconcile;
mod roles;
mod together;
mod uploads;
