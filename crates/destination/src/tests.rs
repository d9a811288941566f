//! A folder as the team account of two members.

use std::fs;
use std::path::PathBuf;

use bobbin_core::api::{App, Role};
use bobbin_core::clock::ManualClock;
use bobbin_core::install::{Sharing, change_settings};
use bobbin_core::ledger::{Entry, Kind};
use bobbin_core::share::{Choice, Identities};
use bobbin_core::wire::decode;
use serde_json::json;

use super::*;

const NOW: Micros = Micros(1_790_000_000_000_000);
const FILES: usize = 1 + 1 + 4;

/// One member's machine, with a bundle that was approved for a folder.
struct Laptop {
    dir: tempfile::TempDir,
    ledger: Ledger,
    bundle: PathBuf,
    sha256: String,
    team: String,
    account: &'static str,
    name: &'static str,
    key: SigningKey,
}

impl Laptop {
    fn new(team: &FilePath, cluster: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let app = App::open(
            &dir.path().join("data"),
            Role::Owner,
            Arc::new(ManualClock::at(NOW)),
        )
        .unwrap();
        let records = [
            json!({"kind": "cluster", "at_micros": NOW.0, "started_micros": NOW.0, "name": cluster, "user": "ana",
                "plugin_version": "0.1.0", "versions": {}, "interval_micros": 10_000_000,
                "switches": {"code": true, "profile": true}}),
            json!({"kind": "task_group", "at_micros": NOW.0, "group_id": "g", "name": "inc", "prefix": "inc",
                "states": {"memory": 7}, "seconds": {"compute": 3.5}, "result_bytes": 700, "start_micros": NOW.0,
                "stop_micros": NOW.0, "final": true}),
        ];
        let header = json!({"kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": 1,
            "records": records.len(), "sent_at_micros": NOW.0, "monotonic_micros": 1, "plugin_version": "0.1.0"});
        let lines: Vec<String> = std::iter::once(&header)
            .chain(&records)
            .map(ToString::to_string)
            .collect();
        app.ingest(decode(lines.join("\n").as_bytes()).unwrap())
            .unwrap();
        let bundle = dir.path().join("one.bobbin");
        let choice = Choice {
            level: Level::Names,
            identities: Identities::Aliases,
        };
        let sha256 = api::export(&app, &bundle, &[1], choice).unwrap().sha256;
        let ledger = Ledger::of(app.dir());
        // It is no destination that was made known.
        change_settings(app.dir(), |set| {
            set.sharing = Some(Sharing::Ask);
            Ok(())
        })
        .unwrap();
        Self {
            ledger,
            bundle,
            sha256,
            team: format!("{}/", team.display()),
            account: "data",
            name: "ana",
            key: member_key(dir.path()).unwrap(),
            dir,
        }
    }

    /// The cluster reports once more a minute later, and is exported again.
    fn grow(&mut self, cluster: &str) {
        let later = Micros(NOW.0 + 60_000_000);
        let clock = Arc::new(ManualClock::at(later));
        let app = App::open(&self.dir.path().join("data"), Role::Owner, clock).unwrap();
        let record = json!({"kind": "task_group", "at_micros": later.0, "group_id": "g", "name": "inc", "prefix": "inc",
            "states": {"memory": 9}, "seconds": {"compute": 4.5}, "result_bytes": 900, "start_micros": NOW.0,
            "stop_micros": later.0, "final": true});
        let header = json!({"kind": "header", "protocol": 1, "cluster_id": cluster, "instance_id": "i", "first_seq": 3,
            "records": 1, "sent_at_micros": later.0, "monotonic_micros": 2, "plugin_version": "0.1.0"});
        app.ingest(decode(format!("{header}\n{record}").as_bytes()).unwrap())
            .unwrap();
        let choice = Choice {
            level: Level::Names,
            identities: Identities::Aliases,
        };
        let bundle = self.dir.path().join("two.bobbin");
        api::export(&app, &bundle, &[1], choice).unwrap();
        app.drain().unwrap();
        self.of("two.bobbin");
    }

