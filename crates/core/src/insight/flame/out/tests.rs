//! What is written, read again by hand.

use std::collections::BTreeMap;

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::query::Growing;

fn tree(stacks: &[(Vec<u8>, u64)]) -> Tree {
    let mut growing = Growing::default();
    for (stack, count) in stacks {
        let mut node = Growing::ROOT;
        for letter in stack {
            let frame = growing.frame(&StackFrame {
                name: format!("f{letter};\n"),
                file: "/m.py".into(),
                line: Some(u32::from(*letter)),
            });
            node = growing.node(node, frame);
        }
        growing.add(node, *count);
    }
    growing.finish()
}

/// Samples of each stack, by the numbers of its functions.
fn summed(stacks: &[(Vec<u8>, u64)]) -> BTreeMap<Vec<u8>, u64> {
    let mut sums = BTreeMap::new();
    for (stack, count) in stacks.iter().filter(|(_, count)| *count > 0) {
        *sums.entry(stack.clone()).or_default() += count;
    }
    sums
}

fn written(tree: &Tree, format: ProfileFormat) -> Vec<u8> {
    written_at(tree, format, 0.5)
}

fn written_at(tree: &Tree, format: ProfileFormat, seconds_per_sample: f64) -> Vec<u8> {
    let scale = Scale {
        samples: tree.total[0],
        seconds_per_sample,
    };
    let told = Told {
        title: "one <cluster>".into(),
        from_micros: Some(Micros(1_000_000)),
        to_micros: Some(Micros(3_000_000)),
    };
    encoded(tree, scale, &told, format).unwrap()
}

fn number(label: &str) -> u8 {
    let digits: String = label[1..]
        .chars()
        .take_while(char::is_ascii_digit)
        .collect();
    digits.parse().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn every_stack_is_told_once_with_all_of_its_samples(stacks in vec((vec(0u8..5, 0..6), 0u64..9), 0..20)) {
        let tree = tree(&stacks);
        let wanted = summed(&stacks);

        let text = String::from_utf8(written(&tree, ProfileFormat::Folded)).unwrap();
        let folded: BTreeMap<Vec<u8>, u64> = text
            .lines()
            .map(|line| {
                let (stack, count) = line.rsplit_once(' ').unwrap();
                let way = match stack {
                    UNTOLD => Vec::new(),
                    stack => stack.split(';').map(number).collect(),
                };
                (way, count.parse().unwrap())
            })
            .collect();
        prop_assert_eq!(&folded, &wanted);
        prop_assert_eq!(folded.values().sum::<u64>(), tree.total[0]);

        let speedscope: serde_json::Value =
            serde_json::from_slice(&written(&tree, ProfileFormat::Speedscope)).unwrap();
        let profile = &speedscope["profiles"][0];
        let frames = &speedscope["shared"]["frames"];
        let samples = profile["samples"].as_array().unwrap();
        let weights = profile["weights"].as_array().unwrap();
        let read: BTreeMap<Vec<u8>, u64> = samples
            .iter()
            .zip(weights)
            .map(|(stack, weight)| {
                let names = stack.as_array().unwrap().iter().map(|place| {
                    frames[place.as_u64().unwrap() as usize]["name"].as_str().unwrap()
                });
                let way = names.filter(|name| *name != UNTOLD).map(number).collect();
                (way, (weight.as_f64().unwrap() / 0.5) as u64)
            })
            .collect();
        prop_assert_eq!(&read, &wanted);
        prop_assert_eq!(profile["endValue"].as_f64().unwrap(), tree.total[0] as f64 * 0.5);
    }
}

#[test]
fn a_name_parts_no_stack() {
    let text =
        String::from_utf8(written(&tree(&[(vec![1, 2], 3)]), ProfileFormat::Folded)).unwrap();
    assert_eq!(text, "f1,‹U+000A› (/m.py:1);f2,‹U+000A› (/m.py:2) 3\n");
}

#[test]
fn without_times_there_are_counts() {
    let bytes = written_at(&tree(&[(vec![1, 2], 3)]), ProfileFormat::Speedscope, 0.0);
    let told: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let profile = &told["profiles"][0];
    assert_eq!(profile["unit"], "none");
    assert_eq!(profile["weights"], serde_json::json!([3.0]));
}

#[test]
fn an_empty_profile_is_a_file_too() {
    for format in [
        ProfileFormat::Folded,
        ProfileFormat::Speedscope,
        ProfileFormat::Pprof,
    ] {
        let bytes = written(&tree(&[]), format);
        assert_eq!(bytes.is_empty(), format == ProfileFormat::Folded);
    }
}
