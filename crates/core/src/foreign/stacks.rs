//! A profile that grows stack by stack, and becomes one record of the wire.

use std::collections::HashMap;

use super::records::at_most;
use super::{Outcome, is};
use crate::model::Micros;
use crate::wire::{
    PROFILE_STACKS, ProfileFrames, ProfileLeaves, ProfileLines, ProfileRecord, ProfileStacks,
};

/// Different stacks that are counted before the thinnest are folded.
const MOST: usize = 1_000_000;
/// Frames of one stack; what is deeper is not told.
const DEPTH: u32 = 1_000;
/// The largest number that JSON carries exactly.
const LARGEST: f64 = ((1_u64 << 53) - 1) as f64;
/// As long as a text of a profile may be on the wire.
const TEXT_BYTES: usize = 4 << 10;

/// A stack: a function on top of another stack.
struct Node {
    parent: Option<u32>,
    frame: u32,
    depth: u32,
    /// What ended here.
    own: f64,
}

/// Stacks, counted.
#[derive(Default)]
pub(super) struct Stacks {
    texts: Vec<String>,
    places: HashMap<String, u32>,
    frames: Vec<(u32, u32, Option<u32>, Option<u32>)>,
    frame_places: HashMap<(u32, u32, Option<u32>), u32>,
    nodes: Vec<Node>,
    node_places: HashMap<(Option<u32>, u32), u32>,
    untold: f64,
}

/// Where a stack ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Place {
    Bottom,
    At(u32),
    /// Beyond what is told.
    TooDeep,
}

impl Stacks {
    fn text(&mut self, text: &str) -> u32 {
        let mut text = text;
        if text.len() > TEXT_BYTES {
            text = &text[..text.floor_char_boundary(TEXT_BYTES)];
        }
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.texts.len() as u32;
        self.texts.push(text.into());
        self.places.insert(text.into(), place);
        place
    }

    /// A function. `text`: the line that was running when it was first seen.
    pub(super) fn frame(
        &mut self,
        name: &str,
        file: &str,
        line: Option<u32>,
        text: Option<&str>,
    ) -> Outcome<u32> {
        let (name, file) = (self.text(name), self.text(file));
        if let Some(&place) = self.frame_places.get(&(name, file, line)) {
            return Ok(place);
        }
        at_most(self.frames.len(), MOST, "functions")?;
        let text = text.map(|text| self.text(text));
        let place = self.frames.len() as u32;
        self.frames.push((name, file, line, text));
        self.frame_places.insert((name, file, line), place);
        Ok(place)
    }

    /// The stack with one function more on top.
    pub(super) fn on(&mut self, place: Place, frame: u32) -> Outcome<Place> {
        let (parent, depth) = match place {
            Place::Bottom => (None, 0),
            Place::At(parent) => (Some(parent), self.nodes[parent as usize].depth),
            Place::TooDeep => return Ok(Place::TooDeep),
        };
        if depth == DEPTH {
            return Ok(Place::TooDeep);
        }
        if let Some(&found) = self.node_places.get(&(parent, frame)) {
            return Ok(Place::At(found));
        }
        at_most(self.nodes.len(), MOST, "stacks")?;
        let place = self.nodes.len() as u32;
        self.nodes.push(Node {
            parent,
            frame,
            depth: depth + 1,
            own: 0.0,
        });
        self.node_places.insert((parent, frame), place);
        Ok(Place::At(place))
    }

    /// So much ended in this stack.
    pub(super) fn add(&mut self, place: Place, weight: f64) -> Outcome<()> {
        if !(0.0..=LARGEST).contains(&weight) {
            return is("a weight in it is negative or too large");
        }
        match place {
            Place::At(place) => self.nodes[place as usize].own += weight,
            Place::Bottom | Place::TooDeep => self.untold += weight,
        }
        Ok(())
    }

