//! The Secret Service of the desktop, over the session bus.
//!
//! Each operation connects anew: they are rare, and a keyring that was restarted is found again. Nothing is unlocked, and so
//! no window asks for a password, unless a person wants that.

use std::collections::HashMap;

use bobbin_core::seal::{Ask, Keyring, KeyringFault};
use secret_service::blocking::{Collection, Item, SecretService};
use secret_service::{EncryptionType, Error};
use zeroize::Zeroizing;

const NAME: &str = "Secret Service";
const LABEL: &str = "Bobbin: key to recorded code";
const APPLICATION: &str = "bobbin";
const CONTENT_TYPE: &str = "text/plain";

/// The Secret Service.
#[derive(Debug)]
pub struct SecretServiceKeyring;

impl Keyring for SecretServiceKeyring {
    fn name(&self) -> Option<&'static str> {
        Some(NAME)
    }

    fn read(&self, account: &str, ask: Ask) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
        let service = connect()?;
        if let Some(found) = search(&service, account, ask)? {
            return Ok(Some(found));
        }
        // Some keyrings do not tell of what lies in a locked collection: only when all were open is it known that there is
        // none.
        let collections = service.get_all_collections().map_err(fault)?;
        if collections.is_empty() {
            return Err(KeyringFault::Absent);
        }
        for collection in &collections {
            if open(collection, ask)?
                && let Some(found) = search(&service, account, ask)?
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    fn write(&self, account: &str, secret: &[u8], ask: Ask) -> Result<(), KeyringFault> {
        let service = connect()?;
        // A service without a collection would ask for a password for a new one.
        let collection = service
            .get_default_collection()
            .map_err(|error| match error {
                Error::NoResult => KeyringFault::Absent,
                error => fault(error),
            })?;
        open(&collection, ask)?;
        collection
            .create_item(LABEL, attributes(account), secret, true, CONTENT_TYPE)
            .map_err(fault)?;
        Ok(())
    }

    fn remove(&self, account: &str, ask: Ask) -> Result<(), KeyringFault> {
        let service = connect()?;
        let found = service.search_items(attributes(account)).map_err(fault)?;
        for item in found.unlocked.iter().chain(&found.locked) {
            unlocked(item, ask)?;
            item.delete().map_err(fault)?;
        }
        Ok(())
    }
}

/// What passes over the bus is encrypted for the session.
fn connect<'a>() -> Result<SecretService<'a>, KeyringFault> {
    SecretService::connect(EncryptionType::Dh).map_err(|error| match error {
        // No bus, or nobody on it who keeps secrets.
        Error::Unavailable | Error::Zbus(_) | Error::ZbusFdo(_) => KeyringFault::Absent,
        error => fault(error),
    })
}

/// What the keyring tells of without opening more than it must.
fn search(
    service: &SecretService<'_>,
    account: &str,
    ask: Ask,
) -> Result<Option<Zeroizing<Vec<u8>>>, KeyringFault> {
    let found = service.search_items(attributes(account)).map_err(fault)?;
    let item = found.unlocked.first().or(found.locked.first());
    item.map(|item| secret(item, ask)).transpose()
}

fn attributes(account: &str) -> HashMap<&str, &str> {
    HashMap::from([("application", APPLICATION), ("account", account)])
}

fn secret(item: &Item<'_>, ask: Ask) -> Result<Zeroizing<Vec<u8>>, KeyringFault> {
    unlocked(item, ask)?;
    item.get_secret().map(Zeroizing::new).map_err(fault)
}

fn unlocked(item: &Item<'_>, ask: Ask) -> Result<(), KeyringFault> {
    match (item.is_locked().map_err(fault)?, ask) {
        (false, _) => Ok(()),
        (true, Ask::Nobody) => Err(KeyringFault::Locked),
        (true, Ask::Person) => item.unlock().map_err(fault),
    }
}

/// Opens a collection; gives whether it was locked before.
fn open(collection: &Collection<'_>, ask: Ask) -> Result<bool, KeyringFault> {
    match (collection.is_locked().map_err(fault)?, ask) {
        (false, _) => Ok(false),
        (true, Ask::Nobody) => Err(KeyringFault::Locked),
        (true, Ask::Person) => collection.unlock().map(|()| true).map_err(fault),
    }
}

/// Errors of the service name no secrets.
fn fault(error: Error) -> KeyringFault {
    match error {
        // A window that was closed without a password leaves it locked.
        Error::Locked | Error::Prompt => KeyringFault::Locked,
        Error::Unavailable => KeyringFault::Absent,
        error => KeyringFault::Failed(error.to_string()),
    }
}
