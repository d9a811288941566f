//! What can wait until the writer has nothing else to do: days summed, stalled time counted, profiles put together. A step is short, and a
//! transaction of its own; what is left to do follows from the tables, so that a step that was cut off is done again.

mod days;
mod profiles;
mod stalled;
mod turn;

pub(crate) use stalled::PAUSE as STALLED_PAUSE;
pub(crate) use turn::Turn;

#[cfg(test)]
mod tests;
