//! Flame graphs: merging what was selected, once, and drawing from what is kept.

mod merging;

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use sha2::{Digest, Sha256};

pub(super) use self::merging::{merged, merged_with_lines};
use super::kept_lines::Opened;
use super::lines::lines;
use super::trees::Held;
use super::{
    App, Flame, FlameAbout, FlameAboutRequest, FlameDifference, FlameDifferenceRequest, FlameLine,
    FlameLineRequest, FlameMeasure, FlamePart, FlameRequest, FlameTable, FlameTableRequest,
    FlameTransform, ProfileSelection,
};
use crate::hex::hexadecimal;
use crate::insight::flame::{
    self, Scale, Search, Side, callers, difference, focus, overlay, renamed, transform,
};
use crate::query::{self, Growing, StackFrame, Tree, together};
use crate::{Error, Result};

/// Clusters in which a line of source is looked for, the largest first.
const LINES: usize = 20;
/// Levels of callers.
const LEVELS: u32 = 200;

/// A merged tree under its name, and what was made of it.
struct Found {
    name: String,
    base: Arc<Held>,
    /// Its name once it was changed.
    changed: String,
    tree: Arc<Held>,
}

impl Found {
    fn scale(&self) -> Result<Scale> {
        let about = self.base.about()?;
        Ok(Scale {
            samples: self.tree.tree.total[0],
            seconds_per_sample: match about.samples {
                0 => 0.0,
                samples => about.seconds / samples as f64,
            },
        })
    }
}

pub(super) fn flame_about(app: &App, request: FlameAboutRequest) -> Result<FlameAbout> {
    let (_, held) = merged(app, &request.selection, None)?;
    let mut about = told(app, &held)?;
    about.lines = together(read_lines(app, &about).map(|one| one.lines.state()));
    Ok(about)
}

pub(super) fn flame(app: &App, request: FlameRequest) -> Result<Flame> {
    let found = find(
        app,
        &request.selection,
        request.tree.as_deref(),
        &request.transforms,
    )?;
    let part = part(app, &found, request.part)?;
    let search = Search::read(&request.view.search)?;
    let matches = search.map(|search| part.matches(&request.view.search, &search));
    let mut view = request.view;
    if request.part != FlamePart::Whole && part.tree.len() > 1 {
        // The function itself: below all there is nothing else.
        view.root = view.root.or(Some(part.tree.keys[1]));
    }
    let mut drawn = flame::flame(&part.tree, &view, matches.as_deref(), found.scale()?);
    drawn.truncated |= part.truncated;
    drawn.transformed.clone_from(&found.tree.transformed);
    drawn.tree = found.name;
    Ok(drawn)
}

/// Hands on the tree that a request is drawn from, whole.
pub(super) fn with_tree<T>(
    app: &App,
    request: &FlameRequest,
    see: impl FnOnce(&Tree, Scale, &FlameAbout) -> Result<T>,
) -> Result<T> {
    let found = find(
        app,
        &request.selection,
        request.tree.as_deref(),
        &request.transforms,
    )?;
    let part = part(app, &found, request.part)?;
    see(&part.tree, found.scale()?, found.base.about()?)
}

