//! What can wait until the writer has nothing else to do: days summed, profiles put together. A step is short, and a
//! transaction of its own; what is left to do follows from the tables, so that a step that was cut off is done again.

mod days;
mod profiles;
mod turn;

pub(crate) use turn::Turn;

#[cfg(test)]
mod tests;
