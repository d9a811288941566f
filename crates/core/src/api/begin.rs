//! The beginning of a program: it is started again for work that could take it down.

use std::process::ExitCode;

use crate::foreign;
use crate::install::crash_without_words;
use crate::query::sql;
use crate::system::{remember, share_heaps};

/// To be called first of all by a program that has a store, before it has threads: they share heaps. It starts itself again to answer
/// SQL of a person, and to read files of other programs. Gives the exit code of a process that was started so, once it is done.
pub fn begin() -> Option<ExitCode> {
    share_heaps();
    crash_without_words();
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == sql::WORD => Some(sql::answer(arguments.next())),
        Some(word) if word == foreign::WORD => Some(foreign::answer()),
        _ => {
            remember();
            None
        }
    }
}
