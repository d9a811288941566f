//! One open Bobbin: its folder, its store and its clock.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock};

use rusqlite::Connection;

use super::change::Listeners;
use super::checkup::Probe;
use super::graphs::Graphs;
use super::on_stage::Stage;
use super::questions::Questions;
use super::queued::Queued;
use super::refusals::Refusals;
use super::senders::{Senders, key_name};
use super::shelf::Shelf;
use super::shell::Shell;
use super::trees::Trees;
use super::{Change, ReceiverStatus, Subscription};
use crate::clock::Clock;
use crate::ingest::{self, BatchJob, Hearing, Ingest, Receipt, StopOrders, Words, WriteJob};
use crate::install::{self, Token};
use crate::lock::lock;
use crate::model::Micros;
use crate::query::Counted;
use crate::report::Page;
use crate::retain;
use crate::seal::{FingerprintKey, Keyring, Keys, NoKeyring};
use crate::share::stage::Desks;
use crate::share::{self, Taken, Taking, Write};
use crate::store::{self, Checked, Notes, Readers, Writer};
use crate::wire::Batch;
use crate::{Error, Result};

/// What one may do with the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Writes, and keeps others from writing: one a folder.
    Owner,
    /// Reads, beside an owner or alone, and creates nothing but a note of damage that it meets.
    Reader,
}

/// Runs a command by its name, as [`super::call`] does. It is handed to what asks others by name, which the list of commands holds
/// itself.
pub(super) type Call = fn(&App, &str, &str) -> Result<String>;

/// What the doors share.
struct Inner {
    dir: PathBuf,
    clock: Arc<dyn Clock>,
    keys: Keys,
    /// For whoever did not ask for texts.
    no_keys: Keys,
    listeners: Listeners,
    readers: Readers,
    /// Whether its file was read whole.
    checked: Checked,
    writer: Option<Writer<Ingest>>,
    ingest_keys: Mutex<HashSet<[u8; 32]>>,
    session: Session,
}

/// What came up since it was opened.
#[derive(Default)]
struct Session {
    queued: Queued,
    hearing: Hearing,
    receiver: Mutex<Option<ReceiverStatus>>,
    refused: Refusals,
    senders: Arc<Senders>,
    /// The token of a receiver that runs.
    owner: Mutex<Option<Token>>,
    graphs: Graphs,
    trees: Trees,
    questions: Questions,
    shelf: Shelf<App>,
    desks: Desks,
    stage: Stage,
    report_page: OnceLock<Page>,
    probe: OnceLock<Probe>,
    shell: Mutex<Option<Arc<dyn Shell>>>,
    /// When a page looked last at what was sent; 0 before the first.
    looked_at_sends: AtomicI64,
}

/// Which clusters sums are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sums {
    /// The reader's own; samples where there is nothing else.
    Own,
    /// Samples alone.
    Samples,
}

/// Whether sealed texts are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Texts {
    Opened,
    Closed,
}

/// One open Bobbin. Clones are the same one; with the last the store is closed.
#[derive(Clone)]
pub struct App(Arc<Inner>, Sums, Texts);

impl App {
    /// Opens the store in `dir`, with the private key in its file.
    ///
    /// # Errors
    /// As [`App::open_with`].
    pub fn open(dir: &Path, role: Role, clock: Arc<dyn Clock>) -> Result<App> {
        Self::open_with(dir, role, clock, Arc::new(NoKeyring))
    }

