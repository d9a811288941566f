//! The key in a real keyring: open, locked, gone.

use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::json;

use super::{MESSAGE, key, message, send};
use crate::stories::shell::fails;
use crate::support::{Process, Sandbox, Server, eventually};

/// A desktop's session bus with a keyring on it.
struct Desktop {
    keyring: Option<Process>,
    #[expect(dead_code, reason = "ends with the desktop")]
    bus: Process,
}

impl Desktop {
    /// Starts both, the keyring unlocked; nothing, said aloud, where there is no such keyring.
    fn start(story: &str, sandbox: &mut Sandbox) -> Option<Self> {
        let on_path = |name: &str| {
            std::env::var_os("PATH")
                .is_some_and(|path| std::env::split_paths(&path).any(|one| one.join(name).exists()))
        };
        if !on_path("gnome-keyring-daemon") || !on_path("dbus-daemon") {
            let reason = format!(
                "skipped: {story}: there is no gnome-keyring-daemon (`cargo xtask setup` installs it)"
            );
            let _ = writeln!(std::io::stderr().lock(), "{reason}");
            return None;
        }
        let run = sandbox.path("run");
        fs::create_dir(&run).unwrap();
        sandbox.set("XDG_RUNTIME_DIR", run.display());
        // Nothing is started by itself: a keyring that is gone stays gone.
        let config = sandbox.path("bus.conf");
        let address = format!("unix:path={}", run.join("bus").display());
        fs::write(
            &config,
            format!(
                "<busconfig><type>session</type><listen>{address}</listen><policy context=\"default\">\
                 <allow send_destination=\"*\" eavesdrop=\"true\"/><allow eavesdrop=\"true\"/><allow own=\"*\"/>\
                 </policy></busconfig>"
            ),
        )
        .unwrap();
        let bus = Process::start(
            "dbus-daemon",
            sandbox
                .command(Path::new("dbus-daemon"))
                .arg("--nofork")
                .arg("--config-file")
                .arg(&config),
        );
        sandbox.set("DBUS_SESSION_BUS_ADDRESS", &address);
        eventually("the bus listens", || {
            run.join("bus")
                .exists()
                .then_some(())
                .ok_or("no socket".into())
        });
        let mut desktop = Self { keyring: None, bus };
        desktop.unlocked(sandbox);
        Some(desktop)
    }

    fn unlocked(&mut self, sandbox: &Sandbox) {
        self.gone();
        let mut keyring = Process::start(
            "gnome-keyring-daemon",
            sandbox.command(Path::new("gnome-keyring-daemon")).args([
                "--foreground",
                "--components=secrets",
                "--unlock",
            ]),
        );
        keyring.say("password");
        keyring.end_input();
        self.keyring = Some(keyring);
    }

    fn locked(&mut self, sandbox: &Sandbox) {
        self.gone();
        self.keyring = Some(Process::start(
            "gnome-keyring-daemon",
            sandbox
                .command(Path::new("gnome-keyring-daemon"))
                .args(["--foreground", "--components=secrets"]),
        ));
    }

    fn gone(&mut self) {
        drop(self.keyring.take());
    }
}

/// Waits until the keyring is as wished, as Bobbin sees it.
#[track_caller]
fn becomes(sandbox: &Sandbox, state: &str) {
    eventually(state, || {
        let found = key(sandbox, &[]);
        (found["state"] == state)
            .then_some(())
            .ok_or(found.to_string())
    });
}

#[test]
fn the_key_lies_in_the_keyring_and_recording_does_not_need_it() {
    let mut sandbox = Sandbox::new();
    let Some(mut desktop) = Desktop::start("a key in a real keyring", &mut sandbox) else {
        return;
    };
    // The daemon takes a moment to own its name and to make its collection; a store that begins before gets a file.
    let file = sandbox.data_dir().join("key");
    let server = eventually("a new store keeps its key in the keyring", || {
        let server = Server::start(&sandbox);
        if fs::read_to_string(&file).unwrap().contains("in keyring") {
            return Ok(server);
        }
        server.stop();
        fs::remove_dir_all(sandbox.data_dir()).unwrap();
        Err("it is in the file".into())
    });
    send(&server, "Scheduler-1", 1);
    assert_eq!(message(&sandbox)["text"], MESSAGE);
    let found = key(&sandbox, &[]);
    assert_eq!(
        (&found["place"], &found["keyring"]),
        (&json!("keyring"), &json!("Secret Service"))
    );

    desktop.locked(&sandbox);
    becomes(&sandbox, "keyring_locked");
    assert_eq!(message(&sandbox)["is"], "locked");
    server.stop();
    // Opens, records and shows numbers while nobody unlocks it.
    let server = Server::start(&sandbox);
    send(&server, "Scheduler-1", 6);
    assert_eq!(message(&sandbox)["is"], "locked");
    server.stop();
    fails(
        &sandbox.bobbin(&["key", "move", "--to", "file", "--json"]),
        3,
        "keyring",
    );
    desktop.gone();
    becomes(&sandbox, "keyring_absent");
    assert!(fs::read_to_string(&file).unwrap().contains("in keyring"));

    desktop.unlocked(&sandbox);
    becomes(&sandbox, "open");
    assert_eq!(message(&sandbox)["text"], MESSAGE);
    assert_eq!(key(&sandbox, &["move", "--to", "file"])["place"], "file");
    desktop.gone();
    assert_eq!(message(&sandbox)["text"], MESSAGE);
    desktop.unlocked(&sandbox);
    eventually("the key goes back into the keyring", || {
        sandbox
            .bobbin(&["key", "move", "--to", "keyring", "--json"])
            .done()
    });
    let digits = fs::read_to_string(&file).unwrap();
    assert!(digits.contains("in keyring") && digits.lines().all(|line| line.len() < 64));
    let rotated = key(&sandbox, &["rotate"]);
    assert_eq!(
        (&rotated["place"], &rotated["state"]),
        (&json!("keyring"), &json!("open"))
    );
    assert_ne!(rotated["name"], found["name"]);
    assert_eq!(message(&sandbox)["text"], MESSAGE);
}