    /// Shares this file of its own from now on.
    fn of(&mut self, name: &str) {
        self.bundle = self.dir.path().join(name);
        self.sha256 = hexadecimal(&Sha256::digest(fs::read(&self.bundle).unwrap()));
    }

    fn open(&self) -> Destination {
        Destination::open(&self.team, KeysFrom::Environment, &self.ledger).unwrap()
    }

    fn approve(&self) -> Minted {
        let bytes = fs::metadata(&self.bundle).unwrap().len();
        let approved = Entry::new(Kind::Approved, "one")
            .to(&self.team)
            .about(&self.sha256, bytes);
        self.ledger.append(NOW, &approved).unwrap();
        self.ledger.mint(NOW, &self.sha256, &self.team).unwrap()
    }

    async fn share(&self) -> Result<Shared> {
        let member = Member::new(self.account, Some(self.name.into())).unwrap();
        self.open()
            .share(&self.bundle, self.approve(), &member, &self.key, NOW)
            .await
    }

    async fn recall(&self, sha256: &str) -> Result<Recalled> {
        self.open().recall(sha256, None, &self.key, NOW).await
    }
}

fn files(folder: &FilePath) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn what_one_member_shares_the_other_has_byte_for_byte_and_a_recall_leaves_nothing() {
    let team = tempfile::tempdir().unwrap();
    let (ana, ben) = (
        Laptop::new(team.path(), "nightly"),
        Laptop::new(team.path(), "weekly"),
    );
    let shared = ana.share().await.unwrap();
    assert_eq!((shared.clusters, shared.account.as_str()), (1, "data"));
    assert_eq!(
        ana.share().await.unwrap(),
        shared,
        "once more changes nothing"
    );
    ben.share().await.unwrap();

    let seen = ben.open();
    let listed: Vec<String> = seen
        .list()
        .await
        .unwrap()
        .into_iter()
        .map(|shared| shared.sha256)
        .collect();
    assert!(listed.contains(&ana.sha256) && listed.contains(&ben.sha256) && listed.len() == 2);
    let to = ben.dir.path().join("from-ana.bobbin");
    seen.fetch(&ana.sha256, &to).await.unwrap();
    assert_eq!(fs::read(&to).unwrap(), fs::read(&ana.bundle).unwrap());

    let recalled = ana.recall(&ana.sha256).await.unwrap();
    assert_eq!(recalled.sha256, ana.sha256);
    let left: Vec<PathBuf> = files(team.path());
    let of_ana: Vec<&PathBuf> = left
        .iter()
        .filter(|path| path.to_string_lossy().contains(&ana.sha256))
        .collect();
    assert_eq!(of_ana.len(), 1, "only that it was recalled: {of_ana:?}");
    assert!(fs::read(&to).is_ok(), "what another has already is theirs");
    assert_eq!(seen.list().await.unwrap().len(), 1);
    assert!(seen.recalled().await.unwrap().contains(&ana.sha256));
    let again = ana.share().await.unwrap_err();
    assert!(again.to_string().contains("was recalled"), "{again}");
}

#[tokio::test]
async fn a_cluster_that_grew_has_its_rows_once_and_the_older_ones_again_after_a_recall() {
    let team = tempfile::tempdir().unwrap();
    let mut ana = Laptop::new(team.path(), "nightly");
    let ben = Laptop::new(team.path(), "weekly");
    let tables = |sha256: &str| {
        let all = files(&team.path().join("tables")).into_iter();
        all.filter(|path| path.to_string_lossy().contains(sha256))
            .count()
    };
    ben.share().await.unwrap();
    let of_ben = tables(&ben.sha256);
    let older = ana.share().await.unwrap();
    let first = tables(&older.sha256);
    assert!(first > 0);
    ana.grow("nightly");
    let newer = ana.share().await.unwrap();
    assert!(newer.told.keys().eq(older.told.keys()));
    assert!(newer.told.values().gt(older.told.values()));
    assert_eq!((tables(&older.sha256), tables(&newer.sha256)), (0, first));
    // The bundle itself stays as it was approved, and sharing it again does not bring its rows back.
    let seen = ben.open();
    assert_eq!(seen.list().await.unwrap().len(), 3);
    ana.of("one.bobbin");
    ana.share().await.unwrap();
    assert_eq!((tables(&older.sha256), tables(&newer.sha256)), (0, first));
    ana.recall(&newer.sha256).await.unwrap();
    assert_eq!((tables(&older.sha256), tables(&newer.sha256)), (first, 0));
    assert_eq!(tables(&ben.sha256), of_ben);
}

