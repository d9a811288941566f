use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::PathBuf;

use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use crate::api::{App, ClustersRequest, call, clusters, export, import};
use crate::share::{Choice, Identities, Level, fields};
use crate::testing::canaries::{SCHEDULER, canaries, told};
use crate::testing::*;
use crate::{Error, Result};

fn choice(level: Level, identities: Identities) -> Choice {
    Choice { level, identities }
}

fn bundle(bench: &Bench, choice: Choice) -> PathBuf {
    let path = bench
        .path()
        .join(format!("{:?}-{:?}.bobbin", choice.level, choice.identities));
    export(&bench.app, &path, &[1], choice).unwrap();
    path
}

fn plain(path: &PathBuf) -> String {
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn each_level_tells_what_it_may_and_nothing_else() {
    let bench = told();
    let found = |level, identities| {
        let text = plain(&bundle(&bench, choice(level, identities)));
        canaries(&text)
            .into_iter()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (aliases, real) = (Identities::Aliases, Identities::Real);
    assert_eq!(found(Level::Metrics, aliases), [""; 0]);
    assert_eq!(found(Level::Metrics, real), [""; 0]);
    let names = [
        "canary-cluster",
        "canary-locale",
        "canary-project",
        "canary-resource",
        "canary-span",
        "canary-tag",
        "canary-topic",
        "canary-unit",
    ];
    assert_eq!(found(Level::Names, aliases), names);
    let errors = [&names[..], &["canary-message", "canary-traceback"]].concat();
    let sorted = |mut all: Vec<&str>| {
        all.sort_unstable();
        all.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(Level::Errors, aliases), sorted(errors.clone()));
    let more = [
        "canary-event",
        "canary-file",
        "canary-line",
        "canary-payload",
        "canary_code",
    ];
    let everything = [&errors[..], &more].concat();
    assert_eq!(
        found(Level::Everything, aliases),
        sorted(everything.clone())
    );
    let real_only = [
        "canary-address",
        "canary-board",
        "canary-home",
        "canary-host",
        "canary-key",
        "canary-key-17",
        "canary-user",
        "canary-worker",
    ];
    assert_eq!(
        found(Level::Everything, real),
        sorted([&everything[..], &real_only].concat())
    );
}

#[test]
fn lines_of_code_travel_with_their_samples_and_only_with_code_with_their_texts() {
    let bench = Bench::new();
    let on = json!({"switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]}});
    let lines = json!({
        "samples": 501, "leaves": {"stack": [0, 1], "count": [200, 300]},
        "strings": ["inc", "load", "/home/ada/work.py", "    canary-line", "the line itself"],
        "lines": {
            "frame": [0, 1, 1], "line": [4, 11, null], "text": [null, 4, null],
            "ended": [200, 290, 10], "samples": [500, 290, 10],
        },
    });
    bench.at(30).send(batch(
        1,
        &[
            with(facts(0), on),
            sample(1, 1.0),
            group(9, "g1", 5.0),
            with(sampled(12, Some("inc")), lines),
        ],
    ));
    let priced = |app: &App| {
        let answer = call(app, "line_costs", &json!({"ids": [1]}).to_string()).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let rows = answer["rows"].as_array().unwrap().iter();
        rows.map(|row| {
            (
                row["at_line"].clone(),
                row["samples"].clone(),
                row["text"].clone(),
            )
        })
        .collect::<Vec<_>>()
    };
    let here = priced(&bench.app);
    assert_eq!(
        here,
        [
            (json!(4), json!(500), Value::Null),
            (json!(11), json!(290), json!("the line itself")),
        ]
    );
    for level in [
        Level::Metrics,
        Level::Names,
        Level::Errors,
        Level::Everything,
    ] {
        let path = bundle(&bench, choice(level, Identities::Aliases));
        let is_told = plain(&path).contains("the line itself");
        assert_eq!(is_told, level == Level::Everything, "{level:?}");
        let other = Bench::new();
        other.at(30);
        import(&other.app, &path).unwrap();
        let there: Vec<_> = priced(&other.app).into_iter().collect();
        let counts = |rows: &[(Value, Value, Value)]| {
            let rows = rows.iter();
            rows.map(|(line, samples, _)| (line.clone(), samples.clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(counts(&there), counts(&here), "{level:?}");
        if level == Level::Everything {
            assert_eq!(there, here);
        }
    }
}

#[test]
fn a_policy_binds_what_is_exported_value_by_value() {
    let bench = told();
    let policy = |text: &str| fs::write(bench.path().join("bobbin-policy.toml"), text).unwrap();
    policy(
        "must_drop = ['clusters', 'projects', 'code', 'payloads', 'hosts']\nmust_mask = ['spans', 'messages:canary-*', 'topics']\n",
    );
    let all = choice(Level::Everything, Identities::Real);
    let path = bundle(&bench, all);
    let found = plain(&path);
    let found = canaries(&found);
    for gone in [
        "canary-cluster",
        "canary-project",
        "canary-tag",
        "canary_code",
        "canary-payload",
        "canary-host",
        "canary-span",
        "canary-message",
        "canary-topic",
    ] {
        assert!(!found.contains(&gone), "{gone}: {found:?}");
    }
    for told in ["canary-traceback", "canary-user", "canary-line"] {
        assert!(found.contains(&told), "{told}: {found:?}");
    }
    // It is a bundle like any other.
    let other = Bench::new();
    let taken = import(&other.app, &path).unwrap();
    assert!(
        taken.clusters.iter().all(|one| one.skipped.is_none()),
        "{taken:?}"
    );
    // Its level binds, too, and one that cannot be read lets nothing out.
    policy("level = 'names'\nreal_identities = false\n");
    let narrow = bench.path().join("narrow.bobbin");
    let written = export(&bench.app, &narrow, &[1], all).unwrap();
    assert_eq!(
        written.manifest.choice,
        choice(Level::Names, Identities::Aliases)
    );
    policy("must_dorp = []");
    let none = bench.path().join("none.bobbin");
    assert!(export(&bench.app, &none, &[1], all).is_err());
    assert!(!none.exists());
}

#[test]
fn whoever_is_named_in_what_people_wrote_has_an_alias_unless_identities_are_real() {
    let (who, machine) = ("Ana@corp.example", "10.0.0.7");
    let bench = Bench::new();
    let cluster = with(
        facts(0),
        json!({
            "tags": {"owner": who}, "versions": {"opencv-python": "4.8.0.76"},
            "switches": {"code": true, "profile": true, "remote_close": true, "events_allow": ["*"]},
        }),
    );
    let message = format!("no mail for {who} from {machine}");
    let line = "send('ana@corp.example')";
    let records = [
        cluster,
        sample(1, 1.0),
        group(9, "g1", 5.0),
        with(exception(9, "e", 1), json!({ "message": message })),
        with(
            sampled(10, Some("inc")),
            json!({"strings": ["inc", "load", "/srv/work.py", line]}),
        ),
    ];
    bench.at(20).send(batch(1, &records));
    let key = crate::seal::FingerprintKey::load_or_make(bench.path()).unwrap();
    let aliases = crate::share::aliases::Aliases::new(&key);
    let person = aliases.of("email", "ana@corp.example");
    let place = aliases.of("ip", machine);
    let aliased = choice(Level::Everything, Identities::Aliases);
    for (name, policy) in [("free", None), ("bound", Some("must_mask = ['spans']"))] {
        if let Some(policy) = policy {
            fs::write(bench.path().join("bobbin-policy.toml"), policy).unwrap();
        }
        let path = bench.path().join(format!("{name}.bobbin"));
        let written = export(&bench.app, &path, &[1], aliased).unwrap();
        let text = plain(&path);
        assert!(
            !text.to_lowercase().contains("ana@corp") && !text.contains(machine),
            "{name}: {text}"
        );
        for told in [
            format!("no mail for ‹{person}› from ‹{place}›"),
            format!("\"owner\":\"‹{person}›\""),
            format!("send('‹{person}›')"),
            "4.8.0.76".to_owned(),
        ] {
            assert!(text.contains(&told), "{name}: {told}: {text}");
        }
        let fields = &written.manifest.clusters[0].fields;
        assert_eq!(fields["exception.message"].masked, 1);
    }
    let real = bundle(&bench, choice(Level::Everything, Identities::Real));
    let text = plain(&real);
    assert!(text.contains(&message) && text.contains(line), "{text}");
}

#[test]
fn the_same_store_gives_the_same_bytes_and_the_manifest_says_what_was_left_out() {
    let bench = told();
    let first = bundle(&bench, Choice::default());
    let again = bench.path().join("again.bobbin");
    let written = export(&bench.app, &again, &[1], Choice::default()).unwrap();
    assert_eq!(fs::read(&first).unwrap(), fs::read(&again).unwrap());
    assert_eq!(written.bytes, fs::metadata(&again).unwrap().len());
    let cluster = &written.manifest.clusters[0];
    assert_eq!((cluster.missing_records, cluster.records["sample"]), (5, 3));
    assert_eq!(cluster.fields["computation.code"].withheld, 1);
    assert_eq!(cluster.fields["exception.message"].withheld, 1);
    assert_eq!(cluster.fields["cluster.user"].masked, 1);
    assert_eq!(cluster.fields["task_group.prefix"].masked, 1);
    // Nothing is written over what is there, and no draft stays.
    let error = export(&bench.app, &again, &[1], Choice::default()).unwrap_err();
    assert!(error.to_string().contains("exists"), "{error}");
    assert!(
        export(
            &bench.app,
            &bench.path().join("none.bobbin"),
            &[77],
            Choice::default()
        )
        .is_err()
    );
    let left: Vec<_> = fs::read_dir(bench.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| {
            name.contains(".body") || name.contains(".partial") || name.starts_with("none")
        })
        .collect();
    assert_eq!(left, [""; 0]);
}

/// What the pages ask of a cluster.
fn answers(app: &App, id: i64) -> Vec<Value> {
    let asked = [
        "cluster",
        "cluster_answers",
        "timeline",
        "task_groups",
        "computations",
        "exceptions",
        "events",
        "topics",
        "spans",
        "metrics",
        "workers",
        "verdict",
        "profile",
    ];
    asked
        .iter()
        .map(|command| {
            let answer = call(app, command, &json!({"id": id}).to_string()).unwrap();
            let mut answer = serde_json::from_str(&answer).unwrap();
            forget(&mut answer);
            answer
        })
        .collect()
}

/// What is of this store alone, or of its owner.
fn forget(value: &mut Value) {
    match value {
        Value::Object(items) => {
            if items.get("cluster_id").is_some_and(Value::is_number) {
                items.remove("cluster_id");
            }
            if items.contains_key("missing_records") {
                // The sample before the gap, where other records may have come later.
                items.remove("from_micros");
            }
            for key in [
                "id",
                "last_heard_micros",
                "remote_close_allowed",
                "received_batches",
                "from_bundle",
            ] {
                items.remove(key);
            }
            items.values_mut().for_each(forget);
        }
        Value::Array(items) => items.iter_mut().for_each(forget),
        _ => {}
    }
}

#[test]
fn a_bundle_of_everything_gives_the_same_answers_elsewhere() {
    let (bench, other) = (told(), Bench::new());
    // Another number there.
    other.send(batch_of("Scheduler-2", "i", 1, &[facts(0), sample(1, 1.0)]));
    other.at(30);
    bench.at(30);
    let path = bundle(&bench, choice(Level::Everything, Identities::Real));
    let taken = import(&other.app, &path).unwrap();
    assert_eq!(
        (taken.clusters[0].id, &taken.clusters[0].skipped),
        (Some(2), &None)
    );
    for (here, there) in answers(&bench.app, 1).iter().zip(answers(&other.app, 2)) {
        assert_eq!(*here, there);
    }
    // Once more is nothing more.
    let again = import(&other.app, &path).unwrap();
    assert!(
        again.clusters[0]
            .skipped
            .as_ref()
            .unwrap()
            .contains("number 2")
    );
    assert_eq!(
        clusters(&other.app, ClustersRequest::default())
            .unwrap()
            .total,
        2
    );
}

#[test]
fn a_bundle_that_was_cut_changed_or_grown_is_refused_and_leaves_nothing() {
    let (bench, other) = (told(), Bench::new());
    let whole = fs::read(bundle(&bench, Choice::default())).unwrap();
    let path = other.path().join("bad.bobbin");
    let refused = |bytes: &[u8]| -> Error {
        fs::write(&path, bytes).unwrap();
        let outcome: Result<_> = import(&other.app, &path);
        outcome.unwrap_err()
    };
    for cut in (0..whole.len()).step_by(7) {
        refused(&whole[..cut]);
    }
    // One bit of it: refused, or one that nobody reads, such as the time in the head of a member.
    let said = crate::api::bundle(&bench.path().join("Names-Aliases.bobbin")).unwrap();
    for step in 0..400 {
        let mut changed = whole.clone();
        let at = step * 7_919 % changed.len();
        changed[at] ^= 1 << (step % 8);
        fs::write(&path, &changed).unwrap();
        if let Ok(read) = crate::api::bundle(&path) {
            assert_eq!(read, said);
        }
    }
    assert!(
        refused(&[&whole[..], &whole[..]].concat())
            .to_string()
            .contains("contains more than")
    );
    assert!(refused(b"").to_string().contains("empty"));
    assert!(
        refused(&gzip(b"{\"kind\":\"manifest\",\"format\":2}\n"))
            .to_string()
            .contains("format 2")
    );
    assert!(
        refused(&gzip(b"{\"kind\":\"header\"}\n"))
            .to_string()
            .contains("manifest")
    );
    assert_eq!(
        clusters(&other.app, ClustersRequest::default())
            .unwrap()
            .total,
        0
    );
}

#[test]
fn a_cluster_whose_last_batch_is_changed_after_the_look_is_not_taken_in_part() {
    let (bench, other) = (told(), Bench::new());
    let path = bundle(&bench, Choice::default());
    let opened = crate::share::open(&path).unwrap();
    assert!(opened.manifest.batches.len() > 1);
    other.at(30);
    let whole = fs::read(&path).unwrap();
    let mut changed = whole.clone();
    // In the checksum at its end.
    let at = changed.len() - 6;
    changed[at] ^= 1;
    let total = || {
        let listed = clusters(&other.app, ClustersRequest::default());
        listed.unwrap().total
    };
    fs::write(&path, &changed).unwrap();
    let taken = crate::share::import(&opened, other.app.now(), &mut |taking| {
        other.app.take(taking)
    });
    assert!(taken.is_err());
    assert_eq!(total(), 0);
    // Nothing of it is in the way of the whole one.
    fs::write(&path, &whole).unwrap();
    assert_eq!(import(&other.app, &path).unwrap().clusters[0].skipped, None);
    assert_eq!(total(), 1);
}

#[test]
fn a_bundle_that_unpacks_too_far_is_refused_and_leaves_nothing() {
    let (bench, other) = (told(), Bench::new());
    let whole = fs::read(bundle(&bench, Choice::default())).unwrap();
    let manifest = &whole[..gzip_length(&whole)];
    let bomb = gzip(" ".repeat(8 << 20).as_bytes());
    assert!(bomb.len() < 16 << 10, "{}", bomb.len());
    let path = other.path().join("bomb.bobbin");
    for file in [[manifest, &bomb[..]].concat(), bomb] {
        fs::write(&path, file).unwrap();
        let refused = import(&other.app, &path).unwrap_err();
        assert!(matches!(refused, Error::TooLarge { .. }), "{refused}");
        let looked = crate::api::bundle(&path).unwrap_err();
        assert!(matches!(looked, Error::TooLarge { .. }), "{looked}");
    }
    assert_eq!(
        clusters(&other.app, ClustersRequest::default())
            .unwrap()
            .total,
        0
    );
}

fn gzip(text: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

#[test]
fn whatever_is_chosen_arrives_as_many_records_as_left() {
    let bench = told();
    for level in [
        Level::Metrics,
        Level::Names,
        Level::Errors,
        Level::Everything,
    ] {
        for identities in [Identities::Aliases, Identities::Real] {
            let path = bundle(&bench, choice(level, identities));
            let left = crate::api::bundle(&path).unwrap().clusters[0]
                .records
                .clone();
            let other = Bench::new();
            other.at(30);
            import(&other.app, &path).unwrap();
            let again = other.path().join("again.bobbin");
            let written = export(&other.app, &again, &[1], choice(level, identities)).unwrap();
            assert_eq!(
                written.manifest.clusters[0].records, left,
                "{level:?} {identities:?}"
            );
        }
    }
}

#[test]
fn every_field_that_was_counted_is_in_the_registry() {
    let bench = told();
    let known: BTreeSet<String> = fields().iter().map(ToString::to_string).collect();
    for level in [Level::Names, Level::Everything] {
        let path = bundle(&bench, choice(level, Identities::Aliases));
        for name in crate::api::bundle(&path).unwrap().clusters[0].fields.keys() {
            assert!(known.contains(name), "{name}");
        }
    }
    assert!(known.len() > 150, "{}", known.len());
}

#[test]
fn a_manifest_that_does_not_say_what_follows_is_refused() {
    let bench = told();
    let path = bundle(&bench, Choice::default());
    let whole = fs::read(&path).unwrap();
    let text = plain(&path);
    let (manifest, _) = text.split_once('\n').unwrap();
    let body = &whole[gzip_length(&whole)..];
    let refused = |from: &str, to: &str| {
        assert!(manifest.contains(from), "{manifest}");
        let changed = manifest.replacen(from, to, 1) + "\n";
        fs::write(&path, [&gzip(changed.as_bytes())[..], body].concat()).unwrap();
        crate::api::bundle(&path).unwrap_err().to_string()
    };
    assert!(refused("\"sample\":3", "\"sample\":4").contains("number of records"));
    assert!(refused("cluster.user", "cluster.secret").contains("cluster.secret"));
    assert!(refused(SCHEDULER, "Scheduler-other").contains("does not name"));
    // What is said of a file is logged: it quotes none of its values.
    let said = refused("\"sample\":3", "\"sample\":\"canary-value\"");
    assert!(
        said.contains("wrong type") && !said.contains("canary"),
        "{said}"
    );
}

/// How long the first gzip member is.
fn gzip_length(bytes: &[u8]) -> usize {
    let mut reader = bytes;
    let mut first = flate2::bufread::GzDecoder::new(&mut reader);
    std::io::copy(&mut first, &mut std::io::sink()).unwrap();
    drop(first);
    bytes.len() - reader.len()
}
