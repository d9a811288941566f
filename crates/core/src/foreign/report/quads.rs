//! The profile of a report: rectangles on top of each other, whose widths are shares of all samples.

use super::bokeh::Table;
use crate::foreign::records::at_most;
use crate::foreign::stacks::{Place, Stacks};
use crate::foreign::{Outcome, is};
use crate::model::Micros;
use crate::wire::ProfileRecord;

const QUADS: usize = 1_000_000;
/// Dask writes times as if its workers looked so often, which is its default.
const DASK_MICROS: f64 = 10_000.0;
/// How far a width may be from a whole number of samples, of all samples.
const NEAR: f64 = 1e-6;
/// Samples that are tried where the root's time is rounded.
const TRIED: u64 = 100_000;

/// The rectangles of a profile, the root first, in the order in which Dask walks the tree.
pub(super) struct Quads {
    left: Vec<f64>,
    right: Vec<f64>,
    bottom: Vec<f64>,
    name: Vec<String>,
    filename: Vec<String>,
    line: Vec<String>,
    /// Of the root, in microseconds, as it was rounded.
    micros: Option<f64>,
}

impl Quads {
    pub(super) fn read(table: &Table<'_>) -> Outcome<Self> {
        let quads = Self {
            left: table.column("left")?.numbers()?,
            right: table.column("right")?.numbers()?,
            bottom: table.column("bottom")?.numbers()?,
            name: table.column("name")?.texts()?,
            filename: table.column("filename")?.texts()?,
            line: if table.has(&["line"]) {
                table.column("line")?.texts()?
            } else {
                Vec::new()
            },
            micros: if table.has(&["time"]) {
                table
                    .column("time")?
                    .texts()?
                    .first()
                    .and_then(|text| micros(text))
            } else {
                None
            },
        };
        let rows = quads.left.len();
        at_most(rows, QUADS, "functions in its profile")?;
        if [
            quads.right.len(),
            quads.bottom.len(),
            quads.name.len(),
            quads.filename.len(),
        ]
        .iter()
        .any(|&length| length != rows)
        {
            return is("the columns of its profile are of different lengths");
        }
        Ok(quads)
    }

    /// The root alone is no profile.
    pub(super) fn is_empty(&self) -> bool {
        self.left.len() < 2
    }

    fn width(&self, row: usize) -> f64 {
        self.right[row] - self.left[row]
    }

    pub(super) fn record(&self, from: Micros, to: Micros) -> Outcome<ProfileRecord> {
        let samples = self.samples();
        let sample_micros = match self.micros {
            Some(micros) => (micros / samples as f64).round().max(1.0) as i64,
            None => DASK_MICROS as i64,
        };
        let mut stacks = Stacks::default();
        // One path from the root: for each level its place, and what of its width is not covered yet.
        let mut path: Vec<(Place, f64)> = Vec::new();
        for row in 0..self.left.len() {
            let level = self.bottom[row];
            if level < 0.0
                || level.fract() != 0.0
                || level > path.len() as f64
                || (level == 0.0) != (row == 0)
            {
                return is("its profile is not a tree: a function in it has no caller");
            }
            self.finish(&mut stacks, &mut path, level as usize, samples)?;
            let width = self.width(row);
            let place = match path.last_mut() {
                // What the root stands for is all of it.
                None => Place::Bottom,
                Some((below, own)) => {
                    *own -= width;
                    if !(0.0..=1.0 + NEAR).contains(&width) || *own < -NEAR {
                        return is(
                            "its profile is not a tree: a function in it is wider than its caller",
                        );
                    }
                    let text = self
                        .line
                        .get(row)
                        .map(|line| line.trim())
                        .filter(|line| !line.is_empty());
                    // Its number is of the line that ran, and not of the first of the function.
                    let frame = stacks.frame(&self.name[row], &self.filename[row], None, text)?;
                    let below = *below;
                    stacks.on(below, frame)?
                }
            };
            path.push((place, width));
        }
        self.finish(&mut stacks, &mut path, 0, samples)?;
        stacks.record(from, to, sample_micros)
    }

    /// Counts what is left of the functions that nothing stands on any more.
    fn finish(
        &self,
        stacks: &mut Stacks,
        path: &mut Vec<(Place, f64)>,
        level: usize,
        samples: u64,
    ) -> Outcome<()> {
        while path.len() > level {
            if let Some((place, own)) = path.pop() {
                stacks.add(place, (own * samples as f64).round().max(0.0))?;
            }
        }
        Ok(())
    }

