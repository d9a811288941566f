//! What a bundle really holds, by its records: what its manifest says of itself may be wrong.

use std::collections::BTreeMap;

use super::read::Opened;
use crate::Result;
use crate::share::aliases::Aliases;
use crate::share::fields::shown;
use crate::share::lens::Lens;
use crate::share::{FieldClass, Level, fields};
use crate::wire::Line;

/// What a bundle really holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Held {
    /// Fields that hold more than numbers and aliases, by `record.field`, each with the least level that tells it.
    pub fields: BTreeMap<String, Level>,
    /// The first of them of which the manifest says that nothing is told.
    pub unsaid: Option<String>,
}

impl Held {
    /// The least level that tells all of it.
    pub fn level(&self) -> Level {
        self.fields
            .values()
            .copied()
            .max()
            .unwrap_or(Level::Metrics)
    }

    /// A field that this level does not tell.
    pub fn beyond(&self, most: Level) -> Option<&str> {
        let mut fields = self.fields.iter();
        fields
            .find(|(_, level)| **level > most)
            .map(|(field, _)| field.as_str())
    }
}

/// Looks at every record of a bundle.
///
/// # Errors
/// Those of reading it.
pub(crate) fn held(bundle: &Opened) -> Result<Held> {
    let classes: BTreeMap<String, FieldClass> = fields()
        .iter()
        .map(|field| (field.to_string(), field.class))
        .collect();
    let mut held = Held::default();
    for said in &bundle.manifest.clusters {
        let aliases = Aliases::looking();
        let mut lens = Lens::looking(&aliases);
        for batch in bundle.part(&said.cluster_id).into_iter().flatten() {
            for line in batch?.lines {
                if let Line::Known(record, _) = line {
                    shown(&record, &mut lens)?;
                }
            }
        }
        for (field, count) in lens.counts() {
            // Numbers, states and random ids are told at every level.
            let class = classes.get(&field).copied().unwrap_or(FieldClass::Metric);
            if class == FieldClass::Metric || count.masked + count.withheld == 0 {
                continue;
            }
            // The fields of a part of a record are counted one by one.
            let parts = format!("{field}.");
            let mut counts = said.fields.iter();
            let is_said = counts.any(|(name, count)| {
                (*name == field || name.starts_with(&parts)) && count.told + count.masked > 0
            });
            if !is_said {
                held.unsaid.get_or_insert_with(|| field.clone());
            }
            held.fields.insert(field, class.least());
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;
    use std::path::{Path, PathBuf};

    use serde_json::{Value, json};

    use super::super::{member, open, said};
    use super::*;
    use crate::api::export;
    use crate::share::{Choice, Identities};
    use crate::testing::canaries::told;
    use crate::testing::*;

    fn bundle(bench: &Bench, level: Level, identities: Identities) -> PathBuf {
        let path = bench
            .path()
            .join(format!("{level:?}-{identities:?}.bobbin"));
        export(&bench.app, &path, &[1], Choice { level, identities }).unwrap();
        path
    }

    fn of(path: &Path) -> Held {
        held(&open(path).unwrap()).unwrap()
    }

    const LEVELS: [Level; 4] = [
        Level::Metrics,
        Level::Names,
        Level::Errors,
        Level::Everything,
    ];

    #[test]
    fn what_a_bundle_holds_is_what_its_level_tells() {
        let bench = told();
        for level in LEVELS {
            for identities in [Identities::Aliases, Identities::Real] {
                let held = of(&bundle(&bench, level, identities));
                assert_eq!(held.level(), level, "{held:?}");
                assert_eq!(held.unsaid, None);
                let lower = LEVELS.iter().rev().find(|lower| **lower < level);
                assert!(lower.is_none_or(|lower| held.beyond(*lower).is_some()));
            }
        }
        // It has nothing that a higher level tells.
        let plain = Bench::new();
        plain.send(batch(1, &[facts(0), sample(1, 1.0), group(2, "g1", 1.0)]));
        let held = of(&bundle(&plain, Level::Everything, Identities::Aliases));
        assert_eq!(held.level(), Level::Names, "{held:?}");
    }

    #[test]
    fn a_manifest_that_says_less_than_there_is_is_found_out() {
        let bench = told();
        let path = bundle(&bench, Level::Everything, Identities::Aliases);
        let mut lying = serde_json::to_value(open(&path).unwrap().manifest).unwrap();
        lying["choice"]["level"] = json!("names");
        for (field, count) in lying["clusters"][0]["fields"].as_object_mut().unwrap() {
            if field.starts_with("exception.") {
                *count = json!({"told": 0, "masked": 0, "withheld": 1});
            }
        }
        let rewritten = bench.path().join("lying.bobbin");
        write(&rewritten, &lying, &path);
        let held = of(&rewritten);
        assert_eq!(held.level(), Level::Everything);
        assert!(held.unsaid.unwrap().starts_with("exception."));
    }

    /// A bundle with another manifest, and the batches of `of`.
    fn write(path: &Path, manifest: &Value, of: &Path) {
        let mut plain = String::new();
        flate2::read::MultiGzDecoder::new(std::fs::File::open(of).unwrap())
            .read_to_string(&mut plain)
            .unwrap();
        let opened = open(of).unwrap();
        let mut bytes = member(&format!("{manifest}\n")).unwrap();
        let mut rest = &plain[plain.find('\n').unwrap() + 1..];
        for batch in &opened.manifest.batches {
            let (text, behind) = rest.split_at(batch.bytes as usize);
            assert_eq!(said(text).sha256, batch.sha256);
            bytes.extend(member(text).unwrap());
            rest = behind;
        }
        std::fs::write(path, bytes).unwrap();
    }
}
