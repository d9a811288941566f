//! `bobbin join`: an invite into a token of this machine.

use std::io::BufRead;
use std::path::Path;

use bobbin_core::install::prepare;
use bobbin_core::ledger::sharing;
use bobbin_http::team::JoinCode;

use super::args::JoinArgs;
use crate::failure::Failure;
use crate::print;

/// Runs the verb.
pub fn run(data_dir: &Path, json: bool, args: &JoinArgs) -> Result<(), Failure> {
    let text = match &args.code {
        Some(code) => code.clone(),
        None => {
            print::talk("Paste the join code:");
            let mut line = String::new();
            std::io::stdin()
                .lock()
                .read_line(&mut line)
                .map_err(|e| Failure::failed(format!("stdin: {e}")))?;
            line
        }
    };
    let code: JoinCode = text.parse()?;
    prepare(data_dir)?;
    let device = match &args.device {
        Some(device) => device.clone(),
        None => host_name(),
    };
    let joined = super::runtime()?.block_on(super::laptop(data_dir).join(&code, &device))?;
    if json {
        return print::json(&serde_json::json!({
            "account": joined.account, "account_name": joined.account_name, "member": joined.member,
            "role": joined.role, "address": joined.address, "expires_micros": joined.expires_micros,
            "sharing": sharing(data_dir)?,
        }));
    }
    let name = crate::visible::plain(&joined.account_name);
    print::write(&format!(
        "Joined {name} at {} as {}, until {}. The hub knows this machine as {}.\n{}\nTo share: `bobbin stage CLUSTER --to '{name}'`, review, approve, `bobbin push`.\n",
        joined.address,
        joined.role.word(),
        print::moment(joined.expires_micros),
        crate::visible::plain(&device),
        super::sharing_now(data_dir)?
    ))
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match name.trim() {
        "" => "laptop".into(),
        name => name.to_owned(),
    }
}