    /// Opens the store in `dir`, with a keyring that may hold the private key. The key is not read yet: a keyring that
    /// does not answer keeps nothing from opening or recording.
    ///
    /// # Errors
    /// [`Error::StoreInUse`], [`Error::StoreMissing`] (readers), [`Error::StoreTooNew`], [`Error::StoreDamaged`],
    /// [`Error::Loosened`], [`Error::DiskFull`], [`Error::Io`]; [`Error::Keyring`] and [`Error::Invalid`] for a new store, if
    /// there is a key that cannot be read and none is published.
    pub fn open_with(
        dir: &Path,
        role: Role,
        clock: Arc<dyn Clock>,
        keyring: Arc<dyn Keyring>,
    ) -> Result<App> {
        let keys = Keys::new(dir, keyring);
        let listeners = Listeners::default();
        let mut checked = Checked::unread(dir);
        let writer = match role {
            Role::Reader => None,
            Role::Owner => {
                let opened = store::open_owner(dir, clock.now())?;
                checked = opened.checked.clone();
                let install = ingest::install_key(&opened.db, &keys, clock.now())?;
                install.public.publish(dir)?;
                let fingerprints = FingerprintKey::load_or_make(dir)?;
                ingest::heard_by_now(&opened.db, clock.now())?;
                share::clear_beside(dir)?;
                retain::forget_unbegun(&opened.db)?;
                let told = listeners.clone();
                let changed = Box::new(move |cluster_ids| told.tell(cluster_ids));
                let words: Words = Box::new(share::stage::watched_words(dir, &fingerprints));
                Some(Writer::start(
                    opened,
                    Ingest::new(Arc::clone(&clock), install, fingerprints, words, changed),
                )?)
            }
        };
        let readers = Readers::open(checked.clone())?;
        let ingest_keys = readers.read(ingest::ingest_keys)?;
        let inner = Arc::new(Inner {
            dir: dir.into(),
            clock,
            keys,
            no_keys: Keys::none(dir),
            listeners,
            readers,
            checked,
            writer,
            ingest_keys: Mutex::new(ingest_keys),
            session: Session::default(),
        });
        Ok(App(inner, Sums::Own, Texts::Opened))
    }

    /// The same Bobbin, which remembers who came with which key and nothing of what was asked before, writes nothing,
    /// and notes what it asks.
    pub(super) fn noted(&self) -> (App, Notes) {
        let notes = Notes::default();
        let inner = Arc::new(Inner {
            dir: self.0.dir.clone(),
            clock: Arc::clone(&self.0.clock),
            keys: self.0.keys.clone(),
            no_keys: self.0.no_keys.clone(),
            listeners: Listeners::default(),
            readers: Readers::noted(self.0.checked.clone(), notes.clone()),
            checked: self.0.checked.clone(),
            writer: None,
            ingest_keys: Mutex::default(),
            session: Session {
                senders: Arc::clone(&self.0.session.senders),
                ..Session::default()
            },
        });
        (App(inner, self.1, self.2), notes)
    }

    /// The same Bobbin, which shows samples as if there were nothing else.
    pub(super) fn of_samples(&self) -> App {
        App(Arc::clone(&self.0), Sums::Samples, self.2)
    }

    /// The same Bobbin, to which every sealed text is locked.
    pub fn without_texts(&self) -> App {
        App(Arc::clone(&self.0), self.1, Texts::Closed)
    }

    /// Whether it shows samples alone.
    pub(super) fn is_of_samples(&self) -> bool {
        self.1 == Sums::Samples
    }

    /// Which clusters count in sums.
    ///
    /// # Errors
    /// [`Error::Sqlite`].
    pub(super) fn counted(&self, db: &Connection) -> Result<Counted> {
        Counted::read(db, self.is_of_samples())
    }

    /// The folder of this install.
    pub fn dir(&self) -> &Path {
        &self.0.dir
    }

    /// The private halves of the install's key.
    pub fn keys(&self) -> &Keys {
        match self.2 {
            Texts::Opened => &self.0.keys,
            Texts::Closed => &self.0.no_keys,
        }
    }

    /// The time by this Bobbin's clock.
    pub fn now(&self) -> Micros {
        self.0.clock.now()
    }

    /// A page looks at what was sent.
    pub(super) fn look_at_sends(&self) {
        self.0
            .session
            .looked_at_sends
            .store(self.now().0, Ordering::Relaxed);
    }

    /// When a page looked last at what was sent.
    pub fn looked_at_sends(&self) -> Option<Micros> {
        let at = self.0.session.looked_at_sends.load(Ordering::Relaxed);
        (at > 0).then_some(Micros(at))
    }

