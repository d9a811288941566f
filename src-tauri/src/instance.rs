//! One window a folder: a second launch shows the first window and ends.
//!
//! Found over the session bus. Without a bus nobody is found, and the store's own lock keeps the second one out.

use std::{
    collections::hash_map::DefaultHasher,
    hash::{Hash, Hasher},
    path::Path,
};

use tauri::{AppHandle, Wry, plugin::TauriPlugin};

use crate::window;

/// The plugin that ends a second launch on the same folder.
pub fn one_per_folder(dir: &Path) -> TauriPlugin<Wry> {
    tauri_plugin_single_instance::Builder::new()
        .dbus_id(name(dir))
        .callback(|app: &AppHandle, _, _| window::focus(app))
        .build()
}

/// A name on the bus that this folder has, and no other: a demo opens beside the user's own Bobbin.
fn name(dir: &Path) -> String {
    let mut hasher = DefaultHasher::new();
    std::path::absolute(dir)
        .unwrap_or_else(|_| dir.into())
        .hash(&mut hasher);
    format!("org.bobbin.desktop.folder{:016x}", hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn another_folder_has_another_name() {
        assert_ne!(name("/a".as_ref()), name("/b".as_ref()));
        assert_eq!(name("/a".as_ref()), name("/a/".as_ref()));
    }
}
