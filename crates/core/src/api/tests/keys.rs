//! Keys: moved, lost, restored, replaced, and cut short in the middle of each.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::api::*;
use crate::clock::ManualClock;
use crate::inbox::Watching;
use crate::install::{self, spool_dir};
use crate::model::Micros;
use crate::seal::{self, FakeKeyring, KeyringFault};
use crate::store;
use crate::testing::*;

fn open(dir: &Path, keyring: Arc<FakeKeyring>) -> App {
    open_at(dir, keyring, 0)
}

fn open_at(dir: &Path, keyring: Arc<FakeKeyring>, seconds: i64) -> App {
    let clock = Arc::new(ManualClock::at(Micros(at(seconds))));
    App::open_with(dir, Role::Owner, clock, keyring).unwrap()
}

/// The same store so many days after the beginning, with a key that was asked for and what was left of a rotation settled.
fn days_later(app: App, keyring: &Arc<FakeKeyring>, days: i64) -> App {
    let dir = app.dir().to_owned();
    app.drain().unwrap();
    drop(app);
    let app = open_at(&dir, Arc::clone(keyring), days * 24 * 3_600);
    app.keys().private().unwrap();
    settle_keys(&app).unwrap();
    app
}

fn held(app: &App) -> usize {
    app.keys().private().unwrap().publics().len()
}

/// A store in which each of so many clusters has a sealed message.
fn filled(dir: &Path, keyring: &Arc<FakeKeyring>, clusters: usize) -> App {
    let app = open(dir, Arc::clone(keyring));
    for cluster in 0..clusters {
        app.ingest(batch_of(
            &format!("Scheduler-{cluster}"),
            "i",
            1,
            &[exception(3, "e", 1)],
        ))
        .unwrap();
    }
    app
}

/// Messages that open, and those that are locked; read in pages, since each has a key of its own.
fn messages(app: &App) -> (usize, usize) {
    let (mut open, mut locked) = (0, 0);
    for offset in (0..).step_by(25) {
        let request = ExceptionsRequest {
            limit: 25,
            offset,
            ..ExceptionsRequest::default()
        };
        let page = exceptions(app, request).unwrap();
        for row in &page.rows {
            match &row.message {
                SealedText::Text { text } if text == "canary-message" => open += 1,
                SealedText::Locked => locked += 1,
                _ => {}
            }
        }
        if !page.truncated {
            break;
        }
    }
    (open, locked)
}

fn status_of(app: &App) -> KeyStatus {
    keys(app, Empty {}).unwrap()
}

/// Every sealed value, as it is stored.
fn values(dir: &Path) -> Vec<Vec<u8>> {
    let db = raw(dir);
    let mut rows = db
        .prepare("select message_sealed from exception order by cluster_id")
        .unwrap();
    rows.query_map([], |row| row.get(0))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap()
}

#[test]
fn a_key_moves_to_the_keyring_and_back_and_the_page_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    fake.fail(KeyringFault::Absent);
    let app = filled(dir.path(), &fake, 1);
    assert_eq!(status_of(&app).place, Some(KeyPlace::File));
    assert!(
        move_key(
            &app,
            MoveKeyRequest {
                to: KeyPlace::Keyring
            }
        )
        .is_err()
    );
    fake.fail(None);
    let moved = move_key(
        &app,
        MoveKeyRequest {
            to: KeyPlace::Keyring,
        },
    )
    .unwrap();
    assert_eq!(
        (moved.place, moved.state),
        (Some(KeyPlace::Keyring), KeyState::Open)
    );
    app.drain().unwrap();
    drop(app);

    let app = open(dir.path(), fake.clone());
    assert_eq!(status(&app, Empty {}).unwrap().key, KeyState::Unasked);
    assert_eq!(messages(&app), (1, 0));
    assert_eq!(status(&app, Empty {}).unwrap().key, KeyState::Open);
    let back = move_key(&app, MoveKeyRequest { to: KeyPlace::File }).unwrap();
    assert_eq!(back.place, Some(KeyPlace::File));
    assert!(fake.secrets.lock().unwrap().is_empty());
    assert_eq!(messages(&app), (1, 0));
}

