//! The receiver, asked the way a plugin would: over its socket, or with its certificate on Windows, and over its port.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use bobbin_core::clock::{Clock, SystemClock};
use bobbin_core::install::{self, Address, Interface, Settings};
use reqwest::{Client, ClientBuilder, StatusCode};
use serde::Deserialize;

use super::{Check, Verdict};
use crate::failure::Failure;
use crate::near::Near;
use crate::visible;

/// A receiver on the same machine answers at once or not at all.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Deserialize)]
struct Health {
    version: String,
    /// Requests, by reason; another version may not say.
    #[serde(default)]
    refused: BTreeMap<String, u64>,
}

/// Asks by every way in that the receiver offers.
pub fn checks(data_dir: &Path) -> Result<Vec<Check>, Failure> {
    let address = match install::read_address(data_dir) {
        Ok(Some(address)) => address,
        Ok(None) => {
            let hint = "start `bobbin serve` or the app; until then, Bobbin does not see clusters run";
            return Ok(vec![Check::wrong("receiver", "not running", hint)]);
        }
        Err(error) => return Ok(vec![Check::failed("receiver", error.into())]),
    };
    // Only an existing token is asked with: a check makes none.
    let token = data_dir
        .join("token")
        .exists()
        .then(|| install::token(data_dir))
        .transpose();
    let token = match &token {
        Ok(Some(token)) => token.expose(),
        Ok(None) | Err(_) => "",
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("the network: {e}")))?;
    let mut checks = runtime.block_on(ask_all(&address, token));
    // What is wrong with the settings is told where the folder is looked at.
    let set = install::settings(data_dir).unwrap_or_default();
    checks.extend(not_reached(&address, &set));
    Ok(checks)
}

async fn ask_all(address: &Address, token: &str) -> Vec<Check> {
    let mut surely = None;
    if let Some(near) = Near::of(address) {
        let Near {
            name,
            shown,
            base,
            client,
        } = near;
        surely = Some(ask(name, &shown, client, &base, token, address.pid).await);
    }
    // While the receiver lives the port is its own. Whoever took that of one that is gone must not get the token.
    let lives = surely
        .as_ref()
        .is_some_and(|check| check.verdict == Verdict::Ok);
    let over_port = ask(
        "receiver",
        &address.tcp,
        Client::builder(),
        &format!("http://{}", address.tcp),
        if lives { token } else { "" },
        address.pid,
    )
    .await;
    let from_elsewhere = if lives {
        over_interface(address, token).await
    } else {
        None
    };
    std::iter::once(over_port)
        .chain(surely)
        .chain(from_elsewhere)
        .collect()
}

/// Asks as a scheduler on another machine does, and says what one is told there.
async fn over_interface(address: &Address, token: &str) -> Option<Check> {
    let (interface, receiver) = address.interface.as_ref().zip(address.from_elsewhere())?;
    let pin = address.certificate_sha256.as_deref()?;
    let base = format!("https://{interface}");
    let client = match bobbin_http::pinned(pin) {
        Ok(tls) => Client::builder().tls_backend_preconfigured(tls),
        Err(error) => return Some(Check::wrong("interface", error.to_string(), "report this")),
    };
    let mut check = ask("interface", &base, client, &base, token, address.pid).await;
    if check.verdict == Verdict::Ok {
        check.found.push_str(&format!(
            ", for other machines; set there: bobbin.receiver: {receiver}"
        ));
    }
    Some(check)
}

/// Where the settings name an interface and it does not listen there.
fn not_reached(address: &Address, set: &Settings) -> Option<Check> {
    let named: Interface = set.interface_at(SystemClock.now())?;
    if address.interface.is_some() {
        return None;
    }
    Some(Check::wrong(
        "interface",
        format!("settings.toml names {named}, but the receiver does not listen there"),
        "restart it; if that does not help, this machine does not have that address now: `ip address` lists the ones it has",
    ))
}

async fn ask(
    name: &'static str,
    shown: &str,
    client: ClientBuilder,
    base: &str,
    token: &str,
    pid: u32,
) -> Check {
    match health(client, base, token).await {
        Ok((StatusCode::OK, Some(health))) if health.version == env!("CARGO_PKG_VERSION") => {
            Check::ok(
                name,
                format!(
                    "answers at {shown} (process {pid}{})",
                    refused(&health.refused)
                ),
            )
        }
        Ok((StatusCode::OK, Some(health))) => Check::wrong(
            name,
            format!(
                "{shown} is version {}, this is {}",
                health.version,
                env!("CARGO_PKG_VERSION")
            ),
            "stop it and start this version",
        ),
        Ok((status, _)) => Check::wrong(
            name,
            format!("{shown} answered {}", status.as_u16()),
            "another program may be listening there, or the token has changed: restart the receiver",
        ),
        Err(error) => Check::wrong(
            name,
            format!("{shown} does not answer: {}", root(&error)),
            format!("process {pid} was killed or hangs: start `bobbin serve` or the app"),
        ),
    }
}

async fn health(
    client: ClientBuilder,
    base: &str,
    token: &str,
) -> Result<(StatusCode, Option<Health>), reqwest::Error> {
    // A proxy of the environment would send the token elsewhere.
    let client = client.no_proxy().timeout(PATIENCE).build()?;
    let mut request = client.get(format!("{base}/v1/health"));
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    let answer = request.send().await?;
    let status = answer.status();
    let body = answer.bytes().await?;
    Ok((status, serde_json::from_slice(&body).ok()))
}

/// What it refused since it started, by reason: `; refused 3 busy, 1 quota`.
fn refused(counts: &BTreeMap<String, u64>) -> String {
    let words: Vec<String> = counts
        .iter()
        .map(|(reason, count)| format!("{count} {}", visible::plain(reason)))
        .collect();
    if words.is_empty() {
        String::new()
    } else {
        format!("; refused {}", words.join(", "))
    }
}

/// The innermost cause, which names what happened.
fn root(error: &reqwest::Error) -> String {
    let mut cause: &dyn std::error::Error = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
