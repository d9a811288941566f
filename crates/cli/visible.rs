//! Text from strangers, safe to show in a terminal.

pub use bobbin_core::model::visible::{plain, plain_lines};
