//! `bobbin serve`: the receiver without a window, until it is asked to end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::api::{App, Daily};
use bobbin_core::clock::SystemClock;
use bobbin_core::inbox::Watching;
use bobbin_core::install::{self, Moment, Settings};
use bobbin_http::{Config, Receiver, Running};
use serde::Serialize;
use tokio::runtime::Runtime;

use crate::args::ServeArgs;
use crate::end::End;
use crate::failure::Failure;
use crate::{open, print};

/// The one line on stdout, once it listens. Tools and tests rely on it.
#[derive(Debug, Serialize)]
struct Listening<'a> {
    event: &'static str,
    tcp: String,
    /// For schedulers on other machines: `bobbin.receiver`.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<String>,
    token_file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ui: Option<&'a str>,
}

/// Between two looks whether the store is damaged.
const LOOK: Duration = Duration::from_secs(1);

/// Why it receives no more.
enum Ended {
    Asked,
    /// The store is to be opened anew; clusters know the receiver by this port.
    Damaged {
        port: u16,
    },
}

/// Runs the verb: gives back when a signal asked it to stop and everything acknowledged is durable.
pub fn run(data_dir: &Path, args: &ServeArgs) -> Result<(), Failure> {
    let mut app = open::owner(data_dir)?;
    // Schedulers that are told to load the plugin from here get the one that fits this receiver.
    install::put_plugin(data_dir)?;
    if args.demo {
        print::talk("Loading the samples …");
        let batches = app.load_demo()?;
        print::talk(&format!("Loaded {batches} batches."));
    }
    let runtime = Runtime::new().map_err(|e| Failure::failed(format!("the network: {e}")))?;
    // From here on a signal drains instead of killing.
    let mut end = runtime.block_on(async { End::heard() })?;
    let mut known_port = None;
    loop {
        let served = runtime.block_on(serve(&app, data_dir, args, known_port, &mut end));
        // Also after a failure; once is enough, twice does no harm.
        let drained = app.drain();
        match served? {
            Ended::Asked => return Ok(drained?),
            Ended::Damaged { port } => known_port = Some(port),
        }
        app = open::owner(data_dir)?;
    }
}

async fn serve(
    app: &App,
    data_dir: &Path,
    args: &ServeArgs,
    known_port: Option<u16>,
    end: &mut End,
) -> Result<Ended, Failure> {
    let set = install::settings(data_dir)?;
    let config = Config {
        port: known_port.or(args.port).unwrap_or(set.port_or_default()),
        port_by_option: args.port.is_some(),
        interface: args.interface.or(set.interface_at(app.now())),
        interface_until: match args.interface {
            Some(_) => None,
            None => set.interface_until.map(Moment::micros),
        },
        interface_by_option: args.interface.is_some(),
        ui_port: args.ui.then_some(args.ui_port),
        ..Config::default()
    };
    let watching = Watching::start(app.clone(), &inboxes(set, &args.inbox))?;
    let daily = Daily::start(app.clone())?;
    let running = Receiver::start(app.clone(), config).await?;
    say(&running, data_dir)?;
    // A task of its own: what is sent to a bucket is made into tables first.
    let sending = tokio::spawn(bobbin_destination::sending(
        app.clone(),
        Arc::new(SystemClock),
    ));
    let ended = tokio::select! {
        // Without end.
        () = bobbin_destination::follow(data_dir) => Ended::Asked,
        () = end.asked() => Ended::Asked,
        () = damaged(app) => Ended::Damaged {
            port: running.tcp.port(),
        },
    };
    print::talk(match ended {
        Ended::Asked => "Stopping …",
        Ended::Damaged { .. } => "The store is damaged. Opening it anew …",
    });
    sending.abort();
    // Before the store takes no more.
    tokio::task::block_in_place(|| {
        watching.stop();
        drop(daily);
    });
    match (running.stop().await, &ended) {
        (Err(error), Ended::Asked) => Err(error.into()),
        // What is damaged is moved aside all the same.
        (Err(error), Ended::Damaged { .. }) => {
            print::talk(&format!("note: {error}"));
            Ok(ended)
        }
        (Ok(()), _) => Ok(ended),
    }
}

/// Gives back once somebody finds the store damaged.
async fn damaged(app: &App) {
    while !app.is_to_be_opened_anew() {
        tokio::time::sleep(LOOK).await;
    }
}

/// Those of the settings that are there, such as a share that is mounted now, and those of the command line.
fn inboxes(set: Settings, named: &[PathBuf]) -> Vec<PathBuf> {
    let (here, gone): (Vec<_>, Vec<_>) = set.inbox.into_iter().partition(|folder| folder.is_dir());
    for folder in gone {
        print::talk(&format!(
            "note: {} does not exist, so Bobbin does not read it",
            folder.display()
        ));
    }
    here.into_iter().chain(named.iter().cloned()).collect()
}

/// Data for tools on stdout, a word for people on stderr.
fn say(running: &Running, data_dir: &Path) -> Result<(), Failure> {
    let line = Listening {
        event: "listening",
        tcp: running.tcp.to_string(),
        receiver: running.from_elsewhere.as_deref(),
        socket: running
            .socket
            .as_ref()
            .map(|path| path.display().to_string()),
        token_file: data_dir.join("token").display().to_string(),
        ui: running.ui_url.as_deref(),
    };
    let text = serde_json::to_string(&line)
        .map_err(|e| Failure::failed(format!("the listening line: {e}")))?;
    print::write(&(text + "\n"))?;
    print::talk(&format!(
        "Bobbin is listening on {}. Press Ctrl-C to stop.",
        line.tcp
    ));
    if let Some(receiver) = line.receiver {
        print::talk(&format!(
            "Other machines can reach it over TLS, with a token or a key: bobbin.receiver: {receiver}"
        ));
    }
    if let Some(link) = line.ui {
        print::talk(&format!("Open {link} in a browser; the link works once."));
    }
    Ok(())
}
