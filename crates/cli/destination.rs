//! `bobbin destination …`: folders and object stores where a team's bundles lie.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use bobbin_core::Code;
use bobbin_core::api;
use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::ledger::{Entry, Kind, Ledger, with_one_less, with_one_more};
use bobbin_destination::{
    Aside, Destination, Error, KeysFrom, Known, KnownList, Lying, Member, Picked, Shared, Trust,
    accept, pick_up, recall as take_back, send,
};
use serde::Serialize;
use tokio::runtime::Runtime;

use crate::args::{DestinationArgs, DestinationVerb};
use crate::failure::Failure;
use crate::{open, print, team, visible};

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Core(error) => error.into(),
            error => Self::failed(error.to_string())
                .hint("Bobbin reads keys, regions and endpoints from AWS_…, GOOGLE_… and AZURE_… in the environment"),
        }
    }
}

/// What was brought from one destination.
#[derive(Serialize)]
struct Pulled {
    address: String,
    bundles: Vec<Shared>,
    /// What was not brought: who shared it is in doubt.
    aside: Vec<Aside>,
    /// Whether they are in the store already; else the Bobbin that is open takes them from its inbox.
    imported: bool,
}

/// What lies at one destination.
#[derive(Serialize)]
struct Listed<'a> {
    address: &'a str,
    bundles: Vec<Judged>,
}

/// A bundle, and what its signature is worth here.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    lying: Lying,
    trust: Trust,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &DestinationArgs) -> Result<(), Failure> {
    match &args.verb {
        DestinationVerb::Add {
            address,
            account,
            name,
            follow,
            machine_keys,
        } => {
            // The folder of an install that never ran is made by the first that writes.
            drop(open::reader(data_dir)?);
            let member = Member::new(account, name.clone())?;
            let keys = match machine_keys {
                true => KeysFrom::Machine,
                false => KeysFrom::Environment,
            };
            let list = KnownList::change(data_dir, |list| {
                let before = list.find(address).ok().cloned();
                let known = list.add(address, &member, *follow, keys)?;
                match before {
                    Some(before) if before == *known => Ok(()),
                    Some(_) => note(data_dir, address, &format!("changed {}", terms(known))),
                    None => {
                        let more = with_one_more(data_dir)?;
                        note(data_dir, address, &format!("added {}{more}", terms(known)))
                    }
                }
            })?;
            print::talk(&team::sharing_now(data_dir)?);
            said(json, &list)
        }
        DestinationVerb::List => said(json, &KnownList::load(data_dir)?),
        DestinationVerb::Remove { address } => {
            let list = KnownList::change(data_dir, |list| {
                list.remove(address)?;
                let less = with_one_less(data_dir)?;
                note(data_dir, address, &format!("removed a destination{less}"))
            })?;
            said(json, &list)
        }
        DestinationVerb::Bundles { address } => bundles(data_dir, json, address),
        DestinationVerb::Share { bundle, address } => share(data_dir, json, bundle, address),
        DestinationVerb::Recall { bundle, address } => recall(data_dir, json, bundle, address),
        DestinationVerb::Pull { address } => pull(data_dir, json, address.as_deref()),
        DestinationVerb::Trust { bundle, address } => trust(data_dir, json, bundle, address),
    }
}

fn bundles(data_dir: &Path, json: bool, address: &str) -> Result<(), Failure> {
    let all = runtime()?.block_on(opened(data_dir, address)?.list())?;
    let mut list = KnownList::load(data_dir)?;
    let known = list.find(address).ok();
    let judge = |lying: Lying| Judged {
        trust: Trust::of(&lying.shared, known.as_deref()),
        lying,
    };
    let bundles: Vec<Judged> = Lying::each(all).into_iter().map(judge).collect();
    if json {
        return print::json(&Listed { address, bundles });
    }
    let aside: Vec<Aside> = bundles
        .iter()
        .filter(|one| one.trust.why_not().is_some())
        .map(|one| Aside {
            shared: one.lying.shared.clone(),
            trust: one.trust,
        })
        .collect();
    print::write(&(lying(&bundles) + &set_aside(address, &aside)))
}

/// A row of the ledger: with whom something may be shared was changed.
fn note(data_dir: &Path, address: &str, what: &str) -> Result<(), Error> {
    let entry = Entry::new(Kind::PolicyChange, what).to(address);
    Ledger::of(data_dir).append(SystemClock.now(), &entry)?;
    Ok(())
}

/// What a destination was added with.
fn terms(known: &Known) -> String {
    let mut text = format!("a destination: account {}", known.account);
    if let Some(server) = &known.server {
        text += &format!(", server {server}");
    }
    if let Some(name) = &known.name {
        text += &format!(", as {name}");
    }
    if known.follow {
        text += ", imports what others share";
    }
    if known.keys == KeysFrom::Machine {
        text += ", keys also from the machine";
    }
    text
}

