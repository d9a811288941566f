//! What is told afterwards of each file that arrived.

use super::bundles::{bundle, later};
use super::spool::{left, sealed};
use super::*;
use crate::api::{InboxFate, InboxFile, InboxFiles, call};

pub(super) fn files(arriving: &Arriving) -> Vec<InboxFile> {
    let answer = call(&arriving.bench.app, "inbox_files", "{}").unwrap();
    serde_json::from_str::<InboxFiles>(&answer).unwrap().files
}

fn one(arriving: &Arriving) -> InboxFile {
    let mut files = files(arriving);
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn named(file: &InboxFile) -> Vec<&str> {
    file.clusters.iter().map(|one| one.name.as_str()).collect()
}

#[test]
fn the_records_of_a_file_that_grows_are_counted_and_told_when_it_is_gone() {
    let arriving = Arriving::new();
    let file = arriving.own().join("a.bobbin");
    fs::write(&file, "").unwrap();
    arriving.look();
    assert_eq!(one(&arriving).fate, InboxFate::Unread);
    fs::write(&file, packed(1, &[facts(0), sample(1, 1.0)])).unwrap();
    arriving.look();
    let told = one(&arriving);
    assert_eq!(
        (told.fate, told.goes_on, told.records),
        (InboxFate::Read, true, Some(2))
    );
    // What is looked at and did not grow counts nothing twice.
    arriving.look();
    let goodbye = packed(3, &[stop(9)]);
    fs::write(&file, [fs::read(&file).unwrap(), goodbye].concat()).unwrap();
    arriving.again().look(&|| true);
    assert!(!file.exists());
    let told = one(&arriving);
    assert_eq!(
        (told.fate, told.goes_on, told.records),
        (InboxFate::Read, false, Some(3))
    );
    assert_eq!(
        (told.name.as_str(), named(&told).len(), told.clusters_total),
        ("a.bobbin", 1, 1)
    );
    assert_eq!(told.clusters[0].id, arriving.rows()[0].id);

    // Another one of its name is another file.
    let other = gzip(&batch_text("Scheduler-2", "j", 1, &[facts(0)]));
    fs::write(&file, other).unwrap();
    arriving.look();
    let told = one(&arriving);
    assert_eq!((told.records, told.clusters_total), (Some(1), 1));
    assert_ne!(told.clusters[0].id, 1);
}

#[test]
fn nothing_is_made_up_of_what_was_read_before_this_was_noted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let arriving = Arriving::with(std::slice::from_ref(&path));
    let file = path.join("a.bobbin");
    fs::write(&file, packed(1, &[facts(0), sample(1, 1.0)])).unwrap();
    arriving.look();
    let forget = |db: &rusqlite::Connection| {
        db.execute("delete from inbox_taken", [])?;
        Ok(())
    };
    arriving.bench.app.write(forget).unwrap();
    let told = one(&arriving);
    assert_eq!(
        (told.fate, told.records, told.clusters_total),
        (InboxFate::Read, None, 0)
    );
    fs::write(
        &file,
        [fs::read(&file).unwrap(), packed(3, &[sample(2, 2.0)])].concat(),
    )
    .unwrap();
    arriving.look();
    let told = one(&arriving);
    assert_eq!((told.records, told.clusters_total), (None, 1));
}

#[test]
fn what_was_taken_whole_names_its_clusters_and_what_was_not_says_why() {
    let arriving = Arriving::new();
    let (file, whole) = (arriving.own().join("one.bobbin"), bundle());
    fs::write(&file, &whole).unwrap();
    arriving.look();
    let told = one(&arriving);
    assert_eq!(
        (told.fate, told.taken, told.left_out),
        (InboxFate::Imported, Some(1), 0)
    );
    assert_eq!(told.clusters[0].id, 1);
    fs::write(&file, &whole).unwrap();
    arriving.look();
    let told = one(&arriving);
    assert_eq!(
        (told.taken, told.left_out, told.clusters.len()),
        (Some(0), 1, 1)
    );
    assert_eq!(told.why.as_deref(), Some("it is already here as number 1"));

    let shared = tempfile::tempdir().unwrap();
    let arriving = Arriving::with(&[shared.path().to_path_buf()]);
    fs::write(shared.path().join("sampled.folded"), "main;load 3\n").unwrap();
    later(&arriving);
    arriving.look();
    let told = one(&arriving);
    assert_eq!(
        (told.fate, told.taken, named(&told)),
        (InboxFate::Imported, Some(1), vec!["sampled"])
    );
    assert!(!told.goes_on);
}

