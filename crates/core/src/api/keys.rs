//! The key that opens what is sealed: where it is, how it moves, comes back, and is replaced.

use std::sync::Mutex;

use super::{
    App, Empty, KeyPlace, KeyState, KeyStatus, MoveKeyRequest, RecoveryKey, RestoreKeyRequest,
};
use crate::ingest::{self, InstallKey};
use crate::install;
use crate::lock::lock;
use crate::query::{self, KeyRow};
use crate::seal::{
    Closed, DataKey, KeyringFault, Keys, PrivateKey, PrivateKeys, PublicKey, key_name,
    read_recovery_text, recovery_text,
};
use crate::{Error, Result, seal, store};

/// Data keys sealed anew in one write: a tenth of a second.
const TOGETHER: u32 = 256;

/// How long the half before stays at least: a plugin reads the public half once, and seals a whole queue to it.
const GRACE_MICROS: i64 = 24 * 3_600 * 1_000_000;

/// One change of keys at a time, in a process that owns its store.
static CHANGING: Mutex<()> = Mutex::new(());

/// Whether what is sealed to `newest` can be read, without asking a keyring.
pub(super) fn state(keys: &Keys, newest: Option<&[u8]>) -> KeyState {
    let newest = newest.and_then(|bytes| PublicKey::from_bytes(bytes).ok());
    match keys.known() {
        None => KeyState::Unasked,
        Some(found) => state_of(&found, newest.as_ref()),
    }
}

fn state_of(
    found: &std::result::Result<PrivateKeys, Closed>,
    newest: Option<&PublicKey>,
) -> KeyState {
    match found {
        Ok(keys) if newest.is_some_and(|public| keys.of_public(public).is_some()) => KeyState::Open,
        Ok(_) => KeyState::Another,
        Err(Closed::Missing) => KeyState::Missing,
        Err(Closed::Unreadable(_)) => KeyState::Unreadable,
        Err(Closed::Shut) => KeyState::Shut,
        Err(Closed::NotInKeyring) => KeyState::NotInKeyring,
        Err(Closed::Keyring(KeyringFault::Locked)) => KeyState::KeyringLocked,
        Err(Closed::Keyring(KeyringFault::Absent)) => KeyState::KeyringAbsent,
        Err(Closed::Keyring(KeyringFault::Silent)) => KeyState::KeyringSilent,
        Err(Closed::Keyring(KeyringFault::Failed(_))) => KeyState::KeyringFailed,
    }
}

/// The key, as far as it can be read without asking anybody for a password.
pub(super) fn keys(app: &App, _: Empty) -> Result<KeyStatus> {
    let found = app.keys().private();
    let rows = app.read(query::key_rows)?;
    let newest = newest(&rows)?;
    let held = |row: &&KeyRow| {
        let held = found.as_ref().ok();
        held.is_some_and(|keys| keys.of_public(&row.public).is_some())
    };
    let lost: Vec<i64> = rows
        .iter()
        .filter(|row| !held(row))
        .map(|row| row.id)
        .collect();
    let lost_clusters = match &found {
        Ok(_) => Some(app.read(|db| query::clusters_sealed_to(db, &lost))?),
        Err(_) => None,
    };
    Ok(KeyStatus {
        state: state_of(&found, Some(&newest.public)),
        place: app.keys().place().map(|place| match place {
            seal::KeyPlace::File => KeyPlace::File,
            seal::KeyPlace::Keyring => KeyPlace::Keyring,
        }),
        keyring: app.keys().keyring().map(str::to_owned),
        name: key_name(&newest.public),
        created_micros: newest.created,
        recovery: newest.recovery,
        lost_clusters,
        rotation_left: rows
            .iter()
            .skip(1)
            .filter(held)
            .map(|row| row.data_keys)
            .sum(),
    })
}

/// Reads the key again; a keyring may ask whoever sits in front of it.
pub(super) fn unlock_key(app: &App, _: Empty) -> Result<KeyStatus> {
    // What it answers is in the status.
    let _ = app.keys().unlock();
    told(app)
}

/// Forgets the key until it is unlocked.
pub(super) fn lock_key(app: &App, _: Empty) -> Result<KeyStatus> {
    app.keys().lock();
    told(app)
}

