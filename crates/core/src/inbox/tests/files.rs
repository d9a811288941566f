//! Files in the inbox and in other folders.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::time::{Duration, Instant};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::json;

use super::*;
use crate::install::arrivals;

fn append(path: &Path, bytes: &[u8]) {
    let mut file = fs::OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .unwrap();
    file.write_all(bytes).unwrap();
}

/// A file that takes more than one turn: eighteen samples.
fn long(file: &Path) {
    for seq in 1..=18 {
        let kept = json!({"kind": "later", "text": "x".repeat(1_000_000)});
        let text = batch_text(
            "Scheduler-1",
            "i",
            2 * seq - 1,
            &[sample(seq as i64, 1.0), kept],
        );
        let mut stored = GzEncoder::new(Vec::new(), Compression::none());
        stored.write_all(&text).unwrap();
        append(file, &stored.finish().unwrap());
    }
}

#[test]
fn a_growing_file_is_read_on_and_goes_after_goodbye() {
    let arriving = Arriving::new();
    let file = arriving.own().join("Scheduler-1-i.bobbin");
    fs::write(&file, "").unwrap();
    arriving.look();
    let second = packed(3, &[sample(2, 2.0)]);
    append(&file, &packed(1, &[facts(0), sample(1, 1.0)]));
    append(&file, &second[..10]);
    arriving.look();
    assert_eq!(arriving.samples(), 1, "what is torn waits");
    append(&file, &second[10..]);
    // Another start reads on where the one before left.
    let inbox = arriving.again();
    inbox.look(&|| true);
    assert_eq!(arriving.samples(), 2);
    let known = remembered::find(
        &arriving.bench.app,
        &arriving.own().to_string_lossy(),
        "Scheduler-1-i.bobbin",
    );
    let known = known.unwrap().unwrap();
    assert_eq!(known.offset_bytes, fs::metadata(&file).unwrap().len());
    assert_eq!(arrivals(arriving.bench.path()).waiting_files, 1);

    append(&file, &packed(4, &[stop(9)]));
    inbox.look(&|| true);
    assert!(!file.exists());
    let folder = arriving.own().to_string_lossy().into_owned();
    assert!(
        remembered::names(&arriving.bench.app, &folder)
            .unwrap()
            .is_empty()
    );
    assert_eq!(
        arriving.rows()[0].state,
        crate::model::ClusterState::Finished
    );
    assert!(names(&arriving.own()).is_empty());
}

#[test]
fn a_file_that_ends_torn_stays_after_goodbye() {
    let arriving = Arriving::new();
    let file = arriving.own().join("a.bobbin");
    append(&file, &packed(1, &[facts(0), stop(9)]));
    append(&file, &packed(3, &[sample(1, 1.0)])[..20]);
    arriving.look();
    arriving.look();
    assert!(file.exists());
}

#[test]
fn the_file_of_a_cluster_that_was_killed_goes_a_day_later() {
    let arriving = Arriving::new();
    let file = arriving.own().join("a.bobbin");
    append(&file, &packed(1, &[facts(0), sample(1, 1.0)]));
    append(&file, &packed(3, &[sample(2, 2.0)])[..20]);
    let ago = |hours: i64| {
        let then = arriving.bench.app.now().0 - hours * 3_600_000_000;
        let then = std::time::UNIX_EPOCH + Duration::from_micros(then.unsigned_abs());
        let file = fs::File::options().write(true).open(&file).unwrap();
        file.set_modified(then).unwrap();
    };
    ago(23);
    arriving.look();
    assert!(file.exists());
    ago(25);
    arriving.look();
    assert!(!file.exists());
    assert_eq!(arriving.samples(), 1);
}

