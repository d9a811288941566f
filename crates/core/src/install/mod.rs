//! The folder of one install: who may read it, its token, its lock, and where its receiver listens.
//!
//! Everything in it is made for its owner alone (folder 0700, files 0600; `public_key` alone is 0644) with explicit
//! modes, whatever the umask; on Windows [`crate::system`] says what stands for them.

mod address;
mod arrivals;
mod crashes;
mod folder;
mod interface;
mod moment;
mod new_file;
mod plugin;
mod private;
mod refused;
mod settings;
mod token;

pub use address::{Address, read_address, remove_address, write_address};
pub use arrivals::{Arrivals, BATCHES, arrivals, inbox_dir, spool_dir};
pub(crate) use arrivals::{
    BATCH, DONE, LOCK, REFUSED, SEALED, WHY, any_sealed, is_looked_at, lock_of_the_dead, owner,
};
pub(crate) use crashes::{crash_without_words, failed_at};
pub use crashes::{crashes, keep_crashes};
pub use folder::{default_data_dir, prepare};
pub use interface::Interface;
pub use moment::Moment;
pub use new_file::Unnamed;
pub(crate) use new_file::{exists, put_new, put_written};
pub use plugin::{PLUGIN, PluginCopy, plugin_copy, plugin_path, put_plugin};
pub(crate) use private::{at, check_private, give_name, open_private, unwritten, write_public};
pub use private::{create_private, write_private};
pub use refused::{RefusedFile, refused_files};
pub use settings::{DEFAULT_PORT, Settings, Sharing, change_settings, settings, settings_path};
pub use token::{Token, replace_token, token};
pub(crate) use token::{digest, random};
