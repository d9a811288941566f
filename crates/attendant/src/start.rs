//! How a Bobbin starts, with a window or without, and what it opens with.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

/// What both programs take, and tell each other when one becomes the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// The folder of the store, where it was named.
    pub data_dir: Option<PathBuf>,
    /// The TCP port of the receiver, where it is not the one of the settings.
    pub port: Option<u16>,
    /// Nobody may report until that is taken back: so it was before this program became what it is now.
    pub paused: bool,
}

/// Between window and tray the program is started anew; a person pauses by the tray.
pub const PAUSED: &str = "--paused";

impl Start {
    /// The same Bobbin once more. A port that was named, if only as any, stays the one that clusters know by now.
    pub fn again(&self, paused: bool, port: Option<u16>) -> Self {
        Self {
            data_dir: self.data_dir.clone(),
            port: self.port.and(port.or(self.port)),
            paused,
        }
    }

    /// As both command lines read it.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = Vec::new();
        if let Some(folder) = &self.data_dir {
            let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
            words.extend(["--data-dir".into(), folder.into_os_string()]);
        }
        if let Some(port) = self.port {
            words.extend(["--port".into(), port.to_string().into()]);
        }
        words.extend(self.paused.then(|| PAUSED.into()));
        words
    }
}

/// What a window is to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Opening {
    /// Bundles to look at.
    pub files: Vec<PathBuf>,
    /// Links to follow; the last is what is seen.
    pub links: Vec<String>,
}

impl Opening {
    /// The same for somebody who stands in another folder.
    pub fn from(mut self, folder: &Path) -> Self {
        for file in &mut self.files {
            *file = folder.join(&file);
        }
        self
    }

    /// As the command line of the window reads it.
    pub fn words(&self) -> Vec<OsString> {
        let files = self.files.iter().map(|file| file.clone().into_os_string());
        files.chain(self.links.iter().map(OsString::from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_was_named_as_any_stays_the_one_that_was_found() {
        let named = |port| Start {
            port,
            ..Start::default()
        };
        assert_eq!(named(Some(0)).again(false, Some(40123)).port, Some(40123));
        assert_eq!(named(Some(0)).again(false, None).port, Some(0));
        assert_eq!(named(None).again(false, Some(8788)).port, None);
    }

    #[test]
    fn what_was_named_is_told_on() {
        let start = Start {
            data_dir: Some("/tmp/a".into()),
            port: Some(9000),
            paused: true,
        };
        assert_eq!(
            start.words(),
            ["--data-dir", "/tmp/a", "--port", "9000", PAUSED]
        );
        assert!(Start::default().words().is_empty());
    }
}
