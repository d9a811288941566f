//! The stories, by what they are about.

mod attach;
mod client;
mod config;
mod lost;
mod numbers;
mod same;
mod shell;
mod unseen;
