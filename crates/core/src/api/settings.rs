//! What holds for the whole of this Bobbin: where it listens, who gets in, what arrives as files, what is kept out.

use std::path::{Path, PathBuf};

use super::{
    App, Empty, InboxFate, InboxFile, InboxFiles, InboxFolder, Privacy, ReceiverSettings,
    ReceiverStatus, SetInboxRequest, SetInterfaceRequest, SetPortRequest, SureRequest, TokenText,
};
use crate::install::{
    self, Address, DEFAULT_PORT, Interface, Moment, Settings, change_settings, inbox_dir,
    read_address, refused_files, settings, settings_path, token,
};
use crate::ledger::{Entry, Kind, Ledger};
use crate::model::Micros;
use crate::query;
use crate::{Error, Result};

/// A year: longer is until it is taken away.
const MOST_HOURS: u32 = 366 * 24;

pub(super) fn receiver_settings(app: &App, _: Empty) -> Result<ReceiverSettings> {
    let set = settings(app.dir())?;
    let running = app.receiver();
    let address = match &running {
        Some(_) => read_address(app.dir())?,
        None => None,
    };
    let cut_off = running.as_ref().is_some_and(ReceiverStatus::is_cut_off);
    let restart_needed = running.as_ref().is_some_and(|running| {
        other_port(running, &set) || other_interface(running, &set, app.now())
    });
    let (keys, newest_key_micros) = app.read(query::ingest_key_facts)?;
    let file = settings_path(app.dir());
    Ok(ReceiverSettings {
        running,
        receiver_line: address
            .as_ref()
            .filter(|_| !cut_off)
            .and_then(receiver_line),
        certificate_sha256: address.and_then(|address| address.certificate_sha256),
        token_file: whole(&app.dir().join("token")),
        file_exists: file.exists(),
        file: whole(&file),
        port: set.port,
        default_port: DEFAULT_PORT,
        interface: set.interface.map(|interface| interface.to_string()),
        interface_until_micros: set.interface_until.map(Moment::micros),
        restart_needed,
        keys,
        newest_key_micros,
        refused: app.refused(),
    })
}

pub(super) fn set_port(app: &App, request: SetPortRequest) -> Result<ReceiverSettings> {
    // Who only reads the store changes nothing, the file neither.
    app.writer()?;
    let port = request.port.as_deref().map(port_of).transpose()?;
    change_settings(app.dir(), |set| {
        set.port = port;
        Ok(())
    })?;
    app.tell(Vec::new());
    receiver_settings(app, Empty {})
}

pub(super) fn set_interface(app: &App, request: SetInterfaceRequest) -> Result<ReceiverSettings> {
    app.writer()?;
    let interface = request
        .interface
        .as_deref()
        .map(str::parse::<Interface>)
        .transpose()?;
    let until = match (interface, request.hours) {
        (Some(_), Some(hours)) => Some(hours_from(app.now(), hours)?),
        (None, _) | (_, None) => None,
    };
    change_settings(app.dir(), |set| {
        let (before, now) = (
            open_to(set.interface, set.interface_until),
            open_to(interface, until),
        );
        if before != now {
            // Nothing is opened to others without a row.
            note(app, &format!("interface: {now}, was {before}"))?;
        }
        (set.interface, set.interface_until) = (interface, until);
        Ok(())
    })?;
    app.tell(Vec::new());
    receiver_settings(app, Empty {})
}

/// Where others reach the receiver, and until when.
fn open_to(interface: Option<Interface>, until: Option<Moment>) -> String {
    match (interface, until) {
        (None, _) => "none".into(),
        (Some(interface), None) => interface.to_string(),
        (Some(interface), Some(until)) => format!("{interface} until {until}"),
    }
}

/// A row of the ledger: who may read or write here was changed, or the token that lets in was handed out.
fn note(app: &App, what: &str) -> Result<()> {
    let entry = Entry::new(Kind::PolicyChange, what);
    Ledger::of(app.dir()).append(app.now(), &entry).map(drop)
}

/// So many hours later.
fn hours_from(now: Micros, hours: u32) -> Result<Moment> {
    let wrong = || Error::Invalid {
        what: "hours that the interface is open",
        value: hours.to_string(),
        reason: format!("write a number from 1 to {MOST_HOURS}, or leave it out"),
    };
    if hours == 0 || hours > MOST_HOURS {
        return Err(wrong());
    }
    Moment::of(Micros(now.0 + i64::from(hours) * 3_600_000_000)).ok_or_else(wrong)
}

/// Whether the next start takes another port.
fn other_port(running: &ReceiverStatus, set: &Settings) -> bool {
    !running.port_by_option && running.port_asked != set.port_or_default()
}

