//! Who may ask at all. The checks run in the order in which they are listed, before anything else looks at a request:
//! a web page that reaches the port through a rebound name is stopped before its path is read, and somebody without a
//! token before a byte of the body is.

mod browser;
mod floor;
mod framing;
mod host;
mod quota;
mod token;
mod wrong;

pub use browser::refuse_browsers;
pub use floor::Floor;
pub use framing::{Coding, announced};
pub use host::Hosts;
pub use quota::{KEY, Quota, Quotas};
pub use token::{Access, Bearer, Keys, WRONG_TOKEN};
pub use wrong::Wrong;