/// Moves the key into the file or the keyring.
pub(super) fn move_key(app: &App, request: MoveKeyRequest) -> Result<KeyStatus> {
    app.writer()?;
    let _turn = lock(&CHANGING);
    let alone = app.keys().move_to(match request.to {
        KeyPlace::File => seal::KeyPlace::File,
        KeyPlace::Keyring => seal::KeyPlace::Keyring,
    })?;
    if !alone {
        return Err(Error::Refused(
            "the key is now in the file, but the keyring kept its copy: remove it there manually"
                .into(),
        ));
    }
    told(app)
}

/// What to print of the key that seals now.
pub(super) fn recovery_key(app: &App, _: Empty) -> Result<RecoveryKey> {
    let rows = app.read(query::key_rows)?;
    let newest = newest(&rows)?;
    let keys = app.keys().unlock().map_err(|closed| closed.error())?;
    let key = keys.of_public(&newest.public).ok_or(Error::Locked)?;
    let answer = RecoveryKey {
        text: recovery_text(key)?.to_string(),
        name: key_name(&newest.public),
        created_micros: newest.created,
    };
    // Beside an owner it is shown all the same, and offered there once more.
    if app.writer().is_ok() {
        let (id, now) = (newest.id, app.now());
        app.write(move |db| ingest::note_recovery(db, id, true, now))?;
        app.tell(Vec::new());
    }
    Ok(answer)
}

/// Takes the offer of a recovery key away until there is another key.
pub(super) fn decline_recovery_key(app: &App, _: Empty) -> Result<KeyStatus> {
    let rows = app.read(query::key_rows)?;
    let (id, now) = (newest(&rows)?.id, app.now());
    app.write(move |db| ingest::note_recovery(db, id, false, now))?;
    told(app)
}

/// Takes a key back from its recovery form, beside those that are here.
pub(super) fn restore_key(app: &App, request: RestoreKeyRequest) -> Result<KeyStatus> {
    app.writer()?;
    let _turn = lock(&CHANGING);
    let key = read_recovery_text(&request.text)?;
    let rows = app.read(query::key_rows)?;
    if !rows.iter().any(|row| row.public == key.public()) {
        return Err(Error::Invalid {
            what: "recovery key",
            value: key_name(&key.public()),
            reason: format!(
                "nothing in this store is encrypted to it; the store's key is {}",
                key_name(&newest(&rows)?.public)
            ),
        });
    }
    app.keys().keep(&held_or_none(app)?.with(key))?;
    told(app)
}

/// Begins with a new key where the one that seals is lost. What is sealed to that stays, and opens when it comes back.
pub(super) fn new_key(app: &App, _: Empty) -> Result<KeyStatus> {
    app.writer()?;
    let _turn = lock(&CHANGING);
    let rows = app.read(query::key_rows)?;
    let held = held_or_none(app)?;
    if held.of_public(&newest(&rows)?.public).is_some() {
        return Err(Error::Refused(
            "the key is here: use `rotate` to replace it and re-encrypt what it encrypted".into(),
        ));
    }
    begin(app, &held)?;
    told(app)
}

/// Replaces the key: a new pair, to which every data key is sealed anew; values stay as they are. A rotation that was cut
/// short is ended instead.
pub(super) fn rotate_key(app: &App, request: Empty) -> Result<KeyStatus> {
    app.writer()?;
    {
        let _turn = lock(&CHANGING);
        let held = app.keys().unlock().map_err(|closed| closed.error())?;
        let rows = app.read(query::key_rows)?;
        held.of_public(&newest(&rows)?.public)
            .ok_or(Error::Locked)?;
        if keys(app, request)?.rotation_left == 0 {
            begin(app, &held)?;
        }
        end(app)?;
    }
    told(app)
}

/// Ends a rotation that was cut short, or that had to wait for what plugins had sealed to the key before. A keyring is
/// not asked for it.
///
/// # Errors
/// [`Error::Sqlite`], [`Error::Keyring`], [`Error::DiskFull`].
pub(crate) fn settle_keys(app: &App) -> Result<()> {
    if app.read(query::install_keys)? < 2 || !matches!(app.keys().known(), Some(Ok(_))) {
        return Ok(());
    }
    let _turn = lock(&CHANGING);
    end(app)
}

