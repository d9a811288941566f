//! What the two runs ran on: usually the answer.

use std::collections::{BTreeMap, BTreeSet};

use super::Side;
use crate::insight::words::bytes;
use crate::query::types::{EnvironmentArea as Area, EnvironmentRow};

/// Packages that explain most differences, before all others.
const FIRST: &[&str] = &[
    "dask",
    "distributed",
    "numpy",
    "pandas",
    "pyarrow",
    "python",
];

/// Every fact of either run; those that differ first, and the packages that matter before others.
pub(super) fn differences(a: &Side, b: &Side) -> Vec<EnvironmentRow> {
    let (of_a, of_b) = (facts(a), facts(b));
    let names: BTreeSet<&(Area, String)> = of_a.keys().chain(of_b.keys()).collect();
    let mut rows: Vec<EnvironmentRow> = names
        .into_iter()
        .map(|key| {
            let (a, b) = (
                of_a.get(key).cloned().flatten(),
                of_b.get(key).cloned().flatten(),
            );
            EnvironmentRow {
                area: key.0,
                name: key.1.clone(),
                differs: a != b,
                a,
                b,
            }
        })
        .filter(|row| row.a.is_some() || row.b.is_some())
        .collect();
    let rank = |row: &EnvironmentRow| {
        FIRST
            .iter()
            .position(|name| *name == row.name)
            .unwrap_or(FIRST.len())
    };
    rows.sort_by_key(|row| (!row.differs, row.area, rank(row)));
    rows
}

type Facts = BTreeMap<(Area, String), Option<String>>;

fn facts(side: &Side) -> Facts {
    let facts = &side.facts;
    let mut all = Facts::new();
    let mut put = |area, name: &str, value: Option<String>| {
        all.insert((area, name.to_owned()), value);
    };
    for (package, version) in &facts.versions {
        put(
            Area::Package,
            package,
            Some(version.clone().unwrap_or_else(|| "not installed".into())),
        );
    }
    put(Area::Python, "python", facts.python_version.clone());
    put(Area::Python, "interpreter", facts.python_path.clone());
    put(Area::System, "operating system", facts.os.clone());
    put(Area::System, "architecture", facts.architecture.clone());
    put(Area::System, "host", side.row.host.clone());
    for (name, value) in &facts.host_versions {
        // The same as above, in Dask's words.
        if !matches!(
            name.as_str(),
            "python" | "OS" | "OS-release" | "machine" | "processor"
        ) {
            put(Area::System, name, value.clone());
        }
    }
    put(
        Area::Workers,
        "workers at most",
        Some(side.row.workers_peak.to_string()),
    );
    put(
        Area::Workers,
        "threads per worker",
        each(side.work.workers.iter().filter_map(|step| step.threads)),
    );
    put(
        Area::Workers,
        "memory limit",
        side.row.memory_limit_bytes.map(bytes),
    );
    put(
        Area::Workers,
        "kind of cluster",
        facts.cluster_class.clone(),
    );
    put(Area::Configuration, "user", side.row.user.clone());
    put(Area::Configuration, "project", side.row.project.clone());
    for (name, value) in &side.row.tags {
        put(
            Area::Configuration,
            &format!("tag {name}"),
            Some(value.clone()),
        );
    }
    put(
        Area::Configuration,
        "plugin",
        Some(facts.plugin_version.clone()),
    );
    let off = facts
        .off_since
        .keys()
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    put(
        Area::Configuration,
        "off at source",
        (!off.is_empty()).then_some(off),
    );
    all
}

/// `4`, or `2, 4` where they are of several kinds.
fn each(values: impl Iterator<Item = u64>) -> Option<String> {
    let kinds: BTreeSet<u64> = values.collect();
    let words: Vec<String> = kinds.iter().map(u64::to_string).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
