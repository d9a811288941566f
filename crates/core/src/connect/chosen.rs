//! What Dask's configuration chooses for the plugin: the keys below `bobbin` and `coiled.analytics`, of files and of the environment, as
//! Dask merges them. The file that `connect` writes is not asked: it chooses nothing.

use std::{collections::BTreeMap, fs};

use yaml_rust2::{Yaml, YamlLoader};

use super::dask::{Places, at};
use super::file;

const OURS: [&[&str]; 2] = [&["bobbin"], &["coiled", "analytics"]];
/// Dask's: `DASK_BOBBIN__CODE__TRANSMIT`.
const PREFIX: &str = "DASK_";
const BETWEEN: &str = "__";
/// Deeper than any key.
const DEEPEST: usize = 8;

/// The keys that are set, by name, such as `bobbin.code.transmit`. Switches and numbers have their value; what may name somebody or
/// something, and lists, are none.
///
/// `environment` is that of clusters that start here. Files that cannot be read are passed over, as Dask passes over them.
pub fn chosen(
    places: &Places,
    environment: impl Iterator<Item = (String, String)>,
) -> BTreeMap<String, Option<String>> {
    let own = places.folder.join(file::NAME);
    let mut keys = BTreeMap::new();
    for path in places.files(&own).iter().filter(|path| **path != own) {
        let text = fs::read_to_string(path).unwrap_or_default();
        let documents = YamlLoader::load_from_str(&text).unwrap_or_default();
        for (whole, ours) in documents
            .first()
            .into_iter()
            .flat_map(|whole| OURS.map(|ours| (whole, ours)))
        {
            if let Some(found) = at(whole, ours) {
                leaves(found, &ours.join("."), DEEPEST, &mut keys);
            }
        }
    }
    for (name, text) in environment {
        let key = name.strip_prefix(PREFIX).unwrap_or_default();
        let key = canonical(&key.to_lowercase().replace(BETWEEN, "."));
        if OURS
            .iter()
            .any(|ours| key.starts_with(&(ours.join(".") + ".")))
        {
            let value = YamlLoader::load_from_str(&text.to_lowercase()).unwrap_or_default();
            keys.insert(key, value.first().and_then(plain));
        }
    }
    keys
}

fn leaves(yaml: &Yaml, name: &str, deep: usize, keys: &mut BTreeMap<String, Option<String>>) {
    match yaml {
        Yaml::Hash(fields) if deep > 0 => {
            for (field, value) in fields {
                if let Some(field) = field.as_str() {
                    leaves(
                        value,
                        &canonical(&format!("{name}.{field}")),
                        deep - 1,
                        keys,
                    );
                }
            }
        }
        value => {
            keys.insert(name.to_owned(), plain(value));
        }
    }
}

/// To Dask both are one name.
fn canonical(name: &str) -> String {
    name.replace('_', "-")
}

/// A value that says nothing of anybody.
fn plain(yaml: &Yaml) -> Option<String> {
    match yaml {
        Yaml::Boolean(value) => Some(value.to_string()),
        Yaml::Integer(value) => Some(value.to_string()),
        Yaml::Real(value) => Some(value.clone()),
        Yaml::Null => Some("null".into()),
        Yaml::Array(list) if list.is_empty() => Some("[]".into()),
        // By the older rules of YAML, which Dask's reader keeps to.
        Yaml::String(text) if ["yes", "on"].contains(&text.to_lowercase().as_str()) => {
            Some("true".into())
        }
        Yaml::String(text) if ["no", "off"].contains(&text.to_lowercase().as_str()) => {
            Some("false".into())
        }
        Yaml::String(text) if is_duration(text) => Some(text.clone()),
        _ => None,
    }
}

/// `10s`, `20 minutes`, `64MiB`.
fn is_duration(text: &str) -> bool {
    let digits = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let unit = digits.trim_start();
    digits.len() < text.len() && unit.len() <= 7 && unit.chars().all(|c| c.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_file_and_then_the_environment_win_and_names_are_not_told() {
        let dir = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).unwrap();
        write(
            "a.yaml",
            "bobbin: {code: {transmit: true}, project: merger, interval: 5s}\ncoiled: {token: abc, analytics: {profile: {transmit: no}}}",
        );
        write(
            "b.yaml",
            "bobbin: {code: {transmit: false}, events: {allow: [secret-topic]}, remote_close: true}",
        );
        write("broken.yaml", "bobbin: {interval: [");
        write(file::NAME, "bobbin: {data-dir: /home/ada}");
        let places = Places::find(Some(dir.path())).unwrap();
        let environment = [
            ("DASK_BOBBIN__REMOTE_CLOSE", "False"),
            ("DASK_BOBBIN__TOKEN", "abc"),
            ("DASK_COILED__TOKEN", "abc"),
            ("PATH", "/bin"),
        ];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let keys = chosen(&places, environment.into_iter());
        let told: Vec<(&str, Option<&str>)> = keys
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_deref()))
            .collect();
        assert_eq!(
            told,
            [
                ("bobbin.code.transmit", Some("false")),
                ("bobbin.events.allow", None),
                ("bobbin.interval", Some("5s")),
                ("bobbin.project", None),
                ("bobbin.remote-close", Some("false")),
                ("bobbin.token", None),
                ("coiled.analytics.profile.transmit", Some("false")),
            ]
        );
    }
}