#[tokio::test]
async fn a_cluster_of_two_accounts_has_its_rows_once_and_those_of_whoever_knows_most_of_it() {
    const BOTH: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
    let team = tempfile::tempdir().unwrap();
    let (ana, mut ben) = (
        Laptop::new(team.path(), BOTH),
        Laptop::new(team.path(), BOTH),
    );
    ben.account = "lab";
    let rows = || {
        let all = files(&team.path().join("tables/clusters")).into_iter();
        all.map(|path| {
            path.strip_prefix(team.path())
                .unwrap()
                .display()
                .to_string()
        })
        .collect::<Vec<_>>()
    };
    let seen = ana.open();
    let first = ana.share().await.unwrap();
    ben.grow(BOTH);
    let more = ben.share().await.unwrap();
    assert!(first.told.keys().eq(more.told.keys()), "one and the same");
    let [only] = &rows()[..] else {
        panic!("{:?}", rows());
    };
    assert!(
        only.contains("account=lab") && only.contains(&more.sha256),
        "{only}"
    );
    let lying = Lying::each(seen.list().await.unwrap());
    let counted: u64 = lying.iter().map(|one| one.counted).sum();
    assert_eq!((lying.len(), counted), (2, 1));

    // Whoever takes both has it once, as the one that knows most tells it, in whatever order they come.
    for order in [[&first, &more], [&more, &first]] {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(NOW));
        let app = App::open(&dir.path().join("data"), Role::Owner, clock).unwrap();
        for shared in order {
            let to = dir.path().join(format!("{}.bobbin", shared.sha256));
            seen.fetch(&shared.sha256, &to).await.unwrap();
            api::import(&app, &to).unwrap();
        }
        let tables = api::tables(&app).unwrap();
        let groups = tables
            .iter()
            .find(|table| table.name == "task_groups")
            .unwrap();
        assert_eq!(
            groups.column("compute_seconds"),
            Some(&api::Values::Real(vec![Some(4.5)]))
        );
    }

    // What is taken back counts no more, and the other one does again.
    ben.recall(&more.sha256).await.unwrap();
    let [only] = &rows()[..] else {
        panic!("{:?}", rows());
    };
    assert!(
        only.contains("account=data") && only.contains(&first.sha256),
        "{only}"
    );
}

#[tokio::test]
async fn a_bad_bundle_of_somebody_else_keeps_nobody_from_sharing_and_recalling() {
    const BOTH: &str = "Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51";
    for changed in [None, Some(b"something else")] {
        let team = tempfile::tempdir().unwrap();
        let (mut ana, ben) = (
            Laptop::new(team.path(), BOTH),
            Laptop::new(team.path(), BOTH),
        );
        ben.share().await.unwrap();
        let of_ben = team.path().join(format!("bundles/{}.bobbin", ben.sha256));
        match changed {
            None => fs::remove_file(&of_ben).unwrap(),
            Some(bytes) => fs::write(&of_ben, bytes).unwrap(),
        }
        ana.grow(BOTH);
        ana.share().await.unwrap();
        ana.recall(&ana.sha256).await.unwrap();
        let left: Vec<PathBuf> = files(team.path())
            .into_iter()
            .filter(|path| path.to_string_lossy().contains(&ana.sha256))
            .collect();
        assert_eq!(left.len(), 1, "only that it was recalled: {left:?}");
    }
}

