//! Versions in a dump: those of the scheduler, and which workers and clients have others.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::wire::{ClusterRecord, Mismatch, MismatchSide};

/// As many packages as are looked at.
const PACKAGES: usize = 200;

type Versions = BTreeMap<String, Option<String>>;

pub(super) fn put(facts: &mut ClusterRecord, told: &Value) {
    let scheduler = &told["scheduler"];
    facts.versions = versions(&scheduler["packages"]);
    facts.host_versions = versions(&scheduler["host"]);
    let host = |name: &str| facts.host_versions.get(name).cloned().flatten();
    facts.python_version =
        host("python").map(|version| version.split(".final").next().unwrap_or_default().into());
    facts.os = host("OS");
    facts.architecture = host("machine");
    let mut others: BTreeMap<(bool, String, Option<String>), u64> = BTreeMap::new();
    let mut look = |is_client: bool, one: &Value| {
        for (package, version) in versions(&one["packages"]) {
            if facts
                .versions
                .get(&package)
                .is_some_and(|known| *known != version)
            {
                *others.entry((is_client, package, version)).or_default() += 1;
            }
        }
    };
    for worker in told["workers"]
        .as_object()
        .into_iter()
        .flat_map(|workers| workers.values())
    {
        look(false, worker);
    }
    look(true, &told["client"]);
    facts.mismatches = others
        .into_iter()
        .map(|((is_client, package, version), count)| Mismatch {
            package,
            side: if is_client {
                MismatchSide::Client
            } else {
                MismatchSide::Worker
            },
            version,
            count,
        })
        .collect();
}

/// A map of names to versions; older dumps hold a list of pairs.
fn versions(value: &Value) -> Versions {
    let version = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    match value {
        Value::Object(fields) => fields
            .iter()
            .take(PACKAGES)
            .map(|(name, value)| (name.clone(), version(value)))
            .collect(),
        Value::Array(pairs) => pairs
            .iter()
            .take(PACKAGES)
            .filter_map(|pair| Some((pair.get(0)?.as_str()?.to_owned(), version(pair.get(1)?))))
            .collect(),
        _ => Versions::new(),
    }
}
