//! What is tried: every reader of bytes that come from somebody else.

use std::fmt::Write as _;
use std::io::{self, BufReader, Read};
use std::sync::Arc;

use bobbin_core::api::{self, App, ClustersRequest, CompleteRequest, Role};
use bobbin_core::clock::SystemClock;
use bobbin_core::foreign::kind_of;
use bobbin_core::inbox::{Member, next_member};
use bobbin_core::model::Micros;
use bobbin_core::model::visible::plain;
use bobbin_core::wire::{self, Batch, Limits, Line, Record, RefusalCode};
use bobbin_core::{Code, Error};
use bobbin_http::{Hosts, Part, Way};
use http::Request;

use crate::import;

/// One reader, and what must hold of it.
pub struct Target {
    pub name: &'static str,
    pub about: &'static str,
    /// The folder in `corpus/` with the inputs that it begins with.
    pub seeds: &'static str,
    /// Whether inputs are gzip, and mostly what is in them is to be changed.
    pub packed: bool,
    /// What a stranger would write into it.
    pub words: &'static [&'static str],
    /// Makes the function: it gives the way that an input went, and panics where something does not hold.
    pub start: fn() -> Run,
}

/// Gives the way that an input went, and panics where something does not hold.
pub type Run = Box<dyn FnMut(&[u8]) -> String>;

/// All of them.
pub const TARGETS: &[Target] = &[
    Target {
        name: "batch",
        about: "the decoder of batches",
        seeds: "batch",
        packed: false,
        words: BATCH_WORDS,
        start: || Box::new(batch),
    },
    Target {
        name: "ingest",
        about: "the writer, with what the decoder took",
        seeds: "batch",
        packed: false,
        words: BATCH_WORDS,
        start: ingest,
    },
    Target {
        name: "gzip",
        about: "the gate that unpacks a batch",
        seeds: "gzip",
        packed: false,
        words: &["\u{1f}", "\u{8}"],
        start: || Box::new(gzip),
    },
    Target {
        name: "file",
        about: "the reader of batches in a file",
        seeds: "file",
        packed: true,
        words: BATCH_WORDS,
        start: || Box::new(file),
    },
    Target {
        name: "bundle",
        about: "the reader of bundles, which looks at all of one before it is used",
        seeds: "bundle",
        packed: true,
        words: BATCH_WORDS,
        start: bundle,
    },
    Target {
        name: "import",
        about: "the readers of bundles whose hashes fit, and a store that takes them",
        seeds: "batch",
        packed: false,
        words: BATCH_WORDS,
        start: import::import,
    },
    Target {
        name: "foreign",
        about: "the readers of files of other programs",
        seeds: "foreign",
        packed: false,
        words: &[
            "scheduler",
            "\u{a9}started",
            "tasks",
            "workers",
            "\"shared\"",
            "\"profiles\":",
            "<script type=\"application/json\">",
            "</script>",
            "{\"type\":\"map\",\"entries\":",
            "&amp;lt;",
            ": ",
            "\n  ",
            "- ",
            "&a",
            "*a",
            "!!",
            ";",
            " 1\n",
        ],
        start: foreign,
    },
    Target {
        name: "upload",
        about: "the reader of the file in an upload",
        seeds: "upload",
        packed: false,
        words: &[
            "--b0",
            "--b0\r\n",
            "\r\n--b0",
            "\r\n--b0--",
            "\r\n\r\n",
            "Content-Disposition:",
            "form-data",
            "; name=\"file\"",
            "; filename=\"",
            "../",
            "\u{1b}[2J",
            "<html>",
        ],
        start: || Box::new(upload),
    },
    Target {
        name: "host",
        about: "the check of the Host header",
        seeds: "host",
        packed: false,
        words: &[
            "127.0.0.1:8788",
            "localhost:8788",
            "192.168.1.7:8788",
            "hub.example:8443",
            "LOCALHOST",
            "bobbin",
            ".",
            ":8788",
            "http://",
            "@",
            "\n",
            "[::1]",
        ],
        start: || Box::new(host),
    },
    Target {
        name: "filter",
        about: "the filter language, against a store",
        seeds: "filter",
        packed: false,
        words: &[
            "user:",
            "name:",
            "host:",
            "project:",
            "tag:",
            "has:",
            "state:",
            "since:",
            "before:",
            "workers>=",
            "cost>",
            "duration<",
            " or ",
            "(",
            ")",
            "-",
            "\"",
            "ana",
            "exception",
            "7d",
            "2026-01-01",
            "..",
            ",",
            "pinned",
        ],
        start: filter,
    },
];

