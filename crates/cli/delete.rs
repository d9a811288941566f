//! `bobbin delete CLUSTER…`: removes clusters with all that they sent. Ten seconds pass first, in which Ctrl-C takes it back.

use std::path::Path;
use std::time::{Duration, Instant};

use bobbin_core::api::{self, DeleteRequest, Empty, RemovalPreview, RemovalPreviewRequest};
use serde::Serialize;

use crate::args::DeleteArgs;
use crate::failure::Failure;
use crate::{open, print, storage};

/// Rows go in short steps: a large store takes its time.
const PATIENCE: Duration = Duration::from_secs(3_600);

#[derive(Serialize)]
struct Answer<'a> {
    deleted: bool,
    file_bytes_before: u64,
    file_bytes: u64,
    preview: &'a RemovalPreview,
}

/// Runs the verb. It writes, so that no other Bobbin may run.
pub fn run(data_dir: &Path, json: bool, args: &DeleteArgs) -> Result<(), Failure> {
    let app = match args.dry_run {
        true => open::reader(data_dir)?,
        false => open::owner(data_dir)?,
    };
    let mut ids = Vec::new();
    for cluster in &args.clusters {
        ids.push(open::cluster(&app, cluster)?.id);
    }
    let preview = api::removal_preview(
        &app,
        RemovalPreviewRequest {
            ids: ids.clone(),
            ..RemovalPreviewRequest::default()
        },
    )?;
    let before = api::storage(&app, Empty {})?.file_bytes;
    if !args.dry_run {
        print::talk(&format!("Will delete {}", storage::preview(&preview)));
        if !args.now {
            print::talk("Deleting in 10 seconds; press Ctrl-C to cancel.");
        }
        api::delete_clusters(
            &app,
            DeleteRequest {
                ids: ids.clone(),
                at_once: args.now,
            },
        )?;
        let end = Instant::now() + PATIENCE;
        while !api::storage(&app, Empty {})?.deletions.is_empty() {
            if Instant::now() > end {
                return Err(Failure::failed("it is taking longer than an hour")
                    .hint("it continues when Bobbin runs again"));
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        // The snapshots still hold them. One that cannot be replaced is tried again while Bobbin runs.
        if let Err(error) = app.renew_snapshots() {
            print::talk(&format!(
                "The snapshots still contain what was deleted, and stay for now: {error}"
            ));
        }
        app.drain()?;
    }
    let after = api::storage(&app, Empty {})?.file_bytes;
    if json {
        return print::json(&Answer {
            deleted: !args.dry_run,
            file_bytes_before: before,
            file_bytes: after,
            preview: &preview,
        });
    }
    print::write(&match args.dry_run {
        true => format!("Would free {}\n", storage::preview(&preview)),
        false => format!(
            "Deleted {} cluster{}. Store size: {} before, {} now.\n",
            preview.clusters,
            if preview.clusters == 1 { "" } else { "s" },
            print::bytes(before),
            print::bytes(after)
        ),
    })
}
