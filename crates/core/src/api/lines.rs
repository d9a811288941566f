//! Lines of source, unsealed once and kept for as long as neither they nor the key nor the switch change.

use std::sync::Arc;

use super::App;
use super::kept::Kept;
use crate::Result;
use crate::query::{self, Lines, Unsealer};

/// Memory of the lines that are kept, and of those of one answer.
const KEPT_BYTES: usize = 64 << 20;

/// By the number of their cluster.
pub(super) type KeptLines = Kept<i64, Opened, KEPT_BYTES>;

/// The lines of one cluster.
pub(super) struct Opened {
    stamp: String,
    bytes: usize,
    pub(super) lines: Lines,
}

/// The lines of clusters in their order, as far as they fit: each opened once it is asked for. Those that cannot be read are
/// missing: nothing else of an answer fails with them.
pub(super) fn lines(
    app: &App,
    clusters: impl IntoIterator<Item = i64>,
) -> impl Iterator<Item = Arc<Opened>> {
    let mut unsealer = Unsealer::new(app.keys());
    let mut bytes = 0;
    clusters.into_iter().map_while(move |id| {
        if bytes > KEPT_BYTES {
            return None;
        }
        let opened = opened(app, &mut unsealer, id).unwrap_or_else(|error| {
            tracing::warn!(%error, cluster = id, "Bobbin cannot show its source lines");
            Arc::new(Opened {
                stamp: String::new(),
                bytes: 0,
                lines: Lines::default(),
            })
        });
        bytes += opened.bytes;
        Some(opened)
    })
}

fn opened(app: &App, unsealer: &mut Unsealer, id: i64) -> Result<Arc<Opened>> {
    let kept = app.trees().lines();
    app.read(|db| {
        let stamp = query::lines_stamp(db, unsealer, id)?;
        if let Some(found) = kept.find(&id)
            && found.stamp == stamp
        {
            return Ok(found);
        }
        let lines = query::lines(db, unsealer, id)?;
        let bytes = lines.bytes();
        let opened = Opened {
            stamp,
            bytes,
            lines,
        };
        Ok(kept.keep(id, bytes, opened))
    })
}
