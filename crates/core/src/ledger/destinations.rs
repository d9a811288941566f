//! Where this install may send what was approved: the account that it joined, and the folders and object stores that it knows.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::Pinned;
use crate::Result;
use crate::install::at;
use crate::model::Micros;

/// Where an install remembers folders and object stores.
pub const DESTINATIONS_FILE: &str = "destinations.json";

/// What a destination is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum DestinationKind {
    Hub,
    Folder,
    /// An object store.
    Store,
}

/// One that this install joined, or made known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct JoinedDestination {
    pub kind: DestinationKind,
    /// By which a stage is for it.
    pub name: String,
    /// As the ledger names it.
    pub to: String,
    /// Of a hub, its host and port; of another, the folder or the address of the store.
    pub address: String,
    /// Of a hub, the fingerprint of its certificate: no other is sent anything.
    pub certificate_sha256: Option<String>,
    /// What a hub said of the account last; null where it says nothing.
    pub said: Option<AccountSaid>,
}

/// What a hub says of an account: who reads there, and what is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct AccountSaid {
    /// When it said so.
    pub as_of_micros: Micros,
    /// The most that a bundle may tell; null where nobody said so.
    pub level: Option<String>,
    /// Who can read all that is shared, by what else they may.
    pub viewers: u32,
    pub members: u32,
    pub admins: u32,
    /// How many days its backups live, which may hold what was recalled; null where whoever runs it does not say.
    pub backup_days: Option<u32>,
}

#[derive(Deserialize)]
struct Listed {
    destinations: Vec<Address>,
}

#[derive(Deserialize)]
struct Address {
    address: String,
    #[serde(default)]
    server: Option<String>,
}

/// A folder or an object store, as the ledger names it: the same bucket on another server is another place, and what was approved
/// for one goes to no other.
pub fn place_named(address: &str, server: Option<&str>) -> String {
    match server {
        Some(server) => format!("{address}#server={server}"),
        None => address.to_owned(),
    }
}

/// Those of the install in `dir`, the hub first.
///
/// # Errors
/// [`crate::Error::Json`], [`crate::Error::Io`].
pub fn joined_destinations(dir: &Path) -> Result<Vec<JoinedDestination>> {
    let hub = Pinned::joined_and_said(dir)?.map(|(pinned, said)| JoinedDestination {
        kind: DestinationKind::Hub,
        name: pinned.account_name.clone(),
        to: pinned.to_string(),
        address: pinned.address,
        certificate_sha256: Some(pinned.pin),
        said,
    });
    let path = dir.join(DESTINATIONS_FILE);
    let listed: Listed = match fs::read(&path) {
        Ok(text) => serde_json::from_slice(&text)?,
        Err(source) if source.kind() == std::io::ErrorKind::NotFound => Listed {
            destinations: Vec::new(),
        },
        Err(source) => return Err(at(&path)(source)),
    };
    let others = listed
        .destinations
        .into_iter()
        .map(|one| JoinedDestination {
            kind: if one.address.contains("://") && !one.address.starts_with("file://") {
                DestinationKind::Store
            } else {
                DestinationKind::Folder
            },
            to: place_named(&one.address, one.server.as_deref()),
            name: one.address.clone(),
            address: one.address,
            certificate_sha256: None,
            said: None,
        });
    Ok(hub.into_iter().chain(others).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::TEAM_FILE;

    #[test]
    fn the_hub_that_was_joined_and_what_was_made_known_are_listed() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(joined_destinations(dir.path()).unwrap(), []);
        let mut team = serde_json::json!({"account": "0a1b", "account_name": "blue", "address": "hub.example:1", "pin": "ff", "token": "x"});
        fs::write(dir.path().join(TEAM_FILE), team.to_string()).unwrap();
        // As a version wrote it that did not ask; and as this one does.
        assert_eq!(joined_destinations(dir.path()).unwrap()[0].said, None);
        let said = AccountSaid {
            as_of_micros: Micros(7),
            level: Some("names".into()),
            viewers: 2,
            members: 5,
            admins: 1,
            backup_days: Some(30),
        };
        team["said"] = serde_json::to_value(&said).unwrap();
        fs::write(dir.path().join(TEAM_FILE), team.to_string()).unwrap();
        assert_eq!(joined_destinations(dir.path()).unwrap()[0].said, Some(said));
        let known = r#"{"destinations":[{"address":"/team","account":"a"},{"address":"s3://b/c","server":"https://s:9"}]}"#;
        fs::write(dir.path().join(DESTINATIONS_FILE), known).unwrap();
        let found = joined_destinations(dir.path()).unwrap();
        assert_eq!(found[0].address, "hub.example:1");
        assert_eq!(found[0].certificate_sha256.as_deref(), Some("ff"));
        assert_eq!(found[2].address, "s3://b/c");
        let said: Vec<_> = found
            .into_iter()
            .map(|one| (one.kind, one.name, one.to))
            .collect();
        let named = |kind, name: &str, to: &str| (kind, name.to_owned(), to.to_owned());
        assert_eq!(
            said,
            [
                named(DestinationKind::Hub, "blue", "0a1b@hub.example:1#sha256=ff"),
                named(DestinationKind::Folder, "/team", "/team"),
                named(
                    DestinationKind::Store,
                    "s3://b/c",
                    "s3://b/c#server=https://s:9"
                ),
            ]
        );
        // What a person calls it means that one.
        let meant = |name: &str| Pinned::meant(dir.path(), name).unwrap();
        assert_eq!(meant("s3://b/c"), "s3://b/c#server=https://s:9");
        assert_eq!(
            (meant("/team"), meant("s3://b")),
            ("/team".into(), "s3://b".into())
        );
    }
}
