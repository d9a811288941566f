//! What the plugin's own tests recorded from real schedulers is read whole: neither side drifts alone.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use bobbin_core::api::{
    App, ClustersRequest, ComputationCode, ComputationsRequest, Role, clusters, computations,
};
use bobbin_core::clock::SystemClock;
use bobbin_core::model::ClusterState;
use bobbin_core::wire::{Line, decode_stream};

#[test]
fn batches_of_the_plugin_are_read_and_stored_without_a_loss() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/wire");
    let mut recordings = 0;
    for entry in fs::read_dir(folder).expect("the recordings of the plugin's tests") {
        let path = entry.expect("a recording").path();
        if path
            .extension()
            .is_none_or(|extension| extension != "ndjson")
        {
            continue;
        }
        recordings += 1;
        let dir = tempfile::tempdir().expect("a folder");
        let app = App::open(dir.path(), Role::Owner, Arc::new(SystemClock)).expect("a store");
        for batch in decode_stream(BufReader::new(File::open(&path).expect("a recording"))) {
            let batch = batch.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            for line in &batch.lines {
                assert!(
                    matches!(line, Line::Known(_, None)),
                    "{}: {line:?}",
                    path.display()
                );
            }
            app.ingest(batch).expect("stored");
        }
        let list = clusters(&app, ClustersRequest::default()).expect("a list");
        assert!(list.total > 0);
        for row in list.rows {
            assert_eq!(row.state, ClusterState::Finished, "{}", path.display());
            assert!(
                row.tasks_completed > 0 && row.compute_seconds > 0.0 && row.workers_peak > 0,
                "{row:?}"
            );
            let request = ComputationsRequest {
                id: row.id,
                from_micros: None,
                to_micros: None,
                limit: 0,
                offset: 0,
            };
            let calls = computations(&app, request).expect("computations");
            assert!(
                calls
                    .rows
                    .iter()
                    .any(|call| matches!(call.code, ComputationCode::Frames { .. }))
            );
        }
    }
    assert!(recordings > 0);
}
