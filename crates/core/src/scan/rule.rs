//! The kinds of secrets, and of what says who somebody is, that are looked for.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What a finding looks like, the surest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A token of Bobbin's own.
    Bobbin,
    /// A word that the reader said is a secret.
    OwnWord,
    PrivateKey,
    /// The form in which a vendor makes its tokens.
    Vendor,
    /// A signed web token.
    Jwt,
    /// A password, or a token, in an address.
    UrlCredentials,
    /// The signature of an address that opens something.
    SignedUrl,
    /// A value behind a word such as `password`.
    Keyword,
    /// Letters that look drawn at random.
    Entropy,
    /// No secret, but who somebody is.
    Email,
    /// No secret, but where something is.
    IpAddress,
    /// No secret, but a number that a state gave to somebody.
    NationalId,
}

impl Rule {
    pub const ALL: [Self; 12] = [
        Self::Bobbin,
        Self::OwnWord,
        Self::PrivateKey,
        Self::Vendor,
        Self::Jwt,
        Self::UrlCredentials,
        Self::SignedUrl,
        Self::Keyword,
        Self::Entropy,
        Self::Email,
        Self::IpAddress,
        Self::NationalId,
    ];

    /// As it is written in what replaces a secret.
    pub fn word(self) -> &'static str {
        match self {
            Self::Bobbin => "bobbin",
            Self::OwnWord => "own-word",
            Self::PrivateKey => "private-key",
            Self::Vendor => "vendor",
            Self::Jwt => "jwt",
            Self::UrlCredentials => "url",
            Self::SignedUrl => "signature",
            Self::Keyword => "keyword",
            Self::Entropy => "random",
            Self::Email => "email",
            Self::IpAddress => "ip",
            Self::NationalId => "person",
        }
    }

    /// Whether it says who somebody is, or where, and is no secret: an alias stands in its place unless a person keeps it.
    pub fn is_identity(self) -> bool {
        matches!(self, Self::Email | Self::IpAddress | Self::NationalId)
    }

    /// Whether it can never be told, whatever a person says.
    pub fn is_fatal(self) -> bool {
        self == Self::Bobbin
    }
}
