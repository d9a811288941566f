//! Transport over `bobbin-core`.
