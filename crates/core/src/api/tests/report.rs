//! Reports: what is in them, and what is not.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;

use flate2::read::MultiGzDecoder;

use super::*;
use crate::ledger::{Kind, Ledger};
use crate::report::Page;
use crate::share::{Choice, FieldClass, Identities, Level};
use crate::testing::canaries::{canaries, told};

const PAGE: Page = Page {
    script: "draw()",
    style: "p{}",
};

fn with_page(bench: &Bench) -> &App {
    bench.app.set_report_page(PAGE);
    &bench.app
}

fn of(ids: &[i64], level: Level, identities: Identities) -> ReportRequest {
    ReportRequest {
        ids: ids.to_vec(),
        choice: Choice { level, identities },
        ..ReportRequest::default()
    }
}

fn text(app: &App, request: ReportRequest) -> String {
    report(app, request).unwrap().text.unwrap()
}

/// What the file holds beside its page.
fn data(text: &str) -> Value {
    let (_, data) = text.split_once(r#"id="report">"#).unwrap();
    serde_json::from_str(data.split_once("</script>").unwrap().0).unwrap()
}

fn in_bundle(bench: &Bench, choice: Choice) -> String {
    let path = bench.path().join(format!("{choice:?}.bobbin"));
    export(&bench.app, &path, &[1], choice).unwrap();
    let mut text = String::new();
    MultiGzDecoder::new(fs::File::open(path).unwrap())
        .read_to_string(&mut text)
        .unwrap();
    text
}

#[test]
fn a_report_tells_nothing_that_a_bundle_of_its_level_does_not() {
    let bench = told();
    let app = with_page(&bench);
    let levels = [
        Level::Metrics,
        Level::Names,
        Level::Errors,
        Level::Everything,
    ];
    for level in levels {
        for identities in [Identities::Aliases, Identities::Real] {
            let bundle = in_bundle(&bench, Choice { level, identities });
            let allowed = canaries(&bundle);
            for form in [ReportForm::Html, ReportForm::Markdown] {
                let request = ReportRequest {
                    form,
                    ..of(&[1], level, identities)
                };
                let text = text(app, request);
                let found = canaries(&text);
                let more: BTreeSet<_> = found.difference(&allowed).collect();
                assert!(more.is_empty(), "{level:?} {identities:?}: {more:?}");
                let named = found.contains("canary-cluster");
                assert_eq!(named, level > Level::Metrics, "{level:?} {form:?}");
            }
            let whole = text(app, of(&[1], level, identities));
            let found = canaries(&whole);
            assert_eq!(found.contains("canary-message"), level >= Level::Errors);
            assert_eq!(found.contains("canary_code"), level == Level::Everything);
            let real = level > Level::Metrics && identities == Identities::Real;
            assert_eq!(found.contains("canary-host"), real);
        }
    }
    // Nothing is left of what it was made from.
    let beside = fs::read_dir(bench.path().join("beside")).unwrap();
    assert_eq!(beside.count(), 0);
    assert!(stages(app, Empty {}).unwrap().stages.is_empty());
}

#[test]
fn it_holds_what_its_page_asks() {
    let bench = told();
    let app = with_page(&bench);
    let said = data(&text(app, of(&[1], Level::Names, Identities::Aliases)));
    let asked: BTreeSet<_> = said["answers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["command"].as_str().unwrap())
        .collect();
    for command in [
        "cluster",
        "cluster_answers",
        "verdict",
        "findings",
        "task_groups",
        "timeline",
        "thread_use",
        "workers",
        "exception_kinds",
        "computations",
        "graph",
        "graph_group",
        "flame_about",
        "flame",
        "flame_table",
        "spans",
        "activity",
    ] {
        assert!(asked.contains(command), "{command}");
    }
    assert_eq!(
        (&said["head"]["ids"], &said["left_out"]),
        (&json!([1]), &json!(0))
    );
    assert!(
        said["head"]["summary"]
            .as_str()
            .unwrap()
            .starts_with("### Dask cluster")
    );
}

#[test]
fn two_clusters_are_a_comparison_and_others_are_refused() {
    let bench = told();
    bench.send(batch_of(
        "Scheduler-2",
        "i",
        1,
        &[facts(0), sample(1, 1.0), group(5, "g1", 1.0), stop(9)],
    ));
    let app = with_page(&bench);
    // In the order that was asked for, whichever came first.
    let said = data(&text(app, of(&[2, 1], Level::Names, Identities::Aliases)));
    let ids = said["head"]["ids"].as_array().unwrap().clone();
    let answers = said["answers"].as_array().unwrap();
    let comparison = &answers[0];
    assert_eq!(comparison["command"], "compare");
    assert_eq!(comparison["request"]["a"], ids[0]);
    assert_eq!(comparison["answer"]["a"]["name"], "story");
    let summary = said["head"]["summary"].as_str().unwrap();
    assert!(summary.starts_with("### Two runs of Dask"), "{summary}");
    for ids in [&[][..], &[1, 1], &[1, 2, 3]] {
        let refused = report(app, of(ids, Level::Names, Identities::Aliases)).unwrap_err();
        assert_eq!(refused.code(), Code::Invalid, "{ids:?}");
    }
    let missing = report(app, of(&[77], Level::Names, Identities::Aliases)).unwrap_err();
    assert_eq!(missing.code(), Code::NotFound);
}

#[test]
fn what_may_be_a_secret_holds_it_back_unless_the_level_does_not_tell_it() {
    let bench = Bench::new();
    let token = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let failed = with(
        exception(6, "e", 2),
        json!({"message": format!("denied: {token}")}),
    );
    bench.send(batch(1, &[facts(0), sample(1, 1.0), failed, stop(9)]));
    let app = with_page(&bench);
    let path = bench.path().join("held.html");
    let request = ReportRequest {
        path: Some(path.display().to_string()),
        ..of(&[1], Level::Errors, Identities::Aliases)
    };
    for form in [ReportForm::Html, ReportForm::Markdown] {
        let request = ReportRequest {
            form,
            ..request.clone()
        };
        let refused = report(app, request).unwrap_err();
        assert_eq!(refused.code(), Code::Refused);
        let hint = refused.hint().unwrap();
        assert!(hint.contains("bobbin review"), "{hint}");
        assert!(!path.exists());
    }
    // The last one waits on the desk; what is decided there holds for the next.
    let waiting = stages(app, Empty {}).unwrap().stages;
    assert_eq!(
        (waiting.len(), waiting[0].destination.as_str()),
        (1, REPORTS)
    );
    let names = text(app, of(&[1], Level::Names, Identities::Aliases));
    assert!(!names.contains("denied"));
    assert_eq!(stages(app, Empty {}).unwrap().stages.len(), 0);
}

#[test]
fn its_size_and_categories_are_said_before_it_is_written_anywhere() {
    let bench = told();
    let app = with_page(&bench);
    let path = bench.path().join("checked.html");
    let request = ReportRequest {
        check: true,
        path: Some(path.display().to_string()),
        ..of(&[1], Level::Names, Identities::Aliases)
    };
    let checked = report(app, request.clone()).unwrap();
    assert!(!path.exists() && checked.text.is_none());
    assert!(Ledger::of(bench.path()).rows().unwrap().is_empty());
    assert!(stages(app, Empty {}).unwrap().stages.is_empty());
    let told = |class: FieldClass| {
        let counted = checked.classes.iter().find(|one| one.class == class);
        counted.map(|one| one.told + one.masked)
    };
    assert!(told(FieldClass::Name) > Some(0));
    assert_eq!(told(FieldClass::Code), Some(0));
    let written = report(
        app,
        ReportRequest {
            check: false,
            ..request
        },
    )
    .unwrap();
    assert_eq!(
        (written.bytes, written.classes),
        (checked.bytes, checked.classes)
    );
}

#[test]
fn a_check_that_is_refused_leaves_the_desk_as_it_was() {
    let bench = Bench::new();
    let failed = with(
        exception(6, "e", 2),
        json!({"message": "denied: ghp_abcdefghijklmnopqrstuvwxyz0123456789"}),
    );
    bench.send(batch(1, &[facts(0), sample(1, 1.0), failed, stop(9)]));
    let app = with_page(&bench);
    let request = of(&[1], Level::Errors, Identities::Aliases);
    let check = ReportRequest {
        check: true,
        ..request.clone()
    };
    let on_desk = || {
        let stages = stages(app, Empty {}).unwrap().stages;
        stages.iter().map(|stage| stage.id).collect::<Vec<_>>()
    };
    let refused = report(app, check.clone()).unwrap_err();
    assert_eq!(refused.code(), Code::Refused);
    assert!(refused.to_string().contains("possible secret"));
    assert!(on_desk().is_empty());
    // Somebody is about to decide of this one.
    report(app, request).unwrap_err();
    let waiting = on_desk();
    report(app, check).unwrap_err();
    assert_eq!((waiting.len(), on_desk()), (1, waiting));
}

#[test]
fn a_report_is_a_row_of_the_ledger_and_nothing_is_written_over() {
    let bench = told();
    let app = with_page(&bench);
    let path = bench.path().join("one.html");
    let request = ReportRequest {
        path: Some(path.display().to_string()),
        ..of(&[1], Level::Names, Identities::Aliases)
    };
    let written = report(app, request.clone()).unwrap();
    assert_eq!(written.text, None);
    assert_eq!(fs::metadata(&path).unwrap().len(), written.bytes);
    let rows = Ledger::of(bench.path()).rows().unwrap();
    assert_eq!((rows.len(), rows[0].entry.kind), (1, Kind::Export));
    assert_eq!(rows[0].entry.sha256.as_deref(), Some(&*written.sha256));
    assert_eq!(rows[0].entry.level.as_deref(), Some("names"));
    let categories = rows[0].entry.categories.clone().unwrap();
    assert!(
        categories.iter().any(|one| one.starts_with("functions")),
        "{categories:?}"
    );
    assert!(report(app, request.clone()).is_err());
    let elsewhere = ReportRequest {
        path: Some("one.html".into()),
        ..request
    };
    assert_eq!(report(app, elsewhere).unwrap_err().code(), Code::Invalid);
    // A ledger that somebody wrote into takes no more rows: then there is no report.
    let ledger = bench.path().join("ledger.ndjson");
    let text = fs::read_to_string(&ledger).unwrap();
    fs::write(&ledger, text.replace("1 cluster", "0 cluster")).unwrap();
    let other = bench.path().join("other.html");
    let request = ReportRequest {
        path: Some(other.display().to_string()),
        ..of(&[1], Level::Names, Identities::Aliases)
    };
    assert!(report(app, request).is_err() && !other.exists());
}

#[test]
fn a_summary_has_what_maintainers_ask_for_and_no_markup_of_a_cluster() {
    let bench = Bench::new();
    let wild = with(
        facts(0),
        json!({"name": "`x` @ana <b>", "versions": {"dask": "2026.8.0", "distributed": "2026.8.0", "numpy": null}}),
    );
    let named = with(group(5, "g1", 4.0), json!({"prefix": "a|b`c"}));
    let failed = exception(6, "e", 2);
    bench.send(batch(1, &[wild, sample(1, 4.0), named, failed, stop(9)]));
    let request = ReportRequest {
        form: ReportForm::Markdown,
        ..of(&[1], Level::Names, Identities::Real)
    };
    let summary = text(&bench.app, request);
    for part in [
        "### Dask cluster `'x' @ana <b>`",
        "dask `2026.8.0`, distributed `2026.8.0`",
        "Python `3.11.2`",
        "at most 2 workers, 4 threads",
        "finished after 9 s",
        "**Verdict:",
        "| `a\\|b'c` | 10 | 4.00 core-s |",
        "`ValueError` × 2 in `inc-g1`",
        "numbers and names",
    ] {
        assert!(summary.contains(part), "{part}\n{summary}");
    }
    assert!(!summary.contains("canary"), "{summary}");
    let lines = summary.lines().count();
    assert!((10..=30).contains(&lines), "{lines}\n{summary}");
}

#[test]
fn what_it_cost_is_told_where_that_is_asked_for_without_the_price() {
    let bench = told();
    let app = with_page(&bench);
    let terms = PriceTerms {
        name: "canary-price".into(),
        provenance: "canary-provenance".into(),
        ..terms(0, None, AppliesTo::Everything)
    };
    set_price(app, SetPriceRequest { id: None, terms }).unwrap();
    let request = of(&[1], Level::Names, Identities::Aliases);
    let without = data(&text(app, request.clone()));
    assert_eq!(without["head"]["costs"], json!([null]));
    let with = text(
        app,
        ReportRequest {
            cost: true,
            ..request
        },
    );
    assert!(data(&with)["head"]["costs"][0].is_string());
    assert!(!with.contains("canary-price") && !with.contains("canary-provenance"));
}

#[test]
fn without_its_page_a_build_says_so() {
    let bench = told();
    let refused = report(&bench.app, of(&[1], Level::Names, Identities::Aliases)).unwrap_err();
    assert_eq!(refused.code(), Code::Refused);
}