    /// As a record: `sample_micros` is what a weight of one stands for. The thinnest stacks are folded away where there are
    /// more than a record may hold.
    pub(super) fn record(
        self,
        from: Micros,
        to: Micros,
        sample_micros: i64,
    ) -> Outcome<ProfileRecord> {
        let kept = self.kept();
        let mut strings = Vec::new();
        let mut string_places: HashMap<u32, u32> = HashMap::new();
        let mut frame_places: HashMap<u32, u32> = HashMap::new();
        let mut frames = ProfileFrames::default();
        let mut stacks = ProfileStacks::default();
        let mut leaves = ProfileLeaves::default();
        let mut place_of: HashMap<u32, i32> = HashMap::new();
        let mut told = 0;
        let mut string = |text: u32| {
            *string_places.entry(text).or_insert_with(|| {
                strings.push(self.texts[text as usize].clone());
                strings.len() as u32 - 1
            })
        };
        for &index in &kept {
            let node = &self.nodes[index as usize];
            let frame = *frame_places.entry(node.frame).or_insert_with(|| {
                let (name, file, line, text) = self.frames[node.frame as usize];
                frames.name.push(string(name));
                frames.file.push(string(file));
                frames.line.push(line);
                frames.text.push(text.map(&mut string));
                frames.name.len() as u32 - 1
            });
            let place = stacks.parent.len();
            place_of.insert(index, place as i32);
            stacks.parent.push(
                node.parent
                    .and_then(|parent| place_of.get(&parent).copied())
                    .unwrap_or(-1),
            );
            stacks.frame.push(frame);
            let own = node.own.round() as u64;
            if own > 0 {
                leaves.stack.push(place as u32);
                leaves.count.push(own);
                told += own;
            }
        }
        let all = self.nodes.iter().map(|node| node.own).sum::<f64>() + self.untold;
        if all > LARGEST {
            return is("its weights add up to too much");
        }
        let samples = (all.round() as u64).max(told);
        if samples == 0 {
            return is("it holds no samples");
        }
        Ok(ProfileRecord {
            at_micros: to,
            from_micros: from,
            to_micros: to,
            prefix: None,
            samples,
            sample_micros,
            unattributed: samples - told,
            strings,
            frames,
            stacks,
            leaves,
            // Neither format counts lines.
            lines: ProfileLines::default(),
        })
    }

    /// The thickest stacks, those below them first.
    fn kept(&self) -> Vec<u32> {
        let mut totals: Vec<f64> = self.nodes.iter().map(|node| node.own).collect();
        for index in (0..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[index].parent {
                totals[parent as usize] += totals[index];
            }
        }
        let mut order: Vec<u32> = (0..self.nodes.len() as u32).collect();
        if order.len() > PROFILE_STACKS {
            // A stack is at least as thick as what stands on it, and came before it.
            order.sort_by(|&a, &b| {
                totals[b as usize]
                    .total_cmp(&totals[a as usize])
                    .then(a.cmp(&b))
            });
            order.truncate(PROFILE_STACKS);
            order.sort_unstable();
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(stacks: &mut Stacks, names: &[&str], weight: f64) {
        let mut place = Place::Bottom;
        for name in names {
            let frame = stacks.frame(name, "f.py", None, None).unwrap();
            place = stacks.on(place, frame).unwrap();
        }
        stacks.add(place, weight).unwrap();
    }

    #[test]
    fn stacks_share_what_is_below_them() {
        let mut stacks = Stacks::default();
        stack(&mut stacks, &["a", "b"], 2.0);
        stack(&mut stacks, &["a", "c"], 3.0);
        stack(&mut stacks, &["a"], 1.0);
        let record = stacks.record(Micros(1), Micros(2), 10).unwrap();
        assert_eq!(record.stacks.parent, [-1, 0, 0]);
        assert_eq!(
            (record.leaves.stack, record.leaves.count),
            (vec![0, 1, 2], vec![1, 2, 3])
        );
        assert_eq!((record.samples, record.unattributed), (6, 0));
    }

    #[test]
    fn the_thinnest_of_very_many_are_folded_away_and_counted() {
        let mut stacks = Stacks::default();
        for number in 0..PROFILE_STACKS + 500 {
            let name = format!("f{number}");
            stack(
                &mut stacks,
                &["main", &name],
                if number < 100 { 1.0 } else { 2.0 },
            );
        }
        let record = stacks.record(Micros(1), Micros(2), 1).unwrap();
        assert_eq!(record.stacks.parent.len(), PROFILE_STACKS);
        // 100 thin ones and 401 others have no room beside `main`.
        assert_eq!(record.unattributed, 100 + 2 * 401);
    }

    #[test]
    fn what_is_too_deep_is_counted_and_not_told() {
        let mut stacks = Stacks::default();
        stack(&mut stacks, &vec!["f"; 1_500], 4.0);
        stack(&mut stacks, &["f"], 1.0);
        let record = stacks.record(Micros(1), Micros(2), 1).unwrap();
        assert_eq!((record.samples, record.unattributed), (5, 4));
        assert!(Stacks::default().record(Micros(1), Micros(2), 1).is_err());
    }
}
