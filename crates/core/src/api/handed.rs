//! What a person hands over as a file becomes a bundle, whatever it is: there is one way to look at it and one to take it.

use std::fs;
use std::path::Path;

use super::answers::clusters;
use super::apart::Apart;
use super::{App, ClustersRequest};
use crate::foreign::{self, Kind};
use crate::install::at;
use crate::seal::FingerprintKey;
use crate::share::{self, Choice, Identities, Level};
use crate::{Error, Result};

/// Clusters of one file of batches. A plugin writes one a file.
const MOST: u32 = 200;

/// Makes a bundle of the file at `path`, unless it is one; whether it did.
///
/// # Errors
/// [`Error::Invalid`], [`Error::TooLarge`] with what is wrong with it; [`Error::Io`], [`Error::DiskFull`], [`Error::Sqlite`].
pub(super) fn make_bundle(app: &App, path: &Path, name: &str) -> Result<bool> {
    match foreign::kind_of(path)? {
        Kind::Batches => {
            let file = path.with_extension("batches");
            fs::rename(path, &file).map_err(at(path))?;
            of_batches(app, &file, name, path)?;
            fs::remove_file(&file).map_err(at(&file))?;
            Ok(true)
        }
        _ => foreign::make_bundle(path, name, app.now()),
    }
}

/// Everything that the batches tell: they are this reader's, as the file is.
fn of_batches(app: &App, from: &Path, name: &str, to: &Path) -> Result<()> {
    let wrong = |reason: &str| Error::Invalid {
        what: "file",
        value: name.into(),
        reason: reason.into(),
    };
    let read = Apart::of_file(from, &app.clock()).map_err(|error| match error {
        // Which names the copy that was read.
        Error::Invalid { reason, .. } => wrong(&reason),
        other => other,
    })?;
    let all = ClustersRequest {
        limit: MOST,
        ..ClustersRequest::default()
    };
    let listed = clusters(read.app(), all)?;
    if listed.rows.iter().any(|row| row.sample) {
        return Err(wrong(
            "it is a recording: play it with `bobbin replay FILE`, or put it into the inbox folder to import it as a sample",
        ));
    }
    if listed.rows.len() as u64 != listed.total || listed.rows.is_empty() {
        return Err(wrong("it holds batches of no cluster or of too many"));
    }
    let mut ids: Vec<i64> = listed.rows.iter().map(|row| row.id).collect();
    ids.sort_unstable();
    let everything = Choice {
        level: Level::Everything,
        identities: Identities::Real,
    };
    let aliases = FingerprintKey::load_or_make(app.dir())?;
    share::write(
        to,
        &ids,
        everything,
        read.app().keys(),
        &aliases,
        &|question| read.app().read_long(question),
        // It stays here.
        &mut Ok,
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;
    use crate::api::{ComputationsRequest, call, computations};
    use crate::demo::SAMPLE;
    use crate::testing::*;

    fn packed(texts: &[Vec<u8>]) -> Vec<u8> {
        let mut whole = Vec::new();
        for text in texts {
            let mut member = GzEncoder::new(Vec::new(), Compression::fast());
            member.write_all(&[text, &b"\n"[..]].concat()).unwrap();
            whole.extend(member.finish().unwrap());
        }
        whole
    }

    #[test]
    fn a_file_of_a_plugin_is_looked_at_and_taken_as_a_bundle_with_all_that_it_tells() {
        let bench = Bench::new();
        let code = computation(5, "c", Some("canary_code()"));
        let file = packed(&[
            batch_text("four", "i", 1, &[facts(0), sample(1, 1.0)]),
            batch_text("four", "i", 3, &[code, stop(9)]),
        ]);
        let looked = bench
            .app
            .offer_bundle("four.bobbin", &mut &file[..])
            .unwrap();
        assert_eq!(looked.clusters.len(), 1);
        assert_eq!(looked.clusters[0].not_taken, None);
        let request = format!("{{\"id\":\"{}\"}}", looked.id);
        call(&bench.app, "import_bundle", &request).unwrap();
        bench.app.drain().unwrap();
        let found = clusters(&bench.app, ClustersRequest::default()).unwrap();
        assert_eq!(found.total, 1);
        let asked = ComputationsRequest {
            id: found.rows[0].id,
            from_micros: None,
            to_micros: None,
            limit: 0,
            offset: 0,
        };
        let code = serde_json::to_string(&computations(&bench.app, asked).unwrap()).unwrap();
        assert!(code.contains("canary_code()"), "{code}");
        // The same once more is known by its id.
        let again = bench
            .app
            .offer_bundle("again.bobbin", &mut &file[..])
            .unwrap();
        assert!(again.clusters[0].not_taken.is_some());
    }

    #[test]
    fn a_recording_and_what_holds_no_cluster_are_refused_in_words() {
        let bench = Bench::new();
        let recording = batch_text(&format!("{SAMPLE}one"), "i", 1, &[facts(0), stop(2)]);
        for (file, words) in [
            (packed(&[recording]), "bobbin replay"),
            (
                packed(&[b"{\"kind\":\"header\"}\n".to_vec()]),
                "neither a bundle nor a plugin's batches",
            ),
        ] {
            let refused = bench.app.offer_bundle("a.bobbin", &mut &file[..]);
            let said = refused.unwrap_err().to_string();
            assert!(said.contains(words) && said.contains("a.bobbin"), "{said}");
        }
    }
}
