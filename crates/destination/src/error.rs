//! What goes wrong with a destination.

/// `std::result::Result` with this crate's [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The bundle, the ledger, or words that cannot be used.
    #[error(transparent)]
    Core(#[from] bobbin_core::Error),
    /// The place did not do what it was asked.
    #[error("{place}: {source}")]
    Place {
        place: String,
        source: object_store::Error,
    },
    /// A table could not be made.
    #[error("Parquet: {0}")]
    Parquet(#[from] bobbin_save::parquet::ParquetError),
}

impl Error {
    /// Whether a bundle is missing or is none: whoever put it there did so, and this machine and the place are well.
    pub(crate) fn is_of_the_bundle(&self) -> bool {
        match self {
            Self::Core(error) => matches!(
                error,
                bobbin_core::Error::Refused(_)
                    | bobbin_core::Error::Invalid { .. }
                    | bobbin_core::Error::TooLarge { .. }
                    | bobbin_core::Error::Json(_)
            ),
            Self::Place { source, .. } => matches!(source, object_store::Error::NotFound { .. }),
            Self::Parquet(_) => false,
        }
    }

    pub(crate) fn refused(text: String) -> Self {
        Self::Core(bobbin_core::Error::Refused(text))
    }

    pub(crate) fn invalid(what: &'static str, value: &str, reason: &str) -> Self {
        Self::Core(bobbin_core::Error::Invalid {
            what,
            value: value.into(),
            reason: reason.into(),
        })
    }
}
