//! The stories, by what they are about.

mod attach;
mod bundles;
mod client;
mod close;
mod compare;
mod config;
mod demo;
mod destination;
mod files;
mod foreign;
mod hub;
mod interface;
mod keys;
mod lost;
mod numbers;
mod overload;
mod restore;
mod review;
mod room;
mod same;
mod shell;
mod sql;
mod starts;
mod storage;
mod unseen;
mod update;
