//! `bobbin connect --coiled`: the lines that point a script that uses the published client at this receiver.

use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bobbin_core::api::shell_word;
use bobbin_core::install::{self, Address};
use serde::Serialize;

use crate::failure::Failure;
use crate::print;

/// Where a receiver listens when nobody said otherwise.
const USUAL: &str = "127.0.0.1:8788";
/// On this machine an answer takes far less.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Serialize)]
struct Lines {
    server: String,
    token_file: PathBuf,
    account: &'static str,
    workspace: &'static str,
    /// Whether a receiver runs now; otherwise `server` is where it usually listens.
    receiver_runs: bool,
    /// For a POSIX shell. They hold no secret.
    shell: Vec<String>,
}

/// Prints them. The token is made if there is none, and never printed.
pub fn run(data_dir: &Path, json: bool) -> Result<(), Failure> {
    install::prepare(data_dir)?;
    install::token(data_dir)?;
    let address = install::read_address(data_dir)?.filter(answers);
    let server = format!(
        "http://{}",
        address.as_ref().map_or(USUAL, |a| a.tcp.as_str())
    );
    let token_file = data_dir.join("token");
    let lines = Lines {
        shell: vec![
            format!("export DASK_COILED__SERVER={server}"),
            format!(
                "export DASK_COILED__TOKEN=\"$(cat {})\"",
                shell_word(&token_file.to_string_lossy())
            ),
            "export DASK_COILED__ACCOUNT=local".into(),
            "export DASK_COILED__WORKSPACE=local".into(),
        ],
        server,
        token_file,
        account: "local",
        workspace: "local",
        receiver_runs: address.is_some(),
    };
    if !lines.receiver_runs {
        print::talk(
            "note: no receiver is running; start `bobbin serve` or the app before the script, or its client cannot connect",
        );
    }
    if json {
        print::json(&lines)
    } else {
        print::write(&(lines.shell.join("\n") + "\n"))
    }
}

/// Whether somebody listens there: a receiver that was killed leaves its address behind.
fn answers(address: &Address) -> bool {
    address
        .tcp
        .parse()
        .is_ok_and(|tcp| TcpStream::connect_timeout(&tcp, PATIENCE).is_ok())
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use bobbin_core::model::Micros;

    use super::*;

    #[test]
    fn an_address_left_behind_is_not_believed() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = Address {
            pid: 1,
            tcp: listener.local_addr().unwrap().to_string(),
            interface: None,
            socket: None,
            token_file: "token".into(),
            certificate_sha256: None,
            started_micros: Micros(0),
        };
        assert!(answers(&address));
        drop(listener);
        assert!(!answers(&address));
    }
}
