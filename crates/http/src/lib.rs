//! Transport over `bobbin-core`: two doors, each a listener of its own.
//!
//! - [`Receiver`]: where schedulers and their clients post and ask. A Unix socket (on Windows none) and one TCP port on loopback; a token
//!   always, browsers never. It answers Bobbin's own routes (`/v1/…`) and those of the published Coiled client (`/api/…`).
//! - The UI door, off by default: the same page as the window's, for a browser on this machine.
//!
//! And the team's: [`hub::Hub`], which takes the bundles of many, and [`sync`], which sends those of one.
//!
//! ```text
//! net       listeners, connections and their deadlines, TLS, the Unix socket
//! gate      who may ask at all: Host, browser headers, token, framing
//! receiver  the routes of Bobbin's own, and starting and stopping
//! compat    the routes of the published client
//! door      the UI door
//! hub       accounts: what a team shared, and who may do what
//! near      the way to a receiver here that is surely this user's
//! exchange  one request and its answer, without a runtime
//! post      batches to it, for replays
//! probe     what `bobbin doctor` and its page ask of it
//! sync      the other side of it: approved bundles on their way to a hub
//! team      what the two say to each other
//! ```

mod answer;
mod body;
mod compat;
mod door;
mod exchange;
mod gate;
pub mod hub;
mod near;
mod net;
mod post;
mod probe;
mod receiver;
mod report;
pub mod sync;
pub mod team;

pub use compat::Part;
pub use gate::{Hosts, Quota};
pub use near::Near;
pub use net::{Deadlines, Way, pinned};
pub use post::Post;
pub use probe::probe;
pub use receiver::{Config, Receiver, Running};
pub use report::report_page;