/// A destination, as it was made known.
fn opened(data_dir: &Path, address: &str) -> Result<Destination, Failure> {
    let mut list = KnownList::load(data_dir)?;
    let keys = list.find(address).map(|known| known.keys);
    Ok(Destination::open(
        address,
        keys.unwrap_or_default(),
        &Ledger::of(data_dir),
    )?)
}

pub fn runtime() -> Result<Runtime, Failure> {
    Runtime::new().map_err(|e| Failure::failed(format!("the network: {e}")))
}

fn share(data_dir: &Path, json: bool, bundle: &str, address: &str) -> Result<(), Failure> {
    let ledger = Ledger::of(data_dir);
    let to = KnownList::load(data_dir)?.named(address)?.to();
    ledger.may_send(SystemClock.now())?;
    let sha256 = one(&ledger, Kind::Approved, bundle, &to, "approved")?;
    let _sender = team::sender(data_dir)?;
    let shared = runtime()?.block_on(send(data_dir, &to, &sha256, &SystemClock))?;
    if json {
        return print::json(&shared);
    }
    print::write(&format!(
        "{}  is there, complete, signed with key {}\n",
        shared.sha256,
        shared.signer().unwrap_or("–")
    ))
}

/// The one bundle that a row of this kind speaks of.
fn one(ledger: &Ledger, kind: Kind, bundle: &str, to: &str, done: &str) -> Result<String, Failure> {
    let rows = ledger.rows()?.into_iter().map(|row| row.entry);
    let of_it = |entry: &Entry| {
        entry.kind == kind
            && entry
                .sha256
                .as_deref()
                .is_some_and(|sha256| sha256.starts_with(bundle))
    };
    let (here, elsewhere): (Vec<Entry>, Vec<Entry>) = rows
        .filter(of_it)
        .partition(|entry| entry.to.as_deref() == Some(to));
    let found: BTreeSet<String> = here.into_iter().filter_map(|entry| entry.sha256).collect();
    let mut found = found.into_iter();
    let other = elsewhere.into_iter().rev().find_map(|entry| entry.to);
    let only = other.map_or_else(String::new, |other| {
        format!(", only for {}", visible::plain(&other))
    });
    match (found.next(), found.next()) {
        (Some(sha256), None) => Ok(sha256),
        (None, _) => Err(Failure::refused(format!(
            "no bundle {bundle} was {done} for {to}{only}"
        ))
        .hint("`bobbin ledger` lists those that were; run `bobbin stage`, `review` and `approve` first")),
        (Some(_), Some(_)) => Err(Failure::usage(format!("{bundle} matches several bundles"))),
    }
}

fn recall(data_dir: &Path, json: bool, bundle: &str, address: &str) -> Result<(), Failure> {
    let ledger = Ledger::of(data_dir);
    let to = KnownList::load(data_dir)?.named(address)?.to();
    let sha256 = one(&ledger, Kind::UploadStarted, bundle, &to, "shared by you")?;
    let _sender = team::sender(data_dir)?;
    let recalled = runtime()?.block_on(take_back(data_dir, &to, &sha256, &SystemClock))?;
    if json {
        return print::json(&recalled);
    }
    print::write(&format!("{sha256}  deleted there, with its tables\n"))
}

fn pull(data_dir: &Path, json: bool, address: Option<&str>) -> Result<(), Failure> {
    let mut list = KnownList::load(data_dir)?;
    let addresses: Vec<String> = match address {
        Some(address) => vec![list.find(address)?.address.clone()],
        None => list
            .destinations
            .iter()
            .map(|known| known.address.clone())
            .collect(),
    };
    if addresses.is_empty() {
        return Err(
            Failure::usage("no destinations yet").hint("`bobbin destination add ADDRESS` adds one")
        );
    }
    let runtime = runtime()?;
    let mut all = Vec::new();
    for address in addresses {
        let picked = runtime.block_on(pick_up(data_dir, &opened(data_dir, &address)?))?;
        let Picked { brought, aside } = picked;
        let imported = taken(data_dir, &brought)?;
        all.push(Pulled {
            address,
            bundles: brought,
            aside,
            imported,
        });
    }
    if json {
        return print::json(&all);
    }
    let mut text = String::new();
    for pulled in &all {
        text += &format!("{}: ", visible::plain(&pulled.address));
        text += &match (pulled.bundles.len(), pulled.imported) {
            (0, _) => "nothing new\n".into(),
            (_, true) => format!("imported\n{}", table(&pulled.bundles)),
            (_, false) => format!(
                "downloaded; the running Bobbin will import it\n{}",
                table(&pulled.bundles)
            ),
        };
        text += &set_aside(&pulled.address, &pulled.aside);
    }
    print::write(&text)
}