    /// The clock itself, for a Bobbin beside this one.
    pub(super) fn clock(&self) -> Arc<dyn Clock> {
        Arc::clone(&self.0.clock)
    }

    /// Hands a batch to the writer. `done` is called from the writer's thread once the batch is durable or has failed.
    ///
    /// # Errors
    /// At once: [`Error::Busy`] if the queue is full, [`Error::Stopping`] after [`App::drain`], [`Error::Refused`] for
    /// readers. `done` is then not called.
    pub fn submit(
        &self,
        batch: Batch,
        done: Box<dyn FnOnce(Result<Receipt>) + Send>,
    ) -> Result<()> {
        let bytes = batch.bytes;
        if !self.0.session.queued.has_room(bytes) {
            return Err(Error::Busy);
        }
        self.writer()?
            .offer(self.job(batch, Some(self.0.session.hearing.clone()), done))
            .inspect_err(|_| self.0.session.queued.remove(bytes))
    }

    /// Whether so much waits for the writer that nothing more should be let in for now.
    pub fn behind(&self) -> bool {
        self.0.session.queued.behind()
    }

    /// Stores a batch and waits for it. For stories and tests.
    ///
    /// # Errors
    /// As [`App::submit`], and whatever keeps the batch from being stored.
    pub fn ingest(&self, batch: Batch) -> Result<Receipt> {
        let (sender, receiver) = sync_channel(1);
        let done = Box::new(move |receipt| {
            // The other end waits below; if it is gone, so is the process.
            let _ = sender.send(receipt);
        });
        self.writer()?
            .push(self.job(batch, Some(self.0.session.hearing.clone()), done))?;
        receiver.recv().unwrap_or(Err(Error::Stopping))
    }

    /// Stores batches that were read from a file, and waits until all are durable. Their clusters were heard when the
    /// batches were made, and no order to close goes with them.
    ///
    /// # Errors
    /// As [`App::ingest`]; some may have been stored even then.
    pub(crate) fn import(&self, batches: Vec<Batch>) -> Result<()> {
        let writer = self.writer()?;
        let mut unanswered = batches.len();
        let (sender, receiver) = sync_channel(batches.len());
        for batch in batches {
            let sender = sender.clone();
            let done = Box::new(move |receipt: Result<Receipt>| {
                // As in `ingest`.
                let _ = sender.send(receipt.map(drop));
            });
            writer.push(self.job(batch, None, done))?;
        }
        drop(sender);
        for stored in receiver {
            stored?;
            unanswered -= 1;
        }
        // A job that was never run answers nothing.
        match unanswered {
            0 => Ok(()),
            _ => Err(Error::Stopping),
        }
    }

    /// Takes a cluster of a bundle in one transaction, and waits until it is durable.
    ///
    /// # Errors
    /// As [`App::import`]; nothing of it is stored then.
    pub(crate) fn take(&self, taking: Taking) -> Result<Taken> {
        let now = self.now();
        let taken = Arc::new(Mutex::new(None));
        let told = Arc::clone(&taken);
        self.write_with(move |db, ingest| {
            let became = taking.run(db, |write| match write {
                Write::Empty(cluster) => ingest.empty(db, cluster),
                Write::Batch(batch) => {
                    let heard = now.min(batch.header.sent_at_micros);
                    ingest.store(db, &batch, heard).map(drop)
                }
            })?;
            *lock(&told) = Some(became);
            Ok(())
        })?;
        lock(&taken).take().ok_or(Error::Stopping)
    }

