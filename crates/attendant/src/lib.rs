//! What goes on beside the page, with a window or without: receiving, the icon in the tray, notices, and hearing of second starts.
//!
//! Two programs share it. `bobbin-desktop` has a window, and with it the libraries that draw one; `bobbin tray` has none of them. One
//! becomes the other when the window is closed or opened: the process stays, so that there is one receiver at every moment.

mod alone;
mod attendant;
mod bobbin;
mod bus;
mod failure;
mod instance;
mod program;
mod said;
mod speaker;
mod start;
mod tray;
mod wish;

pub use alone::{Goes, alone};
pub use attendant::{Attendant, Post};
pub use bobbin::{Bobbin, quit_on_signal};
pub use bus::no_notices;
pub use failure::Failure;
pub use instance::{Asker, Listening, Second, first, hand_over};
pub use program::{OPENS, TRY, become_tray, become_window, no_tray, tray};
pub use start::{Opening, PAUSED, Start};
pub use wish::{Wish, Wishes, wishes};