const BATCH_WORDS: &[&str] = &[
    "{\"kind\":\"header\"",
    "\"kind\":",
    "\"cluster\"",
    "\"sample\"",
    "\"task_group\"",
    "\"profile\"",
    "\"worker\"",
    "\"metric\"",
    "\"span\"",
    "\"exception\"",
    "\"event\"",
    "\"dropped\"",
    "\"stop\"",
    "\"at_micros\":",
    "\"records\":",
    "\"first_seq\":",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
];

/// What is read is what the header announced, reading twice gives the same, and so does reading it as a stream.
fn batch(bytes: &[u8]) -> String {
    let read = wire::decode(bytes);
    let streamed = wire::decode_stream(bytes).next();
    let batch = match &read {
        Ok(batch) => batch,
        Err(error) => return way_of(error),
    };
    holds(batch, bytes.len() as u64);
    assert_eq!(wire::decode(bytes).ok().as_ref(), Some(batch), "read twice");
    match streamed {
        Some(Ok(same)) => assert_eq!(same.lines, batch.lines, "read as a stream"),
        other => panic!("a batch alone is read, and as a stream it is not: {other:?}"),
    }
    way_of_batch(batch)
}

/// What can be read can be stored, whole, and only once. A record that Bobbin fails at is a fault of its own.
fn ingest() -> Run {
    let (dir, app) = store();
    let mut number = 0;
    Box::new(move |bytes| {
        // The folder goes with the function.
        let _ = &dir;
        let mut batch = match wire::decode(bytes) {
            Ok(batch) => batch,
            Err(error) => return way_of(&error),
        };
        // What came first stands: each has to be the first of its instance.
        number += 1;
        batch.header.instance_id = format!("instance-{number}");
        let again = batch.clone();
        let way = way_of_batch(&batch);
        let stored = |batch: Batch| {
            let receipt = app
                .ingest(batch)
                .unwrap_or_else(|error| panic!("what can be read is not stored: {error}"));
            let mut failed = receipt.refused.iter();
            let failed = failed.find(|refusal| refusal.code == RefusalCode::Failed);
            assert_eq!(failed, None);
            receipt.duplicate
        };
        assert!(!stored(batch));
        let is_empty = again.lines.is_empty();
        assert!(stored(again) || is_empty, "stored twice");
        way
    })
}

fn holds(batch: &Batch, bytes: u64) {
    assert_eq!(
        batch.lines.len() as u64,
        batch.header.records,
        "as many as announced"
    );
    assert_eq!(batch.bytes, bytes);
    for (at, line) in batch.lines.iter().enumerate() {
        if let Line::Refused(refusal) = line {
            assert_eq!(refusal.index, at as u64, "a refusal names its line");
        }
    }
}

/// Never more than the limits, and never anything behind the one member.
fn gzip(bytes: &[u8]) -> String {
    let limits = Limits {
        inflated_bytes: 2 << 20,
        ..Limits::default()
    };
    match wire::inflate(bytes, &limits) {
        Ok(plain) => {
            assert!(
                plain.len() as u64 <= limits.plain_bytes(bytes.len() as u64),
                "within its limits"
            );
            let more = [bytes, &[0]].concat();
            assert!(wire::inflate(&more, &limits).is_err(), "nothing may follow");
            format!("ok {:?}", plain.len().checked_ilog2())
        }
        Err(error) => way_of(&error),
    }
}

/// Each member is a batch, they end where the file does, and it does not matter how much is read at a time.
fn file(bytes: &[u8]) -> String {
    let limits = Limits::default();
    let mut way = String::new();
    let (mut large, mut small) = (
        BufReader::with_capacity(1 << 16, bytes),
        BufReader::with_capacity(7, bytes),
    );
    let mut taken = 0;
    loop {
        let (read, again) = (
            next_member(&mut large, &limits),
            next_member(&mut small, &limits),
        );
        match (read, again) {
            (Ok(Member::Whole(batch, length)), Ok(Member::Whole(same, as_long))) => {
                assert!(
                    batch == same && length == as_long,
                    "the size of reads does not matter"
                );
                taken += length;
                assert!(
                    length > 0 && taken <= bytes.len() as u64,
                    "it goes on, and not past the end"
                );
                way += &way_of_batch(&batch);
            }
            (Ok(Member::Torn), Ok(Member::Torn)) => return way + " torn",
            (Ok(Member::End), Ok(Member::End)) => {
                assert_eq!(taken, bytes.len() as u64, "all of the file was read");
                return way + " end";
            }
            (Err(error), Err(_)) => return way + &way_of(&error),
            (read, again) => panic!("the size of reads matters: {read:?} and {again:?}"),
        }
    }
}

/// What other machines call a receiver, and a hub.
const ADDRESS: &str = "192.168.1.7:8788";
const HUB: [&str; 2] = ["hub.example:8443", "192.168.1.7:8443"];

