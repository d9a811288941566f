//! Bundles in and out.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::App;
use super::demo::refuse_samples;
use super::ledger::policy_in_force;
use crate::Result;
use crate::foreign;
use crate::install::put_written;
use crate::ledger::{Entry, Kind, Ledger};
use crate::model::Micros;
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, Imported, Manifest, Offered, Opened};

/// A bundle that was written.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Exported {
    pub path: PathBuf,
    /// Of the file.
    pub bytes: u64,
    /// Of the file, in hexadecimal.
    pub sha256: String,
    pub manifest: Manifest,
    /// Different texts in it that look like secrets.
    pub possible_secrets: u64,
}

/// Writes clusters to a new bundle, each from one state of the store, and a row of the ledger that says so. A team's policy
/// binds it as it binds what is staged. Nobody decides upon what looks like a secret in it: it is counted.
///
/// # Errors
/// [`crate::Error::Refused`] where a token of Bobbin's own would be in it;
/// [`crate::Error::Invalid`] for a policy that cannot be read;
/// [`crate::Error::NotFound`]; [`crate::Error::Refused`] where the file exists or a cluster has not said yet who it is;
/// [`crate::Error::Locked`] where code or text is chosen and the private key is not here; [`crate::Error::Io`],
/// [`crate::Error::NoRoomFor`], [`crate::Error::Sqlite`].
pub fn export(app: &App, path: &Path, ids: &[i64], choice: Choice) -> Result<Exported> {
    refuse_samples(app, ids)?;
    // Before the file is there: a policy that changed has its row first.
    let policy = policy_in_force(app)?;
    let aliases = FingerprintKey::load_or_make(app.dir())?;
    let mut looked = share::Looked::new(app.dir(), &aliases)?;
    let write = |beside: &Path| {
        share::write(
            beside,
            ids,
            choice,
            app.keys(),
            &aliases,
            &|question| app.read_long(question),
            &mut |batch| looked.look(&batch).map(|()| batch),
        )
    };
    let what = match ids.len() {
        1 => "1 cluster, into a file".to_owned(),
        some => format!("{some} clusters, into a file"),
    };
    let written = put_written(path, write, |written| {
        let entry = Entry::new(Kind::Export, what)
            .to(path.display().to_string())
            .about(written.sha256.clone(), written.bytes)
            .under(policy)
            .telling(written.manifest.choice.level.word());
        Ledger::of(app.dir()).append(app.now(), &entry)?;
        Ok(written)
    })?;
    Ok(Exported {
        path: path.into(),
        bytes: written.bytes,
        sha256: written.sha256,
        manifest: written.manifest,
        possible_secrets: looked.secrets(),
    })
}

/// Takes the clusters of a bundle that are not here yet, or only as an older bundle told them: each whole, and none before all of the file was looked at.
///
/// # Errors
/// [`crate::Error::Invalid`], [`crate::Error::TooLarge`] if the file is no bundle, is cut or was changed;
/// [`crate::Error::Refused`] where another Bobbin writes; [`crate::Error::Io`], [`crate::Error::DiskFull`],
/// [`crate::Error::Sqlite`].
pub fn import(app: &App, path: &Path) -> Result<Imported> {
    let bundle = share::open(path)?;
    share::import(&bundle, app.now(), &mut |taking| app.take(taking))
}

/// The same for any file that is read here, by its content: a bundle, or one of another program, of which a bundle is made first.
///
/// # Errors
/// As [`import`].
pub fn import_file(app: &App, path: &Path) -> Result<Imported> {
    Ready::look(app, path)?.take(app)
}

/// A file all of which was looked at, and nothing stored: whoever has several looks at all of them before the first is taken, and at
/// each once.
pub struct Ready(Source);

enum Source {
    Bundle(Opened),
    /// Of another program: the bundle that was made of it, below the data folder for as long as this lives.
    Made(Offered),
}

impl Ready {
    /// Looks at all of a file that is read here.
    ///
    /// # Errors
    /// As [`import`].
    pub fn look(app: &App, path: &Path) -> Result<Self> {
        if let Some(bundle) = Self::look_at_bundle(path)? {
            return Ok(bundle);
        }
        let name = named(path);
        let made = Offered::make(app.dir(), &name, |bundle| {
            foreign::rewrite(path, &name, bundle, app.now())?;
            Ok((0, String::new()))
        })?;
        Ok(Self(Source::Made(made)))
    }

