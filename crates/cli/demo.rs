//! `bobbin demo`: the recorded stories, loaded and removed; and a recording of one's own cluster for others.

use std::path::{Path, PathBuf};

use bobbin_core::Code;
use bobbin_core::api::{self, Demo, DemoMade, DemoTells, Empty};
use bobbin_core::demo::Door;

use crate::args::{DemoArgs, DemoVerb, MakeDemoArgs};
use crate::failure::Failure;
use crate::{open, print, replay};

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &DemoArgs) -> Result<(), Failure> {
    match &args.verb {
        None | Some(DemoVerb::Load) => load(data_dir, json),
        Some(DemoVerb::Remove) => remove(data_dir, json),
        Some(DemoVerb::Make(args)) => make(data_dir, json, args),
    }
}

/// Through the receiver of a Bobbin that runs, as plugins do; else into the store itself.
fn load(data_dir: &Path, json: bool) -> Result<(), Failure> {
    let (demo, remove) = match open::owner(data_dir) {
        Ok(app) => {
            app.load_demo()?;
            let demo = api::demo(&app, Empty {})?;
            app.drain()?;
            (demo, "`bobbin demo remove`")
        }
        Err(failure) if failure.code == Code::Busy => {
            let app = open::reader(data_dir)?;
            if api::demo(&app, Empty {})?
                .stories
                .iter()
                .all(|story| story.cluster.is_none())
            {
                let door = replay::door(data_dir)?;
                for batch in api::demo_batches(&app)? {
                    door.post(&batch)?;
                }
            }
            (
                api::demo(&app, Empty {})?,
                "“Remove the sample” in the bar over the page",
            )
        }
        Err(failure) => return Err(failure),
    };
    if json {
        return print::json(&demo);
    }
    print::write(&text(&demo, remove))
}

/// With what `remove`s them.
fn text(demo: &Demo, remove: &str) -> String {
    let mut text = format!(
        "{} sample clusters are loaded; they are excluded from your totals.\n\n",
        demo.clusters
    );
    let rows: Vec<Vec<String>> = demo
        .stories
        .iter()
        .map(|story| {
            vec![
                story.cluster.map_or("–".into(), |id| id.to_string()),
                story.name.clone(),
                story.about.clone(),
            ]
        })
        .collect();
    text += &print::table(
        &["cluster", "story", "what it shows"],
        &[true, false, false],
        &rows,
    );
    text + &format!("\n{remove} removes them; `bobbin replay failing --speed 10` plays one.\n")
}

fn remove(data_dir: &Path, json: bool) -> Result<(), Failure> {
    let app = open::owner(data_dir).map_err(|failure| match failure.code {
        Code::Busy => failure
            .hint("press “Remove the sample” in the bar over the page, or stop that Bobbin first"),
        _ => failure,
    })?;
    let before = api::demo(&app, Empty {})?.clusters;
    let demo = api::remove_demo(&app, Empty {})?;
    app.drain()?;
    if json {
        return print::json(&demo);
    }
    print::write(&match before {
        0 => "There are no samples.\n".to_owned(),
        1 => "Removed 1 sample cluster.\n".to_owned(),
        some => format!("Removed {some} sample clusters.\n"),
    })
}

fn make(data_dir: &Path, json: bool, args: &MakeDemoArgs) -> Result<(), Failure> {
    let app = open::reader(data_dir)?;
    let row = open::cluster(&app, &args.cluster)?;
    let path = args
        .output
        .clone()
        .unwrap_or_else(|| PathBuf::from(format!("demo-{}.bobbin", row.id)));
    let path = std::path::absolute(&path).map_err(|e| Failure::io("the recording", &path, &e))?;
    let tells = match (args.code, args.names) {
        (true, _) => DemoTells::Code,
        (false, true) => DemoTells::Names,
        (false, false) => DemoTells::Numbers,
    };
    let made = api::make_demo(&app, &path, row.id, tells)?;
    if json {
        return print::json(&made);
    }
    print::write(&said(&made, tells))
}

fn said(made: &DemoMade, tells: DemoTells) -> String {
    let told = match tells {
        DemoTells::Numbers => "Functions, people and machines have aliases. It contains no code and no messages.",
        DemoTells::Names => "People and machines have aliases. It contains no code and no messages.",
        DemoTells::Code => {
            "People and machines have aliases. It contains code and messages: check them before you share it."
        }
    };
    format!(
        "{}  {}, {} records of {:.0} s\nsha256 {}\n{told} All times are moved to one fixed day.\n\
         `zcat` shows every byte; `bobbin replay` plays it.\n",
        made.path.display(),
        print::bytes(made.bytes),
        made.records,
        made.duration_seconds,
        made.sha256
    )
}