/// The address of the request line, then a `Host` header a line: let in if and only if there is one, and it is ours.
fn host(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.split('\n');
    let mut request = Request::builder().uri(lines.next().unwrap_or_default());
    let given: Vec<&str> = lines.collect();
    for host in &given {
        request = request.header("host", *host);
    }
    let Ok(request) = request.body(()) else {
        return "no request".into();
    };
    let hosts = Hosts::of_port(8788).and_of(ADDRESS.parse().ok());
    let hub = Hosts::named(HUB.map(String::from).into());
    let named = |known: &[&str]| {
        let authority = request.uri().authority().map(|named| named.as_str());
        match &given[..] {
            [host] => {
                known.iter().any(|known| known.eq_ignore_ascii_case(host))
                    && authority.is_none_or(|named| named.eq_ignore_ascii_case(host))
            }
            _ => false,
        }
    };
    let tcp = hosts.knows(&request, Way::Plain);
    assert_eq!(
        tcp,
        named(&["127.0.0.1:8788", "localhost:8788"]),
        "{given:?}"
    );
    assert_eq!(tcp, hosts.knows(&request, Way::Tls), "TLS is no way around");
    let network = hosts.knows(&request, Way::Network);
    assert_eq!(network, named(&[ADDRESS]), "{given:?}");
    let of_hub = hub.knows(&request, Way::Tls);
    assert_eq!(of_hub, named(&HUB), "{given:?}");
    for closed in [Hosts::of_port(8788), hub] {
        assert!(!closed.knows(&request, Way::Network), "nobody asked for it");
    }
    let socket = hosts.knows(&request, Way::Socket);
    // Not in any case: the plugin is the only one that says it.
    assert!(!socket || named(&["bobbin"]), "{given:?}");
    let count = given.len().min(3);
    format!("{tcp} {network} {of_hub} {socket} {count}")
}

/// A bundle is refused with its name, or it is what its manifest says.
fn bundle() -> Run {
    let dir = tempfile::tempdir().unwrap_or_else(|error| panic!("a folder for files: {error}"));
    Box::new(move |bytes| {
        let path = dir.path().join("input.bobbin");
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("room for a file: {error}"));
        match api::bundle(&path) {
            Ok(manifest) => {
                let counted: u64 = manifest
                    .clusters
                    .iter()
                    .flat_map(|one| one.records.values())
                    .sum();
                assert!(counted <= 1 << 24, "no more than a file may hold");
                format!("ok {} {}", manifest.clusters.len(), manifest.batches.len())
            }
            Err(error) => way_of(&error),
        }
    })
}

/// A file of another program is refused in words, or becomes one cluster whose records can all be read.
fn foreign() -> Run {
    let dir = tempfile::tempdir().unwrap_or_else(|error| panic!("a folder for files: {error}"));
    Box::new(move |bytes| {
        let path = dir.path().join("input");
        std::fs::write(&path, bytes).unwrap_or_else(|error| panic!("room for a file: {error}"));
        let kind =
            kind_of(&path).unwrap_or_else(|error| panic!("every file is of a kind: {error}"));
        let way = match api::look_at_file(&path, Micros(1_800_000_000_000_000)) {
            Ok(manifest) => {
                assert_eq!(manifest.clusters.len(), 1, "a file is one cluster");
                format!("ok {:?}", manifest.clusters[0].records.keys())
            }
            Err(error) => way_of(&error),
        };
        format!("{kind:?} {way}")
    })
}

/// What stands between the head and the first boundary is the file, whatever is read at a time; a body that is cut or goes on has
/// none. Its name is that of a file, and hides nothing.
fn upload(bytes: &[u8]) -> String {
    let read = uploaded(bytes, usize::MAX);
    assert_eq!(
        read,
        uploaded(bytes, 7),
        "the size of reads does not matter"
    );
    let (name, file) = match read {
        Ok(read) => read,
        Err(why) => return format!("no head: {why}"),
    };
    let head = find(bytes, b"\r\n\r\n").unwrap_or_else(|| panic!("a head without an end"));
    let rest = &bytes[head + 4..];
    let end = find(rest, b"\r\n--b0").filter(|end| rest[end + 6..].starts_with(b"--"));
    assert_eq!(file.as_deref().ok(), end.map(|end| &rest[..end]));
    assert!(
        !name.is_empty() && name.chars().count() <= 200 && !name.contains(['/', '\\']),
        "{name:?}"
    );
    assert_eq!(plain(&name), name, "nothing is hidden");
    match file {
        Ok(file) => format!("ok {:?} {}", file.len().checked_ilog2(), name == "report"),
        Err(why) => why.into(),
    }
}

