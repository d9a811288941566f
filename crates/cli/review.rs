//! `bobbin stage`, `bobbin review` and `bobbin approve`: the review desk in a shell.

use std::path::Path;

use bobbin_core::api::{self, App, ClustersRequest, Empty};
use bobbin_core::ledger::Pinned;
use bobbin_core::share::stage::{
    ApproveRequest, Category, CategoryDecision, ClusterLevel, DecideRequest, Decision,
    FindingDecision, FindingState, ItemDecision, OwnWordsRequest, Stage, StageCluster,
    StageClustersRequest, StageFinding, StageItem, StageItems, StageItemsRequest, StageRequest,
    StandingRequest,
};
use bobbin_core::share::{Choice, Identities, Level};
use serde::Serialize;

use crate::args::{ApproveArgs, ReviewArgs, StageArgs};
use crate::failure::Failure;
use crate::{open, print, visible};

/// Clusters that a policy may propose to one stage.
const MOST_PROPOSED: u32 = 200;

/// What `review --json` says.
#[derive(Serialize)]
struct Reviewed {
    stage: Stage,
    findings: Vec<StageFinding>,
    items: Option<StageItems>,
}

/// Runs `stage`.
pub fn stage(data_dir: &Path, json: bool, args: &StageArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let mut ids = Vec::new();
    for text in &args.clusters {
        let id = open::cluster(&app, text)?.id;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if args.proposed {
        ids = proposed(&app)?;
    }
    let mut levels = Vec::new();
    for (text, level) in &args.level_of {
        let id = open::cluster(&app, text)?.id;
        if !ids.contains(&id) {
            return Err(Failure::usage(format!(
                "{} is not one of the clusters to stage",
                visible::plain(text)
            ))
            .hint("name it as a cluster, too"));
        }
        levels.push(ClusterLevel {
            id,
            level: (*level).into(),
        });
    }
    let request = StageClustersRequest {
        ids,
        proposed: args.proposed,
        destination: args.to.clone(),
        choice: Choice {
            level: args.level.into(),
            identities: match args.real_identities {
                true => Identities::Real,
                false => Identities::Aliases,
            },
        },
        levels,
        accept_fields: args.accept_field.clone(),
    };
    let stage = api::stage_clusters(&app, request)?;
    say(&app, json, stage, None)
}

/// The clusters that the team's policy proposes.
fn proposed(app: &App) -> Result<Vec<i64>, Failure> {
    let policy = api::sharing_rules(app, Empty {})?.policy;
    let Some((path, filter)) = policy.and_then(|one| Some((one.path, one.propose?))) else {
        return Err(Failure::refused("no policy proposes clusters to share")
            .hint("add `propose = \"state:finished tag:prod\"` to bobbin-policy.toml"));
    };
    let request = ClustersRequest {
        text: Some(filter.clone()),
        limit: MOST_PROPOSED,
        ..ClustersRequest::default()
    };
    let found = api::clusters(app, request)?;
    let filter = visible::plain(&filter);
    if found.rows.is_empty() {
        return Err(Failure::refused(format!(
            "{path} proposes clusters that match `{filter}`, but none do"
        )));
    }
    if found.truncated {
        return Err(Failure::refused(format!(
            "{path} proposes clusters that match `{filter}`: {} of them, more than the {MOST_PROPOSED} Bobbin stages at once",
            found.total
        ))
        .hint("name some of them: `bobbin clusters` takes the same filter"));
    }
    Ok(found.rows.into_iter().map(|row| row.id).collect())
}

/// Runs `review`.
pub fn review(data_dir: &Path, json: bool, args: &ReviewArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    if args.own_words {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut std::io::stdin(), &mut text)
            .map_err(|error| Failure::io("the words", Path::new("stdin"), &error))?;
        let add = text.lines().map(str::trim).filter(|word| !word.is_empty());
        let request = OwnWordsRequest {
            add: add.map(str::to_owned).collect(),
            remove: Vec::new(),
        };
        let words = api::own_words(&app, request)?;
        return match json {
            true => print::json(&words),
            false => print::write(&format!("Bobbin now looks for {} words\n", words.count)),
        };
    }
    let id = match args.stage {
        Some(id) => id,
        None => newest(&app)?,
    };
    let decided = decisions(args)?;
    if let Some(request) = decided.map(|request| DecideRequest { id, ..request }) {
        api::decide_stage(&app, request)?;
        // The bytes follow in a thread, which ends with this process: they are waited for.
        api::stage_written(&app, id)?;
    }
    let stage = api::stage(&app, StageRequest { id })?;
    let category = args.category.as_deref().map(category).transpose()?;
    let items = category.map(|category| {
        api::stage_items(
            &app,
            StageItemsRequest {
                id,
                category: Some(category),
                text: String::new(),
                order: Default::default(),
                offset: 0,
                limit: 500,
            },
        )
    });
    say(&app, json, stage, items.transpose()?)
}