#[test]
fn with_a_keyring_that_is_locked_gone_or_broken_everything_but_code_works() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    drop(filled(dir.path(), &fake, 1));
    for (fault, state) in [
        (KeyringFault::Locked, KeyState::KeyringLocked),
        (KeyringFault::Absent, KeyState::KeyringAbsent),
        (KeyringFault::Failed("x".into()), KeyState::KeyringFailed),
    ] {
        fake.fail(fault.clone());
        let app = open(dir.path(), fake.clone());
        app.ingest(batch_of(
            "Scheduler-0",
            "i",
            2,
            &[exception(4, &format!("{state:?}"), 1)],
        ))
        .unwrap();
        let (opened, locked) = messages(&app);
        assert!(opened == 0 && locked > 1);
        assert_eq!(status_of(&app).state, state);
        assert_eq!(status_of(&app).lost_clusters, None);
        fake.fail(if fault == KeyringFault::Locked {
            Some(fault)
        } else {
            None
        });
        assert_eq!(unlock_key(&app, Empty {}).unwrap().state, KeyState::Open);
        assert_eq!(messages(&app), (locked, 0));
        assert_eq!(lock_key(&app, Empty {}).unwrap().state, KeyState::Shut);
        assert_eq!(messages(&app), (0, locked));
        app.drain().unwrap();
    }
    fake.fail(None);
    fake.secrets.lock().unwrap().clear();
    let app = open(dir.path(), fake.clone());
    assert_eq!(status_of(&app).state, KeyState::NotInKeyring);
    assert!(
        fake.secrets.lock().unwrap().is_empty(),
        "nothing is minted by itself"
    );
}

#[test]
fn a_lost_key_loses_code_and_not_numbers_and_what_comes_next_gets_a_new_one() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    fake.fail(KeyringFault::Absent);
    let app = filled(dir.path(), &fake, 2);
    let printed = recovery_key(&app, Empty {}).unwrap().text;
    assert_eq!(status_of(&app).recovery, RecoveryOffer::Shown);
    assert!(matches!(
        new_key(&app, Empty {}),
        Err(crate::Error::Refused(_))
    ));
    fs::remove_file(dir.path().join("key")).unwrap();

    let lost = status_of(&app);
    assert_eq!((lost.state, lost.place), (KeyState::Missing, None));
    assert_eq!(messages(&app), (0, 2));
    assert_eq!(
        clusters(&app, ClustersRequest::default())
            .unwrap()
            .rows
            .len(),
        2
    );
    assert!(recovery_key(&app, Empty {}).is_err());
    assert!(rotate_key(&app, Empty {}).is_err());

    let again = new_key(&app, Empty {}).unwrap();
    assert_eq!(
        (again.state, again.lost_clusters),
        (KeyState::Open, Some(2))
    );
    assert_eq!(
        again.recovery,
        RecoveryOffer::Open,
        "a new key is offered anew"
    );
    assert_ne!(again.name, lost.name);
    app.ingest(batch_of("Scheduler-9", "i", 1, &[exception(3, "e", 1)]))
        .unwrap();
    assert_eq!(messages(&app), (1, 2));

    let newest: Vec<u8> = raw(dir.path())
        .query_row(
            "select public_key from install_key order by id desc",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert!(
        seal::PublicKey::from_bytes(&newest)
            .unwrap()
            .is_published(dir.path())
    );

    let back = restore_key(&app, RestoreKeyRequest { text: printed }).unwrap();
    assert_eq!((back.state, back.lost_clusters), (KeyState::Open, Some(0)));
    assert_eq!(messages(&app), (3, 0));
}

