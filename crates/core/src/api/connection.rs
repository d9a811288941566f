//! How clusters come to report: this machine by a file in Dask's configuration, another one by a tunnel; and what came in,
//! or was turned away, while somebody waits for the first word.

use std::path::Path;
use std::sync::Arc;

use super::senders::key_name;
use super::{
    App, Connection, ConnectionRequest, Empty, ReceiverStatus, Reception, ReceptionRequest,
    RemoteLines, RemoteRequest, Role,
};
use crate::clock::Clock;
use crate::connect::dask::Places;
use crate::connect::record::Record;
use crate::connect::{connect, disconnect, file, warnings};
use crate::install::{Address, plugin_path, put_plugin, read_address};
use crate::query;
use crate::seal::{Keyring, PublicKey};
use crate::{Error, Result};

/// Letters of a host's name with its user.
const HOST: usize = 255;

pub(super) fn connection(app: &App, _: Empty) -> Result<Connection> {
    let places = Places::find(None)?;
    let record = Record::read(app.dir())?.filter(|record| record.file.is_file());
    let text = record.as_ref().map(|record| record.text.clone());
    let own = places.folder.join(file::NAME);
    let file = record.as_ref().map_or(own, |record| record.file.clone());
    Ok(Connection {
        connected: record.is_some(),
        file: file.display().to_string(),
        text,
        plugin: plugin_path(app.dir()).display().to_string(),
        warnings: warnings(&places, app.dir()),
    })
}

