//! Both doors, from outside: real sockets, bytes as they go over the wire.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod batches;
mod bench;
mod browsers;
mod compat;
mod hosts;
mod interface;
mod overload;
mod parser;
mod reading;
mod reports;
mod sealed;
mod slow;
mod socket;
mod stop;
mod tls;
mod tokens;
mod ui;
