//! How a bundle comes: declared, sent in chunks, looked at as a whole, and taken in with its row.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use bobbin_core::Error;
use bobbin_core::api;
use bobbin_core::share::Held;

use super::{Account, Asked, Denied, named};
use crate::hub::event::Event;
use crate::hub::incoming::{Coming, at};
use crate::hub::settle::{durable, ids};
use crate::hub::state::{Bundle, Who};
use crate::team::{CHUNK_BYTES, CHUNKS, Declared, Progress, Standing, is_sha256};

/// A bundle that is whole, and not taken yet.
struct Looked {
    path: PathBuf,
    /// What it unpacks to.
    plain_bytes: u64,
    clusters: Vec<String>,
}

impl Denied {
    /// Whether asking again changes nothing.
    fn is_for_good(&self) -> bool {
        matches!(
            self,
            Denied::OverQuota { .. }
                | Denied::Recalled
                | Denied::Other(Error::Invalid { .. } | Error::TooLarge { .. })
        )
    }
}

impl Account {
    /// Hears what will come, and says what of it is missing.
    pub fn declare(&self, who: &Who, sha256: &str, declared: &Declared) -> Asked<Standing> {
        sharing(who)?;
        check(sha256, declared)?;
        named("bundle", &declared.name)?;
        let bundle = self.state().bundles.get(sha256).cloned();
        if let Some(bundle) = bundle.filter(|bundle| bundle.recalled.is_none()) {
            return self.standing_of(sha256, &bundle);
        }
        self.approved_since(sha256, declared)?;
        let fits = |coming: u64| self.fits(coming.saturating_add(declared.bytes));
        let name = incoming_name(who, sha256);
        let coming = self.incoming.declare(&name, declared, self.now(), fits)?;
        Ok(open(coming.missing(declared)))
    }

    /// Whether a bundle was never recalled, or was approved again by somebody who knows of that.
    fn approved_since(&self, sha256: &str, declared: &Declared) -> Asked<()> {
        let state = self.state();
        let recalled = state
            .bundles
            .get(sha256)
            .and_then(|one| one.recalled.as_ref());
        match recalled {
            Some(said) if declared.again_after != Some(said.number) => Err(Denied::Recalled),
            _ => Ok(()),
        }
    }

    /// Whether there is room for so many bytes more.
    fn fits(&self, more: u64) -> Asked<()> {
        let state = self.state();
        let (quota, needed) = (state.quota_bytes, state.used_bytes().saturating_add(more));
        match needed > quota {
            true => Err(Denied::OverQuota { quota, needed }),
            false => Ok(()),
        }
    }

    /// What is missing of a bundle, or what became of it.
    pub fn standing(&self, who: &Who, sha256: &str) -> Asked<Standing> {
        if !who.sees(sha256) {
            return Err(Denied::NotFound);
        }
        let bundle = self.state().bundles.get(sha256).cloned();
        if let Some(bundle) = bundle {
            return self.standing_of(sha256, &bundle);
        }
        let coming = self.coming(who, sha256)?;
        let declared = coming.declared()?;
        Ok(open(coming.missing(&declared)))
    }

    fn coming(&self, who: &Who, sha256: &str) -> Asked<Arc<Coming>> {
        let found = self.incoming.find(&incoming_name(who, sha256));
        found.ok_or(Denied::NotFound)
    }

    /// Forgets what came so far of a bundle that is not to come any more.
    pub(super) fn give_up(&self, who: &Who, sha256: &str) -> Asked<()> {
        sharing(who)?;
        self.coming(who, sha256)?;
        self.incoming.forget(&incoming_name(who, sha256))?;
        Ok(())
    }

    /// Keeps a chunk, if it is the one that was declared.
    pub fn chunk(&self, who: &Who, sha256: &str, number: usize, bytes: &[u8]) -> Asked<()> {
        sharing(who)?;
        self.coming(who, sha256)?.chunk(number, bytes, self.now())
    }

    /// Takes a bundle all of whose chunks are here, and signs that it has it.
    pub fn commit(&self, who: &Who, sha256: &str) -> Asked<Standing> {
        sharing(who)?;
        let Ok(coming) = self.coming(who, sha256) else {
            return self.standing(who, sha256);
        };
        let alone = coming.alone();
        // Somebody else who sent it may have been here before.
        let Ok(declared) = coming.declared() else {
            drop(alone);
            return self.standing(who, sha256);
        };
        let missing = coming.missing(&declared);
        if !missing.is_empty() {
            return Ok(open(missing));
        }
        let name = incoming_name(who, sha256);
        if !self.is_here(sha256) {
            let taken = self
                .look(&coming, &declared, sha256)
                .and_then(|looked| self.take_in(who, sha256, &declared, &looked));
            if let Err(denied) = taken {
                if denied.is_for_good() {
                    self.incoming.forget(&name)?;
                }
                return Err(denied);
            }
        }
        self.incoming.forget(&name)?;
        self.standing(who, sha256)
    }

