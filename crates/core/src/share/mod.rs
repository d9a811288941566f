//! What may leave: the classes of fields, and bundles of what was chosen.
//!
//! Every field of the vocabulary has a class in one registry ([`fields()`]), and a bundle is written by it: what the chosen
//! level does not tell is replaced by an alias or left out, by one rule for all records.

mod aliases;
mod beside;
mod bundle;
mod class;
mod fields;
mod lens;
mod looked;
mod masks;
mod policy;
mod rows;
pub mod stage;
mod text;
mod told;
mod vocabulary;

use rusqlite::Connection;

use crate::Result;

pub use bundle::{
    BundleBatch, BundleCluster, Contained, Contradiction, Held, Imported, ImportedCluster, Manifest,
};
pub use class::{Choice, FieldClass, Identities, Level};
pub use fields::fields;
pub use lens::{Field, FieldCount, FieldCounts};

pub(crate) use beside::{Offered, can_tell, clear as clear_beside};
pub(crate) use bundle::{
    Giving, Opened, Taken, Taking, Write, contained, held, import, imported_from, look_at_manifest,
    open, text, unpacked_bytes, write,
};
pub(crate) use bundle::{Made, look_at_records, remove_drafts, write_records};
pub(crate) use bundle::{why_absent_not as why_absent_not_taken, why_not as why_not_taken};
pub(crate) use looked::Looked;
pub(crate) use masks::Masks;
pub(crate) use policy::{FILE as POLICY, Policy};
pub(crate) use told::{Told, Words, identity, told};

/// Something that asks one state of the store.
type Question<'a> = dyn FnMut(&Connection) -> Result<()> + 'a;

/// Runs a question on one state of the store.
type Snapshot<'a> = dyn Fn(&mut Question<'_>) -> Result<()> + 'a;
