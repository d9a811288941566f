//! The shape of a computation's graph, and names that hold from one version of Dask to the next.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};

use crate::query::ShapeGroup;

/// A prefix as every version of Dask would write it: in small letters, words joined by `-`, without the hexadecimal
/// tokens and numbers that some versions leave in.
pub(crate) fn canonical_prefix(prefix: &str) -> String {
    let lower = prefix.to_lowercase();
    let words: Vec<&str> = lower
        .split(['-', '_', ' '])
        .filter(|word| !word.is_empty() && !is_token(word))
        .collect();
    // A name of nothing but tokens is all that there is to go by.
    if words.is_empty() {
        lower
    } else {
        words.join("-")
    }
}

/// `5f3a9c01`, `12`: made for one run. `deadbeef` is a word and is taken for a token all the same.
fn is_token(word: &str) -> bool {
    let hexadecimal = word.len() >= 8 && word.chars().all(|letter| letter.is_ascii_hexdigit());
    hexadecimal || word.chars().all(|letter| letter.is_ascii_digit())
}

/// Which prefixes a graph has and which of them depend on which, without keys and counts: how many partitions and layers
/// of a reduction there are depends on the data. Dependencies on groups of other computations are left out, since those
/// may have been forgotten before they were seen.
pub(crate) fn shape(groups: &[ShapeGroup]) -> [u8; 16] {
    let names: BTreeMap<&str, String> = groups
        .iter()
        .map(|group| (group.group_id.as_str(), canonical_prefix(&group.prefix)))
        .collect();
    let mut parts: BTreeSet<(&str, &str)> =
        names.values().map(|name| (name.as_str(), "")).collect();
    for group in groups {
        let to = &names[group.group_id.as_str()];
        for from in group
            .dependencies
            .iter()
            .filter_map(|id| names.get(id.as_str()))
        {
            if from != to {
                parts.insert((from, to));
            }
        }
    }
    let mut hash = Sha256::new();
    for (from, to) in parts {
        for part in [from, to] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    let whole = hash.finalize();
    let mut short = [0; 16];
    short.copy_from_slice(&whole[..16]);
    short
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use proptest::sample::subsequence;

    use super::*;

    fn group(id: &str, prefix: &str, needs: &[&str]) -> ShapeGroup {
        ShapeGroup {
            group_id: id.into(),
            prefix: prefix.into(),
            dependencies: needs.iter().map(|&need| need.into()).collect(),
        }
    }

    fn graph() -> Vec<ShapeGroup> {
        vec![
            group("a", "read-parquet", &["elsewhere"]),
            group("b", "sum-chunk", &["a"]),
            group("c", "sum-tree", &["b", "c"]),
        ]
    }

    #[test]
    fn versions_of_dask_write_prefixes_differently() {
        for (one, two) in [
            ("read_parquet", "read-parquet"),
            ("read-parquet", "Read_Parquet"),
            ("sum-5f3a9c0112345678", "sum"),
            ("shuffle-p2p-3", "shuffle-p2p"),
        ] {
            assert_eq!(canonical_prefix(one), canonical_prefix(two));
        }
        assert_eq!(canonical_prefix("deadbeef12"), "deadbeef12");
        assert_ne!(canonical_prefix("sum-chunk"), canonical_prefix("sum-tree"));
    }

    #[test]
    fn another_edge_or_prefix_is_another_shape() {
        let here = shape(&graph());
        let mut other = graph();
        other[2].dependencies.push("a".into());
        assert_ne!(shape(&other), here);
        other = graph();
        other[1].prefix = "mean-chunk".into();
        assert_ne!(shape(&other), here);
        assert_ne!(shape(&graph()[..2]), here);
    }

    #[test]
    fn more_layers_of_a_reduction_are_the_same_shape() {
        let mut deeper = graph();
        deeper.push(group("d", "sum-tree", &["c"]));
        deeper.push(group("e", "sum_chunk", &["a"]));
        assert_eq!(shape(&deeper), shape(&graph()));
    }

    proptest! {
        #[test]
        fn neither_the_order_of_groups_nor_their_ids_count(order in subsequence((0..3).collect::<Vec<_>>(), 3), salt in "[a-z]{4}") {
            let here = shape(&graph());
            let mut groups = graph();
            groups.rotate_left(order[0]);
            for group in &mut groups {
                group.group_id += &salt;
                for need in &mut group.dependencies {
                    *need += &salt;
                }
            }
            prop_assert_eq!(shape(&groups), here);
        }
    }
}
