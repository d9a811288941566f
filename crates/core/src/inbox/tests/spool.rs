//! What plugins left that could not send.

use std::fs::File;
use std::os::unix::fs::symlink;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::*;
use crate::api::{ComputationCode, ComputationsRequest, computations};
use crate::install::arrivals;
use crate::seal;

/// A folder of the spool with so many files; its plugin is gone.
pub(super) fn left(arriving: &Arriving, files: &[(&str, &[u8])]) -> PathBuf {
    let folder = spool_dir(arriving.bench.path()).join("Scheduler-1-i");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("lock"), "").unwrap();
    for (name, bytes) in files {
        fs::write(folder.join(name), bytes).unwrap();
    }
    folder
}

/// A batch with code, sealed as a plugin does.
pub(super) fn sealed(arriving: &Arriving, first_seq: u64) -> Vec<u8> {
    let private = arriving.bench.app.keys().private().unwrap();
    let batch = packed(first_seq, &[computation(3, "c", Some("canary-code"))]);
    seal::seal_batch(&batch, &private.publics()[0])
}

fn code(arriving: &Arriving) -> Option<ComputationCode> {
    let request = ComputationsRequest {
        id: 1,
        from_micros: None,
        to_micros: None,
        limit: 0,
        offset: 0,
    };
    let mut rows = computations(&arriving.bench.app, request).unwrap().rows;
    (!rows.is_empty()).then(|| rows.remove(0).code)
}

fn story(arriving: &Arriving) -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("000000000001.batch", packed(1, &[facts(0), sample(1, 1.0)])),
        ("000000000003.sealed", sealed(arriving, 3)),
        ("000000000004.batch", packed(4, &[sample(5, 2.0), stop(6)])),
    ]
}

