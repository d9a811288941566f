//! `bobbin clusters`: the list, filtered.

use std::path::Path;

use bobbin_core::api::{self, App, ClusterList, ClusterRow, ClustersRequest, Direction};
use bobbin_core::model::{ClusterState, Micros};

use crate::args::ClustersArgs;
use crate::failure::Failure;
use crate::{open, print, visible};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &ClustersArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let list = api::clusters(&app, request(&app, args))?;
    if json {
        print::json(&list)
    } else if list.rows.is_empty() {
        let all = api::clusters(&app, ClustersRequest::default())?.total;
        print::write(&none(list.total, all))
    } else {
        print::write(&text(&list, app.now()))
    }
}

fn request(app: &App, args: &ClustersArgs) -> ClustersRequest {
    ClustersRequest {
        text: (!args.filter.is_empty()).then(|| args.filter.join(" ")),
        time_zone: print::time_zone(),
        states: args.state.iter().map(|s| (*s).into()).collect(),
        from_micros: args.since.map(|since| Micros(app.now().0 - since)),
        to_micros: None,
        label: args.label.clone(),
        user: args.user.clone(),
        ids: Vec::new(),
        order: args.sort.into(),
        direction: if args.ascending {
            Direction::Ascending
        } else {
            Direction::Descending
        },
        limit: args.limit,
        offset: args.offset,
    }
}

/// A state as a word.
pub fn word(state: ClusterState) -> &'static str {
    match state {
        ClusterState::Running => "running",
        ClusterState::Stalled => "stalled",
        ClusterState::Idle => "idle",
        ClusterState::Finished => "finished",
        ClusterState::Lost => "lost",
    }
}

/// From its start to its end, or to now while it lives.
pub fn duration(row: &ClusterRow, now: Micros) -> String {
    let end = row.stopped_micros.unwrap_or(now);
    print::seconds((end.0 - row.started_micros.0) as f64 / 1e6)
}

/// With a word where it is none of one's own.
fn name(row: &ClusterRow) -> String {
    let name = print::cut(&visible::plain(&row.name), 40);
    if row.sample { name + " (sample)" } else { name }
}

/// What stands in the place of an empty list, where so many match, of so many.
fn none(matching: u64, all: u64) -> String {
    if all == 0 {
        return "No clusters yet. `bobbin connect` makes every scheduler you start here report.\n"
            .into();
    }
    if matching > 0 {
        return format!("0 of {matching}; use a smaller --offset to see others\n");
    }
    let clusters = if all == 1 { "cluster" } else { "clusters" };
    format!("No match in {all} {clusters}. `bobbin clusters` without a filter lists them all.\n")
}

fn text(list: &ClusterList, now: Micros) -> String {
    let head = [
        "#",
        "name",
        "state",
        "started",
        "duration",
        "workers",
        "memory",
        "tasks",
        "compute",
        "cost",
        "exceptions",
    ];
    let right = [
        true, false, false, false, true, true, true, true, true, true, true,
    ];
    let rows: Vec<Vec<String>> = list
        .rows
        .iter()
        .map(|row| {
            let told = |word: &str, figure: String| {
                let figure =
                    Some(figure).filter(|_| !row.unavailable.iter().any(|one| one == word));
                print::or_dash(figure, |figure| figure)
            };
            vec![
                row.id.to_string(),
                name(row),
                word(row.state).into(),
                told("times", print::moment(row.started_micros)),
                told("times", duration(row, now)),
                told("workers", row.workers_peak.to_string()),
                print::or_dash(row.memory_peak_bytes, print::bytes),
                told("groups", row.tasks_completed.to_string()),
                told("groups", print::seconds(row.compute_seconds)),
                print::or_dash(row.cost, |cost| api::money_words(cost, &list.currency)),
                told("exceptions", row.exceptions.to_string()),
            ]
        })
        .collect();
    let mut text = print::table(&head, &right, &rows);
    if list.truncated {
        text.push_str(&format!(
            "{} of {}; use --limit and --offset to see others\n",
            list.rows.len(),
            list.total
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_empty_store_is_told_to_connect() {
        assert!(none(0, 0).contains("`bobbin connect`"));
        assert!(none(0, 1).starts_with("No match in 1 cluster. "));
        assert!(none(0, 12).starts_with("No match in 12 clusters. "));
        assert!(none(3, 12).starts_with("0 of 3; "));
        for (matching, all) in [(0, 1), (0, 12), (3, 12)] {
            assert!(!none(matching, all).contains("connect"));
        }
    }
}