#[test]
fn hostile_files_are_put_aside_and_their_neighbours_are_read() {
    let arriving = Arriving::new();
    let own = arriving.own();
    let good = packed(1, &[facts(0), sample(1, 1.0), stop(2)]);
    fs::write(own.join("good.bobbin"), &good).unwrap();
    fs::write(own.join("bomb.bobbin"), gzip(&vec![b'0'; 40 << 20])).unwrap();
    fs::write(own.join("zeros.bobbin"), vec![0; 1 << 20]).unwrap();
    fs::write(own.join("empty members.bobbin"), gzip(b"").repeat(10_000)).unwrap();
    fs::write(
        own.join("newer.bobbin"),
        gzip(br#"{"kind":"header","protocol":99}"#),
    )
    .unwrap();
    let sparse = fs::File::create(own.join("sparse.bobbin")).unwrap();
    sparse.set_len(1 << 40).unwrap();
    let tail = [&good[..], b"and then no gzip at all"].concat();
    fs::write(own.join("tail.bobbin"), &tail).unwrap();
    let long = format!("{}.bobbin", "n".repeat(255 - 7));
    fs::write(own.join(&long), "not gzip at all").unwrap();
    let no_text = OsStr::from_bytes(b"\xff.bobbin");
    fs::write(own.join(no_text), &good).unwrap();
    symlink("/etc/passwd", own.join("link.bobbin")).unwrap();
    symlink(own.join("loop.bobbin"), own.join("loop.bobbin")).unwrap();
    mknodat(CWD, own.join("pipe.bobbin"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    fs::create_dir(own.join("folder.bobbin")).unwrap();
    fs::write(own.join("readme.txt"), "nothing that is read").unwrap();
    fs::write(own.join("on its way.html.part"), "not looked at").unwrap();
    // A link to a file that is put aside must leave that file alone.
    let victim = tempfile::NamedTempFile::new().unwrap();
    symlink(victim.path(), own.join("victim.bobbin")).unwrap();

    arriving.look();
    assert_eq!(arriving.samples(), 1);
    assert!(victim.path().exists());
    let names = names(&own);
    assert!(!names.contains(&"good.bobbin".into()));
    let refused = names
        .iter()
        .filter(|name| name.ends_with(".refused"))
        .count();
    let whys = names.iter().filter(|name| name.ends_with(".why")).count();
    assert_eq!((refused, whys, names.len()), (14, 14, 29), "{names:?}");
    for (name, why) in [
        ("bomb", "larger"),
        ("zeros", "gzip"),
        ("empty members", "header"),
        ("newer", "header"),
        ("sparse", "gzip"),
        ("tail", &format!("at byte {}", good.len()) as &str),
        ("link", "a link"),
        ("loop", "a link"),
        ("pipe", "not a file"),
        ("folder", "not a file"),
    ] {
        let text = fs::read_to_string(own.join(format!("{name}.bobbin.why"))).unwrap();
        assert!(text.contains(why), "{name}: {text}");
    }
    arriving.look();
    assert_eq!(
        super::names(&own),
        names,
        "what was put aside is left alone"
    );

    // The same name once more: neither is lost.
    fs::write(own.join("zeros.bobbin"), "again").unwrap();
    append(&own.join("zeros.bobbin"), &[0; 100]);
    arriving.look();
    assert!(
        own.join("zeros.bobbin.refused").exists() && own.join("zeros.bobbin-1.refused").exists()
    );
}

#[test]
fn what_belongs_to_another_user_is_not_read() {
    let arriving = Arriving::new();
    fs::write(arriving.own().join("a.bobbin"), packed(1, &[facts(0)])).unwrap();
    let other = Inbox {
        owner: arriving.inbox.owner.another(),
        ..arriving.again()
    };
    other.look(&|| true);
    assert_eq!(arriving.rows().len(), 0);
    assert_eq!(names(&arriving.own()), ["a.bobbin.refused", "a.bobbin.why"]);
}

#[test]
fn other_folders_are_left_as_they_are_and_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let arriving = Arriving::with(&[path.clone(), path.clone(), inbox_dir(&path)][..2]);
    assert_eq!(arriving.inbox.others, std::slice::from_ref(&path));
    let (file, bad) = (path.join("a.bobbin"), path.join("bad.bobbin"));
    fs::write(&file, packed(1, &[facts(0), sample(1, 1.0), stop(2)])).unwrap();
    fs::write(&bad, "not gzip at all").unwrap();
    arriving.look();
    assert_eq!(arriving.samples(), 1);
    assert_eq!(names(&path), ["a.bobbin", "bad.bobbin"]);

    // It is not opened again for as long as it seems the same, whatever is in it.
    let known =
        |name| remembered::find(&arriving.bench.app, &path.to_string_lossy(), name).unwrap();
    let (whole, modified) = (
        fs::read(&file).unwrap(),
        fs::metadata(&file).unwrap().modified().unwrap(),
    );
    fs::write(&file, vec![0; whole.len()]).unwrap();
    let again = fs::File::options().write(true).open(&file).unwrap();
    again.set_modified(modified).unwrap();
    arriving.again().look(&|| true);
    assert_eq!(known("a.bobbin").unwrap().refused, None);
    assert!(known("bad.bobbin").unwrap().refused.is_some());

    // Another file under its name is read from its beginning, a longer one from where the last was left.
    fs::write(&file, gzip(&batch_text("Scheduler-2", "j", 1, &[facts(0)]))).unwrap();
    append(
        &file,
        &gzip(&batch_text("Scheduler-2", "j", 2, &[sample(3, 1.0)])),
    );
    fs::write(&bad, gzip(&batch_text("Scheduler-3", "k", 1, &[facts(0)]))).unwrap();
    arriving.look();
    assert_eq!((arriving.rows().len(), arriving.samples()), (3, 2));
    fs::remove_file(&file).unwrap();
    arriving.look();
    assert!(known("a.bobbin").is_none() && known("bad.bobbin").is_some());
}

#[test]
fn a_folder_that_is_none_is_told_at_once() {
    let bench = Bench::new();
    let file = bench.path().join("key");
    for wrong in [file, bench.path().join("absent")] {
        assert!(Inbox::open(bench.app.clone(), &[wrong]).is_err());
    }
}

#[test]
fn a_long_file_lets_others_have_their_turn() {
    let arriving = Arriving::new();
    let file = arriving.own().join("long.bobbin");
    long(&file);
    append(&file, &packed(37, &[stop(30)]));
    assert_eq!(arriving.look(), Next::Soon);
    assert!((1..18).contains(&arriving.samples()));
    while arriving.look() == Next::Soon {}
    assert_eq!(arriving.samples(), 18);
    assert!(!file.exists());
}

#[test]
fn a_long_file_that_ends_in_rubbish_is_read_to_its_end_and_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap();
    let arriving = Arriving::with(std::slice::from_ref(&path));
    let file = path.join("long.bobbin");
    long(&file);
    append(&file, b"and then no gzip at all");
    let mut looks = 0;
    while arriving.look() == Next::Soon {
        looks += 1;
        assert!(looks < 10, "it is read again and again");
    }
    assert_eq!(arriving.samples(), 18);
    let known = remembered::find(&arriving.bench.app, &path.to_string_lossy(), "long.bobbin");
    assert!(known.unwrap().unwrap().refused.is_some());
}

#[test]
fn the_thread_sees_what_comes_and_stops_at_once() {
    let bench = Bench::new();
    let other = tempfile::tempdir().unwrap();
    let watching = Watching::start(bench.app.clone(), &[other.path().into()]).unwrap();
    let until = |what: &str, count: u64| {
        let end = Instant::now() + Duration::from_secs(20);
        while clusters(&bench.app, ClustersRequest::default())
            .unwrap()
            .total
            < count
        {
            assert!(Instant::now() < end, "{what} was not seen");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    fs::write(
        inbox_dir(bench.path()).join("a.bobbin"),
        packed(1, &[facts(0)]),
    )
    .unwrap();
    until("a file in the inbox", 1);
    let text = batch_text("Scheduler-2", "i", 1, &[facts(0)]);
    fs::write(other.path().join("b.bobbin"), gzip(&text)).unwrap();
    until("a file in another folder", 2);
    let folder = spool_dir(bench.path()).join("Scheduler-3-i");
    fs::create_dir(&folder).unwrap();
    let lock = fs::File::create(folder.join("lock")).unwrap();
    lock.lock().unwrap();
    let text = batch_text("Scheduler-3", "i", 1, &[facts(0)]);
    fs::write(folder.join("000000000001.batch"), gzip(&text)).unwrap();
    drop(lock);
    until("a lock that was let go", 3);
    let begun = Instant::now();
    watching.stop();
    assert!(begun.elapsed() < Duration::from_secs(5));
    bench.app.drain().unwrap();
}
