//! The figures of the long form, in the manual.

use super::Counted;
use crate::{process::Result, written};

const PAGE: &str = "docs/guarantees.md";
const COMMAND: &str = "torture";
const HEAD: &str = "\
| Fault | Tried | Acknowledged records | Lost | Doubled | Rows changed unseen |
|---|--:|--:|--:|--:|--:|
";

/// How the manual calls each fault, in its order.
const LABELS: [(&str, &str); 18] = [
    ("kill", "`kill -9`, also while Bobbin removes and copies"),
    ("spool", "`kill -9` while the spool is read"),
    ("quit", "quitting under load"),
    ("sleep", "sleeping under load"),
    ("power", "power cut, around every write and sync"),
    ("power-shared", "power cut, store in a synced folder"),
    (
        "power-sector",
        "power cut, each sector of each sync lost or kept alone",
    ),
    (
        "power-folder",
        "power cut while the rest of the folder changes",
    ),
    ("full", "full disk, at each write of a story"),
    ("room", "small disk that is full, and a restart on it"),
    ("first", "first start on a disk that is full or nearly"),
    ("cap", "size limit on a disk without room"),
    ("share", "sharing and saving on a full disk"),
    ("log", "programs that read while the store is written to"),
    ("damage", "damaged bytes in the file"),
    ("migrated", "`kill -9` while the store is updated"),
    ("exchange", "`kill -9` while a snapshot is restored"),
    (
        "salvaged",
        "`kill -9` while a damaged store is moved aside and salvaged",
    ),
];

/// Writes the row of a fault over the one that was there. The controls, which must lose something, have none.
///
/// # Errors
/// The page cannot be read or written.
pub fn write(name: &str, counted: Counted) -> Result {
    written::write(PAGE, COMMAND, |old| with_row(old, name, counted))
}

/// The table with another row of this fault; the others stay.
fn with_row(old: &str, name: &str, counted: Counted) -> String {
    let Counted {
        faults,
        acknowledged,
        lost,
        doubled,
        changed,
    } = counted;
    let mut table = String::from(HEAD);
    for (fault, label) in LABELS {
        let begin = format!("| {label} |");
        if fault == name {
            table +=
                &format!("{begin} {faults} | {acknowledged} | {lost} | {doubled} | {changed} |\n");
        } else if let Some(row) = old.lines().find(|row| row.starts_with(&begin)) {
            table += row;
            table.push('\n');
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::suite::{CONTROLS, NAMES};
    use super::*;
    use crate::files::root;

    #[test]
    fn a_row_takes_the_place_of_that_of_its_fault_and_the_others_stay() {
        let counted = |faults| Counted {
            faults,
            acknowledged: 9,
            ..Counted::default()
        };
        let quit = with_row("", "quit", counted(1));
        let both = with_row(&quit, "kill", counted(2));
        let again = with_row(&both, "kill", counted(3));
        let rows: Vec<&str> = again.lines().skip(2).collect();
        assert_eq!(rows.len(), 2);
        assert!(rows[0].ends_with("copies | 3 | 9 | 0 | 0 | 0 |"), "{again}");
        assert_eq!(rows[1], "| quitting under load | 1 | 9 | 0 | 0 | 0 |");
        for control in CONTROLS {
            assert_eq!(with_row(&again, control, counted(4)), again);
        }
    }

    #[test]
    fn what_changed_unseen_is_written_down() {
        let counted = Counted {
            faults: 5,
            acknowledged: 30,
            changed: 7,
            ..Counted::default()
        };
        let table = with_row("", "damage", counted);
        assert!(table.ends_with("| 5 | 30 | 0 | 0 | 7 |\n"), "{table}");
    }

    #[test]
    fn each_fault_but_the_controls_has_a_row_in_the_manual() {
        for name in NAMES {
            let has_label = LABELS.iter().any(|(fault, _)| *fault == name);
            assert_eq!(has_label, !CONTROLS.contains(&name), "{name}");
        }
        let text = fs::read_to_string(root().join(PAGE)).unwrap();
        for (fault, label) in LABELS {
            assert!(text.contains(&format!("\n| {label} |")), "{fault}");
        }
        let written = written::with_table(&text, COMMAND, str::to_owned);
        assert_eq!(written, Some(text));
    }
}
