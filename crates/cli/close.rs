//! `bobbin close CLUSTER`: asks the running Bobbin to close a cluster. Orders are in its memory only, so it is asked by the
//! same route as the published client asks, and by the way that is surely its own.

use std::path::Path;
use std::time::Duration;

use bobbin_core::api::ClusterRow;
use bobbin_core::install;
use reqwest::StatusCode;
use serde::{Deserialize, Serialize};

use crate::args::CloseArgs;
use crate::failure::Failure;
use crate::near::Near;
use crate::{open, print, visible};

/// It is on the same machine.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Serialize)]
struct Asked<'a> {
    id: i64,
    name: &'a str,
}

#[derive(Deserialize)]
struct Refusal {
    message: String,
}

/// Runs the verb. What the cluster does not allow, or is too late for it, is refused with 3.
pub fn run(data_dir: &Path, json: bool, args: &CloseArgs) -> Result<(), Failure> {
    let row = open::cluster(&open::reader(data_dir)?, &args.cluster)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|e| Failure::failed(format!("the network: {e}")))?;
    runtime.block_on(ask(data_dir, &row))?;
    if json {
        return print::json(&Asked {
            id: row.id,
            name: &row.name,
        });
    }
    print::write(&format!(
        "Asked {} to close. It gets the request with its next report; the request expires after a minute, or after \
         three reports if those take longer. `bobbin clusters` shows when it has finished.\n",
        visible::plain(&row.name)
    ))
}

async fn ask(data_dir: &Path, row: &ClusterRow) -> Result<(), Failure> {
    let absent = || {
        Failure::failed("Bobbin is not running").hint(
            "start `bobbin serve` or the app: a cluster gets the request from the Bobbin it reports to",
        )
    };
    let Near {
        shown,
        base,
        client,
    } = install::read_address(data_dir)?
        .and_then(|address| Near::of(&address))
        .ok_or_else(absent)?;
    let unanswered = |error: reqwest::Error| match error.is_connect() {
        true => absent(),
        false => Failure::failed(format!("{shown} does not answer: {error}")),
    };
    let answer = client
        .no_proxy()
        .timeout(PATIENCE)
        .build()
        .map_err(unanswered)?
        .post(format!(
            "{base}/api/v2/analytics/bobbin/{}/desired-state",
            row.id
        ))
        .bearer_auth(install::token(data_dir)?.expose())
        .header("Content-Type", "application/json")
        .body(r#"{"desired_status":"stopped"}"#)
        .send()
        .await
        .map_err(unanswered)?;
    let status = answer.status();
    if status == StatusCode::OK {
        return Ok(());
    }
    let body = answer.bytes().await.map_err(unanswered)?;
    let message = serde_json::from_slice(&body).map_or_else(
        |_| format!("Bobbin answered {}", status.as_u16()),
        |refusal: Refusal| refusal.message,
    );
    Err(match status {
        StatusCode::CONFLICT => Failure::refused(message),
        _ => Failure::failed(message),
    })
}
