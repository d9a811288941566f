//! Transport over `bobbin-core`: two doors, each a listener of its own.
//!
//! - [`Receiver`]: where schedulers and their clients post and ask. A Unix socket and one TCP port on loopback; a token
//!   always, browsers never. It answers Bobbin's own routes (`/v1/…`) and those of the published Coiled client (`/api/…`).
//! - The UI door, off by default: the same page as the window's, for a browser on this machine.
//!
//! ```text
//! net       listeners, connections and their deadlines, TLS, the Unix socket
//! gate      who may ask at all: Host, browser headers, token, framing
//! receiver  the routes of Bobbin's own, and starting and stopping
//! compat    the routes of the published client
//! door      the UI door
//! ```

mod answer;
mod body;
mod compat;
mod door;
mod gate;
mod net;
mod receiver;

pub use net::Deadlines;
pub use receiver::{Config, DEFAULT_PORT, Receiver, Running};
