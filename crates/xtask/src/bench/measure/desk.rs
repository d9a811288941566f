//! How long a person at the review desk waits for an answer, over one large cluster: half of the answers, and one of twenty.

use std::{sync::Arc, time::Instant};

use bobbin_core::{
    api::{self, App, ClustersRequest, Role},
    clock::SystemClock,
    share::{
        Choice, Identities, Level,
        stage::{
            Category, CategoryDecision, DecideRequest, Decision, ItemDecision, ItemOrder, Stage,
            StageClustersRequest, StageItemsRequest, StageRequest, StageTextRequest,
        },
    },
};

use super::{
    figure::{Figure, p95},
    folder::Folder,
    large::large,
    promise::Promise,
    size::Size,
    written,
};
use crate::process::{Failure, Result};

/// What a reaction may take.
const LIMIT_MILLISECONDS: f64 = 100.0;
pub const PROMISES: [Promise; 5] = [
    Promise::most("looked_p95", LIMIT_MILLISECONDS),
    Promise::most("values_found_p95", LIMIT_MILLISECONDS),
    Promise::most("bytes_searched_p95", LIMIT_MILLISECONDS),
    Promise::most("value_decided_p95", LIMIT_MILLISECONDS),
    Promise::most("category_decided_p95", LIMIT_MILLISECONDS),
];

/// What the page about performance calls each figure.
const ROWS: [(&str, &str); 11] = [
    ("staged", "staging one large cluster with everything, s"),
    ("looked", "opening the stage, ms"),
    ("looked_p95", "… p95"),
    ("values_found", "searching values, ms"),
    ("values_found_p95", "… p95"),
    ("bytes_searched", "searching the staged bytes, ms"),
    ("bytes_searched_p95", "… p95"),
    ("value_decided", "deciding on one value, ms"),
    ("value_decided_p95", "… p95"),
    ("category_decided", "deciding on all functions, ms"),
    ("category_decided_p95", "… p95"),
];

/// Stages a large cluster with all that it tells, and reacts as often as a person would. With `write_down`, writes the
/// table down, too.
///
/// # Errors
/// The cluster cannot be made or staged.
pub fn measure(size: Size, write_down: bool) -> Result<Vec<Figure>> {
    let (groups, stacks, rounds) = match size {
        Size::Full => (5_000, 200_000, 40),
        Size::Quick => (1_000, 20_000, 20),
        Size::Smoke => (50, 500, 3),
    };
    let folder = Folder::make("desk")?;
    let data = folder.0.join("data");
    large(&data, groups, stacks)?;
    let app = App::open(&data, Role::Owner, Arc::new(SystemClock)).map_err(failed)?;
    let listed = api::clusters(&app, ClustersRequest::default()).map_err(failed)?;
    let ids: Vec<i64> = listed.rows.iter().map(|row| row.id).collect();
    let began = Instant::now();
    let request = StageClustersRequest {
        ids,
        destination: "bench".into(),
        choice: Choice {
            level: Level::Everything,
            identities: Identities::Aliases,
        },
        ..StageClustersRequest::default()
    };
    let stage = api::stage_clusters(&app, request).map_err(failed)?;
    let mut figures = vec![figure("staged", "s", vec![began.elapsed().as_secs_f64()])];
    let id = stage.id;
    let items = |text: &str, order| StageItemsRequest {
        id,
        category: None,
        text: text.into(),
        order,
        offset: 0,
        limit: 100,
    };
    let mut reactions: [(&'static str, Vec<f64>); 5] = [
        ("looked", Vec::new()),
        ("values_found", Vec::new()),
        ("bytes_searched", Vec::new()),
        ("value_decided", Vec::new()),
        ("category_decided", Vec::new()),
    ];
    for round in 0..rounds {
        let decision = Some(if round % 2 == 0 {
            Decision::Mask
        } else {
            Decision::Drop
        });
        let item = one_item(&app, &items("", ItemOrder::Often))?;
        let answers: [&dyn Fn() -> bobbin_core::Result<()>; 5] = [
            &|| api::stage(&app, StageRequest { id }).map(drop),
            &|| api::stage_items(&app, items("ne", ItemOrder::New)).map(drop),
            &|| {
                let text = StageTextRequest {
                    id,
                    text: "compute".into(),
                    offset: 0,
                    limit: 100,
                };
                api::stage_text(&app, text).map(drop)
            },
            &|| {
                let items = vec![ItemDecision {
                    item: item.clone(),
                    decision,
                }];
                decide(&app, id, Vec::new(), items).map(drop)
            },
            &|| {
                let categories = vec![CategoryDecision {
                    category: Category::Functions,
                    decision,
                }];
                decide(&app, id, categories, Vec::new()).map(drop)
            },
        ];
        for ((_, values), answer) in reactions.iter_mut().zip(answers) {
            let began = Instant::now();
            answer().map_err(failed)?;
            values.push(began.elapsed().as_secs_f64() * 1_000.0);
        }
    }
    // The bytes follow in a thread.
    api::stage_written(&app, id).map_err(failed)?;
    for (name, values) in reactions {
        figures.push(figure(&format!("{name}_p95"), "ms", vec![p95(&values)]));
        figures.push(figure(name, "ms", values));
    }
    if write_down {
        written::write("desk", &written::table(&figures, &ROWS))?;
    }
    Ok(figures)
}

fn one_item(app: &App, request: &StageItemsRequest) -> Result<String> {
    let found = api::stage_items(app, request.clone()).map_err(failed)?;
    let first = found.items.into_iter().next();
    first
        .map(|one| one.item)
        .ok_or_else(|| Failure::new("the stage has no value"))
}

fn decide(
    app: &App,
    id: i64,
    categories: Vec<CategoryDecision>,
    items: Vec<ItemDecision>,
) -> bobbin_core::Result<Stage> {
    api::decide_stage(
        app,
        DecideRequest {
            id,
            categories,
            items,
            findings: Vec::new(),
        },
    )
}

fn figure(metric: &str, unit: &str, values: Vec<f64>) -> Figure {
    let limit = (unit == "ms").then(|| ("limit".to_owned(), vec![LIMIT_MILLISECONDS]));
    Figure {
        bench: "desk",
        metric: metric.into(),
        unit: unit.into(),
        values,
        peer: limit,
    }
}

fn failed(error: bobbin_core::Error) -> Failure {
    Failure::new(error.to_string())
}
