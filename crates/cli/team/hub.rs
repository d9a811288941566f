//! `bobbin hub`: running one, and having a say in its accounts. The hub of this machine is asked over its socket, or opened where
//! it does not run; without `--hub-dir`, the account that was joined is meant.

use std::path::Path;
use std::sync::Arc;

use bobbin_core::clock::SystemClock;
use bobbin_core::{Code, Error};
use bobbin_http::hub::{AccountCommand, Command, Hub, HubConfig, HubPlace, RunningHub, ask_hub};
use bobbin_http::sync::Team;
use serde::Serialize;
use serde_json::Value;

use super::args::{
    AccountVerb, HubArgs, HubServeArgs, HubVerb, InviteVerb, MemberVerb, TokenVerb, scope,
};
use crate::end::End;
use crate::failure::Failure;
use crate::{print, visible};

/// The one line on stdout, once it listens. Tools and tests rely on it.
#[derive(Serialize)]
struct Listening {
    event: &'static str,
    tcp: String,
    address: String,
    certificate_sha256: String,
}

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &HubArgs) -> Result<(), Failure> {
    let answer = match command(args)? {
        Asked::Serve(serve) => return self::serve(needed(args)?, serve),
        Asked::Hub(command) => local(needed(args)?, command)?,
        Asked::Account(of) => match (&args.hub_dir, &args.account) {
            (Some(dir), Some(account)) => {
                let account = account.clone();
                local(dir, Command::Within { account, of })?
            }
            (Some(_), None) => {
                return Err(Failure::usage("no account given")
                    .hint("pass --account NAME; `bobbin hub account list` lists them"));
            }
            (None, _) => {
                let team = Team::load(data_dir)?;
                super::runtime()?.block_on(super::laptop(data_dir).command(&team, &of))?
            }
        },
    };
    if json {
        print::json(&answer)
    } else {
        print::write(&text(&answer))
    }
}

enum Asked<'a> {
    Serve(&'a HubServeArgs),
    Hub(Command),
    Account(AccountCommand),
}

fn command(args: &HubArgs) -> Result<Asked<'_>, Failure> {
    let account = || {
        args.account
            .clone()
            .ok_or_else(|| Failure::usage("no account given").hint("pass --account NAME"))
    };
    Ok(match &args.verb {
        HubVerb::Serve(serve) => Asked::Serve(serve),
        HubVerb::Account(verb) => Asked::Hub(match verb {
            AccountVerb::List => Command::Accounts,
            AccountVerb::Add { name, quota } => Command::AccountAdd {
                name: name.clone(),
                quota_bytes: *quota,
            },
            AccountVerb::Quota { quota } => Command::AccountQuota {
                account: account()?,
                quota_bytes: *quota,
            },
            AccountVerb::Level { level } => Command::AccountLevel {
                account: account()?,
                level: (*level).into(),
            },
            AccountVerb::Remove => Command::AccountRemove {
                account: account()?,
            },
            AccountVerb::Export { path } => Command::AccountExport {
                account: account()?,
                path: std::path::absolute(path).map_err(|e| Failure::io("the folder", path, &e))?,
            },
        }),
        HubVerb::Member(verb) => Asked::Account(match verb {
            MemberVerb::List => AccountCommand::Members,
            MemberVerb::Role { member, role } => AccountCommand::MemberRole {
                member: member.clone(),
                role: (*role).into(),
            },
            MemberVerb::Remove { member } => AccountCommand::MemberRemove {
                member: member.clone(),
            },
        }),
        HubVerb::Invite(verb) => Asked::Account(match verb {
            InviteVerb::New {
                name,
                role,
                bundle,
                days,
                token_days,
            } => AccountCommand::Invite {
                name: name.clone(),
                role: (*role).into(),
                bundle: bundle.clone(),
                days: *days,
                token_days: *token_days,
            },
            InviteVerb::List => AccountCommand::Invites,
            InviteVerb::Revoke { invite } => AccountCommand::InviteRevoke {
                invite: invite.clone(),
            },
        }),
        HubVerb::Token(verb) => Asked::Account(match verb {
            TokenVerb::List => AccountCommand::Tokens,
            TokenVerb::New {
                member,
                device,
                read,
                days,
            } => AccountCommand::TokenNew {
                member: member.clone(),
                device: device.clone(),
                scope: scope(*read),
                days: *days,
            },
            TokenVerb::Revoke { token } => AccountCommand::TokenRevoke {
                token: token.clone(),
            },
        }),
        HubVerb::Bundles => Asked::Account(AccountCommand::Bundles),
        HubVerb::Recall { sha256 } => Asked::Account(AccountCommand::Recall {
            sha256: sha256.clone(),
        }),
        HubVerb::Audit => Asked::Account(AccountCommand::Audit),
    })
}

