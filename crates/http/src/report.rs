//! The page of reports, which is inside the binary as Bobbin's own page is.

use bobbin_core::report::Page;

// `REPORT`: written by the build script from `ui/dist/report`.
include!(concat!(env!("OUT_DIR"), "/report.rs"));

/// Its script and style; none where the page was not built.
pub fn report_page() -> Option<Page> {
    REPORT.map(|(script, style)| Page { script, style })
}