/// The name of the file, and all of it or what is wrong; read so many bytes at a time.
type Uploaded = Result<(String, Result<Vec<u8>, &'static str>), &'static str>;

fn uploaded(bytes: &[u8], piece: usize) -> Uploaded {
    let mut part = Part::open(Pieces(bytes, piece), "b0")?;
    let mut file = Vec::new();
    let read = part.read_to_end(&mut file);
    let file = match part.wrong {
        Some(why) => Err(why),
        None => Ok(file),
    };
    assert_eq!(read.is_ok(), file.is_ok(), "an error says why");
    Ok((part.name, file))
}

/// Gives so many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let few = buffer.len().min(self.1);
        self.0.read(&mut buffer[..few])
    }
}

fn find(within: &[u8], what: &[u8]) -> Option<usize> {
    within.windows(what.len()).position(|some| some == what)
}

/// A filter is refused by name or answered; what it leaves out is what its contrary lists.
fn filter() -> Run {
    let (dir, app) = story();
    Box::new(move |bytes| {
        // The folder goes with the function.
        let _ = &dir;
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut way = match count(&app, &text) {
            Ok(listed) => {
                let all = count(&app, "").unwrap_or_else(|error| panic!("no filter: {error}"));
                match count(&app, &format!("-({text})")) {
                    Ok(others) => assert_eq!(
                        listed + others,
                        all,
                        "a filter and its contrary are all clusters"
                    ),
                    // One level more than there may be.
                    Err(error) => assert_eq!(error.code(), Code::Invalid, "{error}"),
                }
                format!("ok {listed}")
            }
            Err(error) => {
                assert!(
                    matches!(error.code(), Code::Invalid | Code::TooLarge),
                    "{error}"
                );
                way_of(&error)
            }
        };
        let completion = api::complete_filter(
            &app,
            CompleteRequest {
                caret: u32::try_from(text.chars().count() / 2).unwrap_or(0),
                text,
                ..CompleteRequest::default()
            },
        );
        match completion {
            Ok(completion) => {
                assert!(completion.from <= completion.to);
                // Writing into a text does not fail.
                let _ = write!(way, " {}", completion.options.len().min(3));
            }
            Err(error) => assert!(
                matches!(error.code(), Code::Invalid | Code::TooLarge),
                "{error}"
            ),
        }
        way
    })
}

fn count(app: &App, text: &str) -> Result<u64, Error> {
    let request = ClustersRequest {
        text: Some(text.into()),
        limit: 1,
        ..ClustersRequest::default()
    };
    Ok(api::clusters(app, request)?.total)
}

/// An empty store.
pub(crate) fn store() -> (tempfile::TempDir, App) {
    let made = || -> Result<(tempfile::TempDir, App), Box<dyn std::error::Error>> {
        let dir = tempfile::tempdir()?;
        let app = App::open(&dir.path().join("data"), Role::Owner, Arc::new(SystemClock))?;
        Ok((dir, app))
    };
    made().unwrap_or_else(|error| panic!("a store: {error}"))
}

/// A store with the clusters of the corpus' batches.
fn story() -> (tempfile::TempDir, App) {
    let (dir, app) = store();
    let filled = || -> Result<(), Box<dyn std::error::Error>> {
        for bytes in crate::corpus("batch")? {
            if let Ok(batch) = wire::decode(&bytes) {
                app.ingest(batch)?;
            }
        }
        Ok(())
    };
    filled().unwrap_or_else(|error| panic!("a store for the filter: {error}"));
    (dir, app)
}

/// An error without the values in it.
pub(crate) fn way_of(error: &Error) -> String {
    match error {
        Error::Invalid { what, reason, .. } => {
            let words: String = reason
                .chars()
                .filter(|c| !c.is_ascii_digit())
                .take(40)
                .collect();
            format!("{what}: {words}")
        }
        other => format!("{:?}", other.code()),
    }
}

/// Which kinds were read, kept and refused.
pub(crate) fn way_of_batch(batch: &Batch) -> String {
    let mut ways: Vec<String> = batch
        .lines
        .iter()
        .map(|line| match line {
            Line::Known(record, unread) => format!("{} {}", kind(record), unread.is_some()),
            Line::Unknown(_) => "unknown".into(),
            Line::Refused(refusal) => {
                let field: String = refusal
                    .detail
                    .chars()
                    .filter(|c| !c.is_ascii_digit())
                    .take(32)
                    .collect();
                format!("{:?} {field}", refusal.code)
            }
        })
        .collect();
    ways.sort();
    ways.dedup();
    ways.join(",")
}

fn kind(record: &Record) -> &'static str {
    match record {
        Record::Cluster(_) => "cluster",
        Record::Sample(_) => "sample",
        Record::TaskGroup(_) => "task_group",
        Record::Computation(_) => "computation",
        Record::Worker(_) => "worker",
        Record::Metric(_) => "metric",
        Record::Span(_) => "span",
        Record::Profile(_) => "profile",
        Record::Exception(_) => "exception",
        Record::Event(_) => "event",
        Record::Dropped(_) => "dropped",
        Record::Stop(_) => "stop",
    }
}