pub(super) fn flame_table(app: &App, request: FlameTableRequest) -> Result<FlameTable> {
    let found = find(
        app,
        &request.selection,
        request.tree.as_deref(),
        &request.transforms,
    )?;
    let search = Search::read(&request.search)?;
    let part = match request.part {
        FlamePart::Callers { function, .. } => FlamePart::Callers {
            function,
            levels: 1,
        },
        part => part,
    };
    let held = self::part(app, &found, part)?;
    let tree = &held.tree;
    let (around, beside_samples) = match part {
        FlamePart::Whole => (None, 0),
        FlamePart::Callers { .. } | FlamePart::Callees { .. } => {
            let callees = matches!(part, FlamePart::Callees { .. });
            let (counts, rest) = flame::beside(tree, callees);
            (Some(counts), rest)
        }
    };
    let is_whole = around.is_none();
    let counts = around.as_deref().unwrap_or_else(|| held.counts());
    let page = flame::table(tree, counts, &request, search.as_ref());
    let lines: Vec<_> = read_lines(app, found.base.about()?).collect();
    let scale = found.scale()?;
    let shown = page.rows.len() as u64;
    Ok(FlameTable {
        rows: page
            .rows
            .into_iter()
            .map(|(frame, mut row)| {
                let frame = &tree.frames[frame as usize];
                row.text = text(&lines, frame);
                row
            })
            .collect(),
        truncated: request.offset.saturating_add(shown) < page.matching,
        total: page.matching,
        functions: page.functions,
        samples: scale.samples,
        found_samples: search.map(|search| match is_whole {
            true => held.matches(&request.search, &search).total,
            false => page.together,
        }),
        part_samples: tree.total[0],
        beside_samples,
        seconds_per_sample: scale.seconds_per_sample,
        lines: together(lines.iter().map(|one| one.lines.state())),
        transformed: found.tree.transformed.clone(),
    })
}

pub(super) fn flame_line(app: &App, request: FlameLineRequest) -> Result<FlameLine> {
    let (_, held) = merged(app, &request.selection, request.tree.as_deref())?;
    let frame = function(&held.tree, request.function)?;
    let frame = &held.tree.frames[frame as usize];
    let mut states = Vec::new();
    let text = read_lines(app, held.about()?).find_map(|one| {
        states.push(one.lines.state());
        one.lines.text(frame).map(str::to_owned)
    });
    Ok(FlameLine {
        text,
        lines: together(states),
    })
}

pub(super) fn flame_difference(
    app: &App,
    request: FlameDifferenceRequest,
) -> Result<FlameDifference> {
    let [before, after] = find_both(app, &request)?;
    let (told_before, told_after) = (told(app, &before.base)?, told(app, &after.base)?);
    let per_task = [&told_before, &told_after]
        .iter()
        .all(|one| one.tasks.is_some_and(|tasks| tasks > 0));
    let unit = |found: &Found, told: &FlameAbout| -> Result<f64> {
        let scale = found.scale()?;
        Ok(match (request.measure, told.tasks) {
            (FlameMeasure::Shares, _) if scale.samples == 0 => 0.0,
            (FlameMeasure::Shares, _) => 1.0 / scale.samples as f64,
            (FlameMeasure::Seconds, _) => scale.seconds_per_sample,
            (FlameMeasure::SecondsPerTask, Some(tasks)) if per_task => {
                scale.seconds_per_sample / tasks as f64
            }
            (FlameMeasure::SecondsPerTask, _) => {
                return Err(Error::Invalid {
                    what: "measure",
                    value: "seconds_per_task".into(),
                    reason: "the number of finished tasks is unknown for part of the time".into(),
                });
            }
        })
    };
    let empty = Growing::default().finish();
    let lack = lack(&request.transforms, [&before.tree, &after.tree]);
    let sides = [
        Side {
            tree: if lack[0] { &empty } else { &before.tree.tree },
            unit: unit(&before, &told_before)?,
        },
        Side {
            tree: if lack[1] { &empty } else { &after.tree.tree },
            unit: unit(&after, &told_after)?,
        },
    ];
    let under = name_of(&[
        &before.changed,
        &after.changed,
        &serde_json::to_string(&request.measure)?,
    ]);
    let held = app.trees().find_or_make(&under, || {
        let (tree, both) = overlay(&sides);
        Ok(Held {
            both: Some(both),
            ..Held::new(tree, None)
        })
    })?;
    let both = held
        .both
        .as_ref()
        .ok_or_else(|| missing("difference", &under))?;
    let search = Search::read(&request.view.search)?;
    let matches = search.map(|search| held.matches(&request.view.search, &search));
    let made = difference(&held.tree, both, &request, matches.as_deref());
    let (wholes, samples) = (both.wholes(), both.samples());
    let mut flame = made.flame;
    let named = |found: &Found, at: usize| found.tree.transformed.get(at)?.clone();
    flame.transformed = (0..request.transforms.len())
        .map(|at| named(&after, at).or_else(|| named(&before, at)))
        .collect();
    Ok(FlameDifference {
        flame,
        changes: made.changes,
        before: told_before,
        after: told_after,
        measure: request.measure,
        per_task,
        before_whole: wholes[0],
        after_whole: wholes[1],
        before_samples: samples[0],
        after_samples: samples[1],
        functions: made.functions,
        functions_total: made.functions_total,
        vanished: made.vanished,
        vanished_total: made.vanished_total,
        new: made.new,
        new_total: made.new_total,
    })
}