/// A new pair seals from now on. Its private half is kept, beside the others, before anything is sealed to it.
fn begin(app: &App, held: &PrivateKeys) -> Result<()> {
    let key = PrivateKey::random()?;
    let public = key.public();
    app.keys().keep(&held.with(key))?;
    let now = app.now();
    app.write(move |db| ingest::add_install_key(db, public, now).map(drop))?;
    let install = app.read(ingest::newest_install_key)?.ok_or(Error::Locked)?;
    install.public.publish(app.dir())?;
    // Only now: a write that is undone must not leave the writer sealing to a key that is not in the store.
    app.write_with(move |_, ingest| {
        ingest.seal_to(install);
        Ok(())
    })
}

/// Seals to the newest key what older ones that are here still seal, and forgets those.
fn end(app: &App) -> Result<()> {
    let held = app.keys().private().map_err(|closed| closed.error())?;
    let rows = app.read(query::key_rows)?;
    let newest = newest(&rows)?;
    let install = InstallKey {
        id: newest.id,
        public: newest.public.clone(),
    };
    for row in rows.iter().skip(1) {
        if let Some(private) = held.of_public(&row.public) {
            rewrap(app, row.id, private, &install)?;
        }
    }
    if older_needed(app, newest) {
        return Ok(());
    }
    app.write(ingest::forget_unused_install_keys)?;
    let needed = publics(&app.read(query::key_rows)?);
    let kept = held.only(&needed);
    if kept.publics().len() < held.publics().len() {
        app.keys().keep(&kept)?;
    }
    Ok(())
}

/// Whether a private half before the newest may still open something: what a plugin seals that read the public half before,
/// what lies in the spool, or in another store of this folder than the present one.
fn older_needed(app: &App, newest: &KeyRow) -> bool {
    if app.now().0 - newest.created.0 < GRACE_MICROS {
        return true;
    }
    match install::any_sealed(app.dir()) {
        Ok(false) => {}
        Ok(true) => return true,
        Err(error) => {
            tracing::debug!(%error, "Bobbin cannot read the spool, so older keys stay");
            return true;
        }
    }
    store::older_keys_needed(app.dir(), &newest.public.to_bytes(), newest.created)
}

fn rewrap(app: &App, from: i64, private: &PrivateKey, to: &InstallKey) -> Result<()> {
    let mut after = i64::MIN;
    loop {
        let found = app.read(|db| query::data_keys(db, from, after, TOGETHER))?;
        let Some(last) = found.last() else {
            return Ok(());
        };
        after = last.id;
        let sealed: Vec<(i64, Vec<u8>)> = found
            .iter()
            .filter_map(|key| {
                DataKey::rewrap(key.id, &key.cluster, &key.wrapped, private, &to.public)
                    .inspect_err(|error| tracing::warn!(%error, "Bobbin did not change a data key"))
                    .ok()
                    .map(|wrapped| (key.id, wrapped))
            })
            .collect();
        let id = to.id;
        app.write(move |db| {
            sealed
                .iter()
                .try_for_each(|(key, wrapped)| ingest::put_data_key(db, *key, wrapped, id))
        })?;
    }
}

fn publics(rows: &[KeyRow]) -> Vec<PublicKey> {
    rows.iter().map(|row| row.public.clone()).collect()
}

fn newest(rows: &[KeyRow]) -> Result<&KeyRow> {
    rows.first().ok_or(Error::Locked)
}

/// The keys that are here; none where they are lost. A place that cannot be read is not written over.
fn held_or_none(app: &App) -> Result<PrivateKeys> {
    match app.keys().unlock() {
        Ok(keys) => Ok(keys),
        Err(Closed::Missing | Closed::NotInKeyring) => Ok(PrivateKeys::default()),
        Err(Closed::Unreadable(why)) => Err(Error::Invalid {
            what: "key file",
            value: app.dir().join("key").display().to_string(),
            reason: format!("{why}; move it away first"),
        }),
        Err(closed) => Err(closed.error()),
    }
}

/// Open pages ask again, and what they show of code follows.
fn told(app: &App) -> Result<KeyStatus> {
    app.tell(Vec::new());
    keys(app, Empty {})
}
