//! What stands above the lists: state, sums, and what is missing and why.

use bobbin_core::api::VersionSide;
use bobbin_core::model::{Micros, SourceFormat};

use super::{Shown, states};
use crate::clusters::{duration, word};
use crate::{print, visible};

/// What kind of a file of another program it was.
fn source_words(source: SourceFormat) -> &'static str {
    match source {
        SourceFormat::PerformanceReport => "a Dask performance report",
        SourceFormat::ClusterDump => "a cluster dump",
        SourceFormat::Speedscope => "a speedscope profile",
        SourceFormat::FoldedStacks => "folded stacks",
    }
}

/// Why a scheduler stopped, in words; what is not known here stays as it came.
fn stop_words(reason: &str) -> String {
    match reason {
        "idle_timeout" => "idle timeout".into(),
        "remote_close" => "closed from Bobbin".into(),
        "end_of_file" => "end of the file".into(),
        reason => visible::plain(reason),
    }
}

/// Whose it was, where and for what: `ana on laptop, project etl`; nothing where none of it is known.
fn origin(user: Option<&str>, host: Option<&str>, project: Option<&str>) -> Option<String> {
    let whose = match (user, host) {
        (None, None) => None,
        (Some(user), None) => Some(user.to_owned()),
        (user, Some(host)) => Some(format!("{} on {host}", user.unwrap_or("unknown user"))),
    };
    let project = project.map(|project| format!("project {project}"));
    let parts: Vec<String> = [whose, project].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| visible::plain(&parts.join(", ")))
}

impl Shown {
    pub(super) fn head(&self, now: Micros) -> String {
        let row = &self.cluster.row;
        let facts = &self.cluster.facts;
        let seconds = &self.cluster.seconds;
        let source = facts.from_bundle.as_ref().and_then(|from| from.source);
        // What a file does not hold is no zero.
        let told =
            |word: &str| source.is_none() || !facts.unavailable.iter().any(|one| one == word);
        let mut text = format!(
            "{}  #{}  {}\n",
            visible::plain(&row.name),
            row.id,
            visible::plain(&row.scheduler_id)
        );
        let mut line =
            |name: &str, value: String| text.push_str(&format!("  {name:<10} {value}\n"));
        line(
            "state",
            format!(
                "{} ({})",
                word(row.state),
                visible::plain(&row.state_evidence)
            ),
        );
        let origin = origin(
            row.user.as_deref(),
            row.host.as_deref(),
            row.project.as_deref(),
        );
        if let Some(origin) = origin {
            line("from", origin);
        }
        if told("groups") {
            line("verdict", self.judged());
        }
        if row.sample {
            line(
                "sample",
                "from a recording; excluded from all totals".into(),
            );
        }
        if let Some(since) = row.since_completed_micros {
            let since = print::seconds(since as f64 / 1e6);
            line("last task", format!("finished {since} ago"));
        }
        line(
            "started",
            format!(
                "{}, {} long",
                print::moment(row.started_micros),
                duration(row, now)
            ),
        );
        if let Some(reason) = &facts.stop_reason {
            line("stopped", stop_words(reason));
        }
        if told("workers") {
            line(
                "workers",
                format!(
                    "{} with {} threads, at most {}",
                    row.workers, row.threads, row.workers_peak
                ),
            );
            let memory = |bytes| print::or_dash(bytes, print::bytes);
            line(
                "memory",
                format!(
                    "{} of {}, at most {}",
                    memory(row.memory_used_bytes),
                    memory(row.memory_limit_bytes),
                    memory(row.memory_peak_bytes)
                ),
            );
        }
        if told("groups") {
            line(
                "tasks",
                format!(
                    "{} done, {} erred, now {}",
                    row.tasks_completed,
                    row.tasks_erred,
                    states(&row.tasks)
                ),
            );
            line(
                "time",
                format!(
                    "{} compute, {} transfer, {} disk, of {} thread time",
                    print::seconds(seconds.compute),
                    print::seconds(seconds.transfer),
                    print::seconds(seconds.disk_read + seconds.disk_write),
                    print::seconds(row.thread_seconds)
                ),
            );
        }
        if self.workers.lost > 0 {
            let workers = if self.workers.lost == 1 {
                "worker"
            } else {
                "workers"
            };
            line(
                "lost",
                format!(
                    "{} {workers} gone without being told to close",
                    self.workers.lost
                ),
            );
        }
        if let Some(source) = source {
            line("read from", source_words(source).into());
        } else if let Some(cost) = self.cost() {
            line("plugin", cost);
        }
        if let Some(limit) = facts.idle_timeout_micros {
            let limit = print::seconds(limit as f64 / 1e6);
            line("closes", format!("after {limit} idle"));
        }
        if !facts.mismatches.is_empty() {
            line("versions", self.mismatches());
        }
        let off: Vec<String> = facts
            .off_since
            .iter()
            .map(|(what, since)| {
                format!("{} since {}", visible::plain(what), print::moment(*since))
            })
            .collect();
        if !off.is_empty() {
            line("off", format!("at source: {}", off.join(", ")));
        }
        if !facts.unavailable.is_empty() {
            line(
                "missing",
                format!(
                    "in {}: {}",
                    source.map_or("this version of Dask", |_| "this file"),
                    visible::plain(&facts.unavailable.join(", "))
                ),
            );
        }
        let losses = &self.cluster.losses;
        let shed: u64 = losses.dropped_records.values().sum();
        if losses.missing_records + shed + losses.refused_records > 0 {
            line(
                "missing",
                format!(
                    "{} records in transit, {shed} shed, {} unreadable",
                    losses.missing_records, losses.refused_records
                ),
            );
        }
        text
    }

