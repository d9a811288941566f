//! `bobbin key`: whether what is sealed can be read, and how its key moves, comes back, and is replaced.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use bobbin_core::api::{
    self, App, Empty, KeyPlace, KeyStatus, MoveKeyRequest, RecoveryKey, RecoveryOffer,
    RestoreKeyRequest,
};

use crate::args::{KeyArgs, KeyPlaceArg, KeyVerb};
use crate::failure::Failure;
use crate::{open, print};

/// What was printed of a key is a line; more than this is something else.
const LONGEST: u64 = 64 << 10;

/// Runs the verb. What changes keys needs the store for itself, so a running Bobbin is in its way; its page can do the same.
pub fn run(data_dir: &Path, json: bool, args: &KeyArgs) -> Result<(), Failure> {
    let answer = match &args.verb {
        None => api::keys(&open::reader(data_dir)?, Empty {})?,
        Some(KeyVerb::Recovery) => {
            // Beside a running Bobbin it is only shown.
            let app = owner(data_dir).or_else(|_| open::reader(data_dir))?;
            let key = api::recovery_key(&app, Empty {})?;
            return match json {
                true => print::json(&key),
                false => print::write(&printed(&key)),
            };
        }
        Some(KeyVerb::Move { to }) => api::move_key(
            &owner(data_dir)?,
            MoveKeyRequest {
                to: match to {
                    KeyPlaceArg::File => KeyPlace::File,
                    KeyPlaceArg::Keyring => KeyPlace::Keyring,
                },
            },
        )?,
        Some(KeyVerb::Restore { file }) => {
            let text = read(file.as_deref())?;
            api::restore_key(&owner(data_dir)?, RestoreKeyRequest { text })?
        }
        Some(KeyVerb::Rotate) => {
            let app = owner(data_dir)?;
            let rotated = api::rotate_key(&app, Empty {})?;
            // Also what the log still holds of the sealing before.
            app.drain()?;
            rotated
        }
        Some(KeyVerb::New) => api::new_key(&owner(data_dir)?, Empty {})?,
    };
    match json {
        true => print::json(&answer),
        false => print::write(&text(&answer)),
    }
}

/// The one writer of a store that is there: none is made for the sake of its key.
fn owner(data_dir: &Path) -> Result<App, Failure> {
    open::reader(data_dir)?;
    open::owner(data_dir)
}

fn read(file: Option<&Path>) -> Result<String, Failure> {
    let mut text = String::new();
    let (name, read) = match file {
        Some(path) => (
            path,
            fs::File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text)),
        ),
        None => (
            Path::new("stdin"),
            io::stdin().lock().take(LONGEST).read_to_string(&mut text),
        ),
    };
    read.map_err(|error| Failure::io("the recovery key", name, &error))?;
    Ok(text)
}

/// As it is to be printed: what it is, and the one line that counts.
fn printed(key: &RecoveryKey) -> String {
    format!(
        "# Bobbin recovery key. Keep it private: anyone who has it can read recorded code.\n\
         # created: {}\n# public key: {}\n{}\n",
        print::moment(key.created_micros),
        key.name,
        key.text
    )
}

fn text(status: &KeyStatus) -> String {
    let (found, hint) = api::key_words(status.state);
    let mut text = format!("{found}\n");
    if let Some(hint) = hint {
        text.push_str(&format!("       {hint}\n"));
    }
    let place = match (status.place, &status.keyring) {
        (Some(KeyPlace::File), _) => "the file `key` in the data folder".into(),
        (Some(KeyPlace::Keyring), Some(name)) => format!("the keyring ({name})"),
        (Some(KeyPlace::Keyring), None) => "a keyring, but this system has none".into(),
        (None, _) => "unknown".into(),
    };
    text.push_str(&format!(
        "key:      {}\nplace:    {place}\ncreated:  {}\nrecovery: {}\n",
        status.name,
        print::moment(status.created_micros),
        match status.recovery {
            RecoveryOffer::Open => "never printed; print it with `bobbin key recovery`",
            RecoveryOffer::Shown => "printed",
            RecoveryOffer::Declined =>
                "declined; you can still print it with `bobbin key recovery`",
        },
    ));
    if status.rotation_left > 0 {
        text.push_str(&format!(
            "rotation: {} data keys are left; continue with `bobbin key rotate`\n",
            status.rotation_left
        ));
    }
    if let Some(lost) = status.lost_clusters.filter(|lost| *lost > 0) {
        text.push_str(&format!(
            "locked:   clusters whose code needs a missing key: {lost}; restore it with `bobbin key restore`\n"
        ));
    }
    text
}
