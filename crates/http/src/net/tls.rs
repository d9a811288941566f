//! The install's own certificate: made once, kept in the data folder, recognised by its SHA-256.
//!
//! Its identity is the pin, not a name or an authority, so its names are for those who look, and it does not expire. A hub
//! may have been given another one.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;

use bobbin_core::install::write_private;
use bobbin_core::{Error, Result};
use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose};
use sha2::{Digest, Sha256};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const CERTIFICATE: &str = "certificate.pem";
const KEY: &str = "certificate.key";
/// The names of this machine to itself.
pub const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "::1"];

/// What the TCP port answers TLS with.
#[derive(Clone)]
pub struct Identity {
    pub acceptor: TlsAcceptor,
    /// SHA-256 of the certificate's DER in hexadecimal.
    pub sha256: String,
}

impl Identity {
    /// The one of the install in `dir`, made for these names if it has none.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the files do not hold a certificate and its key; [`Error::Io`].
    pub fn load_or_make(dir: &Path, names: &[&str]) -> Result<Self> {
        let (certificate, key) = (dir.join(CERTIFICATE), dir.join(KEY));
        if !present(&certificate)? || !present(&key)? {
            make(&certificate, &key, names)?;
        }
        let hint = format!("move {CERTIFICATE} and {KEY} aside, and Bobbin creates new ones");
        Self::read(&certificate, &key, &hint)
    }

    /// One that was given: a certificate, those behind it, and its key.
    ///
    /// # Errors
    /// As [`Identity::load_or_make`].
    pub fn given(certificate: &Path, key: &Path) -> Result<Self> {
        Self::read(certificate, key, "use a certificate and its key in PEM")
    }

    fn read(certificate_path: &Path, key_path: &Path, hint: &str) -> Result<Self> {
        let unusable = |what: &Path, reason: String| Error::Invalid {
            what: "the certificate",
            value: what.display().to_string(),
            reason: format!("{reason}; {hint}"),
        };
        let certificates = CertificateDer::pem_file_iter(certificate_path)
            .and_then(Iterator::collect::<std::result::Result<Vec<_>, _>>)
            .map_err(|error| unusable(certificate_path, error.to_string()))?;
        let first = certificates
            .first()
            .ok_or_else(|| unusable(certificate_path, "it contains none".into()))?;
        let sha256 = Sha256::digest(first)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let key = PrivateKeyDer::from_pem_file(key_path)
            .map_err(|error| unusable(key_path, error.to_string()))?;
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(certificates, key)
            })
            .map_err(|error| unusable(certificate_path, error.to_string()))?;
        Ok(Self {
            acceptor: TlsAcceptor::from(Arc::new(config)),
            sha256,
        })
    }
}

fn present(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Ok(_) => Ok(true),
        Err(source) if source.kind() == ErrorKind::NotFound => Ok(false),
        Err(source) => Err(Error::Io {
            path: path.into(),
            source,
        }),
    }
}

fn make(certificate_path: &Path, key_path: &Path, names: &[&str]) -> Result<()> {
    let failed = |error: rcgen::Error| Error::Io {
        path: certificate_path.into(),
        source: std::io::Error::other(error),
    };
    let key = KeyPair::generate().map_err(failed)?;
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut params = CertificateParams::new(names).map_err(failed)?;
    params
        .distinguished_name
        .push(DnType::CommonName, "Bobbin on this machine");
    params.is_ca = IsCa::ExplicitNoCa;
    params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    params.use_authority_key_identifier_extension = true;
    let certificate = params.self_signed(&key).map_err(failed)?;
    // The key first: a certificate without its key would be a pin for nothing.
    write_private(key_path, key.serialize_pem().as_bytes())?;
    write_private(certificate_path, certificate.pem().as_bytes())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;

    use super::*;

    #[test]
    fn the_certificate_is_made_once_and_its_files_are_private() {
        let dir = tempfile::tempdir().unwrap();
        let first = Identity::load_or_make(dir.path(), &LOOPBACK).unwrap();
        let again = Identity::load_or_make(dir.path(), &LOOPBACK).unwrap();
        assert_eq!(first.sha256, again.sha256);
        assert_eq!(first.sha256.len(), 64);
        for name in [CERTIFICATE, KEY] {
            assert_eq!(
                fs::metadata(dir.path().join(name)).unwrap().mode() & 0o777,
                0o600,
                "{name}"
            );
        }
    }

    #[test]
    fn a_damaged_certificate_is_named_and_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        Identity::load_or_make(dir.path(), &LOOPBACK).unwrap();
        fs::write(dir.path().join(CERTIFICATE), "no").unwrap();
        let error = Identity::load_or_make(dir.path(), &LOOPBACK).err().unwrap();
        assert!(error.to_string().contains(CERTIFICATE), "{error}");
        assert_eq!(
            fs::read_to_string(dir.path().join(CERTIFICATE)).unwrap(),
            "no"
        );
    }
}