#[tokio::test]
async fn what_is_new_comes_into_the_inbox_once_and_what_one_shared_oneself_never() {
    let team = tempfile::tempdir().unwrap();
    let (ana, mut ben) = (
        Laptop::new(team.path(), "nightly"),
        Laptop::new(team.path(), "weekly"),
    );
    ben.name = "ben";
    let dir = ben.dir.path().join("data");
    fs::create_dir_all(dir.join("inbox")).unwrap();
    let seen = ben.open();
    assert!(
        pick_up(&dir, &seen).await.is_err(),
        "a destination that nobody added"
    );
    let member = Member::new("data", None).unwrap();
    let add = |address: &str| {
        KnownList::change(&dir, |list| {
            list.add(address, &member, true, KeysFrom::Environment)
                .map(drop)
        })
    };
    assert!(add("team").is_err());
    let mut list = add(&ben.team).unwrap();
    ana.share().await.unwrap();
    let mine = ben.share().await.unwrap();
    note(&dir, &ben.team, &mine).unwrap();
    let picked = pick_up(&dir, &seen).await.unwrap();
    assert_eq!(
        picked
            .brought
            .iter()
            .map(|shared| &shared.sha256)
            .collect::<Vec<_>>(),
        [&ana.sha256]
    );
    let file = dir.join(format!("inbox/{}.bobbin", ana.sha256));
    assert_eq!(fs::read(&file).unwrap(), fs::read(&ana.bundle).unwrap());
    assert_eq!(pick_up(&dir, &seen).await.unwrap(), Picked::default());
    list.remove(&ben.team).unwrap();
    assert!(list.remove(&ben.team).is_err());
}

/// What an earlier Bobbin said of a bundle of this name.
fn said(sha256: String) -> Shared {
    Shared {
        format: FORMAT,
        sha256,
        bytes: 1,
        account: "data".into(),
        by: Some("ana".into()),
        shared_at_micros: NOW,
        clusters: 0,
        level: Level::Names,
        told: BTreeMap::new(),
        signed: None,
    }
}

/// What lies at a destination, written over by somebody who may.
fn write_over(team: &FilePath, of: &str, sha256: &str, words: &impl Serialize) {
    let file = team.join(of).join(format!("{sha256}.json"));
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, serde_json::to_vec(words).unwrap()).unwrap();
}

#[tokio::test]
async fn what_is_signed_by_nobody_or_by_another_stays_there_and_says_why() {
    let team = tempfile::tempdir().unwrap();
    let (mut ana, mut ben) = (
        Laptop::new(team.path(), "nightly"),
        Laptop::new(team.path(), "weekly"),
    );
    ben.name = "ben";
    let dir = ben.dir.path().join("data");
    fs::create_dir_all(dir.join("inbox")).unwrap();
    let member = Member::new("data", Some("ben".into())).unwrap();
    KnownList::change(&dir, |list| {
        list.add(&ben.team, &member, true, KeysFrom::Environment)
            .map(drop)
    })
    .unwrap();
    let seen = ben.open();
    let first = ana.share().await.unwrap();
    assert_eq!(first.signer(), Some(ana.key.public().as_str()));

    // What was changed is not taken, and counts again once whoever shared it shares it again.
    let changed = Shared {
        by: Some("ben".into()),
        ..first.clone()
    };
    write_over(team.path(), "shared", &ana.sha256, &changed);
    let picked = pick_up(&dir, &seen).await.unwrap();
    assert_eq!(
        (picked.brought.len(), picked.aside[0].trust),
        (0, Trust::Changed)
    );
    assert_eq!(fs::read_dir(dir.join("inbox")).unwrap().count(), 0);
    assert_eq!(ana.share().await.unwrap(), first);
    assert_eq!(
        pick_up(&dir, &seen).await.unwrap().brought,
        std::slice::from_ref(&first)
    );

    // The name of somebody who signs is theirs: with another key, and without one.
    ana.grow("nightly");
    let key = std::mem::replace(
        &mut ana.key,
        SigningKey::make(&ana.dir.path().join("new")).unwrap(),
    );
    let stolen = ana.share().await.unwrap();
    for (words, trust) in [
        (stolen.clone(), Trust::OtherKey),
        (
            Shared {
                signed: None,
                ..stolen.clone()
            },
            Trust::Missing,
        ),
    ] {
        write_over(team.path(), "shared", &ana.sha256, &words);
        let picked = pick_up(&dir, &seen).await.unwrap();
        let aside = Aside {
            shared: words,
            trust,
        };
        assert_eq!((picked.brought, picked.aside), (vec![], vec![aside]));
    }
    // Unless somebody here says that the key is theirs, too.
    accept(&dir, &ben.team, &stolen).unwrap();
    write_over(team.path(), "shared", &ana.sha256, &stolen);
    assert_eq!(pick_up(&dir, &seen).await.unwrap().brought, [stolen]);
    let known = KnownList::load(&dir).unwrap().destinations[0].clone();
    let keys = BTreeSet::from([key.public(), ana.key.public()]);
    assert_eq!(known.members, BTreeMap::from([("data/ana".into(), keys)]));
}

