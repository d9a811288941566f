//! Addresses, and the stores behind them.

use std::sync::Arc;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use url::Url;

use crate::error::{Error, Result};

/// What stands before `://` in the address of an object store.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl"];
/// Where their own tools have keys, regions and endpoints.
const ENVIRONMENT: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];

/// Where objects lie.
pub(crate) struct Place {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) root: Path,
}

/// Says what this process encrypts connections with. Whoever has this crate in the same program as reqwest says so before its
/// first connection, since neither chooses by itself.
pub fn choose_cryptography() {
    // A second time changes nothing.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
}

/// Whether this names an object store or a folder, and not a hub: it has a scheme of one of them, or a slash.
pub fn is_address(text: &str) -> bool {
    match text.split_once("://") {
        Some((scheme, _)) => scheme == "file" || SCHEMES.contains(&scheme),
        None => text.contains(std::path::is_separator),
    }
}

/// What the environment makes of an address: the server, or the account, behind the name of a bucket.
pub(crate) fn server(address: &str) -> Option<String> {
    let (scheme, _) = address.split_once("://")?;
    let names: &[&str] = match scheme {
        "s3" | "s3a" => &["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"],
        "gs" => &["GOOGLE_BASE_URL", "GOOGLE_STORAGE_BASE_URL"],
        "file" => &[],
        _ => &[
            "AZURE_STORAGE_ACCOUNT_NAME",
            "AZURE_ENDPOINT",
            "AZURE_STORAGE_ENDPOINT",
        ],
    };
    names.iter().find_map(|name| std::env::var(name).ok())
}

/// What is said of a text that [`is_address`] does not take.
pub(crate) fn no_address(text: &str) -> Error {
    Error::invalid(
        "destination",
        text,
        "it is a folder with a slash in it, or begins with s3://, gs:// or az://",
    )
}

/// Opens an address. `before` hears of one on another machine before anything is sent there.
pub(crate) fn open(address: &str, before: impl FnOnce(&str) -> Result<()>) -> Result<Place> {
    let at = |source| Error::Place {
        place: address.into(),
        source,
    };
    if !is_address(address) {
        return Err(no_address(address));
    }
    let folder = address.strip_prefix("file://").unwrap_or(address);
    if !folder.contains("://") {
        if !std::path::Path::new(folder).is_absolute() {
            return Err(Error::invalid(
                "destination",
                address,
                "a folder is named from the root: another one would be meant in each folder that one works in",
            ));
        }
        std::fs::create_dir_all(folder).map_err(|source| crate::io(folder.as_ref(), source))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(at)?;
        return Ok(Place {
            store: Arc::new(store.with_fsync(true)),
            root: Path::default(),
        });
    }
    let url = Url::parse(address)
        .map_err(|error| Error::invalid("destination", address, &error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        // Not shown: it may be a secret.
        return Err(Error::invalid(
            "destination",
            url.scheme(),
            "keys do not belong in an address; they are read from the environment",
        ));
    }
    before(&match server(address) {
        Some(server) => format!("{address} at {server}"),
        None => address.into(),
    })?;
    choose_cryptography();
    let options = std::env::vars()
        .filter(|(name, _)| ENVIRONMENT.iter().any(|start| name.starts_with(start)));
    let (store, root) = object_store::parse_url_opts(&url, options).map_err(at)?;
    Ok(Place {
        store: Arc::from(store),
        root,
    })
}
