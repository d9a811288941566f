//! What the tray tells in a few lines.

use super::App;
use super::burning::burning;
use crate::Result;
use crate::insight::words::{count, duration};
use crate::query;

/// How many clusters are alive, what they cost, and when one was last heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Presence {
    /// `2 clusters running, 1 idle`.
    pub clusters: String,
    /// `≈ 0.02–0.15 € an hour`; nothing where none that is alive has a price.
    pub burning: Option<String>,
    /// `Last message 5 s ago`.
    pub last: String,
}

/// What there is to tell of the clusters now.
///
/// # Errors
/// [`crate::Error::Sqlite`].
pub fn presence(app: &App) -> Result<Presence> {
    let now = app.now();
    let (facts, alive, burning) = app.read(|db| {
        let alive = query::presence(db, now)?;
        let burning = burning(db, alive.iter().map(|(id, _)| *id))?;
        Ok((query::store_facts(db)?, alive, burning.sum()))
    })?;
    let idle = alive.iter().filter(|(_, idle)| *idle).count() as u64;
    let running = match alive.len() as u64 - idle {
        0 => "No cluster running".into(),
        running => format!("{} running", count(running, "cluster", "clusters")),
    };
    Ok(Presence {
        clusters: match idle {
            0 => running,
            idle => format!("{running}, {idle} idle"),
        },
        burning,
        last: facts.last_batch.map_or("No report yet".into(), |at| {
            // Whole seconds: it is read now and then.
            let seconds = (now.0 - at.0).max(0) / 1_000_000;
            format!("Last report {} ago", duration(seconds * 1_000_000))
        }),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::*;

    fn lines(bench: &Bench) -> Vec<String> {
        let told = presence(&bench.app).unwrap();
        [Some(told.clusters), told.burning, Some(told.last)]
            .into_iter()
            .flatten()
            .collect()
    }

    #[test]
    fn the_tray_counts_what_is_alive_and_what_it_costs() {
        let bench = Bench::new();
        assert_eq!(lines(&bench), ["No cluster running", "No report yet"]);
        bench.send(batch(1, &[facts(0), sample(0, 1.0)]));
        let one = presence(&bench.app).unwrap().burning.unwrap();
        assert_eq!(one, "≈ 0.002–0.019 € an hour");
        let idle = with(sample(0, 1.0), json!({"idle_since_micros": at(0)}));
        bench.send(batch_of("Scheduler-2", "j", 1, &[facts(0), idle]));
        bench.at(5);
        assert_eq!(
            lines(&bench),
            [
                "1 cluster running, 1 idle",
                "≈ 0.005–0.038 € an hour",
                "Last message 5 s ago"
            ]
        );
        bench.at(3_600);
        assert_eq!(
            lines(&bench),
            ["No cluster running", "Last message 1 h ago"]
        );
    }
}