#[tokio::test]
async fn only_the_key_that_shared_a_bundle_recalls_it() {
    let team = tempfile::tempdir().unwrap();
    let (ana, ben) = (
        Laptop::new(team.path(), "nightly"),
        Laptop::new(team.path(), "weekly"),
    );
    let shared = ana.share().await.unwrap();
    let refused = ben.recall(&ana.sha256).await.unwrap_err();
    assert!(refused.to_string().contains("another key"), "{refused}");
    assert!(
        !team.path().join("recalled").exists(),
        "nothing was written"
    );
    // Nor is it gone for the others where somebody wrote all the same that it is.
    let said = Recalled {
        format: FORMAT,
        sha256: ana.sha256.clone(),
        by: Some("ana".into()),
        recalled_at_micros: NOW,
        signed: None,
    };
    let signed = said.clone().signed_with(&ben.key).unwrap();
    let seen = ben.open();
    for said in [&said, &signed] {
        write_over(team.path(), "recalled", &ana.sha256, said);
        assert_eq!(seen.list().await.unwrap(), std::slice::from_ref(&shared));
    }
    let recalled = ana.recall(&ana.sha256).await.unwrap();
    assert_eq!(recalled.signer(), Some(ana.key.public().as_str()));
    assert_eq!(seen.list().await.unwrap(), []);
    assert_eq!(ana.recall(&ana.sha256).await.unwrap(), recalled);

    // What an earlier Bobbin shared is recalled as it was then.
    let before = ben.share().await.unwrap();
    let before = Shared {
        signed: None,
        ..before
    };
    write_over(team.path(), "shared", &ben.sha256, &before);
    ana.recall(&ben.sha256).await.unwrap();
    assert_eq!(seen.list().await.unwrap(), []);
}

#[test]
fn what_several_remember_at_once_is_all_remembered() {
    let dir = tempfile::tempdir().unwrap();
    let address = dir.path().join("team").display().to_string();
    let member = Member::new("data", None).unwrap();
    KnownList::change(dir.path(), |list| {
        list.add(&address, &member, true, KeysFrom::Environment)
            .map(drop)
    })
    .unwrap();
    std::thread::scope(|scope| {
        for one in 0..8 {
            let (dir, address) = (dir.path(), &address);
            scope.spawn(move || {
                for number in 0..10 {
                    note(dir, address, &said(format!("{one}-{number}"))).unwrap();
                }
            });
        }
    });
    let mut list = KnownList::load(dir.path()).unwrap();
    assert_eq!(list.find(&address).unwrap().seen.len(), 80);
    // A change that fails changes nothing.
    let failed = KnownList::change(dir.path(), |list| {
        list.remove(&address)?;
        list.remove(&address)
    });
    assert!(failed.is_err());
    assert_eq!(KnownList::load(dir.path()).unwrap().destinations.len(), 1);
}

