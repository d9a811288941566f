//! Performance reports of Dask that a script hands over, and what became of those that are here.

use std::io::Read;

use super::answers::{clusters, find_cluster};
use super::{App, ClusterRow, ClustersRequest};
use crate::foreign::{self, Kind};
use crate::model::SourceFormat;
use crate::share::{self, Offered};
use crate::{Error, Result};

/// The most that are listed.
const MOST: u32 = 1_000;

/// Takes a performance report, and gives the cluster that it became. The same report once more is the cluster that is here.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] if it is none, is cut or is too large: nothing of it is kept then;
/// [`Error::Refused`] for readers, and where its cluster was deleted; [`Error::Io`], [`Error::DiskFull`], [`Error::Sqlite`].
pub fn take_performance_report(app: &App, name: &str, from: &mut dyn Read) -> Result<ClusterRow> {
    app.writer()?;
    let now = app.now();
    let offered = Offered::take_any(app.dir(), name, from, &|path, name| {
        if foreign::kind_of(path)? != Kind::PerformanceReport {
            return Err(no_report(name));
        }
        foreign::make_bundle(path, name, now)
    })?;
    let imported = share::import(&offered.bundle, now, &mut |taking| app.take(taking))?;
    let Some(one) = imported.clusters.into_iter().next() else {
        return Err(no_report(name));
    };
    find_cluster(app, &one.cluster_id).map_err(|error| match (error, one.skipped) {
        (Error::NotFound { .. }, Some(why)) => Error::Refused(why),
        (error, _) => error,
    })
}

/// Clusters that were read from performance reports, those that began last first.
///
/// # Errors
/// [`Error::Sqlite`].
pub fn performance_reports(app: &App) -> Result<Vec<ClusterRow>> {
    let ids = app.read(|db| share::imported_from(db, SourceFormat::PerformanceReport, MOST))?;
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let request = ClustersRequest {
        ids,
        limit: MOST,
        ..ClustersRequest::default()
    };
    Ok(clusters(app, request)?.rows)
}

fn no_report(name: &str) -> Error {
    Error::Invalid {
        what: "file",
        value: name.into(),
        reason: "it is not a Dask performance report".into(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::{Path, PathBuf};
    use std::thread;
    use std::time::Duration;

    use super::*;
    use crate::api::{DeleteRequest, Empty, delete_clusters, import_file, storage};
    use crate::testing::*;

    fn fixture(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../tests/fixtures/foreign/2026")
            .join(name)
    }

    fn take(bench: &Bench, name: &str) -> Result<ClusterRow> {
        let mut file = File::open(fixture(name)).unwrap();
        take_performance_report(&bench.app, name, &mut file)
    }

    fn ids(bench: &Bench) -> Vec<i64> {
        let listed = performance_reports(&bench.app).unwrap();
        listed.iter().map(|row| row.id).collect()
    }

    #[test]
    fn a_report_is_one_cluster_however_often_it_comes_and_only_reports_are_listed() {
        let bench = Bench::new();
        assert!(ids(&bench).is_empty());
        bench.send(batch(1, &[facts(0)]));
        assert!(ids(&bench).is_empty());
        import_file(&bench.app, &fixture("dump.msgpack.gz")).unwrap();
        let first = take(&bench, "report.html.gz").unwrap();
        assert_eq!(first.name, "report");
        assert_eq!(first.source, Some(SourceFormat::PerformanceReport));
        let again = take(&bench, "report.html.gz").unwrap();
        assert_eq!(again.id, first.id);
        assert_eq!(ids(&bench), [first.id]);
    }

    #[test]
    fn what_is_no_report_is_refused_by_its_name_and_nothing_of_it_stays() {
        let bench = Bench::new();
        let said = take(&bench, "dump.yaml.gz").unwrap_err().to_string();
        assert!(
            said.contains("dump.yaml.gz") && said.contains("not a Dask performance report"),
            "{said}"
        );
        let beside = fs::read_dir(bench.path().join("beside")).unwrap();
        assert_eq!(beside.count(), 0);
        assert!(ids(&bench).is_empty());
    }

    #[test]
    fn a_report_that_was_deleted_does_not_come_back() {
        let bench = Bench::new();
        let id = take(&bench, "report.html.gz").unwrap().id;
        let request = DeleteRequest {
            ids: vec![id],
            at_once: true,
        };
        let mut left = delete_clusters(&bench.app, request).unwrap();
        while !left.deletions.is_empty() {
            thread::sleep(Duration::from_millis(5));
            left = storage(&bench.app, Empty {}).unwrap();
        }
        let refused = take(&bench, "report.html.gz").unwrap_err();
        assert!(
            matches!(&refused, Error::Refused(why) if why.contains("you deleted it here")),
            "{refused}"
        );
        assert!(ids(&bench).is_empty());
    }
}
