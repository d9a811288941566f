//! `bobbin storage`: how large the store is, what is kept for how long, and what that would remove; and sets it.

use std::path::Path;
use std::time::{Duration, Instant};

use bobbin_core::api::{self, App, Empty, RemovalPreview, RemovalPreviewRequest, Storage};
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::model::{Micros, RetentionCategory, RetentionRules};
use serde::Serialize;

use crate::args::StorageArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// How long `--prune` waits for the writer.
const PATIENCE: Duration = Duration::from_secs(3_600);

#[derive(Serialize)]
struct Answer<'a> {
    storage: &'a Storage,
    preview: &'a RemovalPreview,
}

/// Runs the verb. To set a rule and to prune it writes, so that no other Bobbin may run; `--dry-run` only reads.
pub fn run(data_dir: &Path, json: bool, args: &StorageArgs) -> Result<(), Failure> {
    let begun = SystemClock.now();
    let app = match (args.sets() || args.prune) && !args.dry_run {
        true => open::owner(data_dir)?,
        false => open::reader(data_dir)?,
    };
    let present = api::storage(&app, Empty {})?;
    let rules = args.over(present.rules);
    let preview = api::removal_preview(
        &app,
        RemovalPreviewRequest {
            rules: Some(rules),
            ..RemovalPreviewRequest::default()
        },
    )?;
    let mut storage = present;
    if !args.dry_run {
        if args.sets() {
            storage = api::set_retention(&app, rules)?;
        }
        if args.prune {
            // What is set now is followed only after some seconds.
            let since = match args.sets() {
                true => storage.changed_micros.unwrap_or(begun),
                false => begun,
            };
            storage = pruned(&app, since)?;
        }
    }
    app.drain()?;
    if json {
        return print::json(&Answer {
            storage: &storage,
            preview: &preview,
        });
    }
    print::write(&text(&storage, &rules, &preview, args))
}

/// Waits until all that was due since then is removed.
fn pruned(app: &App, since: Micros) -> Result<Storage, Failure> {
    let end = Instant::now() + PATIENCE;
    loop {
        let storage = api::storage(app, Empty {})?;
        if storage.worked_micros.is_some_and(|worked| worked >= since) {
            return Ok(storage);
        }
        if Instant::now() > end {
            return Err(Failure::failed("it is taking longer than an hour")
                .hint("it continues while Bobbin runs: start `bobbin serve` or the app"));
        }
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn text(
    storage: &Storage,
    rules: &RetentionRules,
    preview: &RemovalPreview,
    args: &StorageArgs,
) -> String {
    let mut text = format!(
        "store       {} in use of {}, log {}\n",
        print::bytes(storage.used_bytes),
        print::bytes(storage.file_bytes),
        print::bytes(storage.log_bytes),
    );
    text += &format!(
        "snapshots   {}, not part of the limit\n",
        print::bytes(storage.snapshots_bytes)
    );
    if storage.aside_bytes > 0 {
        text += &format!(
            "moved aside {}, not part of the limit\n",
            print::bytes(storage.aside_bytes)
        );
    }
    text += &format!(
        "limit       {}\n",
        print::or_dash(rules.cap_bytes, print::bytes)
    );
    for category in RetentionCategory::ALL {
        let days = rules
            .days(category)
            .map_or_else(|| "forever".into(), |days| format!("{days} days"));
        text += &format!("{:<12}{days}\n", category.word());
    }
    text += &format!(
        "totals      forever\npinned      {} clusters, exempt from all limits\n",
        storage.pinned
    );
    if let Some(wait) = storage.clock_waits_seconds {
        text += &format!(
            "The clock is far ahead of when Bobbin last ran: nothing is removed by age for {}.\n",
            print::seconds(wait)
        );
    }
    if preview.beyond_bytes > 0 {
        text += &format!(
            "≈ {} over the limit stay: Bobbin keeps pinned clusters and those that report. Unpin some, or raise the limit.\n",
            print::bytes(preview.beyond_bytes)
        );
    }
    text += &match (args.dry_run || !args.prune, preview.clusters) {
        (_, 0) => "Nothing to remove.\n".into(),
        (true, _) => format!("Would free {}.\n", self::preview(preview)),
        (false, _) => format!("Freed {}.\n", self::preview(preview)),
    };
    text
}

/// `≈ 1.2 GiB: 41 clusters`, and the largest of them.
pub fn preview(preview: &RemovalPreview) -> String {
    let mut text = format!(
        "≈ {}: {} cluster{}{}",
        print::bytes(preview.bytes),
        preview.clusters,
        if preview.clusters == 1 { "" } else { "s" },
        match preview.whole {
            0 => String::new(),
            whole => format!(", {whole} of them with all totals"),
        }
    );
    for row in preview.rows.iter().take(20) {
        let what = match row.whole {
            true => "all".into(),
            false => row
                .categories
                .iter()
                .map(|category| category.word())
                .collect::<Vec<_>>()
                .join(", "),
        };
        text += &format!(
            "\n  {:>10}  {}  {}  {what}",
            print::bytes(row.bytes),
            row.id,
            print::cut(&visible::plain(&row.name), 40),
        );
    }
    if preview.clusters > 20 {
        text += &format!("\n  and {} more", preview.clusters - 20);
    }
    text
}