/// Whether the next start listens on another interface, or on one at all.
fn other_interface(running: &ReceiverStatus, set: &Settings, now: Micros) -> bool {
    match &running.interface {
        Some(interface) if interface.by_option => false,
        Some(interface) => {
            let until = set.interface_until.map(Moment::micros);
            interface.until_micros != until
                || set
                    .interface_at(now)
                    .is_none_or(|named| !is_at(&interface.address, named))
        }
        None => set.interface_at(now).is_some(),
    }
}

fn is_at(address: &str, interface: Interface) -> bool {
    address
        .rsplit_once(':')
        .and_then(|(_, port)| port.parse().ok())
        .is_some_and(|port| interface.at(port).to_string() == address)
}

/// What a scheduler on another machine is told, by the interface that listens.
fn receiver_line(address: &Address) -> Option<String> {
    Some(format!("bobbin.receiver: {}", address.from_elsewhere()?))
}

fn port_of(typed: &str) -> Result<u16> {
    let typed = typed.trim();
    typed.parse().map_err(|_| Error::Invalid {
        what: "the port",
        value: typed.chars().take(100).collect(),
        reason: "use a number from 1024 to 65535, or 0 for any free port".into(),
    })
}

pub(super) fn show_token(app: &App, _: Empty) -> Result<TokenText> {
    note(app, "the token was shown")?;
    let text = token(app.dir())?.expose().to_owned();
    Ok(TokenText { text })
}

/// From the next request on the old token lets nobody in, also on connections that are open.
pub(super) fn replace_token(app: &App, request: SureRequest) -> Result<TokenText> {
    app.writer()?;
    sure(&request, "the token")?;
    note(app, "the token was replaced")?;
    let token = install::replace_token(app.dir())?;
    let text = token.expose().to_owned();
    app.set_owner_token(token);
    app.tell(Vec::new());
    Ok(TokenText { text })
}

pub(super) fn revoke_keys(app: &App, request: SureRequest) -> Result<ReceiverSettings> {
    sure(&request, "keys you handed out")?;
    app.forget_ingest_keys()?;
    app.tell(Vec::new());
    receiver_settings(app, Empty {})
}

fn sure(request: &SureRequest, what: &'static str) -> Result<()> {
    if request.sure {
        return Ok(());
    }
    Err(Error::Invalid {
        what,
        value: "sure: false".into(),
        reason: "set `sure` to confirm".into(),
    })
}

pub(super) fn inbox_files(app: &App, _: Empty) -> Result<InboxFiles> {
    let own = inbox_dir(app.dir());
    let (mut files, truncated) = app.read(query::inbox_files)?;
    // Those of which it was not noted when they came.
    let put_aside = refused_files(app.dir()).into_iter().filter(|file| {
        !files
            .iter()
            .any(|noted| noted.aside.as_deref() == Some(&file.aside))
    });
    let put_aside: Vec<InboxFile> = put_aside
        .map(|file| InboxFile {
            folder: own.display().to_string(),
            name: file.name,
            bytes: Some(file.bytes),
            at_micros: file.modified,
            fate: InboxFate::Refused,
            goes_on: false,
            records: None,
            clusters: Vec::new(),
            clusters_total: 0,
            taken: None,
            left_out: 0,
            why: Some(file.why),
            aside: Some(file.aside),
        })
        .collect();
    files.extend(put_aside);
    files.sort_by_key(|file| std::cmp::Reverse(file.at_micros));
    let others = settings(app.dir())?.inbox.into_iter();
    Ok(InboxFiles {
        folder: whole(&own),
        others: others
            .map(|folder| InboxFolder {
                exists: folder.is_dir(),
                folder: folder.display().to_string(),
            })
            .collect(),
        files,
        truncated,
    })
}

pub(super) fn set_inbox(app: &App, request: SetInboxRequest) -> Result<InboxFiles> {
    app.writer()?;
    change_settings(app.dir(), |set| {
        let mut inbox: Vec<PathBuf> = Vec::new();
        for folder in request
            .folders
            .iter()
            .map(|text| PathBuf::from(text.trim()))
        {
            // One that was set and is not here now, such as a share, may stay.
            if folder.is_absolute() && !folder.is_dir() && !set.inbox.contains(&folder) {
                return Err(Error::Invalid {
                    what: "a folder of the inbox",
                    value: folder.display().to_string(),
                    reason: "there is no such folder here: create it first, or correct the path"
                        .into(),
                });
            }
            if !inbox.contains(&folder) {
                inbox.push(folder);
            }
        }
        set.inbox = inbox;
        Ok(())
    })?;
    app.tell(Vec::new());
    inbox_files(app, Empty {})
}

