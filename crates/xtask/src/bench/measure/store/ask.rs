//! How long each view's question takes over stores of growing size, without a page; and how much longer from one to the next.

use std::{
    path::Path,
    sync::Arc,
    time::{Instant, SystemTime},
};

use bobbin_core::{
    api::{App, Role, call},
    clock::{ManualClock, SystemClock},
    model::Micros,
};
use serde_json::{Value, json};

use super::figure;
use crate::{
    bench::measure::{
        figure::{Figure, median, number},
        size::Size,
        stores::Stores,
    },
    generate::{Order, draw::fill},
    process::{Failure, Result},
};

const DAY_MICROS: i64 = 86_400_000_000;
/// Rows of the list that are in sight.
const IN_SIGHT: u32 = 50;
/// A kept view of the list: how many clusters it has is told beside its name.
const VIEW: &str = "bobbin view: large\nfilter: user:ana tasks>100\norder: started descending";

/// What is asked about.
struct About {
    /// The newest clusters.
    newest: Vec<Value>,
    /// A task group of the newest.
    group: Value,
    /// The cluster that came last: the page waits for one after it.
    last_id: Value,
}

/// Over all clusters; then about the newest one, and about it and another.
fn questions(now: i64, about: &About) -> Vec<(&'static str, &'static str, Value)> {
    let About {
        newest,
        group,
        last_id,
    } = about;
    let [id, other] = [0_usize, 1].map(|at| newest.get(at).unwrap_or(&Value::Null));
    let days = |count: i64| -> Vec<i64> {
        (0..=count)
            .map(|day| now - (count - day) * DAY_MICROS)
            .collect()
    };
    let of = json!({ "id": id });
    vec![
        ("status", "status", json!({})),
        ("overview", "overview", json!({})),
        (
            "overview_year",
            "overview",
            json!({"from_micros": now - 365 * DAY_MICROS}),
        ),
        ("heat_map_28_days", "heat_map", json!({"edges": days(28)})),
        ("heat_map_year", "heat_map", json!({"edges": days(365)})),
        ("clusters", "clusters", json!({})),
        (
            "clusters_filtered",
            "clusters",
            json!({"text": "user:ana tasks>100"}),
        ),
        ("search", "search", json!({"text": "shuffle"})),
        ("exception_kinds", "exception_kinds", json!({})),
        (
            "cluster_uses",
            "cluster_uses",
            json!({"from_micros": now - 28 * DAY_MICROS}),
        ),
        (
            "costs_year",
            "cost_table",
            json!({"from_micros": now - 365 * DAY_MICROS}),
        ),
        ("budgets", "budgets", json!({})),
        ("prices", "prices", json!({})),
        ("users", "users", json!({})),
        ("storage", "storage", json!({})),
        ("privacy", "privacy", json!({})),
        ("inbox", "inbox_files", json!({})),
        (
            "reception",
            "reception",
            json!({"since_micros": now, "after_id": last_id}),
        ),
        ("views", "views", json!({})),
        ("view_counts", "view_counts", json!({})),
        ("verdicts_in_sight", "verdicts", json!({"ids": newest})),
        (
            "filter_completed",
            "complete_filter",
            json!({"text": "user:a", "caret": 6}),
        ),
        ("cluster", "cluster", of.clone()),
        (
            "cluster_answers",
            "cluster_answers",
            json!({"id": id, "cost": true}),
        ),
        ("verdict", "verdict", of.clone()),
        ("findings", "findings", of.clone()),
        ("baseline", "baseline", of.clone()),
        ("timeline", "timeline", of.clone()),
        ("thread_use", "thread_use", of.clone()),
        ("workers", "workers", of.clone()),
        ("worker_series", "worker_series", of.clone()),
        ("worker_heat", "worker_heat", of.clone()),
        ("task_groups", "task_groups", of.clone()),
        ("graph", "graph", of.clone()),
        (
            "graph_group",
            "graph_group",
            json!({"id": id, "group_id": group}),
        ),
        ("computations", "computations", of.clone()),
        ("spans", "spans", of.clone()),
        ("metrics", "metrics", of.clone()),
        ("activity", "activity", of.clone()),
        ("exceptions", "exceptions", of.clone()),
        ("events", "events", of.clone()),
        ("event_fields", "event_fields", of.clone()),
        ("topics", "topics", of.clone()),
        ("pruned", "cluster_pruned", of.clone()),
        ("cluster_cost", "cluster_cost", of.clone()),
        ("group_costs", "group_costs", of),
        ("secrets", "secrets", json!({"ids": [id]})),
        ("compare", "compare", json!({"a": other, "b": id})),
        ("deletion_preview", "removal_preview", json!({"ids": [id]})),
        (
            "merge_of_one",
            "flame_about",
            json!({"selection": {"ids": [id]}}),
        ),
        (
            "merge_of_all",
            "flame_about",
            json!({"selection": {"clusters": {}}}),
        ),
        ("flame_graph", "flame", json!({"selection": {"ids": [id]}})),
        (
            "functions",
            "flame_table",
            json!({"selection": {"ids": [id]}}),
        ),
        (
            "difference",
            "flame_difference",
            json!({"before": {"ids": [other]}, "after": {"ids": [id]}}),
        ),
        ("line_costs", "line_costs", json!({"ids": [id]})),
    ]
}