#[test]
fn a_recovery_key_opens_the_old_store_on_a_fresh_machine() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let app = filled(dir.path(), &fake, 1);
    assert_eq!(status_of(&app).recovery, RecoveryOffer::Open);
    assert_eq!(
        decline_recovery_key(&app, Empty {}).unwrap().recovery,
        RecoveryOffer::Declined
    );
    let printed = recovery_key(&app, Empty {}).unwrap();
    assert_eq!(printed.name, status_of(&app).name);
    app.drain().unwrap();

    let fresh = tempfile::tempdir().unwrap();
    install::prepare(fresh.path()).unwrap();
    fs::copy(dir.path().join(store::FILE), fresh.path().join(store::FILE)).unwrap();
    let nowhere = FakeKeyring::new();
    nowhere.fail(KeyringFault::Absent);
    let app = open(fresh.path(), nowhere);
    assert_eq!(
        (status_of(&app).state, messages(&app)),
        (KeyState::Missing, (0, 1))
    );
    let other = tempfile::tempdir().unwrap();
    let other = filled(other.path(), &FakeKeyring::new(), 1);
    let wrong = recovery_key(&other, Empty {}).unwrap().text;
    for text in [&wrong, "", &printed.text[..40]] {
        let refused = restore_key(&app, RestoreKeyRequest { text: text.into() }).unwrap_err();
        assert!(matches!(refused, crate::Error::Invalid { .. }), "{refused}");
        assert!(!refused.to_string().contains(&wrong[20..50]));
    }
    let restored = restore_key(&app, RestoreKeyRequest { text: printed.text }).unwrap();
    assert_eq!(
        (restored.state, restored.place),
        (KeyState::Open, Some(KeyPlace::File))
    );
    assert_eq!(messages(&app), (1, 0));
}

#[test]
fn a_rotation_seals_the_keys_anew_and_leaves_the_values_alone() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let app = filled(dir.path(), &fake, 300);
    let (before, name) = (values(dir.path()), status_of(&app).name);
    let old = app.keys().private().unwrap();
    for _ in 0..2 {
        let rotated = rotate_key(&app, Empty {}).unwrap();
        assert_eq!((rotated.state, rotated.rotation_left), (KeyState::Open, 0));
        assert_ne!(rotated.name, name);
        assert_eq!(rotated.lost_clusters, Some(0));
    }
    assert_eq!(values(dir.path()), before);
    assert_eq!(messages(&app), (300, 0));
    // Plugins that read the public half before may seal to it for a day.
    settle_keys(&app).unwrap();
    assert_eq!(held(&app), 3);
    let app = days_later(app, &fake, 1);
    let held = app.keys().private().unwrap().publics();
    assert!(held.len() == 1 && !old.publics().contains(&held[0]));
    assert!(held[0].is_published(dir.path()));
    let left: i64 = raw(dir.path())
        .query_row("select count(*) from install_key", [], |row| row.get(0))
        .unwrap();
    assert_eq!(left, 1);
    app.ingest(batch_of("Scheduler-0", "i", 2, &[exception(5, "later", 1)]))
        .unwrap();
    assert_eq!(messages(&app), (301, 0));
}

#[test]
fn the_old_half_stays_until_what_plugins_sealed_to_it_was_read() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let app = filled(dir.path(), &fake, 1);
    let old = app.keys().private().unwrap().publics().remove(0);
    let folder = spool_dir(dir.path()).join("Scheduler-1-i");
    fs::create_dir_all(&folder).unwrap();
    let batch = b"a batch";
    let left = seal::seal_batch(batch, &old);
    fs::write(folder.join("000000000001.sealed"), &left).unwrap();

    rotate_key(&app, Empty {}).unwrap();
    assert_eq!(held(&app), 2);
    assert_eq!(app.keys().open_batch(&left).unwrap(), batch);
    let app = days_later(app, &fake, 1);
    assert_eq!(held(&app), 2);
    fs::remove_dir_all(&folder).unwrap();
    // A spool that cannot be read may hold more.
    let spool = spool_dir(dir.path());
    std::os::unix::fs::symlink("loop", spool.join("loop")).unwrap();
    settle_keys(&app).unwrap();
    assert_eq!(held(&app), 2);
    fs::remove_file(spool.join("loop")).unwrap();
    settle_keys(&app).unwrap();
    assert_eq!(held(&app), 1);
    assert!(app.keys().open_batch(&left).is_err());
    assert_eq!(messages(&app), (1, 0));
}