    /// The verdict, and what it rests on.
    fn judged(&self) -> String {
        let evidence = self.verdict.evidence.iter().map(|one| &*one.words);
        let evidence: Vec<&str> = evidence.collect();
        let word = self.verdict.kind.word();
        match evidence.is_empty() {
            true => word.into(),
            false => visible::plain(&format!("{word} ({})", evidence.join("; "))),
        }
    }

    /// What the plugin costs the scheduler.
    fn cost(&self) -> Option<String> {
        let cost = &self.cluster.facts.plugin_cost;
        let beat = print::seconds(cost.beat_micros? as f64 / 1e6);
        let all = print::seconds((cost.all_beat_micros + cost.all_hook_micros) as f64 / 1e6);
        let peak = print::or_dash(cost.loop_share_peak, |share| {
            format!("{:.*} %", if share < 0.001 { 3 } else { 2 }, share * 100.0)
        });
        let sent = print::bytes(cost.all_sent_bytes);
        Some(format!(
            "{beat} per report, {all} in total, at most {peak} of the scheduler's loop over ten seconds, {sent} sent"
        ))
    }

    /// The first few versions that differ.
    fn mismatches(&self) -> String {
        let mismatches = &self.cluster.facts.mismatches;
        let mut parts: Vec<String> = mismatches
            .iter()
            .take(5)
            .map(|one| {
                let version = one.version.as_deref().unwrap_or("missing");
                let side = match one.side {
                    VersionSide::Worker => "workers",
                    VersionSide::Client => "clients",
                };
                visible::plain(&format!(
                    "{} {version} on {} {side}",
                    one.package, one.count
                ))
            })
            .collect();
        if mismatches.len() > parts.len() {
            parts.push(format!("{} more", mismatches.len() - parts.len()));
        }
        format!("differ from the scheduler's: {}", parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_it_came_from_is_what_is_known_of_it() {
        assert_eq!(origin(None, None, None), None);
        let told = |user, host, project| origin(user, host, project).unwrap();
        assert_eq!(
            told(Some("ana"), Some("laptop"), Some("etl")),
            "ana on laptop, project etl"
        );
        assert_eq!(told(Some("ana"), None, None), "ana");
        assert_eq!(told(None, Some("laptop"), None), "unknown user on laptop");
        assert_eq!(told(None, None, Some("etl")), "project etl");
        assert!(!told(Some("a\u{1b}[2J"), None, None).contains('\u{1b}'));
    }

    #[test]
    fn why_it_stopped_is_in_words() {
        assert_eq!(stop_words("remote_close"), "closed from Bobbin");
        assert_eq!(stop_words("idle_timeout"), "idle timeout");
        assert_eq!(stop_words("exit"), "exit");
    }
}