/// Runs `approve`.
pub fn approve(data_dir: &Path, json: bool, args: &ApproveArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    if let Some(destination) = &args.in_advance {
        return in_advance(&app, json, destination, args.days);
    }
    let sha256 = args.sha256.clone().unwrap_or_default();
    let list = api::stages(&app, api::Empty {})?;
    let one = list
        .stages
        .iter()
        .find(|stage| stage.sha256 == sha256)
        .ok_or_else(|| {
            Failure::failed(format!("no stage has the hash {}", visible::plain(&sha256)))
                .hint("`bobbin review` shows the hash of the newest stage; type all 64 digits")
        })?;
    let request = ApproveRequest {
        id: one.id,
        sha256: sha256.clone(),
        to_save: false,
    };
    let approved = match args.standing {
        true => api::approve_covered(&app, one.id)?,
        false => api::approve_stage(&app, request)?,
    };
    if json {
        return print::json(&approved);
    }
    // An account that was joined is meant with its hub.
    let meant = Pinned::meant(data_dir, &approved.destination)?;
    print::write(&format!(
        "Approved for {}: stage {}, {}, sha256 {}\n",
        visible::plain(&meant),
        approved.id,
        print::bytes(approved.bytes.unwrap_or_default()),
        approved.sha256.unwrap_or_default()
    ))
}

/// Approves numbers and names for a destination, or takes that back.
fn in_advance(app: &App, json: bool, destination: &str, days: u32) -> Result<(), Failure> {
    let request = StandingRequest {
        destination: destination.into(),
        days: (days > 0).then_some(days),
        level: Level::Names,
    };
    let rules = api::stand(app, request)?;
    if json {
        return print::json(&rules);
    }
    print::write(&match days {
        0 => format!(
            "Nothing is approved in advance for {}\n",
            visible::plain(destination)
        ),
        days => format!(
            "Numbers and names are approved in advance for {} for {days} days\n",
            visible::plain(destination)
        ),
    })
}

fn newest(app: &App) -> Result<i64, Failure> {
    let list = api::stages(app, api::Empty {})?;
    let first = list.stages.first().map(|stage| stage.id);
    first.ok_or_else(|| {
        Failure::failed("nothing is staged")
            .hint("`bobbin stage CLUSTER --to DESTINATION` stages a cluster")
    })
}

fn category(word: &str) -> Result<Category, Failure> {
    Category::from_word(word).ok_or_else(|| {
        let known: Vec<_> = Category::ALL.into_iter().map(Category::word).collect();
        Failure::usage(format!("{} is not a category", visible::plain(word)))
            .hint(format!("the categories are {}", known.join(", ")))
    })
}

/// What is to be decided; none where nothing is.
fn decisions(args: &ReviewArgs) -> Result<Option<DecideRequest>, Failure> {
    let mut request = DecideRequest {
        id: 0,
        categories: Vec::new(),
        items: Vec::new(),
        findings: Vec::new(),
    };
    let asked = [
        (&args.keep, Some(Decision::Keep)),
        (&args.mask, Some(Decision::Mask)),
        (&args.drop, Some(Decision::Drop)),
        (&args.undecide, None),
    ];
    for (named, decision) in asked {
        for word in named {
            match category(word) {
                Ok(category) => request
                    .categories
                    .push(CategoryDecision { category, decision }),
                Err(_) if word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                    request.items.push(ItemDecision {
                        item: word.clone(),
                        decision,
                    });
                }
                Err(failure) => return Err(failure),
            }
        }
    }
    let settled = [
        (&args.replace, FindingState::Replaced),
        (&args.no_secret, FindingState::NoSecret),
    ];
    for (named, state) in settled {
        for finding in named {
            request.findings.push(FindingDecision {
                finding: finding.clone(),
                state,
            });
        }
    }
    let empty =
        request.categories.is_empty() && request.items.is_empty() && request.findings.is_empty();
    Ok((!empty).then_some(request))
}