    /// The same for a bundle, for which no store need be open; none where the file is another.
    ///
    /// # Errors
    /// As [`import`].
    pub fn look_at_bundle(path: &Path) -> Result<Option<Self>> {
        match foreign::kind_of(path)? {
            foreign::Kind::Bundle => Ok(Some(Self(Source::Bundle(share::open(path)?)))),
            _ => Ok(None),
        }
    }

    /// Takes it, as [`import`] does.
    ///
    /// # Errors
    /// As [`import`].
    pub fn take(&self, app: &App) -> Result<Imported> {
        let bundle = match &self.0 {
            Source::Bundle(bundle) => bundle,
            Source::Made(made) => &made.bundle,
        };
        share::import(bundle, app.now(), &mut |taking| app.take(taking))
    }
}

/// Writes a bundle of a file of another program to `bundle`, for a Bobbin that takes it from its inbox.
///
/// # Errors
/// As [`import`].
pub fn make_bundle(path: &Path, bundle: &Path, now: Micros) -> Result<()> {
    foreign::rewrite(path, &named(path), bundle, now)
}

/// Looks at all of any file that is read here, and gives what it says of itself, or what a bundle of it would.
///
/// # Errors
/// As [`import`].
pub fn look_at_file(path: &Path, now: Micros) -> Result<Manifest> {
    match foreign::kind_of(path)? {
        foreign::Kind::Bundle => bundle(path),
        _ => foreign::look(path, &named(path), now),
    }
}

