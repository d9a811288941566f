//! What a machine lacks, and so which stories it does not tell.

use std::io::Write;

/// Says aloud that a story is skipped, past the test harness, which hides what passing tests print.
pub fn skipped(story: &str, reason: &str) {
    let _ = writeln!(std::io::stderr().lock(), "skipped: {story}: {reason}");
}

/// The same for want of something that the set-up installs: with `BOBBIN_STORIES=required` it fails.
#[track_caller]
pub fn lacking(story: &str, reason: &str) {
    assert!(
        std::env::var_os("BOBBIN_STORIES").is_none_or(|wish| wish != "required"),
        "{story}: {reason}"
    );
    skipped(story, reason);
}