fn say(app: &App, json: bool, stage: Stage, items: Option<StageItems>) -> Result<(), Failure> {
    let findings = api::stage_findings(app, StageRequest { id: stage.id })?.findings;
    let reviewed = Reviewed {
        stage,
        findings,
        items,
    };
    match json {
        true => print::json(&reviewed),
        false => print::write(&text(&reviewed)),
    }
}

fn text(reviewed: &Reviewed) -> String {
    let stage = &reviewed.stage;
    let mut text = format!(
        "Stage {} for {}: {} cluster{}, {}\n{}\nsha256 {}\n\n",
        stage.id,
        visible::plain(&stage.destination),
        stage.clusters.len(),
        if stage.clusters.len() == 1 { "" } else { "s" },
        print::bytes(stage.bytes.unwrap_or_default()),
        visible::plain(&stage.path),
        stage.sha256.as_deref().unwrap_or("not there yet"),
    );
    text += &clusters(&stage.clusters);
    text.push('\n');
    let rows: Vec<Vec<String>> = stage
        .categories
        .iter()
        .map(|one| {
            let counts = [
                one.items,
                one.kept,
                one.masked,
                one.dropped,
                one.new,
                one.changed,
            ];
            let mut row = vec![one.category.word().to_owned()];
            row.extend(counts.map(|count| count.to_string()));
            row
        })
        .collect();
    text += &print::table(
        &[
            "category", "values", "told", "masked", "dropped", "new", "changed",
        ],
        &[false, true, true, true, true, true, true],
        &rows,
    );
    if let Some(items) = &reviewed.items {
        text += "\n";
        let row = |item: &StageItem| {
            vec![
                item.item.clone(),
                item.count.to_string(),
                print::cut(&visible::plain(&item.real), 50),
                print::cut(&visible::plain(item.shown.as_deref().unwrap_or("–")), 50),
            ]
        };
        let rows: Vec<Vec<String>> = items.items.iter().map(row).collect();
        text += &print::table(
            &["value", "times", "is", "shared as"],
            &[false, true, false, false],
            &rows,
        );
    }
    let (named, secrets): (Vec<_>, Vec<_>) = reviewed.findings.iter().partition(|one| one.identity);
    if !secrets.is_empty() {
        text += "\nPossible secrets:\n";
        text += &findings(&secrets);
        text += "Bobbin does not find secrets that are split, encoded or of an unknown form.\n";
    }
    if !named.is_empty() {
        text += "\nE-mail and IP addresses and national IDs in texts, replaced by aliases unless you keep them with --no-secret FINDING:\n";
        text += &findings(&named);
    }
    if !stage.new_fields.is_empty() {
        text += &format!(
            "\nNew since the last share, and left out: {}\n",
            stage.new_fields.join(", ")
        );
    }
    match (stage.approved_micros, stage.open_findings) {
        (Some(_), _) => text += "\nIt is approved.\n",
        (None, 0) => {
            text += &format!(
                "\nTo approve it: bobbin approve {}\n",
                stage.sha256.as_deref().unwrap_or("HASH")
            );
        }
        (None, open) => {
            text += &format!(
                "\n{open} possible secret{} a decision before you can approve: --replace or --no-secret FINDING\n",
                if open == 1 { " needs" } else { "s need" }
            );
        }
    }
    text
}

/// What is shared of each: how much, and from when to when.
fn clusters(of: &[StageCluster]) -> String {
    let row = |one: &StageCluster| {
        let name = one.name.as_deref().map(visible::plain);
        vec![
            name.map_or_else(
                || format!("cluster {}", one.id),
                |name| print::cut(&name, 40),
            ),
            one.level.word().into(),
            print::or_dash(one.started_micros, print::moment),
            print::moment(one.as_of_micros),
        ]
    };
    let rows: Vec<Vec<String>> = of.iter().map(row).collect();
    print::table(
        &["cluster", "level", "from", "to"],
        &[false, false, false, false],
        &rows,
    )
}

fn findings(of: &[&StageFinding]) -> String {
    let row = |one: &&StageFinding| {
        let around = format!("{}{}…{}", one.before, one.begins, one.after);
        vec![
            one.finding.clone(),
            match one.state {
                FindingState::Open => "open".into(),
                FindingState::Replaced => "replaced".into(),
                FindingState::NoSecret if one.identity => "kept".into(),
                FindingState::NoSecret => "no secret".into(),
            },
            one.what.clone(),
            print::cut(&visible::plain(&around), 60),
        ]
    };
    let rows: Vec<Vec<String>> = of.iter().map(row).collect();
    print::table(
        &["finding", "state", "looks like", "where"],
        &[false, false, false, false],
        &rows,
    )
}
