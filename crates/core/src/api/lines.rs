//! Lines of source, unsealed once and kept for as long as neither they nor the key nor the switch change.

use std::sync::Arc;

use super::App;
use super::kept_lines::{KEPT_BYTES, Opened};
use crate::Result;
use crate::query::{self, Lines, Unsealer};

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