/// Both trees of a difference, the earlier first, changed as asked.
fn find_both(app: &App, request: &FlameDifferenceRequest) -> Result<[Found; 2]> {
    let tree = |selection, name: &Option<String>| merged(app, selection, name.as_deref());
    // Each may have to be merged, and each to be changed.
    let [earlier, later] = at_once(
        || tree(&request.before, &request.before_tree),
        || tree(&request.after, &request.after_tree),
    )?;
    let changes = &request.transforms[..];
    let [before, after] = at_once(
        || changed_alike(app, &earlier, &later, changes),
        || changed(app, &later.0, &later.1, changes),
    )?;
    let found = |(name, base), (changed, tree)| Found {
        name,
        base,
        changed,
        tree,
    };
    Ok([found(earlier, before), found(later, after)])
}

/// The earlier tree of a difference, changed as asked. What moved in its file has the name of the later one, so that a change finds it
/// in both.
fn changed_alike(
    app: &App,
    (name, base): &(String, Arc<Held>),
    (later, after): &(String, Arc<Held>),
    changes: &[FlameTransform],
) -> Result<(String, Arc<Held>)> {
    if changes.is_empty() {
        return Ok((name.clone(), Arc::clone(base)));
    }
    let alike = name_of(&[name, "with the names of", later]);
    let held = app.trees().find_or_make(&alike, || {
        let tree = renamed(&base.tree, &after.tree);
        Ok(Held::new(tree.unwrap_or_else(|| base.tree.clone()), None))
    })?;
    changed(app, &alike, &held, changes)
}

/// What both give, worked out at the same time.
fn at_once<T: Send>(
    one: impl FnOnce() -> Result<T> + Send,
    other: impl FnOnce() -> Result<T>,
) -> Result<[T; 2]> {
    let (one, other) = thread::scope(|scope| {
        let one = scope.spawn(one);
        let other = other();
        (one.join(), other)
    });
    let one = one.unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok([one, other?])
}

/// Of both sides of a difference, which lacks what is looked at alone while the other has it. Nothing of it is there; as what names
/// nothing changes nothing, a part would be compared with a whole.
fn lack(transforms: &[FlameTransform], sides: [&Held; 2]) -> [bool; 2] {
    let mut lack = [false; 2];
    for (at, change) in transforms.iter().enumerate() {
        if !matches!(
            change,
            FlameTransform::Focus { .. } | FlameTransform::FocusSubtree { .. }
        ) {
            continue;
        }
        let [before, after] = [0, 1].map(|side: usize| {
            let named = sides[side].transformed.get(at);
            !lack[side] && named.is_some_and(Option::is_some)
        });
        if before != after {
            lack[usize::from(before)] = true;
        }
    }
    lack
}

/// What a tree was merged from, its clusters with the names and users that they have now.
fn told(app: &App, held: &Held) -> Result<FlameAbout> {
    let mut about = held.about()?.clone();
    let ids: Vec<i64> = about.clusters.iter().map(|one| one.id).collect();
    let mut names = app.read(|db| query::cluster_names(db, &ids))?;
    for one in &mut about.clusters {
        (one.name, one.user) = names.remove(&one.id).unwrap_or_default();
    }
    Ok(about)
}