    /// How many samples there were: as many as the root's time says, if all widths are whole numbers of them; else the least
    /// number of which they are.
    fn samples(&self) -> u64 {
        let whole = |samples: f64| {
            (0..self.left.len()).all(|row| {
                let count = self.width(row) * samples;
                (count - count.round()).abs() < (NEAR * samples).clamp(1e-9, 0.05)
            })
        };
        let told = self
            .micros
            .map_or(0.0, |micros| (micros / DASK_MICROS).round());
        if (1.0..9e15).contains(&told) && whole(told) {
            return told as u64;
        }
        // Each try looks at the widths until one does not fit.
        let tried = TRIED.min(50_000_000 / self.left.len().max(1) as u64);
        (1..=tried)
            .find(|&samples| whole(samples as f64))
            .unwrap_or(TRIED)
    }
}

/// A time as `dask.utils.format_time` rounds it.
fn micros(text: &str) -> Option<f64> {
    let mut parts = text.split(' ');
    let first = parts.next()?;
    if let Some(unit) = parts
        .clone()
        .next()
        .filter(|unit| ["us", "ms", "s"].contains(unit))
    {
        let scale = match unit {
            "us" => 1.0,
            "ms" => 1e3,
            _ => 1e6,
        };
        return Some(first.parse::<f64>().ok()? * scale)
            .filter(|micros| micros.is_finite() && *micros >= 0.0);
    }
    // `2hr 5m`, `15m 20s`, `3d 2hr`.
    text.split(' ').try_fold(0.0, |sum, part| {
        let unit = part.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
        let number: f64 = part[..part.len() - unit.len()].parse().ok()?;
        let scale = match unit {
            "s" => 1e6,
            "m" => 60e6,
            "hr" | "h" => 3_600e6,
            "d" => 86_400e6,
            _ => return None,
        };
        Some(sum + number * scale).filter(|sum: &f64| sum.is_finite())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quads(rows: &[(f64, f64, f64)], micros: Option<f64>) -> Quads {
        Quads {
            left: rows.iter().map(|row| row.0).collect(),
            right: rows.iter().map(|row| row.1).collect(),
            bottom: rows.iter().map(|row| row.2).collect(),
            name: (0..rows.len()).map(|row| format!("f{row}")).collect(),
            filename: vec!["f.py".into(); rows.len()],
            line: Vec::new(),
            micros,
        }
    }

    #[test]
    fn the_tree_is_built_again_from_its_rectangles() {
        let third = 1.0 / 3.0;
        let rows = [
            (0.0, 1.0, 0.0),
            (0.0, 2.0 * third, 1.0),
            (0.0, third, 2.0),
            (2.0 * third, 1.0, 1.0),
        ];
        let record = quads(&rows, Some(300_000.0))
            .record(Micros(1), Micros(2))
            .unwrap();
        assert_eq!((record.samples, record.sample_micros), (30, 10_000));
        assert_eq!(record.stacks.parent, [-1, 0, -1]);
        assert_eq!(
            (record.leaves.stack, record.leaves.count),
            (vec![0, 1, 2], vec![10, 10, 10])
        );
        // Where the time was rounded the least number is taken of which all widths are whole ones.
        let record = quads(&rows, Some(1_004_000.0))
            .record(Micros(1), Micros(2))
            .unwrap();
        assert_eq!((record.samples, record.sample_micros), (3, 334_667));
    }

    #[test]
    fn what_is_no_tree_is_refused() {
        for rows in [
            &[(0.0, 1.0, 0.0), (0.0, 1.0, 2.0)][..],
            &[(0.0, 1.0, 0.0), (0.0, 1.0, 0.0)],
            &[(0.0, 1.0, 1.0)],
            &[(0.0, 1.0, 0.0), (0.0, 5.0, 1.0)],
            &[(0.0, 1.0, 0.0), (0.0, 0.6, 1.0), (0.6, 1.2, 1.0)],
            &[(0.0, 1.0, 0.0), (0.5, 0.1, 1.0)],
            &[(0.0, 1.0, 0.0), (0.0, 1.0, 0.5)],
        ] {
            assert!(
                quads(rows, None).record(Micros(1), Micros(2)).is_err(),
                "{rows:?}"
            );
        }
    }

    #[test]
    fn times_are_those_of_dask() {
        for (text, wanted) in [
            ("300.00 ms", Some(300e3)),
            ("12.00 us", Some(12.0)),
            ("1.36 s", Some(1.36e6)),
            ("15m 20s", Some(920e6)),
            ("2hr 5m", Some(7_500e6)),
            ("3d 2hr", Some(266_400e6)),
            ("soon", None),
            ("", None),
        ] {
            assert_eq!(micros(text), wanted, "{text}");
        }
    }
}
