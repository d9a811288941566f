//! Sending, recalling, and what a hub is asked besides.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bobbin_core::clock::Clock;
use bobbin_core::install::{Unnamed, create_private};
use bobbin_core::ledger::{Entry, Kind, Ledger, LedgerRow, Minted, digest, with_one_more};
use bobbin_core::model::Micros;
use bobbin_core::signature::hexadecimal;
use chrono::DateTime;
use http_body_util::BodyExt;
use hyper::Method;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::line::Line;
use super::{Fault, Team};
use crate::hub::AccountCommand;
use crate::team::{
    CHUNK_BYTES, CHUNKS, Declared, Join, JoinCode, Joined, Me, Progress, Proof, ProofKind, Role,
    Shared, Signed, Standing,
};

/// This side of it: the folder of the install, its ledger and its clock.
pub struct Laptop {
    pub dir: PathBuf,
    pub ledger: Ledger,
    pub clock: Arc<dyn Clock>,
}

/// How far an upload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    pub chunks: usize,
    /// Of so many.
    pub of: usize,
}

/// What a hub does not say as it once signed it, since it was put back to an older copy. A guest is told of nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Found {
    /// Bundles that it knows nothing of: their hashes.
    pub lost: Vec<String>,
    /// Bundles that were recalled, and were there again.
    pub back: Vec<Back>,
}

/// A recalled bundle that a hub had again.
#[derive(Clone, Debug, PartialEq)]
pub struct Back {
    pub sha256: String,
    /// Why it still has it; none where it is recalled again.
    pub trouble: Option<Fault>,
}

impl Laptop {
    /// The install in `dir`.
    pub fn new(dir: &Path, clock: Arc<dyn Clock>) -> Self {
        Self {
            dir: dir.into(),
            ledger: Ledger::of(dir),
            clock,
        }
    }

    async fn line(&self, team: &Team, why: &str) -> Result<Line, Fault> {
        let opening = self
            .ledger
            .connecting(self.clock.now(), &team.address, why)?;
        Line::open(opening, &team.pin, Some(&team.token)).await
    }

    /// Keeps what the hub says of the account, while it is asked anyway: a person reads it before the next bundle is sent. What
    /// was asked for does not fail for that.
    async fn hear_of_account(&self, team: &Team, line: &mut Line) {
        match line.ask(Method::GET, "/v1/me", Vec::new()).await {
            Ok(me) => self.keep_said(team, &me),
            Err(fault) => tracing::debug!(%fault, "the hub did not say who reads there"),
        }
    }

    fn keep_said(&self, team: &Team, me: &Me) {
        if let Err(error) = team.keep_said(&self.dir, me, self.clock.now()) {
            tracing::warn!(%error, "Bobbin could not keep what the hub says of the account");
        }
    }

