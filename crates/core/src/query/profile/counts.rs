//! Samples by line of code, summed over profiles.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;

use super::{Functions, Mixed};
use crate::store::{Frame, Stacks};

/// Samples that ended somewhere, and those with what it called.
pub(crate) type Counts = (u64, u64);

/// By the number of the function and by line.
#[derive(Default)]
pub(crate) struct LineCounts(HashMap<(u32, u32), Counts, BuildHasherDefault<Mixed>>);

/// By function and line, as far as lines were counted. The other lines of a function have no number.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CountedLines(HashMap<Frame, BTreeMap<Option<u32>, Counts>>);

impl LineCounts {
    pub(crate) fn add(&mut self, stacks: &Stacks) {
        for line in &stacks.lines {
            let place = (stacks.frames[line.frame as usize], line.line.unwrap_or(0));
            add(self.0.entry(place).or_default(), (line.ended, line.samples));
        }
    }

    /// The same by the functions themselves.
    pub(crate) fn named(self, functions: &Functions) -> CountedLines {
        let lines = self.0.into_iter();
        lines
            .filter_map(|((number, line), counts)| {
                let frame = functions.get(&number)?.clone();
                Some((frame, (line > 0).then_some(line), counts))
            })
            .collect()
    }
}

impl FromIterator<(Frame, Option<u32>, Counts)> for CountedLines {
    fn from_iter<T: IntoIterator<Item = (Frame, Option<u32>, Counts)>>(found: T) -> Self {
        let mut lines = Self::default();
        for (frame, line, counts) in found {
            let of_function = lines.0.entry(frame).or_default();
            add(of_function.entry(line).or_default(), counts);
        }
        lines
    }
}

impl CountedLines {
    /// Adds those of other profiles.
    pub(crate) fn add(&mut self, more: Self) {
        for (frame, lines) in more.0 {
            let of_function = self.0.entry(frame).or_default();
            for (line, counts) in lines {
                add(of_function.entry(line).or_default(), counts);
            }
        }
    }

    /// The samples of a function by its lines. Those that are of none of them come last, without a number: of a function
    /// whose lines were not counted, all.
    pub(crate) fn split(&self, function: &Frame, all: Counts) -> Vec<(Option<u32>, Counts)> {
        let (mut ended, mut samples) = all;
        let mut parts = Vec::new();
        for (&line, &counts) in self.0.get(function).into_iter().flatten() {
            if line.is_some() {
                ended = ended.saturating_sub(counts.0);
                samples = samples.saturating_sub(counts.1);
                parts.push((line, counts));
            }
        }
        if ended > 0 || samples > 0 {
            parts.push((None, (ended, samples)));
        }
        parts
    }

    /// About how much memory they take.
    pub(crate) fn bytes(&self) -> usize {
        let functions = self.0.iter();
        functions
            .map(|(frame, lines)| frame.name.len() + frame.file.len() + 120 + lines.len() * 40)
            .sum()
    }
}

fn add(sum: &mut Counts, more: Counts) {
    sum.0 = sum.0.saturating_add(more.0);
    sum.1 = sum.1.saturating_add(more.1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::LineCount;

    fn function(name: &str) -> Frame {
        Frame {
            name: name.into(),
            ..Frame::default()
        }
    }

    #[test]
    fn lines_of_profiles_are_summed_and_the_rest_of_a_function_is_its_other_lines() {
        let line = |frame, line, ended, samples| LineCount {
            frame,
            line,
            ended,
            samples,
        };
        let profile = |frames: Vec<u32>, lines| Stacks {
            frames,
            lines,
            ..Stacks::default()
        };
        let mut counts = LineCounts::default();
        counts.add(&profile(
            vec![3, 5],
            vec![
                line(0, Some(7), 1, 10),
                line(1, Some(7), 4, 4),
                line(0, None, 2, 2),
            ],
        ));
        counts.add(&profile(vec![3], vec![line(0, Some(7), 0, 5)]));
        let names = [(3, function("f")), (5, function("g"))];
        let lines = counts.named(&names.into_iter().collect());
        assert_eq!(
            lines.split(&function("f"), (8, 25)),
            [(Some(7), (1, 15)), (None, (7, 10))]
        );
        assert_eq!(lines.split(&function("g"), (4, 4)), [(Some(7), (4, 4))]);
        // No line of this one was counted.
        assert_eq!(lines.split(&function("h"), (2, 3)), [(None, (2, 3))]);
    }
    #[test]
    fn lines_of_more_profiles_are_added_to_those_of_some() {
        let of = |lines: &[(&str, Option<u32>, Counts)]| -> CountedLines {
            let lines = lines.iter();
            lines
                .map(|&(name, line, counts)| (function(name), line, counts))
                .collect()
        };
        let mut some = of(&[("f", Some(7), (1, 2)), ("f", None, (0, 4))]);
        some.add(of(&[
            ("f", Some(7), (2, 3)),
            ("f", Some(9), (1, 1)),
            ("g", Some(1), (5, 5)),
        ]));
        let all = of(&[
            ("f", Some(7), (3, 5)),
            ("f", None, (0, 4)),
            ("f", Some(9), (1, 1)),
            ("g", Some(1), (5, 5)),
        ]);
        assert_eq!(some, all);
    }
}