    /// Writes something small, and waits until it is durable.
    ///
    /// # Errors
    /// As [`App::submit`], and those of `write`.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&Connection) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        self.write_with(|db, _| write(db))
    }

    /// The same, with what the writer remembers of the store.
    ///
    /// # Errors
    /// As [`App::write`].
    pub(crate) fn write_with(
        &self,
        write: impl FnOnce(&Connection, &mut Ingest) -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let (sender, receiver) = sync_channel(1);
        let done = Box::new(move |stored| {
            // As in `ingest`.
            let _ = sender.send(stored);
        });
        self.writer()?
            .push(Box::new(WriteJob::new(Box::new(write), done)))?;
        receiver.recv().unwrap_or(Err(Error::Stopping))
    }

    /// Calls `listener` after each commit until the subscription is dropped.
    pub fn subscribe(&self, listener: Box<dyn Fn(&Change) + Send + Sync>) -> Subscription {
        self.0.listeners.subscribe(listener)
    }

    /// Refuses new work, commits what is queued, and puts the log into the file. May be called twice. Reading goes on.
    ///
    /// # Errors
    /// [`Error::Sqlite`], [`Error::DiskFull`].
    pub fn drain(&self) -> Result<()> {
        self.0.session.stage.end();
        // The last connection to close removes the log, and only the writer's can.
        self.0.readers.close();
        self.0.writer.as_ref().map_or(Ok(()), Writer::stop)
    }

    /// Reads the whole store looking for damage, and gives the version of its schema. Takes seconds for some gigabytes.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`], [`Error::Sqlite`].
    pub fn inspect(&self) -> Result<u32> {
        store::inspect(&self.0.checked, &Arc::default())
    }

    /// Reads the whole store looking for damage, where that was left for later at the start and nobody has since.
    ///
    /// # Errors
    /// [`Error::StoreDamaged`], each time once some was found; [`Error::Stopping`] once `stopping` is so; [`Error::Sqlite`].
    pub(super) fn read_whole_until(&self, stopping: &Arc<AtomicBool>) -> Result<()> {
        store::read_whole(&self.0.checked, self.now(), stopping)
    }

    /// Whether its file was found damaged since it was opened, here or by another process. Its owner writes no more then: it is to be
    /// drained and opened anew, which moves a damaged store aside. Where that finds no damage, it is not to be once more.
    pub fn is_to_be_opened_anew(&self) -> bool {
        self.0.checked.is_to_be_opened_anew()
    }

    /// Whether its file was read whole, for who meets damage in it.
    pub(super) fn checked(&self) -> &Checked {
        &self.0.checked
    }

    /// Tells everybody who watches that these clusters changed, or what is of no single one.
    pub fn tell(&self, cluster_ids: Vec<i64>) {
        self.0.listeners.tell(cluster_ids);
    }

    /// Says where the receiver listens, for `status`.
    pub fn set_receiver(&self, receiver: Option<ReceiverStatus>) {
        *lock(&self.0.session.receiver) = receiver;
    }

    /// Says which window commands about it mean.
    pub fn set_shell(&self, shell: Option<Arc<dyn Shell>>) {
        *lock(&self.0.session.shell) = shell;
    }

    /// The window, where this Bobbin has one.
    pub(super) fn shell(&self) -> Option<Arc<dyn Shell>> {
        lock(&self.0.session.shell).clone()
    }

    /// Counts a request that the receiver refused, for `status`.
    pub fn count_refusal(&self, reason: &'static str) {
        self.0.session.refused.count(reason, self.now());
    }

    /// Notes that a batch of a scheduler came with the key of this digest, for whoever waits for the first.
    pub fn note_sender(&self, digest: &[u8; 32], scheduler_id: &str) {
        self.0.session.senders.note(&key_name(digest), scheduler_id);
    }

    /// A new key with which a plugin may write and nothing else. Only its digest is stored.
    ///
    /// # Errors
    /// As [`App::submit`].
    pub fn new_ingest_key(&self) -> Result<Token> {
        let token = Token::random()?;
        let (digest, now) = (token.digest(), self.now());
        self.write(move |db| ingest::add_ingest_key(db, &digest, now))?;
        lock(&self.0.ingest_keys).insert(token.digest());
        Ok(token)
    }

    /// Whether this is a key that was handed out. Digests are compared, so time tells nothing about a key.
    pub fn ingest_key_known(&self, presented: &str) -> bool {
        lock(&self.0.ingest_keys).contains(&install::digest(presented))
    }

    /// Takes every key back that was handed out. What was written with them stays.
    ///
    /// # Errors
    /// As [`App::submit`].
    pub(super) fn forget_ingest_keys(&self) -> Result<()> {
        self.write(ingest::forget_ingest_keys)?;
        lock(&self.0.ingest_keys).clear();
        Ok(())
    }

    /// Says which token the owner shows to the receiver from now on.
    pub fn set_owner_token(&self, token: Token) {
        *lock(&self.0.session.owner) = Some(token);
    }

    /// Whether this is that token; takes the same time wherever they differ.
    pub fn is_owner_token(&self, presented: &str) -> bool {
        let owner = lock(&self.0.session.owner);
        owner.as_ref().is_some_and(|token| token.matches(presented))
    }

    /// Asks a question of one state of the store.
    pub(crate) fn read<T>(&self, question: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.0.readers.read(question)
    }

    /// The same for a question that may take long: the log of what is written meanwhile is kept until it ends.
    pub(crate) fn read_long(
        &self,
        question: &mut dyn FnMut(&Connection) -> Result<()>,
    ) -> Result<()> {
        self.0.readers.read_long(question)
    }

    /// Where the receiver listens.
    pub(crate) fn receiver(&self) -> Option<ReceiverStatus> {
        lock(&self.0.session.receiver).clone()
    }

    /// Requests refused, by reason.
    pub fn refused(&self) -> BTreeMap<String, u64> {
        self.0.session.refused.counts()
    }

    /// The same, with their times.
    pub(super) fn refusals(&self) -> &Refusals {
        &self.0.session.refused
    }

    pub(super) fn senders(&self) -> &Senders {
        &self.0.session.senders
    }

    pub(super) fn graphs(&self) -> &Graphs {
        &self.0.session.graphs
    }

    /// Hands over the page that reports are written with. The first stands: a build has one.
    pub fn set_report_page(&self, page: Page) {
        let _ = self.0.session.report_page.set(page);
    }

    pub(super) fn report_page(&self) -> Option<&Page> {
        self.0.session.report_page.get()
    }

    /// Says how the receiver is asked whether it answers. The first stands: a build has one.
    pub fn set_probe(&self, probe: Probe) {
        let _ = self.0.session.probe.set(probe);
    }

    pub(super) fn probe(&self) -> Option<Probe> {
        self.0.session.probe.get().copied()
    }

    /// The merged profiles that are kept.
    pub(super) fn trees(&self) -> &Trees {
        &self.0.session.trees
    }

    /// The bundles that are open.
    pub(super) fn shelf(&self) -> &Shelf<App> {
        &self.0.session.shelf
    }

    /// The stages that are being looked at.
    pub(super) fn desks(&self) -> &Desks {
        &self.0.session.desks
    }

    /// What is played once more.
    pub(super) fn stage(&self) -> &Stage {
        &self.0.session.stage
    }

    /// The questions in SQL that are being answered.
    pub(super) fn questions(&self) -> &Questions {
        &self.0.session.questions
    }

    /// Orders to close, for the writer to hand on.
    pub(crate) fn orders(&self) -> &StopOrders {
        &self.0.session.hearing.orders
    }

    /// Somebody looks at the cluster: the answers to its reports say so for a while.
    pub(super) fn look_at(&self, cluster: i64) {
        self.0.session.hearing.watched.look(cluster, self.now());
    }

    pub(super) fn writer(&self) -> Result<&Writer<Ingest>> {
        self.0
            .writer
            .as_ref()
            .ok_or_else(|| Error::Refused("this Bobbin is read-only: another one writes".into()))
    }

    /// The writer's job for a batch; counts it as waiting until it is done.
    fn job(
        &self,
        batch: Batch,
        hearing: Option<Hearing>,
        done: Box<dyn FnOnce(Result<Receipt>) + Send>,
    ) -> Box<BatchJob> {
        let bytes = batch.bytes;
        let queued = self.0.session.queued.clone();
        queued.add(bytes);
        let counted = move |receipt| {
            queued.remove(bytes);
            done(receipt);
        };
        Box::new(BatchJob::new(batch, hearing, Box::new(counted)))
    }
}