    /// Spends an invite, and remembers the account that it was for.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn join(&self, code: &JoinCode, device: &str) -> Result<Team, Fault> {
        let changed = with_one_more(&self.dir)?;
        let opening = self
            .ledger
            .connecting(self.clock.now(), &code.address, "join")?;
        let mut line = Line::open(opening, &code.pin, None).await?;
        let join = Join {
            invite: code.invite.clone(),
            device: device.into(),
        };
        let joined: Joined = line.ask(Method::POST, "/v1/join", json(&join)?).await?;
        // Approvals for a bucket or a folder are none for a hub that calls itself so.
        if joined.account_name.contains(['/', '\\', ':']) {
            return Err(Fault::Refused(
                "the hub gives the account an address as its name: Bobbin does not join it".into(),
            ));
        }
        let team = Team::of(code, joined, self.clock.now());
        team.save(&self.dir)?;
        let what = format!("joined {}{changed}", team.account_name);
        let entry = Entry::new(Kind::PolicyChange, what).to(team.destination());
        self.ledger.append(self.clock.now(), &entry)?;
        Ok(team)
    }

    /// The right to send approved bytes, unless the hub has them already or they were recalled.
    ///
    /// # Errors
    /// As [`Ledger::mint`].
    pub fn mint(&self, team: &Team, sha256: &str) -> bobbin_core::Result<Minted> {
        self.ledger
            .mint(self.clock.now(), sha256, &team.destination())
    }

    /// Sends the file at `path`, if it holds the bytes that were minted. What the hub has already does not go again; it is sent
    /// only once the hub has signed for it. `sent` hears how far it is, and may ask to stop after a chunk.
    ///
    /// # Errors
    /// [`Fault`]: whatever was cut off goes on with the next call.
    pub async fn upload(
        &self,
        team: &Team,
        minted: &Minted,
        path: &Path,
        paused: Option<&(dyn Fn() -> bool + Sync)>,
        sent: &mut (dyn FnMut(Sent) + Send),
    ) -> Result<Proof, Fault> {
        if minted.to() != team.destination() {
            return Err(Fault::Refused(
                "it was approved for another destination".into(),
            ));
        }
        let mut file = Cut::of(path, minted)?;
        let sha256 = minted.sha256();
        let place = format!("/v1/bundles/{sha256}");
        let again_after = self.tombstone(team, sha256)?;
        let declared = Declared {
            bytes: minted.bytes(),
            chunks: file.chunks.clone(),
            name: name(path),
            again_after,
        };
        let mut line = self.line(team, "upload").await?;
        let asked = line.ask(Method::PUT, &place, json(&declared)?).await;
        let mut standing: Standing = self.heard(team, &mut line, sha256, asked).await?;
        // Not behind the receipt: what counts as sent is done with at once.
        self.hear_of_account(team, &mut line).await;
        let of = declared.chunks.len();
        while standing.progress == Progress::Open {
            let missing = standing.missing.len();
            for (done, number) in standing.missing.iter().enumerate() {
                sent(Sent {
                    chunks: of - (missing - done).min(of),
                    of,
                });
                if paused.is_some_and(|paused| paused()) {
                    return Err(Fault::Paused);
                }
                let bytes = file.chunk(*number)?;
                let _: Value = line
                    .ask(Method::PUT, &format!("{place}/chunks/{number}"), bytes)
                    .await?;
            }
            sent(Sent { chunks: of, of });
            let asked = line
                .ask(Method::POST, &format!("{place}/commit"), Vec::new())
                .await;
            let next: Standing = self.heard(team, &mut line, sha256, asked).await?;
            if next.progress == Progress::Open && next.missing.len() >= missing.max(1) {
                return Err(Fault::later("the hub does not keep what Bobbin sends"));
            }
            standing = next;
        }
        let signed = standing
            .proof
            .ok_or_else(|| Fault::Refused("the hub signs nothing".into()))?;
        let proof = proven(team, &signed, ProofKind::Receipt, sha256)?;
        self.note(team, Kind::Receipt, &proof, &signed, 0)?;
        Ok(proof)
    }

    /// What the hub answers of a bundle. Where somebody else recalled it, that is learned first: it is recalled here, too, so that
    /// a new approval sends it again.
    async fn heard(
        &self,
        team: &Team,
        line: &mut Line,
        sha256: &str,
        answer: Result<Standing, Fault>,
    ) -> Result<Standing, Fault> {
        if matches!(answer, Err(Fault::Recalled)) {
            self.learn_recall(team, line, sha256).await?;
        }
        answer
    }

    /// Notes what the hub signed when a bundle was recalled.
    async fn learn_recall(&self, team: &Team, line: &mut Line, sha256: &str) -> Result<(), Fault> {
        let place = format!("/v1/bundles/{sha256}");
        let standing: Standing = line.ask(Method::GET, &place, Vec::new()).await?;
        let Some(signed) = standing.proof else {
            return Ok(());
        };
        let proof = proven(team, &signed, ProofKind::Tombstone, sha256)?;
        self.note(team, Kind::Recall, &proof, &signed, 0)
    }

    /// Deletes a bundle from the account, and has it signed. Nothing here is deleted.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn recall(&self, team: &Team, sha256: &str) -> Result<(), Fault> {
        let mut line = self.line(team, "recall").await?;
        self.recall_by(team, &mut line, sha256).await
    }

    async fn recall_by(&self, team: &Team, line: &mut Line, sha256: &str) -> Result<(), Fault> {
        let place = format!("/v1/bundles/{sha256}");
        let standing: Standing = match line.ask(Method::DELETE, &place, Vec::new()).await {
            Err(Fault::Absent) if self.newest(team, sha256, Kind::Receipt)?.is_some() => {
                return Err(Fault::Refused(
                    "the hub signed for it once but does not know it now: it may have been restored from an older copy, and \
                     nothing confirms the deletion"
                        .into(),
                ));
            }
            Err(Fault::Absent) => Standing {
                progress: Progress::Recalled,
                missing: Vec::new(),
                proof: None,
            },
            answered => answered?,
        };
        match standing.proof {
            Some(signed) => self.note_recall(team, sha256, &signed),
            None => {
                // It was never whole there.
                let entry = Entry {
                    sha256: Some(sha256.into()),
                    ..Entry::new(Kind::Recall, "the hub never had all of it").to(team.destination())
                };
                self.ledger.append(self.clock.now(), &entry)?;
                Ok(())
            }
        }
    }

    /// Notes the tombstone of a bundle that was recalled from here.
    fn note_recall(&self, team: &Team, sha256: &str, signed: &Signed) -> Result<(), Fault> {
        let proof = proven(team, signed, ProofKind::Tombstone, sha256)?;
        // What was approved anew and not whole there yet is recalled anew, by the tombstone that it had.
        let approved = self.newest(team, sha256, Kind::Approved)?;
        let since = approved.map_or(0, |row| row.number);
        self.note(team, Kind::Recall, &proof, signed, since)
    }

    /// Whether the hub still has the rows that its receipts speak of. What an admin or another laptop recalled since is noted, and
    /// what was recalled and is there again is recalled again: a hub that was put back to an older copy forgot that, too.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn look_back(&self, team: &Team) -> Result<Found, Fault> {
        let (receipts, recalled) = self.shared_before(team)?;
        let mut found = Found::default();
        if !receipts.is_empty() || !recalled.is_empty() {
            let mut line = self.line(team, "look back").await?;
            let me: Me = line.ask(Method::GET, "/v1/me", Vec::new()).await?;
            self.keep_said(team, &me);
            // A guest is told of no rows: what the hub signed for may well be there.
            if me.role == Role::Guest {
                return Ok(found);
            }
            // The newest first: where one row stands, so do all before it.
            for proof in receipts.iter().rev() {
                let path = format!("/v1/chain/{}", proof.number);
                match line.ask::<Value>(Method::GET, &path, Vec::new()).await {
                    Ok(row) if row["hash"] == proof.hash => break,
                    Ok(_) | Err(Fault::Absent) => {
                        if !found.lost.contains(&proof.sha256) {
                            found.lost.push(proof.sha256.clone());
                        }
                    }
                    Err(fault) => return Err(fault),
                }
            }
            let there = bundles(&mut line).await?;
            let is_recalled = |proof: &&Proof| {
                let mut there = there.iter().filter(|one| one.sha256 == proof.sha256);
                there.any(|one| one.recalled_micros.is_some())
            };
            for proof in receipts.iter().filter(is_recalled) {
                self.learn_recall(team, &mut line, &proof.sha256).await?;
            }
            // The same bytes of another member are theirs, unless an admin recalled them of that member; and what came after the
            // recall was sent again on purpose.
            let is_back = |one: &&Shared| {
                let here = one.recalled_micros.is_none();
                let gone = recalled.get(&one.sha256).filter(|_| here);
                gone.is_some_and(|gone| {
                    let governed = me.role == Role::Admin && one.member == gone.member;
                    (one.member == team.member || governed) && one.at_micros < gone.at_micros
                })
            };
            for one in there.iter().filter(is_back) {
                let sha256 = one.sha256.clone();
                let trouble = self.recall_by(team, &mut line, &sha256).await.err();
                match &trouble {
                    None => tracing::warn!(sha256, "the hub had a recalled bundle again"),
                    Some(fault) => {
                        tracing::warn!(%fault, sha256, "the hub has a recalled bundle again");
                    }
                }
                found.back.push(Back { sha256, trouble });
            }
        }
        Ok(found)
    }

    /// What the hub signed for and nobody recalled since; and the tombstones of what nobody approved since.
    fn shared_before(&self, team: &Team) -> Result<(Vec<Proof>, BTreeMap<String, Proof>), Fault> {
        let to = team.destination();
        let (mut receipts, mut recalled) = (Vec::<Proof>::new(), BTreeMap::new());
        for row in self.ledger.rows()? {
            let Some(sha256) = &row.entry.sha256 else {
                continue;
            };
            if row.entry.to.as_deref() != Some(&to) {
                continue;
            }
            match row.entry.kind {
                Kind::Receipt => receipts.extend(opened(team, &row)),
                Kind::Recall => {
                    receipts.retain(|proof| proof.sha256 != *sha256);
                    if let Some(tombstone) = opened(team, &row) {
                        recalled.insert(tombstone.sha256.clone(), tombstone);
                    }
                }
                Kind::Approved => {
                    recalled.remove(sha256);
                }
                _ => {}
            }
        }
        Ok((receipts, recalled))
    }

    /// Who the hub says that this is.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn me(&self, team: &Team) -> Result<Me, Fault> {
        let mut line = self.line(team, "ask").await?;
        let me = line.ask(Method::GET, "/v1/me", Vec::new()).await?;
        self.keep_said(team, &me);
        Ok(me)
    }

    /// What the account holds.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn shared(&self, team: &Team) -> Result<Vec<Shared>, Fault> {
        bundles(&mut self.line(team, "ask").await?).await
    }

    /// Has something done in the account, as an admin of it. What they recall is noted, so that it can be recalled again.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn command(&self, team: &Team, command: &AccountCommand) -> Result<Value, Fault> {
        let mut line = self.line(team, "govern").await?;
        let done: Value = line
            .ask_list(Method::POST, "/v1/account", json(command)?)
            .await?;
        if let AccountCommand::Recall { sha256 } = command
            && let Ok(standing) = serde_json::from_value::<Standing>(done.clone())
            && let Some(signed) = standing.proof
        {
            self.note_recall(team, sha256, &signed)?;
        }
        // It may have changed who reads there.
        self.hear_of_account(team, &mut line).await;
        Ok(done)
    }

    /// Takes a bundle of the account into a new file, whole or not at all, and no more bytes than the hub signed for.
    ///
    /// # Errors
    /// [`Fault`].
    pub async fn fetch(&self, team: &Team, sha256: &str, path: &Path) -> Result<u64, Fault> {
        let unnamed = Unnamed::at(path)?;
        let mut line = self.line(team, "fetch").await?;
        let most = signed_bytes(team, &mut line, sha256).await?;
        let asked = format!("/v1/bundles/{sha256}/file");
        let answer = line.answer(Method::GET, &asked, Vec::new()).await?;
        let mut file = create_private(unnamed.path())?;
        let fetched = async {
            let (mut hash, mut bytes) = (Sha256::new(), 0);
            let mut body = answer.into_body();
            while let Some(frame) = body.frame().await {
                let frame = frame
                    .map_err(|error| Fault::later(format!("the connection broke: {error}")))?;
                if let Ok(piece) = frame.into_data() {
                    hash.update(&piece);
                    bytes += piece.len() as u64;
                    if bytes > most {
                        return Err(Fault::Refused(format!(
                            "the hub sends more than the {most} bytes it signed for"
                        )));
                    }
                    file.write_all(&piece).map_err(|error| io(path, error))?;
                }
            }
            file.sync_all().map_err(|error| io(path, error))?;
            if hexadecimal(&hash.finalize()) == sha256 {
                Ok(bytes)
            } else {
                Err(Fault::Refused("the hub sent a different bundle".into()))
            }
        };
        let fetched = fetched.await;
        if fetched.is_ok() {
            unnamed.give_name()?;
        }
        if matches!(fetched, Err(Fault::Later { .. })) {
            // A hub breaks off where somebody may not have it any more. Asked again, it says why.
            let mut line = self.line(team, "fetch").await?;
            signed_bytes(team, &mut line, sha256).await?;
        }
        fetched
    }

    /// Notes what the hub signed, where no row behind `since` has it: the answer to what was sent before may be lost and come again.
    fn note(
        &self,
        team: &Team,
        kind: Kind,
        proof: &Proof,
        signed: &Signed,
        since: u64,
    ) -> Result<(), Fault> {
        let value = serde_json::to_value(signed).map_err(bobbin_core::Error::from)?;
        let has_it =
            |row: &LedgerRow| row.entry.kind == kind && row.entry.proof.as_ref() == Some(&value);
        let rows = self.ledger.rows()?;
        if rows.iter().any(|row| row.number > since && has_it(row)) {
            return Ok(());
        }
        let row = format!("row {} of {}", proof.number, team.account_name);
        let what = match proof.backups_until_micros.and_then(day) {
            Some(day) => format!("backups expire by {day}; {row}"),
            None => row,
        };
        let entry = Entry::new(kind, what)
            .to(team.destination())
            .about(proof.sha256.clone(), proof.bytes)
            .proven(value);
        self.ledger.append(self.clock.now(), &entry)?;
        Ok(())
    }

    /// The newest row of a kind that is about a bundle for this account.
    fn newest(&self, team: &Team, sha256: &str, kind: Kind) -> Result<Option<LedgerRow>, Fault> {
        let to = team.destination();
        let mut rows = self.ledger.rows()?.into_iter().rev();
        Ok(rows.find(|row| row.entry.kind == kind && row.entry.is_of(sha256, &to)))
    }

    /// The row of the tombstone that the newest approval is younger than.
    fn tombstone(&self, team: &Team, sha256: &str) -> Result<Option<u64>, Fault> {
        let Some(recall) = self.newest(team, sha256, Kind::Recall)? else {
            return Ok(None);
        };
        // Recalled while it was on its way.
        let approved = self.newest(team, sha256, Kind::Approved)?;
        if approved.is_none_or(|approved| approved.number < recall.number) {
            return Err(Fault::Recalled);
        }
        Ok(opened(team, &recall).map(|proof| proof.number))
    }
}