fn trust(data_dir: &Path, json: bool, bundle: &str, address: &str) -> Result<(), Failure> {
    KnownList::load(data_dir)?.find(address)?;
    let all = runtime()?.block_on(opened(data_dir, address)?.list())?;
    let mut found = all.into_iter().filter(|one| one.sha256.starts_with(bundle));
    let shared = match (found.next(), found.next()) {
        (Some(shared), None) => shared,
        (None, _) => {
            let none = Failure::refused(format!("no bundle {bundle} is at {address}"));
            return Err(none.hint("`bobbin destination bundles` lists those that are"));
        }
        (Some(_), Some(_)) => {
            return Err(Failure::usage(format!("{bundle} matches several bundles")));
        }
    };
    accept(data_dir, address, &shared)?;
    if json {
        return print::json(&shared);
    }
    print::write(&format!(
        "key {} is trusted for {}; `bobbin destination pull` imports what it signed\n",
        shared.signer().unwrap_or_default(),
        visible::plain(shared.by.as_deref().unwrap_or_default())
    ))
}

/// What was not taken, why, and what can be done.
fn set_aside(address: &str, aside: &[Aside]) -> String {
    let mut text = String::new();
    for Aside { shared, trust } in aside {
        let (bundle, why) = (short(&shared.sha256), trust.why_not().unwrap_or_default());
        text += &format!("{bundle}  set aside: {why}\n");
        if *trust == Trust::OtherKey {
            let address = visible::plain(address);
            text += &format!(
                "{}  key {}; if it is theirs: bobbin destination trust {bundle} {address}\n",
                " ".repeat(bundle.len()),
                shared.signer().unwrap_or_default()
            );
        }
    }
    text
}

/// Takes what was brought, unless another Bobbin is open and does.
fn taken(data_dir: &Path, bundles: &[Shared]) -> Result<bool, Failure> {
    let app = match open::owner(data_dir) {
        Ok(app) => app,
        Err(failure) if failure.code == Code::Busy => return Ok(false),
        Err(failure) => return Err(failure),
    };
    for shared in bundles {
        let path = data_dir
            .join("inbox")
            .join(format!("{}.bobbin", shared.sha256));
        api::import(&app, &path)?;
        fs::remove_file(&path).map_err(|e| Failure::io("the inbox", &path, &e))?;
    }
    app.drain()?;
    Ok(true)
}

fn said(json: bool, list: &KnownList) -> Result<(), Failure> {
    if json {
        return print::json(&list.destinations);
    }
    if list.destinations.is_empty() {
        return print::write("No destinations yet.\n");
    }
    let row = |known: &Known| {
        vec![
            visible::plain(&known.address).to_string(),
            known.account.clone(),
            known
                .name
                .as_deref()
                .map_or("–".into(), |name| visible::plain(name).to_string()),
            if known.follow {
                "followed"
            } else {
                "on demand"
            }
            .into(),
            known.seen.len().to_string(),
        ]
    };
    let rows: Vec<Vec<String>> = list.destinations.iter().map(row).collect();
    print::write(&print::table(
        &["address", "account", "as", "others' bundles", "seen"],
        &[false, false, false, false, true],
        &rows,
    ))
}

const HEADS: [&str; 7] = [
    "bundle", "account", "by", "key", "shared", "clusters", "size",
];
const RIGHT: [bool; 7] = [false, false, false, false, false, true, true];

fn table(bundles: &[Shared]) -> String {
    let rows: Vec<Vec<String>> = bundles.iter().map(row).collect();
    print::table(&HEADS, &RIGHT, &rows)
}

/// The same, with what of each counts there.
fn lying(bundles: &[Judged]) -> String {
    let rows: Vec<Vec<String>> = bundles
        .iter()
        .map(|Judged { lying: one, .. }| {
            let mut row = row(&one.shared);
            row.push(one.counted.to_string());
            let others: Vec<String> = one.others.iter().map(|who| visible::plain(who)).collect();
            row.push(match others.is_empty() {
                true => "–".into(),
                false => print::cut(&others.join(", "), 40),
            });
            row
        })
        .collect();
    let heads = [&HEADS[..], &["counted", "the rest from"]].concat();
    let right = [&RIGHT[..], &[true, false]].concat();
    print::table(&heads, &right, &rows)
}

fn short(sha256: &str) -> &str {
    &sha256[..12.min(sha256.len())]
}

/// The beginning of the key that signed it.
fn key(shared: &Shared) -> String {
    match shared.signer() {
        Some(key) => key[..16.min(key.len())].into(),
        None if shared.signed.is_some() => "no match".into(),
        None => "unsigned".into(),
    }
}

fn row(shared: &Shared) -> Vec<String> {
    vec![
        short(&shared.sha256).into(),
        shared.account.clone(),
        shared
            .by
            .as_deref()
            .map_or("–".into(), |by| print::cut(&visible::plain(by), 30)),
        key(shared),
        print::moment(shared.shared_at_micros),
        shared.clusters.to_string(),
        print::bytes(shared.bytes),
    ]
}