#[test]
fn a_snapshot_from_before_a_rotation_is_put_back_and_opens() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let app = filled(dir.path(), &fake, 1);
    app.snapshot().unwrap();
    rotate_key(&app, Empty {}).unwrap();
    let app = days_later(app, &fake, 9);
    assert_eq!(held(&app), 2, "the snapshot is sealed to the key before");
    app.drain().unwrap();
    drop(app);
    let back = || {
        let clock = ManualClock::at(Micros(at(10 * 24 * 3_600)));
        restore(dir.path(), Some("1"), &clock).unwrap();
        open_at(dir.path(), fake.clone(), 10 * 24 * 3_600)
    };
    let app = back();
    assert_eq!(messages(&app), (1, 0));
    // Neither does a new rotation forget what the store that was replaced is sealed to.
    rotate_key(&app, Empty {}).unwrap();
    let app = days_later(app, &fake, 20);
    assert_eq!((held(&app), messages(&app)), (3, (1, 0)));

    // Where the key of the copy is lost, one that is here seals.
    let newest = status_of(&app).name;
    let all = app.keys().private().unwrap();
    app.keys().keep(&all.only(&all.publics()[2..])).unwrap();
    app.drain().unwrap();
    drop(app);
    let app = back();
    let status = status_of(&app);
    assert_eq!(
        (status.state, status.name, status.lost_clusters),
        (KeyState::Open, newest, Some(1))
    );
    app.ingest(batch_of("Scheduler-9", "i", 1, &[exception(3, "e", 1)]))
        .unwrap();
    assert_eq!(messages(&app), (1, 1));
}

#[test]
fn once_every_snapshot_is_of_the_present_key_older_ones_go() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let mut app = filled(dir.path(), &fake, 1);
    app.snapshot().unwrap();
    rotate_key(&app, Empty {}).unwrap();
    for day in 1..=3 {
        app = days_later(app, &fake, day);
        assert_eq!(held(&app), 2);
        app.snapshot().unwrap();
    }
    settle_keys(&app).unwrap();
    assert_eq!((held(&app), messages(&app)), (1, (1, 0)));
}

#[test]
fn a_damaged_store_and_a_keyring_that_is_closed_stop_no_recording() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let app = filled(dir.path(), &fake, 1);
    let name = status_of(&app).name;
    app.drain().unwrap();
    drop(app);
    let key = fs::read(dir.path().join("key")).unwrap();
    fs::write(dir.path().join(store::FILE), vec![0xa5; 8_192]).unwrap();
    fake.fail(KeyringFault::Locked);
    let app = open(dir.path(), fake.clone());
    app.ingest(batch_of("Scheduler-9", "i", 1, &[exception(3, "e", 1)]))
        .unwrap();
    assert_eq!(messages(&app), (0, 1));
    let unlocked = unlock_key(&app, Empty {}).unwrap();
    assert_eq!((unlocked.state, unlocked.name), (KeyState::Open, name));
    assert_eq!(messages(&app), (1, 0));
    assert_eq!(fs::read(dir.path().join("key")).unwrap(), key);
}

/// A store of 40 clusters as after a kill: a third of the data keys are sealed anew. Gives how many are not.
fn cut_short(dir: &Path, fake: &Arc<FakeKeyring>) -> u64 {
    let app = filled(dir, fake, 40);
    let old = app.keys().private().unwrap();
    rotate_key(&app, Empty {}).unwrap();
    let new = app.keys().private().unwrap();
    let (old_key, new_key) = (&old.publics()[0], &new.publics()[1]);
    app.drain().unwrap();
    drop(app);
    let db = raw(dir);
    let mut rows = db
        .prepare("select k.id, k.wrapped, c.scheduler_id from data_key k join cluster c on c.id = k.cluster_id where k.id % 3 > 0")
        .unwrap();
    let found: Vec<(i64, Vec<u8>, String)> = rows
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<rusqlite::Result<_>>()
        .unwrap();
    for (id, wrapped, cluster) in &found {
        let private = new.of_public(new_key).unwrap();
        let back = seal::DataKey::rewrap(*id, cluster, wrapped, private, old_key).unwrap();
        db.execute(
            "update data_key set wrapped = ?1, install_key_id = 1 where id = ?2",
            (back, id),
        )
        .unwrap();
    }
    found.len() as u64
}