async fn bundles(line: &mut Line) -> Result<Vec<Shared>, Fault> {
    line.ask_list(Method::GET, "/v1/bundles", Vec::new()).await
}

/// How many bytes a bundle of the account has, as the hub signed.
async fn signed_bytes(team: &Team, line: &mut Line, sha256: &str) -> Result<u64, Fault> {
    let place = format!("/v1/bundles/{sha256}");
    let standing: Standing = line.ask(Method::GET, &place, Vec::new()).await?;
    let signed = standing.proof.ok_or(Fault::Absent)?;
    let bytes = proven(team, &signed, ProofKind::Receipt, sha256)?.bytes;
    if bytes > CHUNKS as u64 * CHUNK_BYTES as u64 {
        return Err(Fault::Refused(format!(
            "a bundle cannot have {bytes} bytes"
        )));
    }
    Ok(bytes)
}

/// What a row of the ledger proves, if the hub signed it.
fn opened(team: &Team, row: &LedgerRow) -> Option<Proof> {
    let signed: Signed = serde_json::from_value(row.entry.proof.clone()?).ok()?;
    Proof::open(&signed, &team.hub_key).ok()
}

fn proven(team: &Team, signed: &Signed, kind: ProofKind, sha256: &str) -> Result<Proof, Fault> {
    let proof = Proof::open(signed, &team.hub_key)?;
    if proof.kind == kind && proof.sha256 == sha256 && proof.account == team.account {
        Ok(proof)
    } else if proof.kind == ProofKind::Tombstone {
        Err(Fault::Recalled)
    } else {
        Err(Fault::Refused("the hub signed for something else".into()))
    }
}