fn needed(args: &HubArgs) -> Result<&Path, Failure> {
    args.hub_dir.as_deref().ok_or_else(|| {
        Failure::usage("no hub folder given").hint("pass --hub-dir DIR, or set BOBBIN_HUB_DIR")
    })
}

/// Has it done by the hub that runs in `dir`, or does it where none runs.
fn local(dir: &Path, command: Command) -> Result<Value, Failure> {
    match Hub::open(dir, Arc::new(SystemClock)) {
        Ok(hub) => {
            let answer = hub.run(command, HubPlace::of(dir).as_ref());
            hub.drain()?;
            Ok(answer?)
        }
        Err(Error::StoreInUse { .. }) => Ok(super::runtime()?.block_on(ask_hub(dir, &command))?),
        Err(error) => Err(error.into()),
    }
}

fn serve(dir: &Path, args: &HubServeArgs) -> Result<(), Failure> {
    let dir = std::path::absolute(dir).map_err(|e| Failure::io("the hub's folder", dir, &e))?;
    let hub = Hub::open(&dir, Arc::new(SystemClock)).map_err(|error| {
        let failure = Failure::from(error);
        match failure.code {
            Code::Busy => failure.hint("stop the hub that is running there"),
            _ => failure,
        }
    })?;
    let config = HubConfig {
        names: args.name.clone(),
        certificate: args.certificate.clone().zip(args.key.clone()),
        pin: args.pin.clone(),
        ..HubConfig::new(args.listen)
    };
    super::runtime()?.block_on(async {
        let mut end = End::heard()?;
        let running = RunningHub::start(hub, config).await?;
        let line = serde_json::to_string(&Listening {
            event: "listening",
            tcp: running.tcp.to_string(),
            address: running.place.address.clone(),
            certificate_sha256: running.place.certificate_sha256.clone(),
        })
        .map_err(|e| Failure::failed(format!("the listening line: {e}")))?;
        print::write(&(line + "\n"))?;
        print::talk(&format!(
            "The hub is listening on {}. Press Ctrl-C to stop.",
            running.tcp
        ));
        end.asked().await;
        print::talk("Stopping …");
        Ok(running.stop().await?)
    })
}

/// A table of what is a list, and lines of what is not.
fn text(answer: &Value) -> String {
    let word = |value: &Value| match value {
        Value::String(text) => visible::plain(text),
        Value::Null => "–".to_owned(),
        other => visible::plain(&other.to_string()),
    };
    let shown = |name: &str, value: &Value| match value.as_i64() {
        Some(micros) if name.ends_with("_micros") => {
            print::moment(bobbin_core::model::Micros(micros))
        }
        Some(bytes) if name.ends_with("bytes") => print::bytes(bytes.unsigned_abs()),
        _ => word(value),
    };
    match answer {
        Value::Array(rows) if rows.is_empty() => "None.\n".into(),
        Value::Array(rows) => {
            let mut heads: Vec<&String> = Vec::new();
            for name in rows
                .iter()
                .filter_map(Value::as_object)
                .flat_map(|row| row.keys())
            {
                if !heads.contains(&name) {
                    heads.push(name);
                }
            }
            let cells: Vec<Vec<String>> = rows
                .iter()
                .map(|row| {
                    heads
                        .iter()
                        .map(|name| print::cut(&shown(name, &row[*name]), 64))
                        .collect()
                })
                .collect();
            let heads: Vec<&str> = heads.iter().map(|name| name.as_str()).collect();
            print::table(&heads, &vec![false; heads.len()], &cells)
        }
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| format!("{name}: {}\n", shown(name, value)))
            .collect(),
        other => word(other) + "\n",
    }
}
