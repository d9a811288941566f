//! The table of commands.
