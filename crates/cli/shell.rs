//! What shells and `man` know of the command, made from the one description of it that [`Cli`] is.

use clap::CommandFactory;

use crate::args::{Cli, CompletionsArgs, ManArgs};
use crate::failure::Failure;
use crate::print;

/// Prints the script that completes verbs and flags.
pub fn completions(json: bool, args: &CompletionsArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "bobbin", &mut script);
    let script = String::from_utf8_lossy(&script);
    if json {
        return print::json(&serde_json::json!({ "script": script }));
    }
    print::write(&script)
}

/// Writes a page of the manual for each verb.
pub fn man(json: bool, args: &ManArgs) -> Result<(), Failure> {
    let dir = &args.dir;
    clap_mangen::generate_to(Cli::command(), dir)
        .map_err(|e| Failure::io("the pages of the manual", dir, &e))?;
    if json {
        return print::json(&serde_json::json!({ "dir": dir }));
    }
    Ok(())
}