pub(super) fn privacy(app: &App, _: Empty) -> Result<Privacy> {
    app.read(query::privacy)
}

fn whole(path: &Path) -> String {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
    path.display().to_string()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::api::{InterfaceStatus, ReceiverStatus};
    use crate::testing::*;

    fn rows(bench: &Bench) -> Vec<String> {
        let rows = Ledger::of(bench.path()).rows().unwrap().into_iter();
        rows.map(|row| row.entry.what).collect()
    }

    fn needed(bench: &Bench, port_asked: u16, port_by_option: bool) -> bool {
        bench.app.set_receiver(Some(ReceiverStatus {
            pid: 1,
            tcp: "127.0.0.1:9".into(),
            socket: None,
            interface: None,
            started_micros: Micros(0),
            port_asked,
            port_by_option,
        }));
        let now = receiver_settings(&bench.app, Empty {}).unwrap();
        now.restart_needed
    }

    #[test]
    fn an_interface_is_kept_for_the_next_start_and_its_line_is_told_while_it_listens() {
        let bench = Bench::new();
        let set = |interface: Option<&str>| {
            let interface = interface.map(str::to_owned);
            let hours = None;
            set_interface(&bench.app, SetInterfaceRequest { interface, hours })
        };
        let named = set(Some(" 192.168.1.7 ")).unwrap();
        assert_eq!(named.interface.as_deref(), Some("192.168.1.7"));
        assert!(!named.restart_needed, "no receiver runs");
        for wrong in ["0.0.0.0", "::", "127.0.0.1", "eth0", ""] {
            let error = set(Some(wrong)).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
        let runs = |interface: Option<&str>, by_option| {
            let address = Address {
                pid: 1,
                tcp: "127.0.0.1:9".into(),
                interface: interface.map(str::to_owned),
                socket: None,
                token_file: "token".into(),
                certificate_sha256: Some("ab".repeat(32)),
                started_micros: Micros(0),
            };
            install::write_address(bench.path(), &address).unwrap();
            bench.app.set_receiver(Some(ReceiverStatus {
                pid: 1,
                tcp: address.tcp,
                socket: None,
                interface: interface.map(|address| InterfaceStatus {
                    address: address.into(),
                    failed: None,
                    by_option,
                    until_micros: None,
                }),
                started_micros: Micros(0),
                port_asked: DEFAULT_PORT,
                port_by_option: false,
            }));
            receiver_settings(&bench.app, Empty {}).unwrap()
        };
        assert!(runs(None, false).restart_needed, "it listens nowhere else");
        assert!(runs(Some("192.168.1.8:9"), false).restart_needed);
        assert!(!runs(Some("192.168.1.8:9"), true).restart_needed);
        let in_force = runs(Some("192.168.1.7:9"), false);
        assert!(!in_force.restart_needed);
        assert_eq!(
            in_force.receiver_line.unwrap(),
            format!(
                "bobbin.receiver: https://192.168.1.7:9#sha256={}",
                "ab".repeat(32)
            )
        );
        let mut away = bench.app.receiver().unwrap();
        away.interface.as_mut().unwrap().failed = Some("it is away".into());
        bench.app.set_receiver(Some(away));
        let told = receiver_settings(&bench.app, Empty {}).unwrap();
        assert_eq!(told.receiver_line, None);
        let back = set(None).unwrap();
        assert_eq!(
            (back.interface, back.file_exists, back.restart_needed),
            (None, false, true)
        );
    }

    #[test]
    fn an_interface_may_be_named_for_some_hours() {
        let bench = Bench::new();
        let set = |hours| {
            let interface = Some("192.168.1.7".to_owned());
            set_interface(&bench.app, SetInterfaceRequest { interface, hours })
        };
        let until = set(Some(8)).unwrap().interface_until_micros.unwrap();
        assert!((0..=1_000_000).contains(&(bench.app.now().0 + 8 * 3_600_000_000 - until.0)));
        let file = || settings(bench.path()).unwrap();
        assert!(file().interface_at(Micros(until.0 - 1)).is_some());
        assert!(file().interface_at(until).is_none());
        for wrong in [0, MOST_HOURS + 1] {
            let error = set(Some(wrong)).unwrap_err().to_string();
            assert!(error.contains(&wrong.to_string()), "{error}");
        }
        assert_eq!(set(None).unwrap().interface_until_micros, None);
        let said = rows(&bench);
        assert_eq!(said.len(), 2, "{said:?}");
        assert!(
            said[0].starts_with("interface: 192.168.1.7 until ") && said[0].ends_with(", was none")
        );
        assert!(said[1].starts_with("interface: 192.168.1.7, was 192.168.1.7 until "));
        // Said again it is no change.
        set(None).unwrap();
        assert_eq!(rows(&bench), said);
    }

    fn set(bench: &Bench, port: Option<&str>) -> Result<ReceiverSettings> {
        let port = port.map(str::to_owned);
        set_port(&bench.app, SetPortRequest { port })
    }

    #[test]
    fn a_port_is_kept_for_the_next_start_which_is_said_unless_an_option_goes_before_it() {
        let bench = Bench::new();
        assert!(!needed(&bench, DEFAULT_PORT, false));
        let now = set(&bench, Some(" 9000 ")).unwrap();
        assert_eq!(
            (now.port, now.file_exists, now.restart_needed),
            (Some(9000), true, true)
        );
        assert!(!needed(&bench, 9000, false) && !needed(&bench, 0, true));
        for wrong in ["22", "8786", "70000", "-1", "eighty", ""] {
            let error = set(&bench, Some(wrong)).unwrap_err();
            assert!(error.to_string().contains(wrong), "{error}");
        }
        assert_eq!(settings(bench.path()).unwrap().port, Some(9000));
        let back = set(&bench, None).unwrap();
        assert_eq!((back.port, back.file_exists), (None, false));
    }

    #[test]
    fn a_replaced_token_is_the_one_that_lets_in() {
        let bench = Bench::new();
        let first = show_token(&bench.app, Empty {}).unwrap().text;
        bench.app.set_owner_token(token(bench.path()).unwrap());
        assert!(bench.app.is_owner_token(&first));
        replace_token(&bench.app, SureRequest { sure: false }).unwrap_err();
        assert!(bench.app.is_owner_token(&first));
        let second = replace_token(&bench.app, SureRequest { sure: true }).unwrap();
        let said = ["the token was shown", "the token was replaced"];
        assert_eq!(rows(&bench), said);
        assert!(!bench.app.is_owner_token(&first) && bench.app.is_owner_token(&second.text));
        assert_eq!(show_token(&bench.app, Empty {}).unwrap(), second);
    }

    #[test]
    fn keys_that_were_handed_out_are_counted_and_taken_back() {
        let bench = Bench::new();
        let key = bench.app.new_ingest_key().unwrap();
        let keys = receiver_settings(&bench.app, Empty {}).unwrap().keys;
        assert_eq!(keys, 1);
        let after = revoke_keys(&bench.app, SureRequest { sure: true }).unwrap();
        assert_eq!((after.keys, after.newest_key_micros), (0, None));
        assert!(!bench.app.ingest_key_known(key.expose()));
    }

    #[test]
    fn the_inbox_tells_what_it_refused_and_takes_folders_that_exist() {
        let bench = Bench::new();
        let own = inbox_dir(bench.path());
        fs::create_dir_all(&own).unwrap();
        fs::write(own.join("a.bobbin.refused"), "x").unwrap();
        fs::write(own.join("a.bobbin.why"), "no batches").unwrap();
        let here = bench.path().join("shared");
        let request = |folder: &Path| SetInboxRequest {
            folders: vec![folder.display().to_string()],
        };
        let error = set_inbox(&bench.app, request(&here)).unwrap_err();
        assert!(error.to_string().contains("shared"), "{error}");
        fs::create_dir(&here).unwrap();
        let set = set_inbox(&bench.app, request(&here)).unwrap();
        assert!(set.others[0].exists);
        assert_eq!(set.files[0].why.as_deref(), Some("no batches"));
        fs::remove_dir(&here).unwrap();
        let gone = set_inbox(&bench.app, request(&here)).unwrap();
        assert!(!gone.others[0].exists, "it may come back");
        set_inbox(&bench.app, request(Path::new("here"))).unwrap_err();
    }

    #[test]
    fn what_clusters_switched_off_is_counted_by_category() {
        let bench = Bench::new();
        let off = with(
            facts(0),
            serde_json::json!({"switches": {"code": false, "profile": true, "user": false, "events_allow": ["*"]}}),
        );
        bench.send(batch(1, &[off]));
        bench.send(batch_of("Scheduler-2", "i", 1, &[facts(0)]));
        let told = privacy(&bench.app, Empty {}).unwrap();
        let named: Vec<_> = told
            .switches
            .iter()
            .map(|one| one.category.as_str())
            .collect();
        assert!(
            named.contains(&"code") && named.contains(&"user"),
            "{named:?}"
        );
        assert_eq!((told.clusters, told.forgotten_codes), (2, 0));
    }
}
