//! What differs between operating systems, so that nothing else has to ask which one it runs on.
//!
//! Each module holds one idea, with a Unix and a Windows half. On Unix files have modes and owners; on Windows the access list of the
//! profile folder, which everything in it inherits, keeps other users out.

mod disk;
mod heap;
mod held;
mod limits;
mod modes;
mod modified;
mod names;
mod owner;
mod place;
mod program;
mod unfollowed;

pub use disk::{Disk, make_folders, sync_folder};
pub(crate) use disk::{disk, may_write, sync_name};
pub(crate) use heap::share_heaps;
pub(crate) use held::lock_file;
pub(crate) use limits::{Limits, leave_no_core, limit};
pub use modes::{HAS_MODES, Others, loosened};
pub(crate) use modes::{close_folder, create_file, create_folder, let_others};
pub(crate) use modified::modified;
pub(crate) use names::cut;
pub(crate) use owner::{Owner, user};
pub(crate) use place::{read_at, read_exact_at, write_all_at};
pub(crate) use program::{Ended, end_with_asker, program, remember};
pub(crate) use unfollowed::{never_opens, open_unfollowed};
