//! The folder of one install: who may read it, its token, its lock, and where its receiver listens.
//!
//! Everything in it is made for its owner alone (folder 0700, files 0600) with explicit modes, whatever the umask.

mod address;
mod folder;
mod plugin;
mod private;
mod token;

pub use address::{Address, read_address, remove_address, write_address};
pub use folder::{default_data_dir, prepare};
pub use plugin::{PLUGIN, PluginCopy, plugin_copy, plugin_path, put_plugin};
pub(crate) use private::{at, check_private, open_private};
pub use private::{create_private, write_private};
pub use token::{Token, token};
pub(crate) use token::{digest, random};
