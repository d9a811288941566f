//! Addresses, and the stores behind them.

use std::sync::Arc;

use bobbin_core::ledger::Ledger;
use bobbin_core::system::make_folders;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreScheme};
use url::Url;

use crate::client::Connector;
use crate::error::{Error, Result};
use crate::watch::{KeysFrom, Watch};

/// What stands before `://` in the address of an object store.
const SCHEMES: [&str; 8] = ["s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl"];
/// Where their own tools have keys, regions and endpoints.
const ENVIRONMENT: [&str; 3] = ["AWS_", "GOOGLE_", "AZURE_"];
/// Where a region of Amazon's stands.
const REGIONS: [&str; 2] = ["AWS_REGION", "AWS_DEFAULT_REGION"];
/// The options that say in which file keys of Google's are.
const GOOGLE_FILES: [&str; 2] = ["google_service_account", "google_service_account_path"];
/// The one that has them itself.
const GOOGLE_KEY: &str = "google_service_account_key";
/// The one that names the server, whatever the keys say.
const GOOGLE_SERVER: &str = "google_base_url";

/// Where objects lie.
pub(crate) struct Place {
    pub(crate) store: Arc<dyn ObjectStore>,
    pub(crate) root: Path,
    /// What of it is on another machine.
    pub(crate) watch: Option<Arc<Watch>>,
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

/// What the environment makes of an address: the server, or the account, behind the name of a bucket. It is all that the
/// environment names: which of them counts is up to the library.
pub(crate) fn server(address: &str) -> Option<String> {
    server_by(address, |name| std::env::var(name).ok())
}

fn server_by(address: &str, said: impl Fn(&str) -> Option<String>) -> Option<String> {
    let (scheme, _) = address.split_once("://")?;
    let mut found: Vec<String> = Vec::new();
    let named = naming(scheme).iter().filter_map(|name| said(name));
    for server in named.chain(cloud(scheme, &said)) {
        if !found.contains(&server) {
            found.push(server);
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}

/// The variables in which the library looks for a server, or an account.
fn naming(scheme: &str) -> &'static [&'static str] {
    match scheme {
        "s3" | "s3a" => &["AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT"],
        "gs" => &["GOOGLE_BASE_URL"],
        "file" => &[],
        _ => &[
            "AZURE_STORAGE_ACCOUNT_NAME",
            "AZURE_ENDPOINT",
            "AZURE_STORAGE_ENDPOINT",
        ],
    }
}

/// Amazon's cloud for the government, where a region names it: a bucket there is none of those that are called so elsewhere.
fn cloud(scheme: &str, said: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let mut regions = REGIONS.iter().filter_map(|name| said(name));
    let apart = regions.any(|region| region.starts_with("us-gov-"));
    (apart && matches!(scheme, "s3" | "s3a")).then(|| "aws-us-gov".to_owned())
}

/// What is said of a text that [`is_address`] does not take.
pub(crate) fn no_address(text: &str) -> Error {
    Error::invalid(
        "destination",
        text,
        "use a folder with a slash in it, or an address that starts with s3://, gs:// or az://",
    )
}

/// Opens an address. What it connects to then has its row of the ledger first.
pub(crate) fn open(address: &str, keys: KeysFrom, ledger: &Ledger) -> Result<Place> {
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
                "use an absolute path: a relative one depends on the current folder",
            ));
        }
        make_folders(folder.as_ref()).map_err(|source| crate::io(folder.as_ref(), source))?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(at)?;
        return Ok(Place {
            store: Arc::new(store.with_fsync(true)),
            root: Path::default(),
            watch: None,
        });
    }
    let url = Url::parse(address)
        .map_err(|error| Error::invalid("destination", address, &error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() {
        // Not shown: it may be a secret.
        return Err(Error::invalid(
            "destination",
            url.scheme(),
            "keys do not belong in an address; Bobbin reads them from the environment",
        ));
    }
    choose_cryptography();
    let options: Vec<(String, String)> = std::env::vars()
        .filter(|(name, _)| ENVIRONMENT.iter().any(|start| name.starts_with(start)))
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    usable(&options)?;
    let (scheme, root) = ObjectStoreScheme::parse(&url).map_err(|error| at(error.into()))?;
    let watch = Watch::new(address, keys, ledger);
    macro_rules! built {
        ($builder:ty) => {{
            let named = <$builder>::new().with_url(url.as_str());
            let builder = options
                .into_iter()
                .fold(named, |builder, (name, value)| match name.parse() {
                    Ok(key) => builder.with_config(key, value),
                    // A variable of another tool.
                    Err(_) => builder,
                })
                .with_http_connector(Connector(Arc::clone(&watch)));
            Arc::new(builder.build().map_err(at)?) as Arc<dyn ObjectStore>
        }};
    }
    let store = match scheme {
        ObjectStoreScheme::AmazonS3 => built!(AmazonS3Builder),
        ObjectStoreScheme::GoogleCloudStorage => {
            named_by_no_keys(&options)?;
            built!(GoogleCloudStorageBuilder)
        }
        ObjectStoreScheme::MicrosoftAzure => built!(MicrosoftAzureBuilder),
        _ => return Err(no_address(address)),
    };
    Ok(Place {
        store,
        root,
        watch: Some(watch),
    })
}

/// That these options name what is connected to.
fn usable(options: &[(String, String)]) -> Result<()> {
    let is_on = |option: &str| {
        options
            .iter()
            .any(|(name, value)| name == option && !matches!(value.as_str(), "" | "0" | "false"))
    };
    let by_cli = options
        .iter()
        .any(|(name, value)| name == "azure_credential_type" && value == "azure_cli");
    // Of what another program connects to there would be no row.
    for (found, which) in [
        (is_on("azure_use_azure_cli"), "AZURE_USE_AZURE_CLI"),
        (by_cli, "AZURE_CREDENTIAL_TYPE=azure_cli"),
    ] {
        if found {
            return Err(Error::refused(format!(
                "{which} makes another program fetch the keys, and its connections are in no ledger: unset it, and set \
                 AZURE_STORAGE_ACCOUNT_KEY or AZURE_STORAGE_SAS_KEY"
            )));
        }
    }
    // An approval for an account would then be one for whatever server runs on this machine, or for another service.
    for (option, whose) in [
        ("azure_storage_use_emulator", "the emulator's"),
        ("azure_use_fabric_endpoint", "Fabric's"),
    ] {
        if is_on(option) {
            return Err(Error::refused(format!(
                "{} names no server: unset it, and set AZURE_STORAGE_ENDPOINT to {whose} address",
                option.to_ascii_uppercase()
            )));
        }
    }
    Ok(())
}

/// That keys of Google's name no server beside the environment: an approval for a bucket would be one for wherever they say.
fn named_by_no_keys(options: &[(String, String)]) -> Result<()> {
    let said = |option: &str| {
        let mut options = options.iter();
        let found = options.find(|(name, _)| name == option);
        found.map(|(_, value)| value.clone())
    };
    if said(GOOGLE_SERVER).is_some() {
        return Ok(());
    }
    let files = GOOGLE_FILES.into_iter().filter_map(said);
    let texts = files.filter_map(|path| std::fs::read_to_string(path).ok());
    for text in texts.chain(said(GOOGLE_KEY)) {
        let keys: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        if keys["gcs_base_url"].is_string() {
            return Err(Error::refused(
                "Google's keys name a server in gcs_base_url: set GOOGLE_BASE_URL to it".into(),
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use object_store::aws::AmazonS3ConfigKey;
    use object_store::azure::AzureConfigKey;
    use object_store::gcp::GoogleConfigKey;

    use super::*;

    #[test]
    fn what_names_a_server_is_what_the_library_reads() {
        for scheme in SCHEMES {
            for name in naming(scheme) {
                let option = name.to_ascii_lowercase();
                let is_read = match scheme {
                    "s3" | "s3a" => option.parse::<AmazonS3ConfigKey>().is_ok(),
                    "gs" => option.parse::<GoogleConfigKey>().is_ok(),
                    _ => option.parse::<AzureConfigKey>().is_ok(),
                };
                assert!(is_read, "{name}");
            }
        }
        for name in REGIONS {
            let option = name.to_ascii_lowercase();
            assert!(option.parse::<AmazonS3ConfigKey>().is_ok(), "{name}");
        }
        for option in GOOGLE_FILES.into_iter().chain([GOOGLE_KEY, GOOGLE_SERVER]) {
            assert!(option.parse::<GoogleConfigKey>().is_ok(), "{option}");
        }
    }

    #[test]
    fn every_server_that_the_environment_names_is_part_of_what_an_address_means() {
        let server = |address: &str, environment: &[(&str, &str)]| {
            server_by(address, |name| {
                let found = environment.iter().find(|(said, _)| *said == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        let account = ("AZURE_STORAGE_ACCOUNT_NAME", "team");
        let endpoint = ("AZURE_STORAGE_ENDPOINT", "https://stack.example");
        assert_eq!(server("az://c/x", &[account]).as_deref(), Some("team"));
        assert_eq!(
            server("az://c/x", &[account, endpoint]).as_deref(),
            Some("team, https://stack.example")
        );
        let (all, of_s3) = (
            ("AWS_ENDPOINT_URL", "https://a"),
            ("AWS_ENDPOINT_URL_S3", "https://b"),
        );
        assert_eq!(
            server("s3://b/x", &[all, of_s3]).as_deref(),
            Some("https://a, https://b")
        );
        let same = ("AWS_ENDPOINT_URL_S3", all.1);
        assert_eq!(
            server("s3://b/x", &[all, same, account]).as_deref(),
            Some("https://a")
        );
        assert_eq!(server("s3://b/x", &[account]), None);
        let region = ("AWS_REGION", "us-gov-west-1");
        assert_eq!(server("s3://b/x", &[("AWS_REGION", "us-east-1")]), None);
        let government = server("s3://b/x", &[region]);
        assert_eq!(government.as_deref(), Some("aws-us-gov"));
        assert_eq!(
            server("s3a://b/x", &[all, ("AWS_DEFAULT_REGION", region.1)]).as_deref(),
            Some("https://a, aws-us-gov")
        );
        assert_eq!(server("gs://b/x", &[region]), None);
        assert_eq!(server("file:///team", &[all]), None);
        assert_eq!(server("/team", &[all]), None);
    }

    #[test]
    fn a_server_in_keys_of_googles_is_refused_where_the_environment_names_none() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("keys.json");
        let keys = r#"{"client_email": "a@b.example", "gcs_base_url": "https://c.example"}"#;
        std::fs::write(&path, keys).unwrap();
        let file = path.display().to_string();
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let server = option(GOOGLE_SERVER, "https://d.example");
        let files = GOOGLE_FILES.map(|name| option(name, &file));
        for found in files.iter().chain([&option(GOOGLE_KEY, keys)]) {
            let refused = named_by_no_keys(std::slice::from_ref(found));
            let why = refused.unwrap_err().to_string();
            assert!(why.contains("set GOOGLE_BASE_URL"), "{why}");
            named_by_no_keys(&[found.clone(), server.clone()]).unwrap();
        }
        std::fs::write(&path, r#"{"client_email": "a@b.example"}"#).unwrap();
        named_by_no_keys(&files).unwrap();
        named_by_no_keys(&[option(GOOGLE_KEY, "no keys")]).unwrap();
    }

    #[test]
    fn what_names_no_server_and_what_another_program_connects_to_is_refused() {
        let why = |name: &str, value: &str| {
            let refused = usable(&[(name.into(), value.into())]).err();
            refused.map(|error| error.to_string())
        };
        for (name, value) in [
            ("azure_use_azure_cli", "true"),
            ("azure_credential_type", "azure_cli"),
        ] {
            let said = why(name, value).unwrap();
            assert!(said.contains(&name.to_ascii_uppercase()), "{said}");
            assert!(said.contains("another program"), "{said}");
        }
        for name in ["azure_storage_use_emulator", "azure_use_fabric_endpoint"] {
            let said = why(name, "1").unwrap();
            assert!(said.contains(&name.to_ascii_uppercase()), "{said}");
            assert!(said.contains("set AZURE_STORAGE_ENDPOINT"), "{said}");
            assert_eq!(why(name, "false"), None);
        }
        assert_eq!(why("azure_credential_type", "access_key"), None);
        assert_eq!(why("azure_storage_account_name", "team"), None);
    }
}