#[test]
fn what_was_set_aside_is_told_once_with_its_reason_and_what_was_read_of_it() {
    let shared = tempfile::tempdir().unwrap();
    let arriving = Arriving::with(&[shared.path().to_path_buf()]);
    let good = packed(1, &[facts(0), sample(1, 1.0)]);
    let tail = [&good[..], b"and then no gzip at all"].concat();
    for folder in [&arriving.own(), shared.path()] {
        fs::write(folder.join("tail.bobbin"), &tail).unwrap();
    }
    fs::write(arriving.own().join("noted by nobody.refused"), "x").unwrap();
    arriving.look();
    arriving.look();
    let files = files(&arriving);
    let told: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.fate,
                file.records,
                file.aside.as_deref(),
                file.clusters_total,
            )
        })
        .collect();
    assert_eq!(told.len(), 3, "{files:?}");
    for expected in [
        (InboxFate::Refused, Some(2), Some("tail.bobbin.refused"), 1),
        (InboxFate::Refused, Some(2), None, 1),
        (InboxFate::Refused, None, Some("noted by nobody.refused"), 0),
    ] {
        assert!(told.contains(&expected), "{expected:?}: {told:?}");
    }
    for file in files.iter().filter(|file| file.records.is_some()) {
        let why = file.why.as_deref().unwrap();
        assert!(why.contains(&format!("at byte {}", good.len())), "{why}");
    }
}

#[test]
fn what_a_cluster_left_in_the_spool_is_one_entry_however_many_looks_it_took() {
    let arriving = Arriving::new();
    let folder = left(
        &arriving,
        &[
            (
                "000000000001.batch",
                &packed(1, &[facts(0), sample(1, 1.0)]),
            ),
            ("000000000003.sealed", &sealed(&arriving, 3)),
            ("000000000004.batch", b"no batch"),
        ],
    );
    let (key, aside) = (
        arriving.bench.path().join("key"),
        arriving.bench.path().join("aside"),
    );
    fs::rename(&key, &aside).unwrap();
    arriving.look();
    fs::rename(&aside, &key).unwrap();
    arriving.look();
    assert!(!folder.exists());
    let files = files(&arriving);
    let told: Vec<_> = files
        .iter()
        .map(|file| (file.name.as_str(), file.fate, file.records))
        .collect();
    assert_eq!(told.len(), 2, "{files:?}");
    assert!(
        told.contains(&("Scheduler-1-i", InboxFate::Read, Some(3))),
        "{told:?}"
    );
    assert!(
        told.contains(&(
            "Scheduler-1-i-000000000004.batch",
            InboxFate::Refused,
            Some(0)
        )),
        "{told:?}"
    );
}

#[test]
fn the_latest_files_are_kept_also_of_clusters_that_went_for_their_age() {
    let arriving = Arriving::new();
    for n in 0..205 {
        let text = batch_text("Scheduler-1", "i", 2 * n + 1, &[sample(n as i64, 1.0)]);
        fs::write(arriving.own().join(format!("{n:03}.bobbin")), gzip(&text)).unwrap();
    }
    arriving.look();
    let kept = || {
        arriving
            .bench
            .app
            .read(|db| {
                Ok(db.query_one("select count(*) from inbox_taken", [], |row| {
                    row.get::<_, i64>(0)
                })?)
            })
            .unwrap()
    };
    assert_eq!(kept(), 200);
    let delete = |db: &rusqlite::Connection| {
        db.execute("delete from cluster where id = 1", [])?;
        Ok(())
    };
    // A cluster that goes for its age takes its name away, and not the file.
    arriving.bench.app.write(delete).unwrap();
    assert_eq!(kept(), 200);
    assert!(files(&arriving).iter().all(|file| file.clusters.is_empty()));
}
