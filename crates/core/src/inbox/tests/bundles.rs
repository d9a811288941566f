//! Bundles in the inbox.

use super::*;
use crate::api::export;
use crate::clock::{Clock, SystemClock};
use crate::model::Micros;
use crate::share::Choice;

/// A bundle of one cluster, made elsewhere.
pub(super) fn bundle() -> Vec<u8> {
    let other = Bench::new();
    other.send(batch_of(
        "Scheduler-9",
        "i",
        1,
        &[facts(0), sample(1, 1.0), stop(2)],
    ));
    let path = other.path().join("one.bobbin");
    export(&other.app, &path, &[1], Choice::default()).unwrap();
    fs::read(path).unwrap()
}

/// Ten minutes after now, when every file has been there for long.
pub(super) fn later(arriving: &Arriving) {
    let now = SystemClock.now();
    arriving.bench.clock.set(Micros(now.0 + 600_000_000));
}

#[test]
fn a_bundle_is_taken_whole_and_goes() {
    let arriving = Arriving::new();
    let whole = bundle();
    let file = arriving.own().join("one.bobbin");
    fs::write(&file, &whole).unwrap();
    arriving.look();
    assert_eq!((arriving.rows().len(), arriving.samples()), (1, 1));
    assert!(!file.exists());
    // Once more is nothing more.
    fs::write(&file, &whole).unwrap();
    arriving.look();
    assert_eq!(arriving.rows().len(), 1);
}

#[test]
fn one_that_is_still_on_its_way_is_waited_for_and_a_cut_one_put_aside() {
    let arriving = Arriving::new();
    let whole = bundle();
    let file = arriving.own().join("one.bobbin");
    fs::write(&file, &whole[..whole.len() - 9]).unwrap();
    arriving.bench.clock.set(SystemClock.now());
    arriving.look();
    assert!(file.exists() && arriving.rows().is_empty());
    later(&arriving);
    arriving.look();
    assert!(!file.exists() && arriving.rows().is_empty());
    let why = fs::read_to_string(arriving.own().join("one.bobbin.why")).unwrap();
    assert!(why.contains("cut"), "{why}");
}

#[test]
fn in_a_folder_of_others_it_stays_and_is_taken_once() {
    let shared = tempfile::tempdir().unwrap();
    let arriving = Arriving::with(&[shared.path().to_path_buf()]);
    let file = shared.path().join("one.bobbin");
    fs::write(&file, bundle()).unwrap();
    arriving.look();
    arriving.look();
    assert!(file.exists());
    assert_eq!((arriving.rows().len(), arriving.samples()), (1, 1));
}

#[test]
fn a_file_of_another_program_is_taken_once_it_was_left_alone() {
    let arriving = Arriving::new();
    let file = arriving.own().join("sampled.html");
    fs::write(&file, "main;load 3\n").unwrap();
    arriving.bench.clock.set(SystemClock.now());
    assert_eq!(arriving.look(), Next::Soon, "its writer may be at work");
    assert!(file.exists() && arriving.rows().is_empty());
    later(&arriving);
    arriving.look();
    assert!(!file.exists());
    assert_eq!(arriving.rows()[0].name, "sampled");
    // It may be the only one: it is kept, and the next one of its name does not take its place.
    fs::write(&file, "main;sum 4\n").unwrap();
    later(&arriving);
    arriving.look();
    let done = arriving.own().join("done");
    for (name, text) in [
        ("sampled.html", "main;load 3\n"),
        ("2-sampled.html", "main;sum 4\n"),
    ] {
        assert_eq!(fs::read_to_string(done.join(name)).unwrap(), text, "{name}");
    }
    assert_eq!(names(&arriving.own()), ["done"]);
    assert_eq!(arriving.rows().len(), 2);
}

#[test]
fn two_files_of_the_longest_name_are_both_kept() {
    let arriving = Arriving::new();
    let name = format!("{}.folded", "n".repeat(248));
    for text in ["main;load 3\n", "main;sum 4\n"] {
        fs::write(arriving.own().join(&name), text).unwrap();
        later(&arriving);
        arriving.look();
    }
    assert_eq!(names(&arriving.own()), ["done"]);
    let shorter = format!("2-{}.fold", "n".repeat(248));
    assert_eq!(names(&arriving.own().join("done")), [shorter, name]);
    assert_eq!(arriving.rows().len(), 2);
}

#[test]
fn of_a_folder_of_others_only_what_may_be_such_a_file_is_looked_at() {
    let shared = tempfile::tempdir().unwrap();
    let path = shared.path().canonicalize().unwrap();
    let arriving = Arriving::with(std::slice::from_ref(&path));
    for name in ["sampled.folded", "main.py", ".hidden.json"] {
        fs::write(path.join(name), "main;load 3\n").unwrap();
    }
    for (name, text) in [
        ("other.json", "{\"port\": 1}"),
        ("page.html", "<html></html>"),
        ("nodes.txt", "gpu01 16\ngpu02 16\n"),
    ] {
        fs::write(path.join(name), text).unwrap();
    }
    later(&arriving);
    arriving.look();
    arriving.look();
    assert_eq!(names(&path).len(), 6, "all of them stay");
    assert_eq!(arriving.rows().len(), 1);
    let known =
        |name| remembered::find(&arriving.bench.app, &path.to_string_lossy(), name).unwrap();
    assert!(known("sampled.folded").unwrap().refused.is_none());
    for name in ["other.json", "page.html", "nodes.txt"] {
        assert!(known(name).unwrap().refused.is_none(), "{name}");
    }
    assert_eq!(
        taken::files(&arriving).len(),
        1,
        "of the others nothing is said"
    );
    assert!(known("main.py").is_none() && known(".hidden.json").is_none());
}