/// A file that is cut into chunks, and is what was minted.
struct Cut {
    path: PathBuf,
    file: File,
    chunks: Vec<String>,
}

impl Cut {
    fn of(path: &Path, minted: &Minted) -> Result<Self, Fault> {
        let mut file = File::open(path).map_err(|error| io(path, error))?;
        let (mut whole, mut bytes, mut chunks) = (Sha256::new(), 0_u64, Vec::new());
        loop {
            let chunk = read(path, &mut file)?;
            if chunk.is_empty() {
                break;
            }
            whole.update(&chunk);
            bytes += chunk.len() as u64;
            chunks.push(digest(&chunk));
        }
        if hexadecimal(&whole.finalize()) != minted.sha256() || bytes != minted.bytes() {
            return Err(Fault::Refused(format!(
                "{} is not what you approved: stage and review it again",
                path.display()
            )));
        }
        Ok(Self {
            path: path.into(),
            file,
            chunks,
        })
    }

    /// A chunk, which is still what it was.
    fn chunk(&mut self, number: usize) -> Result<Vec<u8>, Fault> {
        let changed = || {
            Fault::Refused(format!(
                "{} has changed in the meantime",
                self.path.display()
            ))
        };
        let said = self
            .chunks
            .get(number)
            .ok_or_else(|| Fault::Refused("the hub asks for a chunk that does not exist".into()))?;
        self.file
            .seek(SeekFrom::Start(number as u64 * CHUNK_BYTES as u64))
            .map_err(|error| io(&self.path, error))?;
        let bytes = read(&self.path, &mut self.file)?;
        if digest(&bytes) == *said {
            Ok(bytes)
        } else {
            Err(changed())
        }
    }
}

fn read(path: &Path, file: &mut File) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::with_capacity(CHUNK_BYTES);
    file.take(CHUNK_BYTES as u64)
        .read_to_end(&mut bytes)
        .map_err(|error| io(path, error))?;
    Ok(bytes)
}

fn io(path: &Path, source: std::io::Error) -> Fault {
    let path = path.into();
    Fault::from(match source.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => bobbin_core::Error::NoRoomFor { path },
        _ => bobbin_core::Error::Io { path, source },
    })
}

/// The day of a moment, in UTC.
fn day(at: Micros) -> Option<String> {
    let at = DateTime::from_timestamp_micros(at.0)?;
    Some(at.format("%Y-%m-%d").to_string())
}

/// What a bundle is called: its file, without where it lies.
fn name(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let plain: String = stem.chars().filter(|c| !c.is_control()).take(100).collect();
    if plain.is_empty() {
        "bundle".into()
    } else {
        plain
    }
}

fn json(value: &impl serde::Serialize) -> Result<Vec<u8>, Fault> {
    Ok(serde_json::to_vec(value).map_err(bobbin_core::Error::from)?)
}