/// Makes the store where Bobbin never ran, and with it the key that plugins seal to: without it, what they leave on the disk
/// before the first start has no texts.
///
/// # Errors
/// As [`App::open_with`].
pub fn ready_to_seal(dir: &Path, clock: Arc<dyn Clock>, keyring: Arc<dyn Keyring>) -> Result<()> {
    if PublicKey::published(dir).is_some() {
        return Ok(());
    }
    match App::open_with(dir, Role::Owner, clock, keyring) {
        Ok(app) => app.drain(),
        // Whoever has it open publishes its key.
        Err(Error::StoreInUse { .. }) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Does what `bobbin connect` and `bobbin disconnect` do. The key to seal to is there: this Bobbin has its store open.
pub(super) fn set_connection(app: &App, request: ConnectionRequest) -> Result<Connection> {
    app.writer()?;
    if request.connected {
        connect(app.dir(), &Places::find(None)?)?;
    } else {
        disconnect(app.dir())?;
    }
    app.tell(Vec::new());
    connection(app, Empty {})
}

/// Each call hands out another key: the lines are for one machine, and can be taken back.
pub(super) fn remote_lines(app: &App, request: RemoteRequest) -> Result<RemoteLines> {
    let host = reachable("the scheduler's host", &request.host)?;
    let through = match request.through.trim() {
        "" => String::new(),
        through => format!("-J {} ", reachable("the jump host", through)?),
    };
    let listening = app.receiver().zip(read_address(app.dir())?);
    let (port, certificate, direct) = listening
        .and_then(|(running, address)| door(&running, &address))
        .ok_or_else(|| Error::Declined {
            what: "no receiver is running in this process, so nothing can reach it".into(),
            hint: "start `bobbin serve`, or the app while no other program uses its port".into(),
        })?;
    let plugin = put_plugin(app.dir())?;
    let key = app.new_ingest_key()?;
    let file = shell_word(&plugin.to_string_lossy());
    Ok(RemoteLines {
        key_name: key_name(&key.digest()),
        copy: format!("scp {through}{file} {host}:bobbin.py"),
        // The same port there: who asks names this receiver as it is, or is turned away.
        tunnel: format!(
            "ssh -N -o ExitOnForwardFailure=yes -o ServerAliveInterval=30 {through}-R {port}:127.0.0.1:{port} {host}"
        ),
        environment: vec![
            format!("export DASK_BOBBIN__RECEIVER='https://127.0.0.1:{port}#sha256={certificate}'"),
            format!("export DASK_BOBBIN__TOKEN={}", key.expose()),
        ],
        direct: direct.map(|receiver| format!("export DASK_BOBBIN__RECEIVER='{receiver}'")),
        start: "dask scheduler --preload ~/bobbin.py".into(),
        host,
        port,
    })
}

/// Its port, what its certificate is known by, and where other machines reach it without a tunnel.
fn door(running: &ReceiverStatus, address: &Address) -> Option<(u16, String, Option<String>)> {
    let port = running.tcp.rsplit_once(':')?.1.parse().ok()?;
    let certificate = address.certificate_sha256.clone()?;
    let direct = match running.is_cut_off() {
        true => None,
        false => address.from_elsewhere(),
    };
    Some((port, certificate, direct))
}

pub(super) fn reception(app: &App, request: ReceptionRequest) -> Result<Reception> {
    let ReceptionRequest {
        since_micros,
        after_id,
        key_name,
    } = request;
    let senders = key_name.map(|key| app.senders().with(&key));
    let (clusters, last_id) = app.read(|db| {
        let heard = query::heard_since(db, since_micros, after_id, senders.as_deref())?;
        Ok((heard, query::last_cluster_id(db)?))
    })?;
    let (refusals, truncated) = app.refusals().since(since_micros);
    Ok(Reception {
        now_micros: app.now(),
        clusters,
        refusals,
        truncated,
        last_id,
    })
}

/// A name that `ssh` takes for a machine and for nothing else: no option, no command, one word of a shell.
fn reachable(what: &'static str, typed: &str) -> Result<String> {
    let typed = typed.trim();
    let wrong = |reason: &str| Error::Invalid {
        what,
        value: typed.chars().take(HOST).collect(),
        reason: reason.into(),
    };
    if typed.is_empty() {
        return Err(wrong(
            "use the name of a machine, for example login.example.org or ada@10.0.0.7",
        ));
    }
    let (user, host) = match typed.split_once('@') {
        Some((user, host)) => (Some(user), host),
        None => (None, typed),
    };
    let word = |text: &str| {
        let letters = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        !text.is_empty() && !text.starts_with('-') && text.chars().all(letters)
    };
    if typed.len() > HOST || !word(host) || user.is_some_and(|user| !word(user)) {
        return Err(wrong(
            "use `host` or `user@host` with letters, digits, dots, hyphens and underscores; put a port and other options into \
             ~/.ssh/config",
        ));
    }
    Ok(typed.to_owned())
}

/// One word for a POSIX shell.
pub fn shell_word(text: &str) -> String {
    let tame = |c: char| c.is_ascii_alphanumeric() || "/._-+,:@".contains(c);
    if !text.is_empty() && text.chars().all(tame) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::api::{InterfaceStatus, RecoveryOffer, keys};
    use crate::clock::ManualClock;
    use crate::install::write_address;
    use crate::model::Micros;
    use crate::seal::NoKeyring;
    use crate::testing::*;

    fn ready(dir: &Path) -> Result<()> {
        let clock = Arc::new(ManualClock::at(Micros(at(0))));
        ready_to_seal(dir, clock, Arc::new(NoKeyring))
    }

    #[test]
    fn an_install_that_never_ran_gets_the_key_of_its_first_start() {
        let dir = tempfile::tempdir().unwrap();
        ready(dir.path()).unwrap();
        let key = PublicKey::published(dir.path()).unwrap();
        ready(dir.path()).unwrap();
        let clock = Arc::new(ManualClock::at(Micros(at(60))));
        let app = App::open(dir.path(), Role::Owner, clock).unwrap();
        assert!(key.is_published(dir.path()) && app.keys().holds(&key));
        let told = keys(&app, Empty {}).unwrap();
        assert_eq!(told.name, crate::seal::key_name(&key));
        assert_eq!(told.created_micros, Micros(at(0)), "there is no second one");
        assert_eq!(told.recovery, RecoveryOffer::Open);
        // Beside an open Bobbin it makes none.
        fs::remove_file(dir.path().join("public_key")).unwrap();
        ready(dir.path()).unwrap();
        assert_eq!(PublicKey::published(dir.path()), None);
    }

    #[test]
    fn a_folder_that_cannot_hold_a_key_is_said() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("token"), "seen").unwrap();
        fs::set_permissions(dir.path(), Permissions::from_mode(0o755)).unwrap();
        let error = ready(dir.path()).unwrap_err();
        assert!(matches!(error, Error::Loosened { .. }), "{error}");
        assert_eq!(PublicKey::published(dir.path()), None);
    }

    fn listening(bench: &Bench) {
        listening_on(bench, None);
    }

    fn listening_on(bench: &Bench, interface: Option<&str>) {
        let address = Address {
            pid: 1,
            tcp: "127.0.0.1:8790".into(),
            interface: interface.map(str::to_owned),
            socket: None,
            token_file: "token".into(),
            certificate_sha256: Some("ab".repeat(32)),
            started_micros: Micros(0),
        };
        write_address(bench.path(), &address).unwrap();
        bench.app.set_receiver(Some(ReceiverStatus {
            pid: 1,
            tcp: address.tcp,
            socket: None,
            interface: None,
            started_micros: Micros(0),
            port_asked: 8790,
            port_by_option: false,
        }));
    }

    fn lines(bench: &Bench, host: &str, through: &str) -> Result<RemoteLines> {
        let request = RemoteRequest {
            host: host.into(),
            through: through.into(),
        };
        remote_lines(&bench.app, request)
    }

    #[test]
    fn the_lines_for_another_machine_hold_the_pin_and_a_key_that_may_only_write() {
        let bench = Bench::new();
        let error = lines(&bench, "ada@far", "").unwrap_err();
        assert!(error.hint().unwrap().contains("bobbin serve"), "{error}");
        listening(&bench);
        let made = lines(&bench, " ada@far.example.org ", "login").unwrap();
        assert_eq!(
            made.tunnel,
            "ssh -N -o ExitOnForwardFailure=yes -o ServerAliveInterval=30 -J login -R 8790:127.0.0.1:8790 ada@far.example.org"
        );
        assert!(
            made.copy
                .ends_with("plugin/bobbin.py ada@far.example.org:bobbin.py"),
            "{}",
            made.copy
        );
        let pinned = format!("'https://127.0.0.1:8790#sha256={}'", "ab".repeat(32));
        assert!(made.environment[0].ends_with(&pinned));
        let (_, key) = made.environment[1].split_once('=').unwrap();
        assert!(bench.app.ingest_key_known(key) && !bench.app.is_owner_token(key));
        assert!(plugin_path(bench.path()).exists());
        assert_eq!(made.direct, None);
        listening_on(&bench, Some("192.168.1.7:8790"));
        let direct = lines(&bench, "far", "").unwrap().direct.unwrap();
        let pinned = format!("'https://192.168.1.7:8790#sha256={}'", "ab".repeat(32));
        assert!(direct.ends_with(&pinned), "{direct}");
        let mut away = bench.app.receiver().unwrap();
        away.interface = Some(InterfaceStatus {
            address: "192.168.1.7:8790".into(),
            failed: Some("it is away".into()),
            by_option: true,
            until_micros: None,
        });
        bench.app.set_receiver(Some(away));
        assert_eq!(lines(&bench, "far", "").unwrap().direct, None);
    }

    #[test]
    fn what_ssh_would_take_for_something_else_is_refused_by_name() {
        let bench = Bench::new();
        listening(&bench);
        for host in [
            "",
            "-oProxyCommand=x",
            "a b",
            "a;b",
            "a@b@c",
            "a@-b",
            "$(x)",
            "a:22",
            "ü",
            "@a",
            "a'",
        ] {
            let error = lines(&bench, host, "").unwrap_err();
            assert!(matches!(error, Error::Invalid { .. }), "{host}: {error}");
            assert!(error.to_string().contains(host), "{host}: {error}");
        }
        lines(&bench, "far", "-x").unwrap_err();
        let (keys, _) = bench.app.read(query::ingest_key_facts).unwrap();
        assert_eq!(keys, 0);
    }

    #[test]
    fn who_waits_hears_of_new_clusters_and_of_what_was_refused_since() {
        let bench = Bench::new();
        bench.send(batch(1, &[facts(0)]));
        bench.app.count_refusal("quota");
        bench.at(1_000);
        let since_micros = bench.app.now();
        let asked = |after_id| {
            let request = ReceptionRequest {
                since_micros,
                after_id,
                key_name: None,
            };
            reception(&bench.app, request).unwrap()
        };
        let begin = asked(0);
        assert_eq!((begin.last_id, begin.refusals.len()), (1, 0));
        bench.at(1_010);
        bench.app.count_refusal("wrong_token");
        bench.send(batch(2, &[sample(1_009, 1.0)]));
        let known = asked(begin.last_id);
        assert!(known.clusters.is_empty(), "it was here before");
        assert_eq!(known.refusals[0].reason, "wrong_token");
        bench.send(batch_of("Scheduler-2", "i", 1, &[facts(1_009)]));
        let heard: Vec<i64> = asked(begin.last_id)
            .clusters
            .iter()
            .map(|one| one.id)
            .collect();
        assert_eq!(heard, [2]);
    }

    #[test]
    fn who_tests_the_way_from_one_machine_hears_of_no_other() {
        let bench = Bench::new();
        listening(&bench);
        let ours = lines(&bench, "far", "").unwrap();
        let heard = |key_name: &str| -> Vec<i64> {
            let request = ReceptionRequest {
                since_micros: Micros(0),
                after_id: 0,
                key_name: Some(key_name.into()),
            };
            let told = reception(&bench.app, request).unwrap();
            told.clusters.iter().map(|one| one.id).collect()
        };
        bench.send(batch(1, &[facts(0)]));
        assert!(heard(&ours.key_name).is_empty(), "it came with another key");
        bench.send(batch_of("Scheduler-2", "i", 1, &[facts(0)]));
        let (_, key) = ours.environment[1].split_once('=').unwrap();
        bench
            .app
            .note_sender(&crate::install::digest(key), "Scheduler-2");
        assert_eq!(heard(&ours.key_name), [2]);
        assert!(heard(&lines(&bench, "near", "").unwrap().key_name).is_empty());
    }

    #[test]
    fn a_path_stays_one_word() {
        assert_eq!(shell_word("/home/me/token"), "/home/me/token");
        assert_eq!(shell_word("/home/m e/it's"), r"'/home/m e/it'\''s'");
    }
}
