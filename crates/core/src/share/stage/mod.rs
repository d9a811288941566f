//! The review desk: a bundle is staged once, looked at, decided upon value by value, and approved by its hash.
//!
//! What is looked at are the staged bytes, and what is approved are the same: whatever changes them needs a new approval.

mod approve;
mod approved;
mod ask;
mod base;
mod bytes;
mod category;
mod decide;
mod desk;
mod file;
mod folders;
mod kept;
mod look;
mod model;
mod open;
mod record;
mod seen;
mod settings;
mod shown;
mod staging;
mod standing;
mod view;

pub use approved::{Approved, Staged};
pub use ask::{
    AliasesRequest, ApproveRequest, CategoryDecision, ClusterLevel, DecideRequest, FindingDecision,
    ItemDecision, OwnWordsRequest, SaveStageRequest, StageBytesRequest, StageClustersRequest,
    StageItemsRequest, StagePart, StageRequest, StageTextRequest, StageWholeRequest,
    StandingRequest,
};
pub use view::{
    AliasMap, AliasOf, Blocker, BlockerKind, Category, Decision, FindingState, ItemOrder,
    ItemState, OwnWords, PolicyRule, PolicySaid, SharingRules, Stage, StageBytes, StageCategory,
    StageCluster, StageFinding, StageFindings, StageItem, StageItems, StageLine, StageList,
    StageRow, StageText, StageWhole, Standing, Withheld,
};

pub use approve::approved;
pub(crate) use approve::{approve, approve_covered, may_be_saved};
pub(crate) use bytes::{piece, save, settle};
pub(in crate::share) use category::left_out;
pub(crate) use decide::decide;
pub(in crate::share) use desk::Desk;
pub(crate) use kept::list;
pub(crate) use look::{findings, items, text, view, whole_text};
pub(crate) use open::{Desks, Place, discard};
pub(in crate::share) use record::Recorder;
pub(crate) use seen::seen;
pub(in crate::share) use settings::scanner;
pub(crate) use settings::{add_words, alias_map, destinations, rules, watched_words};
pub(crate) use shown::base64;
pub(crate) use staging::stage;
pub(crate) use standing::stand;

#[cfg(test)]
mod tests;