#[test]
fn a_rotation_that_was_cut_short_is_ended_by_the_next() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let left = cut_short(dir.path(), &fake);
    let app = open(dir.path(), fake.clone());
    let status = status_of(&app);
    assert_eq!((status.state, status.rotation_left), (KeyState::Open, left));
    assert_eq!(messages(&app), (40, 0));
    let ended = rotate_key(&app, Empty {}).unwrap();
    assert_eq!(
        (ended.rotation_left, ended.name),
        (0, status.name),
        "no third key is made"
    );
    let app = days_later(app, &fake, 1);
    assert_eq!(held(&app), 1);
    assert_eq!(messages(&app), (40, 0));
}

#[test]
fn a_rotation_that_was_cut_short_is_ended_by_a_bobbin_that_receives_once_it_knows_the_key() {
    for place in [KeyPlace::File, KeyPlace::Keyring] {
        let dir = tempfile::tempdir().unwrap();
        let fake = FakeKeyring::new();
        if place == KeyPlace::File {
            fake.fail(KeyringFault::Absent);
        }
        let cut = cut_short(dir.path(), &fake);
        let app = open(dir.path(), fake.clone());
        let left = || -> u64 {
            let of_old = "select count(*) from data_key where install_key_id = 1";
            app.read(|db| Ok(db.query_one(of_old, [], |row| row.get(0))?))
                .unwrap()
        };
        assert_eq!(left(), cut);
        let mut receiving = Watching::start(app.clone(), &[]).unwrap();
        if place == KeyPlace::Keyring {
            // Nobody asked the keyring yet, and that is no reason to.
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!((left(), app.keys().known().is_none()), (cut, true));
            // Somebody reads a text.
            messages(&app);
            // It looks every half minute, and when it starts.
            receiving.stop();
            receiving = Watching::start(app.clone(), &[]).unwrap();
        }
        let begun = Instant::now();
        while left() > 0 {
            assert!(begun.elapsed() < Duration::from_secs(20), "{place:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
        receiving.stop();
        assert_eq!(messages(&app), (40, 0), "{place:?}");
        app.drain().unwrap();
    }
}

#[test]
fn a_cluster_without_its_data_keys_is_closed_whatever_key_is_here() {
    let dir = tempfile::tempdir().unwrap();
    let app = filled(dir.path(), &FakeKeyring::new(), 2);
    app.write(|db| Ok(db.execute_batch("delete from data_key where cluster_id = 1")?))
        .unwrap();
    assert_eq!(messages(&app), (1, 1));
    rotate_key(&app, Empty {}).unwrap();
    assert_eq!(messages(&app), (1, 1));
}

#[test]
fn a_reader_looks_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let fake = FakeKeyring::new();
    let owner = filled(dir.path(), &fake, 1);
    let clock = Arc::new(ManualClock::at(Micros(at(0))));
    let reader = App::open_with(dir.path(), Role::Reader, clock, fake).unwrap();
    assert_eq!(status_of(&reader).state, KeyState::Open);
    assert!(recovery_key(&reader, Empty {}).is_ok());
    assert_eq!(status_of(&owner).recovery, RecoveryOffer::Open);
    let refused =
        |result: crate::Result<KeyStatus>| matches!(result, Err(crate::Error::Refused(_)));
    assert!(refused(rotate_key(&reader, Empty {})));
    assert!(refused(new_key(&reader, Empty {})));
    assert!(refused(move_key(
        &reader,
        MoveKeyRequest { to: KeyPlace::File }
    )));
    assert!(refused(restore_key(
        &reader,
        RestoreKeyRequest {
            text: String::new()
        }
    )));
    assert!(refused(decline_recovery_key(&reader, Empty {})));
}