    /// Puts a bundle together and looks at all of it, beside whatever else is done to the account.
    fn look(&self, coming: &Coming, declared: &Declared, sha256: &str) -> Asked<Looked> {
        let Some(path) = coming.assemble(declared, sha256)? else {
            return Err(Denied::Other(Error::Invalid {
                what: "bundle",
                value: sha256.into(),
                reason: "its chunks do not form this bundle; send it again".into(),
            }));
        };
        // Some kilobytes may say that they unpack to gigabytes: whether there is room is known before any of it is unpacked.
        let plain_bytes = api::unpacked_bytes(&path)?;
        self.fits(declared.bytes.saturating_add(plain_bytes))?;
        let (manifest, held) = api::bundle_held(&path)?;
        self.takes(&held)?;
        let clusters = ids(&manifest.clusters);
        Ok(Looked {
            path,
            plain_bytes,
            clusters,
        })
    }

    /// Whether a bundle is what it says, and tells no more than the account takes, by what it really holds.
    fn takes(&self, held: &Held) -> Asked<()> {
        let refused = |value: String, reason: String| {
            Err(Denied::Other(Error::Invalid {
                what: "level",
                value,
                reason,
            }))
        };
        if let Some(field) = &held.unsaid {
            return refused(
                field.clone(),
                "the manifest says that the bundle tells nothing of it, and the bundle does: stage it again".into(),
            );
        }
        let Some(most) = self.state().level else {
            return Ok(());
        };
        match held.beyond(most) {
            None => Ok(()),
            Some(field) => refused(
                format!("{} ({field})", held.level().word()),
                format!(
                    "the account takes at most level {}: stage the bundle again at that level",
                    most.word()
                ),
            ),
        }
    }

    /// Takes a bundle that was looked at, with its row.
    fn take_in(&self, who: &Who, sha256: &str, declared: &Declared, looked: &Looked) -> Asked<()> {
        let _one = self.alone();
        if self.is_here(sha256) {
            return Ok(());
        }
        // Another member may have shared and recalled the same bytes while these came.
        self.approved_since(sha256, declared)?;
        let Looked {
            path: whole,
            plain_bytes,
            clusters,
        } = looked;
        self.fits(declared.bytes.saturating_add(*plain_bytes))?;
        self.end_recall(sha256)?;
        let path = self.bundle_path(sha256);
        fs::rename(whole, &path).map_err(at(&path))?;
        durable(&self.dir.join("bundles"))?;
        let mut here = self.all_here();
        let coming = Bundle::coming(&who.member, clusters);
        here.push((sha256.to_owned(), coming));
        let meant: BTreeSet<String> = clusters.iter().cloned().collect();
        let taken = || {
            // What was once deleted may come again with a new approval.
            api::remove_taken(&self.app, &self.unshared(clusters))?;
            self.tell(&meant, &here, false)?;
            let contradicts = self.contradicted_by(sha256);
            if !contradicts.is_empty() {
                let (account, clusters) = (&self.id, contradicts.len());
                tracing::warn!(
                    account,
                    sha256,
                    clusters,
                    "a bundle contradicts what others share"
                );
            }
            // Whoever was removed meanwhile, or has a role that shares nothing, shares nothing more.
            self.change(&who.member, |state| {
                sharing(&state.still(who).ok_or(Denied::Unknown)?)?;
                Ok::<_, Denied>(Event::Committed {
                    sha256: sha256.into(),
                    bytes: declared.bytes,
                    plain_bytes: *plain_bytes,
                    member: who.member.clone(),
                    name: declared.name.clone(),
                    clusters: clusters.clone(),
                    contradicts,
                })
            })
        };
        match taken() {
            Ok(_) => Ok(()),
            Err(denied) => {
                // What cannot be undone now is at the next start.
                if let Err(error) = self.take_out(sha256) {
                    tracing::warn!(%error, "received parts of a bundle stay until the next start");
                }
                Err(denied)
            }
        }
    }
}

/// What is on its way is called by who sends it.
fn incoming_name(who: &Who, sha256: &str) -> String {
    format!("{}-{sha256}", who.member)
}

fn open(missing: Vec<usize>) -> Standing {
    Standing {
        progress: Progress::Open,
        missing,
        proof: None,
    }
}

fn sharing(who: &Who) -> Asked<()> {
    if who.shares() {
        Ok(())
    } else {
        Err(Denied::Forbidden)
    }
}

fn check(sha256: &str, declared: &Declared) -> Asked<()> {
    let chunks = declared.bytes.div_ceil(CHUNK_BYTES as u64);
    let fine = is_sha256(sha256)
        && (1..=CHUNKS as u64).contains(&chunks)
        && declared.chunks.len() as u64 == chunks
        && declared.chunks.iter().all(|chunk| is_sha256(chunk));
    if fine {
        return Ok(());
    }
    Err(Denied::Other(Error::Invalid {
        what: "bundle",
        value: declared.bytes.to_string(),
        reason: format!(
            "send it in 1 to {CHUNKS} chunks of {CHUNK_BYTES} bytes, each with its SHA-256"
        ),
    }))
}