fn named(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Looks at all of a bundle, and gives what it says of itself.
///
/// # Errors
/// As [`import`].
pub fn bundle(path: &Path) -> Result<Manifest> {
    Ok(share::open(path)?.manifest)
}

/// Bytes that a bundle unpacks to, as it says itself; [`bundle`] refuses one that says it wrong.
///
/// # Errors
/// As [`import`].
pub fn unpacked_bytes(path: &Path) -> Result<u64> {
    share::unpacked_bytes(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::{Duration, Instant};

    use super::*;
    use crate::api::{ClustersRequest, clusters};
    use crate::share::{Identities, Level};
    use crate::testing::{Bench, batch, facts, with};

    #[test]
    fn what_looks_like_a_secret_in_an_export_is_counted_and_an_own_token_is_never_written() {
        let tagged = |tags: serde_json::Value| {
            let bench = Bench::new();
            bench.send(batch(
                1,
                &[with(facts(0), serde_json::json!({ "tags": tags }))],
            ));
            let path = bench.path().join("one.bobbin");
            let written = export(&bench.app, &path, &[1], Choice::default());
            let rows = Ledger::of(bench.path()).rows().unwrap().len();
            (
                written.map(|written| written.possible_secrets),
                path.exists(),
                rows,
            )
        };
        let plain = tagged(serde_json::json!({"team": "blue"}));
        assert_eq!((plain.0.unwrap(), plain.1, plain.2), (0, true, 1));
        let password =
            tagged(serde_json::json!({"db_password": "hunter2", "x": "tcp://a:hunter2@b"}));
        assert_eq!((password.0.unwrap(), password.1, password.2), (1, true, 1));
        let token = ["bobbin_token_0a1b2c3d4e5f_", "bobbin", &"ab2cd".repeat(12)].concat();
        let (written, exists, rows) = tagged(serde_json::json!({ "x": token }));
        let refused = written.unwrap_err();
        assert!(
            matches!(&refused, crate::Error::Refused(why) if why.contains("bobbin stage") && !why.contains(&token)),
            "{refused}"
        );
        assert_eq!((exists, rows), (false, 0));
    }

    /// A bundle of one cluster.
    fn exported(bench: &Bench) -> PathBuf {
        bench.send(batch(1, &[facts(0)]));
        let bundle = bench.path().join("one.bobbin");
        let everything = Choice {
            level: Level::Everything,
            identities: Identities::Real,
        };
        export(&bench.app, &bundle, &[1], everything).unwrap();
        bundle
    }

    #[test]
    fn a_bundle_that_changes_between_the_look_and_the_taking_is_refused() {
        let (bench, other) = (Bench::new(), Bench::new());
        let bundle = exported(&other);
        let ready = Ready::look(&bench.app, &bundle).unwrap();
        let mut bytes = fs::read(&bundle).unwrap();
        // In the checksum at its end.
        let at = bytes.len() - 6;
        bytes[at] ^= 1;
        fs::write(&bundle, &bytes).unwrap();
        assert!(ready.take(&bench.app).is_err());
        let listed = clusters(&bench.app, ClustersRequest::default()).unwrap();
        assert!(listed.rows.is_empty());
    }

    #[test]
    fn a_bundle_is_looked_at_before_there_is_a_store_and_no_other_file_is() {
        let other = Bench::new();
        let ready = Ready::look_at_bundle(&exported(&other)).unwrap().unwrap();
        let bench = Bench::new();
        assert_eq!(ready.take(&bench.app).unwrap().clusters.len(), 1);
        let stacks = bench.path().join("stacks.folded");
        fs::write(&stacks, "main;load 3\n").unwrap();
        assert!(Ready::look_at_bundle(&stacks).unwrap().is_none());
    }

    #[test]
    fn what_was_looked_at_is_taken_without_another_look_at_its_file() {
        let bench = Bench::new();
        let report = bench.path().join("report.html.gz");
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/fixtures/foreign/2026/report.html.gz");
        fs::copy(fixture, &report).unwrap();
        let other = Bench::new();
        for file in [report, exported(&other)] {
            let ready = Ready::look(&bench.app, &file).unwrap();
            fs::remove_file(&file).unwrap();
            let taken = ready.take(&bench.app).unwrap();
            assert_eq!(taken.clusters.len(), 1);
            assert_eq!(taken.clusters[0].skipped, None);
        }
        let left = fs::read_dir(bench.path().join("beside")).unwrap();
        assert_eq!(left.count(), 0);
    }

    #[test]
    fn an_export_is_a_row_of_the_ledger_and_without_one_there_is_none() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        let ledger = bench.path().join("ledger.ndjson");
        let first = bench.path().join("first.bobbin");
        let written = export(&bench.app, &first, &[1], Choice::default()).unwrap();
        let rows = Ledger::of(bench.path()).rows().unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].entry.kind, Kind::Export);
        assert_eq!(rows[0].entry.sha256.as_ref(), Some(&written.sha256));
        // A ledger that somebody wrote into takes no more rows.
        let text = fs::read_to_string(&ledger).unwrap();
        fs::write(&ledger, text.replace("1 cluster", "0 cluster")).unwrap();
        let second = bench.path().join("second.bobbin");
        assert!(export(&bench.app, &second, &[1], Choice::default()).is_err());
        assert!(!second.exists());
    }

    #[test]
    fn a_bundle_has_no_name_before_its_row_of_the_ledger_and_is_gone_without_one() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        let first = bench.path().join("first.bobbin");
        export(&bench.app, &first, &[1], Choice::default()).unwrap();
        let second = bench.path().join("second.bobbin");
        let is_beside = || {
            let mut files = fs::read_dir(bench.path()).unwrap();
            files.any(|file| file.unwrap().path().extension() == Some("new".as_ref()))
        };
        let path = bench.path().join("ledger.ndjson");
        // Whoever adds a row waits for this.
        let held = fs::File::open(&path).unwrap();
        held.lock().unwrap();
        let (seen, exported) = std::thread::scope(|scope| {
            let exporting = scope.spawn(|| export(&bench.app, &second, &[1], Choice::default()));
            let until = Instant::now() + Duration::from_secs(60);
            while !is_beside() && Instant::now() < until {
                std::thread::sleep(Duration::from_millis(1));
            }
            let seen = (is_beside(), second.exists());
            // Somebody writes into it meanwhile: it takes no more rows.
            fs::write(&path, "broken\n").unwrap();
            drop(held);
            (seen, exporting.join().unwrap())
        });
        assert_eq!(seen, (true, false));
        assert!(exported.is_err());
        assert!(!is_beside() && !second.exists());
    }
}