/// A merged tree, changed as asked.
fn find(
    app: &App,
    selection: &ProfileSelection,
    name: Option<&str>,
    transforms: &[FlameTransform],
) -> Result<Found> {
    let (name, base) = merged(app, selection, name)?;
    let (changed, tree) = changed(app, &name, &base, transforms)?;
    Ok(Found {
        name,
        base,
        changed,
        tree,
    })
}

/// A tree changed as asked, and its name. What names nothing in it changes nothing.
fn changed(
    app: &App,
    name: &str,
    base: &Arc<Held>,
    changes: &[FlameTransform],
) -> Result<(String, Arc<Held>)> {
    if changes.is_empty() {
        return Ok((name.to_owned(), Arc::clone(base)));
    }
    let changed = name_of(&[name, &serde_json::to_string(changes)?]);
    let tree = app.trees().find_or_make(&changed, || {
        let mut tree: Option<Tree> = None;
        let mut transformed = Vec::new();
        for change in changes {
            let so_far = tree.as_ref().unwrap_or(&base.tree);
            transformed.push(called(so_far, change));
            tree = transform(so_far, change).or(tree);
        }
        Ok(Held {
            transformed,
            ..Held::new(tree.unwrap_or_else(|| base.tree.clone()), None)
        })
    })?;
    Ok((changed, tree))
}

/// What a change is about, by name.
fn called(tree: &Tree, change: &FlameTransform) -> Option<String> {
    let frame = match change {
        FlameTransform::CollapseLibrary { library } => return Some(library.clone()),
        FlameTransform::FocusSubtree { node } | FlameTransform::MergeNode { node } => {
            tree.frame_of[tree.node_with_key(*node)?]
        }
        FlameTransform::Focus { function }
        | FlameTransform::Merge { function }
        | FlameTransform::Collapse { function }
        | FlameTransform::CollapseRecursion { function }
        | FlameTransform::Drop { function } => tree.frame_with_key(*function)?,
    };
    Some(tree.frames.get(frame as usize)?.name.clone())
}

fn part(app: &App, found: &Found, part: FlamePart) -> Result<Arc<Held>> {
    let tree = &found.tree.tree;
    let name = name_of(&[&found.changed, &serde_json::to_string(&part)?]);
    match part {
        FlamePart::Whole => Ok(Arc::clone(&found.tree)),
        FlamePart::Callees { function: key } => {
            let frame = function(tree, key)?;
            app.trees()
                .find_or_make(&name, || Ok(Held::new(focus(tree, frame), None)))
        }
        FlamePart::Callers {
            function: key,
            levels,
        } => {
            let frame = function(tree, key)?;
            let levels = levels.clamp(1, LEVELS);
            app.trees().find_or_make(&name, || {
                let (tree, truncated) = callers(tree, frame, levels);
                Ok(Held {
                    truncated,
                    ..Held::new(tree, None)
                })
            })
        }
    }
}

fn function(tree: &Tree, key: u64) -> Result<u32> {
    tree.frame_with_key(key)
        .ok_or_else(|| missing("function in this profile", &key.to_string()))
}

/// Lines of source of the clusters that contributed most.
fn read_lines(app: &App, about: &FlameAbout) -> impl Iterator<Item = Arc<Opened>> {
    lines(app, about.clusters.iter().take(LINES).map(|one| one.id))
}

/// The line of a function.
pub(super) fn text(lines: &[Arc<Opened>], frame: &StackFrame) -> Option<String> {
    let found = lines.iter().find_map(|one| one.lines.text(frame))?;
    Some(found.to_owned())
}

/// What a line of a function says, where any cluster told it.
pub(super) fn text_at(lines: &[Arc<Opened>], frame: &StackFrame, line: u32) -> Option<String> {
    let found = lines
        .iter()
        .find_map(|one| one.lines.text_at(frame, line))?;
    Some(found.to_owned())
}

fn missing(kind: &'static str, id: &str) -> Error {
    Error::NotFound {
        kind,
        id: id.into(),
    }
}

/// A short name for what is made of these.
fn name_of(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hexadecimal(&hash.finalize()[..12])
}
