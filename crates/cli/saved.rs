//! What `picture`, `table` and `profile` share: one file, where it was asked for, and what is said of it.

use std::path::Path;

use bobbin_core::api::{self, App, Made};

use crate::failure::Failure;
use crate::print;

/// Writes a file, and says so: its name and hash on stdout, that rows are left out on stderr.
pub fn write(app: &App, made: &Made, output: &Path, json: bool) -> Result<(), Failure> {
    let path = std::path::absolute(output).map_err(|e| Failure::io("the file", output, &e))?;
    let saved = api::write_made(app, made, &path)?;
    if saved.truncated {
        let rows = saved.rows.unwrap_or(0);
        print::talk(&match saved.total {
            Some(total) => format!("{rows} of {total} rows: the rest are not in the file"),
            None => format!("{rows} rows: there are more that are not in the file"),
        });
    }
    if json {
        return print::json(&saved);
    }
    let rows = match saved.rows {
        Some(1) => "  1 row".into(),
        Some(rows) => format!("  {rows} rows"),
        None => String::new(),
    };
    print::write(&format!(
        "{}  {}{rows}\nsha256 {}\n",
        path.display(),
        print::bytes(saved.bytes),
        saved.sha256
    ))
}

/// What a file is called after its last point, in small letters.
pub fn ending(output: &Path) -> String {
    let ending = output.extension().unwrap_or_default();
    ending.to_string_lossy().to_ascii_lowercase()
}