#[tokio::test]
async fn an_upload_that_was_cut_anywhere_is_none_and_the_next_one_is_whole() {
    let team = tempfile::tempdir().unwrap();
    let ana = Laptop::new(team.path(), "nightly");
    ana.share().await.unwrap();
    let whole: Vec<(PathBuf, Vec<u8>)> = files(team.path())
        .into_iter()
        .map(|path| (path.clone(), fs::read(&path).unwrap()))
        .collect();
    assert!(whole.len() >= FILES - 2, "{whole:?}");
    let word = whole
        .iter()
        .find(|(path, _)| path.parent().unwrap().ends_with("shared"))
        .unwrap();
    for (missing, _) in &whole {
        // As if the upload had ended before this object: what says that it is whole comes last.
        let _ = fs::remove_file(&word.0);
        let _ = fs::remove_file(missing);
        assert_eq!(ana.open().list().await.unwrap(), []);
        ana.share().await.unwrap();
        for (path, bytes) in &whole {
            assert_eq!(&fs::read(path).unwrap(), bytes, "{}", path.display());
        }
    }
}

#[tokio::test]
async fn other_bytes_than_those_approved_another_place_and_a_changed_bundle_are_refused() {
    let team = tempfile::tempdir().unwrap();
    let ana = Laptop::new(team.path(), "nightly");
    let member = Member::new("data", None).unwrap();
    let minted = ana.approve();
    let elsewhere = Destination::open(
        &format!("{}/other/", team.path().display()),
        KeysFrom::Environment,
        &ana.ledger,
    )
    .unwrap();
    let error = elsewhere
        .share(&ana.bundle, minted, &member, &ana.key, NOW)
        .await
        .unwrap_err();
    assert!(error.to_string().contains("was approved for"), "{error}");
    let minted = ana.approve();
    let mut bytes = fs::read(&ana.bundle).unwrap();
    bytes.push(0);
    fs::write(ana.dir.path().join("changed"), bytes).unwrap();
    let error = ana
        .open()
        .share(
            &ana.dir.path().join("changed"),
            minted,
            &member,
            &ana.key,
            NOW,
        )
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("is not what you approved"),
        "{error}"
    );
    assert_eq!(files(team.path()), Vec::<PathBuf>::new());

    ana.share().await.unwrap();
    let there = team.path().join(format!("bundles/{}.bobbin", ana.sha256));
    fs::write(&there, b"something else").unwrap();
    let to = ana.dir.path().join("back.bobbin");
    let error = ana.open().fetch(&ana.sha256, &to).await.unwrap_err();
    assert!(error.to_string().contains("has changed"), "{error}");
    assert!(!to.exists() && !to.with_extension("part").exists());
}

#[tokio::test]
async fn what_others_put_there_is_passed_over() {
    let team = tempfile::tempdir().unwrap();
    let ana = Laptop::new(team.path(), "nightly");
    let shared = ana.share().await.unwrap();
    let folder = team.path().join("shared");
    fs::write(folder.join("README.md"), "of ours").unwrap();
    fs::write(folder.join(format!("{}.json", "0".repeat(64))), "{").unwrap();
    fs::write(
        folder.join(format!("{}.json", "1".repeat(64))),
        serde_json::to_vec(&shared).unwrap(),
    )
    .unwrap();
    fs::write(
        folder.join(format!("{}.json", "2".repeat(64))),
        vec![b' '; 1 << 20],
    )
    .unwrap();
    assert_eq!(ana.open().list().await.unwrap(), [shared]);
}

#[test]
fn an_address_says_where_and_never_with_which_key() {
    let dir = tempfile::tempdir().unwrap();
    let ledger = Ledger::of(dir.path());
    let open = |address: &str| {
        Destination::open(address, KeysFrom::Environment, &ledger)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    assert!(open("https://example.org/x").contains("s3://"));
    assert!(open("team").contains("with a slash"));
    let said = open("s3://key:secret@bucket/x");
    assert!(
        said.contains("environment") && !said.contains("secret"),
        "{said}"
    );
    assert_eq!(ledger.rows().unwrap(), [], "nothing was opened");
    assert!(Member::new("a/b", None).is_err());
}