/// How figures end that say how much longer a question takes: over 10,000 clusters than over 100, and over 100,000 than over
/// 10,000.
pub(super) const FIRST_STEP: &str = " growth, first step";
pub(super) const SECOND_STEP: &str = " growth, second step";

/// What rollups serve: it takes as long whatever lies before the days that it is about.
const OF_SOME_DAYS: [&str; 5] = [
    "overview",
    "heat_map_28_days",
    "cluster_uses",
    "budgets",
    "storage",
];

/// The written tables, and the figures.
///
/// # Errors
/// A store cannot be filled or does not answer.
pub fn measure(folder: &Path, size: Size) -> Result<(String, Vec<Figure>)> {
    let repeats = match size {
        Size::Full => 7,
        Size::Quick => 3,
        Size::Smoke => 1,
    };
    let (by_clusters, mut figures) = by_clusters(folder, size, repeats)?;
    let (by_history, more) = by_history(folder, size, repeats)?;
    figures.extend(more);
    Ok((format!("{by_clusters}\n{by_history}"), figures))
}

/// The same days, and those before them, at the end of a fifth of a year and of a year, with as many clusters a day. Both are asked
/// two days later: clusters that still report have rows of their own, and are a larger part of the shorter history.
fn by_history(folder: &Path, size: Size, repeats: usize) -> Result<(String, Vec<Figure>)> {
    let mut asked: Vec<(&'static str, Vec<f64>)> = OF_SOME_DAYS
        .iter()
        .map(|name| (*name, Vec::new()))
        .collect();
    for store in [Stores::short(size)?, Stores::long(size)?] {
        let copy = folder.join("history").join(store.name);
        store.copy(&copy)?;
        let times = times(&copy, repeats, 2 * DAY_MICROS)?;
        for (name, middles) in &mut asked {
            let found = times.iter().find(|(known, _)| known == name);
            middles.extend(found.map(|(_, times)| median(times)));
        }
    }
    let mut figures = Vec::new();
    for (name, cells) in &mut asked {
        let longer = growth(cells, 0, 1);
        cells.push(longer);
        figures.push(figure(format!("{name} over time"), "times", vec![longer]));
    }
    let heads = ["73 days of history", "365 days of history", "times"].map(str::to_owned);
    Ok((table(&heads, &asked), figures))
}

fn by_clusters(folder: &Path, size: Size, repeats: usize) -> Result<(String, Vec<Figure>)> {
    let smallest = folder.join("smallest");
    let order = Order {
        clusters: 100,
        members: 200,
        days: 365,
        seed: 1,
        until: None,
        groups: Some(4),
        stacks: Some(0),
    };
    fill(&smallest, order, &[])?;
    let (long, many, year) = (
        Stores::long(size)?,
        Stores::many(size)?,
        Stores::main(size)?,
    );
    // Three of one kind, and one with more groups and with profiles in each cluster.
    let stores = [
        ("100 clusters".to_owned(), None),
        (format!("{} clusters", long.clusters), Some(&long)),
        (format!("{} clusters", many.clusters), Some(&many)),
        ("the team's year".to_owned(), Some(&year)),
    ];
    let mut asked: Vec<(&'static str, Vec<f64>)> = Vec::new();
    let mut figures = Vec::new();
    for (head, store) in &stores {
        let copy = match store {
            None => smallest.clone(),
            Some(store) => {
                let copy = folder.join(store.name);
                store.copy(&copy)?;
                copy
            }
        };
        keep_a_view(&copy)?;
        for (name, times) in times(&copy, repeats, 0)? {
            let middle = median(&times);
            figures.push(figure(format!("{name}: {head}"), "ms", times));
            match asked.iter_mut().find(|(known, _)| *known == name) {
                Some((_, cells)) => cells.push(middle),
                None => asked.push((name, vec![middle])),
            }
        }
    }
    for (name, cells) in &mut asked {
        let [first, second] = [growth(cells, 0, 1), growth(cells, 1, 2)];
        for (step, times) in [(FIRST_STEP, first), (SECOND_STEP, second)] {
            figures.push(figure(format!("{name}{step}"), "times", vec![times]));
        }
        cells.insert(2, first);
        cells.insert(4, second);
    }
    let [small, middle, large, year] = stores.map(|(head, _)| head);
    let times = || "times".to_owned();
    let heads = [small, middle, times(), large, times(), year];
    Ok((table(&heads, &asked), figures))
}

/// How much longer one takes than another, by their places.
fn growth(cells: &[f64], from: usize, to: usize) -> f64 {
    let at = |place: usize| cells.get(place).copied().unwrap_or(f64::NAN);
    at(to) / at(from)
}

fn table(heads: &[String], rows: &[(&str, Vec<f64>)]) -> String {
    let marks = "--:|".repeat(heads.len());
    let mut table = format!("| ms | {} |\n|---|{marks}\n", heads.join(" | "));
    for (name, cells) in rows {
        let cells: Vec<String> = cells.iter().map(|&cell| number(cell)).collect();
        let name = name.replace('_', " ");
        table.push_str(&format!("| {name} | {} |\n", cells.join(" | ")));
    }
    table
}

/// Who looks at a list has kept some of it.
fn keep_a_view(folder: &Path) -> Result {
    let app = App::open(folder, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
    let text = json!({ "text": VIEW }).to_string();
    call(&app, "import_views", &text).map_err(failed)?;
    app.drain().map_err(failed)
}

/// Milliseconds of each question, one a repeat. Each repeat opens the store anew, so that nothing merged is kept. Its clock is
/// `ahead` by so many microseconds.
fn times(folder: &Path, repeats: usize, ahead: i64) -> Result<Vec<(&'static str, Vec<f64>)>> {
    let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    let now = now.as_micros() as i64 + ahead;
    let mut found: Vec<(&'static str, Vec<f64>)> = Vec::new();
    for _ in 0..repeats {
        let clock = Arc::new(ManualClock::at(Micros(now)));
        let app = App::open(folder, Role::Reader, clock).map_err(failed)?;
        for (name, command, request) in questions(now, &about(&app)?) {
            let request = request.to_string();
            let began = Instant::now();
            call(&app, command, &request)
                .map_err(|error| Failure::new(format!("{name}: {error}")))?;
            let took = began.elapsed().as_secs_f64() * 1e3;
            match found.iter_mut().find(|(known, _)| *known == name) {
                Some((_, times)) => times.push(took),
                None => found.push((name, vec![took])),
            }
        }
    }
    Ok(found)
}

fn about(app: &App) -> Result<About> {
    let ask = |command, request: Value| -> Result<Value> {
        let answer = call(app, command, &request.to_string()).map_err(failed)?;
        Ok(serde_json::from_str(&answer).unwrap_or_default())
    };
    let rows = |command, request: Value| -> Result<Vec<Value>> {
        let mut answer = ask(command, request)?;
        let rows = answer["rows"].as_array_mut().map(std::mem::take);
        Ok(rows.unwrap_or_default())
    };
    let mut newest = rows("clusters", json!({ "limit": IN_SIGHT }))?;
    let newest: Vec<Value> = newest.iter_mut().map(|row| row["id"].take()).collect();
    let mut groups = rows("task_groups", json!({"id": newest.first(), "limit": 1}))?;
    let group = groups.first_mut().map(|group| group["group_id"].take());
    let never = i64::MAX;
    let mut reception = ask(
        "reception",
        json!({"since_micros": never, "after_id": never}),
    )?;
    Ok(About {
        newest,
        group: group.unwrap_or_default(),
        last_id: reception["last_id"].take(),
    })
}

fn failed(error: impl ToString) -> Failure {
    Failure::new(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use bobbin_core::api::COMMANDS;

    use super::{About, questions};
    use crate::files::{files_below, root};

    /// What the page asks that no question about clusters is: it changes something, or is about files, keys or this process, or
    /// reads the whole store, or what was just merged.
    const NO_QUESTIONS: &str = "approve_stage bundle_contents cancel_sql check_release close_bundle \
        close_cluster close_order connection copy_sql decide_stage decline_recovery_key \
        delete_clusters delete_view demo desktop discard_stage doctor flame_line forget_code \
        idle_kept import_bundle import_views keep_idle keys ledger lens load_demo lock_key \
        mark_clusters merge_users move_key new_key open_bundle own_words pause_sends \
        receiver_settings recovery_key remember_code remote_lines remove_budget remove_demo \
        remove_price replace_token replay report reset_window restore_key revoke_keys rotate_key \
        save_stage save_view send sends set_budget set_connection set_currency set_desktop \
        set_inbox set_interface set_port set_price set_replay set_retention set_sharing \
        sharing_rules show_token split_user sql sql_tables stage stage_bytes stage_clusters \
        stage_findings stage_items stage_text stage_whole stages this_build trust_clock \
        undo_delete unlock_key";

    fn of_nothing() -> Vec<(&'static str, &'static str, serde_json::Value)> {
        let about = About {
            newest: Vec::new(),
            group: serde_json::Value::Null,
            last_id: serde_json::Value::Null,
        };
        questions(0, &about)
    }

    /// The commands that the page asks for: `ask('NAME', …)` and `client.call('NAME', …)`.
    fn asked() -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for path in files_below(&[root().join("ui/src")]).unwrap() {
            if path.to_string_lossy().contains(".test.") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let calls = ["ask(", "call("].map(|call| text.split(call).skip(1));
            for call in calls.into_iter().flatten() {
                let quoted = call.trim_start().strip_prefix('\'');
                let name = quoted.and_then(|rest| rest.split('\'').next());
                let command = name.filter(|name| COMMANDS.contains(name));
                found.extend(command.map(str::to_owned));
            }
        }
        found
    }

    #[test]
    fn what_the_page_asks_about_clusters_is_measured() {
        let asked = asked();
        assert!(asked.len() > 100, "{asked:?}");
        let measured: BTreeSet<&str> = of_nothing().iter().map(|one| one.1).collect();
        let others: BTreeSet<&str> = NO_QUESTIONS.split_whitespace().collect();
        for name in asked.iter().map(String::as_str) {
            assert_ne!(measured.contains(name), others.contains(name), "{name}");
        }
        for name in others {
            assert!(asked.contains(name), "{name} is asked no more");
        }
    }

    #[test]
    fn every_question_is_a_command_and_has_a_name_of_its_own() {
        let questions = of_nothing();
        let names: BTreeSet<&str> = questions.iter().map(|(name, ..)| *name).collect();
        assert_eq!(names.len(), questions.len());
        for (name, command, _) in questions {
            assert!(COMMANDS.contains(&command), "{name}");
        }
        for name in super::OF_SOME_DAYS {
            assert!(names.contains(name), "{name}");
        }
    }

    #[test]
    fn the_table_has_a_row_a_question_and_says_how_much_longer_it_takes() {
        let cells = vec![2.0, 3.0];
        let longer = super::growth(&cells, 0, 1);
        let rows = [("overview_year", [cells, vec![longer]].concat())];
        assert_eq!(
            super::table(&["73 days", "365 days", "times"].map(str::to_owned), &rows),
            "| ms | 73 days | 365 days | times |\n|---|--:|--:|--:|\n\
             | overview year | 2.00 | 3.00 | 1.50 |\n"
        );
    }
}
