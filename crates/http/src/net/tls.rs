//! The install's own certificate: made once, kept in the data folder, recognised by its SHA-256.
//!
//! Its identity is the pin, not a name or an authority, so it names only loopback and does not expire.

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

/// What the TCP port answers TLS with.
#[derive(Clone)]
pub struct Identity {
    pub acceptor: TlsAcceptor,
    /// SHA-256 of the certificate's DER in hexadecimal.
    pub sha256: String,
}

impl Identity {
    /// The one of the install in `dir`, made if it has none.
    ///
    /// # Errors
    /// [`Error::Invalid`] when the files do not hold a certificate and its key; [`Error::Io`].
    pub fn load_or_make(dir: &Path) -> Result<Self> {
        let (certificate_path, key_path) = (dir.join(CERTIFICATE), dir.join(KEY));
        if !present(&certificate_path)? || !present(&key_path)? {
            make(&certificate_path, &key_path)?;
        }
        let unusable = |what: &str, reason: String| Error::Invalid {
            what: "the receiver's certificate",
            value: dir.display().to_string(),
            reason: format!(
                "{what}: {reason}; move {CERTIFICATE} and {KEY} aside to have new ones made"
            ),
        };
        let certificate = CertificateDer::from_pem_file(&certificate_path)
            .map_err(|error| unusable(CERTIFICATE, error.to_string()))?;
        let key = PrivateKeyDer::from_pem_file(&key_path)
            .map_err(|error| unusable(KEY, error.to_string()))?;
        let sha256 = Sha256::digest(&certificate)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|builder| {
                builder
                    .with_no_client_auth()
                    .with_single_cert(vec![certificate], key)
            })
            .map_err(|error| unusable("TLS", error.to_string()))?;
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

fn make(certificate_path: &Path, key_path: &Path) -> Result<()> {
    let failed = |error: rcgen::Error| Error::Io {
        path: certificate_path.into(),
        source: std::io::Error::other(error),
    };
    let key = KeyPair::generate().map_err(failed)?;
    let names = ["127.0.0.1", "localhost", "::1"].map(String::from);
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
        let first = Identity::load_or_make(dir.path()).unwrap();
        let again = Identity::load_or_make(dir.path()).unwrap();
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
        Identity::load_or_make(dir.path()).unwrap();
        fs::write(dir.path().join(CERTIFICATE), "no").unwrap();
        let error = Identity::load_or_make(dir.path()).err().unwrap();
        assert!(error.to_string().contains(CERTIFICATE), "{error}");
        assert_eq!(
            fs::read_to_string(dir.path().join(CERTIFICATE)).unwrap(),
            "no"
        );
    }
}