fn slices<'a>(files: &'a [(&'static str, Vec<u8>)]) -> Vec<(&'static str, &'a [u8])> {
    files
        .iter()
        .map(|(name, bytes)| (*name, &bytes[..]))
        .collect()
}

#[test]
fn what_a_dead_plugin_left_is_stored_and_the_folder_goes() {
    let arriving = Arriving::new();
    let files = story(&arriving);
    let folder = left(&arriving, &slices(&files));
    fs::write(folder.join("000000000006.batch.part"), "half").unwrap();
    assert_eq!(arriving.look(), Next::Later);
    assert!(!folder.exists());
    let rows = arriving.rows();
    assert_eq!(
        (rows.len(), rows[0].state, arriving.samples()),
        (1, crate::model::ClusterState::Finished, 2)
    );
    assert!(
        matches!(code(&arriving), Some(ComputationCode::Frames { frames }) if frames[0].code == "canary-code")
    );

    // Killed between storing and removing: it comes once more, and changes nothing.
    let folder = left(&arriving, &slices(&files));
    arriving.look();
    assert!(!folder.exists());
    assert_eq!(arriving.rows(), rows);
}

#[test]
fn a_living_plugins_folder_is_its_own() {
    let arriving = Arriving::new();
    let folder = left(
        &arriving,
        &[("000000000001.batch", &packed(1, &[facts(0)]))],
    );
    let held = File::open(folder.join("lock")).unwrap();
    held.lock().unwrap();
    assert_eq!(arriving.look(), Next::Later);
    assert_eq!(names(&folder).len(), 2);
    drop(held);
    arriving.look();
    assert!(!folder.exists());
    assert_eq!(arriving.rows().len(), 1);
}

#[test]
fn a_plugin_that_is_just_taking_its_lock_is_not_in_the_way() {
    let arriving = Arriving::new();
    let folder = left(&arriving, &[]);
    let made = fs::metadata(folder.join("lock")).unwrap();
    let micros = std::os::unix::fs::MetadataExt::mtime(&made) * SECOND;
    arriving
        .bench
        .clock
        .set(crate::model::Micros(micros + SECOND));
    assert_eq!(arriving.look(), Next::Soon);
    fs::remove_file(folder.join("lock")).unwrap();
    assert_eq!(arriving.look(), Next::Later);
    assert!(folder.exists(), "a folder is made before its lock is");
    arriving
        .bench
        .clock
        .set(crate::model::Micros(micros + 70 * SECOND));
    arriving.look();
    assert!(!folder.exists());
}

#[test]
fn without_the_key_sealed_batches_wait_and_the_others_do_not() {
    let arriving = Arriving::new();
    let files = story(&arriving);
    let folder = left(&arriving, &slices(&files));
    let (key, aside) = (
        arriving.bench.path().join("key"),
        arriving.bench.path().join("aside"),
    );
    fs::rename(&key, &aside).unwrap();
    assert_eq!(arriving.look(), Next::Later);
    assert_eq!(names(&folder), ["000000000003.sealed", "lock"]);
    assert_eq!((arriving.samples(), code(&arriving)), (2, None));
    let found = arrivals(arriving.bench.path());
    assert_eq!((found.spool_folders, found.sealed_files), (1, 1));

    // The key of another install is not this one's: what is sealed is not given up for it.
    let other = Bench::new();
    fs::copy(other.path().join("key"), &key).unwrap();
    arriving.look();
    assert_eq!(names(&folder), ["000000000003.sealed", "lock"]);

    fs::rename(&aside, &key).unwrap();
    arriving.look();
    assert!(!folder.exists());
    assert!(matches!(
        code(&arriving),
        Some(ComputationCode::Frames { .. })
    ));
}

#[test]
fn what_can_never_be_read_is_put_aside_with_a_word_why() {
    let arriving = Arriving::new();
    let other = Arriving::new();
    let whole = packed(1, &[facts(0), sample(1, 1.0)]);
    let foreign = sealed(&other, 3);
    let folder = left(
        &arriving,
        &[
            ("000000000001.batch", &whole),
            ("000000000002.batch", &whole[..whole.len() / 2]),
            ("000000000003.sealed", &foreign),
            ("000000000004.sealed", b"bobbin-sealed-2\n"),
            ("000000000005.batch", &gzip(&vec![b'0'; 20 << 20])),
            ("000000000006.batch", &vec![0; 5 << 20]),
        ],
    );
    symlink("/etc/passwd", folder.join("000000000007.batch")).unwrap();
    mknodat(
        CWD,
        folder.join("000000000008.batch"),
        FileType::Fifo,
        Mode::RWXU,
        0,
    )
    .unwrap();
    arriving.look();
    assert!(!folder.exists());
    assert_eq!(arriving.samples(), 1, "its neighbours are stored");
    let names = names(&arriving.own());
    assert_eq!(names.len(), 14, "{names:?}");
    for (number, why) in [
        (2, "gzip"),
        (3, "another install"),
        (4, "not a sealed batch"),
        (5, "larger"),
        (6, "larger"),
        (7, "a link"),
        (8, "not a file"),
    ] {
        let name = format!("Scheduler-1-i-{number:012}");
        let note = names
            .iter()
            .find(|found| found.starts_with(&name) && found.ends_with(".why"))
            .unwrap_or_else(|| panic!("{name}: {names:?}"));
        let text = fs::read_to_string(arriving.own().join(note)).unwrap();
        assert!(text.contains(why), "{name}: {text}");
    }
    assert_eq!(arrivals(arriving.bench.path()).refused_files, 7);
}

#[test]
fn what_lies_in_the_spool_is_not_followed_elsewhere() {
    let arriving = Arriving::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::write(elsewhere.path().join("lock"), "").unwrap();
    let batch = elsewhere.path().join("000000000001.batch");
    fs::write(&batch, packed(1, &[facts(0)])).unwrap();
    let spool = spool_dir(arriving.bench.path());
    symlink(elsewhere.path(), spool.join("link")).unwrap();
    fs::write(spool.join("file"), "").unwrap();
    let odd = spool.join("odd");
    fs::create_dir(&odd).unwrap();
    symlink(elsewhere.path().join("lock"), odd.join("lock")).unwrap();
    arriving.look();
    assert!(batch.exists() && odd.exists());
    assert_eq!(arriving.rows().len(), 0);

    let strange = Arriving::new();
    let folder = left(&strange, &[("000000000001.batch", &packed(1, &[facts(0)]))]);
    let other = Inbox {
        owner: strange.inbox.owner.another(),
        ..strange.again()
    };
    other.look(&|| true);
    assert_eq!(names(&folder).len(), 2, "another user's");
    fs::write(folder.join("notes.txt"), "mine").unwrap();
    strange.look();
    assert_eq!(names(&folder), ["lock", "notes.txt"], "no plugin's");
}

#[test]
fn many_batches_are_stored_in_their_order_and_a_stop_leaves_the_rest() {
    let arriving = Arriving::new();
    let files: Vec<(String, Vec<u8>)> = (1..=200)
        .map(|seq| {
            (
                format!("{seq:012}.batch"),
                packed(seq, &[sample(seq as i64, seq as f64)]),
            )
        })
        .collect();
    let slices: Vec<(&str, &[u8])> = files
        .iter()
        .map(|(name, bytes)| (name.as_str(), &bytes[..]))
        .collect();
    let folder = left(&arriving, &slices);
    let left_to_do = std::cell::Cell::new(100);
    let next = arriving.inbox.look(&|| {
        left_to_do.set(left_to_do.get() - 1);
        left_to_do.get() > 0
    });
    assert_eq!(next, Next::Soon);
    let stored = arriving.samples();
    assert!((1..200).contains(&stored), "{stored}");
    assert_eq!(
        names(&folder).len() as i64,
        201 - stored,
        "removed once stored"
    );
    arriving.look();
    assert_eq!(arriving.samples(), 200);
    assert!(!folder.exists());
}

#[test]
fn one_file_that_cannot_be_put_aside_does_not_keep_the_others_from_being_stored() {
    let arriving = Arriving::new();
    let whole = packed(1, &[facts(0), sample(1, 1.0)]);
    let folder = left(
        &arriving,
        &[
            ("000000000001.batch", b"not gzip at all"),
            ("000000000002.batch", &whole),
        ],
    );
    for number in 0..1_000 {
        let more = if number == 0 {
            String::new()
        } else {
            format!("-{number}")
        };
        let taken = format!("Scheduler-1-i-000000000001.batch{more}.refused");
        fs::write(arriving.own().join(taken), "").unwrap();
    }
    arriving.look();
    assert_eq!(arriving.samples(), 1);
    assert_eq!(names(&folder), ["000000000001.batch", "lock"]);
}

#[test]
fn what_the_writer_never_stored_is_not_removed() {
    let arriving = Arriving::new();
    let whole = packed(1, &[facts(0), sample(1, 1.0)]);
    let folder = left(&arriving, &[("000000000001.batch", &whole)]);
    let failing = "create temp trigger failing before insert on batch begin select raise(abort, 'on purpose'); end";
    let app = &arriving.bench.app;
    app.write(|db| Ok(db.execute_batch(failing)?)).unwrap();
    arriving.look();
    assert_eq!(arriving.samples(), 0);
    assert_eq!(names(&folder), ["000000000001.batch", "lock"]);
}
