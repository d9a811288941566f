//! What the tray tells in two lines.

use super::App;
use crate::Result;
use crate::insight::words::{count, duration};
use crate::query;

/// How many clusters are alive, and when one was last heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// `2 clusters running, 1 idle`.
    pub clusters: String,
    /// `Last message 5 s ago`.
    pub last: String,
}

/// What there is to tell of the clusters now.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub fn presence(app: &App) -> Result<Presence> {
    let now = app.now();
    let (facts, (alive, idle)) =
        app.read(|db| Ok((query::store_facts(db)?, query::presence(db, now)?)))?;
    let running = match alive - idle {
        0 => "No cluster running".into(),
        running => format!("{} running", count(running, "cluster", "clusters")),
    };
    Ok(Presence {
        clusters: match idle {
            0 => running,
            idle => format!("{running}, {idle} idle"),
        },
        last: facts.last_batch.map_or("No message yet".into(), |at| {
            // Whole seconds: it is read now and then.
            let seconds = (now.0 - at.0).max(0) / 1_000_000;
            format!("Last message {} ago", duration(seconds * 1_000_000))
        }),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::*;

    fn lines(bench: &Bench) -> [String; 2] {
        let Presence { clusters, last } = presence(&bench.app).unwrap();
        [clusters, last]
    }

    #[test]
    fn the_tray_counts_what_is_alive() {
        let bench = Bench::new();
        assert_eq!(lines(&bench), ["No cluster running", "No message yet"]);
        bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
        let idle = with(sample(0, 1.0), json!({"idle_since_micros": at(0)}));
        bench.send(batch_of("Scheduler-2", "j", 1, &[facts(0), idle]));
        bench.at(5);
        assert_eq!(
            lines(&bench),
            ["1 cluster running, 1 idle", "Last message 5 s ago"]
        );
        bench.at(3_600);
        assert_eq!(
            lines(&bench),
            ["No cluster running", "Last message 1 h ago"]
        );
    }
}
