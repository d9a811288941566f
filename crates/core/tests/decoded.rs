//! What a batch takes in memory once it is decoded: a receiver makes room for three bytes for each of its text.

use std::alloc::{GlobalAlloc, Layout, System};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use bobbin_core::wire::decode;

/// The system's allocator, which counts what is held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: the system's allocator does all of it; counting allocates nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: whoever calls keeps the promises that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How many bytes batches take for each of their text.
fn share(texts: &[String]) -> f64 {
    let held = texts.iter().map(|text| {
        let before = HELD.load(Ordering::Relaxed);
        let batch = decode(text.as_bytes()).expect("a batch");
        let held = HELD.load(Ordering::Relaxed).saturating_sub(before);
        drop(batch);
        held
    });
    held.sum::<usize>() as f64 / texts.iter().map(String::len).sum::<usize>() as f64
}

// The only test of its program: what others hold would be counted.
#[test]
fn what_batches_take_is_made_room_for() {
    // What short records take is mostly what each has beside its text.
    let short = share(&[short_groups(2_000)]);
    assert!((2.0..=3.0).contains(&short), "{short}");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/wire");
    for name in ["2022.ndjson", "newest.ndjson"] {
        let text =
            fs::read_to_string(folder.join(name)).expect("a recording of the plugin's tests");
        // An event alone takes more, and is one of many records.
        let recorded = share(&batches(&text));
        assert!((1.0..=3.0).contains(&recorded), "{name}: {recorded}");
    }
}

/// A batch of task groups that say little.
fn short_groups(count: usize) -> String {
    let header = format!(
        r#"{{"kind":"header","protocol":1,"cluster_id":"Scheduler-1","instance_id":"i","first_seq":1,"records":{count},"sent_at_micros":1795000000000000,"monotonic_micros":1,"plugin_version":"0.1.0"}}"#
    );
    let groups = (0..count).map(|group| {
        format!(
            r#"{{"kind":"task_group","at_micros":1795000000000000,"group_id":"g-{group}","name":"sum-chunk-{group:032x}","prefix":"sum-chunk","states":{{"memory":32,"processing":4,"released":16,"waiting":30}},"seconds":{{"compute":9.52,"transfer":0.192}},"result_bytes":16777216,"types":["pandas.core.frame.DataFrame"],"start_micros":1795000000000000,"stop_micros":1795000001000000,"dependencies":["g-7"],"final":false}}"#
        )
    });
    [header]
        .into_iter()
        .chain(groups)
        .map(|line| line + "\n")
        .collect()
}

/// Each batch of a recording.
fn batches(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        match found.last_mut() {
            Some(batch) if !line.starts_with(r#"{"kind":"header""#) => batch.push_str(line),
            _ => found.push(line.into()),
        }
    }
    found
}
