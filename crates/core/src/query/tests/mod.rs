//! The questions against small stories.

mod lists;
mod pages;
mod sql;
mod states;
