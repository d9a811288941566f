//! Where the page is, and where it goes. An address is the page's own, such as `#/1/cluster/7?tab=workers`.

use std::{fs, path::Path};

use bobbin_attendant::Failure;
use bobbin_core::{
    api::{App, follow_link},
    install::write_private,
};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, Manager};

use crate::{dialog, window};

const FILE: &str = "window.json";
/// The page's own addresses are far below.
const LONGEST: usize = 8_000;

/// What the next window begins with.
#[derive(Serialize, Deserialize)]
struct Last {
    address: String,
}

/// Where the page is now.
pub fn here(app: &AppHandle) -> Option<String> {
    let url = app.get_webview_window(window::LABEL)?.url().ok()?;
    let fragment = url.fragment()?;
    Some(format!("#{fragment}"))
}

/// Takes the page to an address.
pub fn go(app: &AppHandle, address: &str) {
    run(
        app,
        &format!("location.hash = {}", serde_json::json!(address)),
    );
}

/// Takes the page to where it was before.
pub fn back(app: &AppHandle) {
    run(app, "history.back()");
}

/// Takes the page to where it was before it went back.
pub fn forward(app: &AppHandle) {
    run(app, "history.forward()");
}

/// Opens the page's box for searches and actions, as its own key does.
pub fn find(app: &AppHandle) {
    run(
        app,
        "dispatchEvent(new KeyboardEvent('keydown', { key: 'k', ctrlKey: true }))",
    );
}

fn run(app: &AppHandle, script: &str) {
    let Some(window) = app.get_webview_window(window::LABEL) else {
        return;
    };
    if let Err(error) = window.eval(script) {
        tracing::warn!(%error, "the page does not go there");
    }
}

/// Where the last of some links leads, and why others lead nowhere.
pub fn lead(app: &App, links: &[String]) -> (Option<String>, Vec<Failure>) {
    let (mut address, mut failed) = (None, Vec::new());
    for link in links {
        match follow_link(app, link) {
            Ok(found) => address = Some(found),
            Err(error) => failed.push(Failure::from(error)),
        }
    }
    (address, failed)
}

/// Takes the page where links lead; those that lead nowhere are said.
pub fn follow(window: &AppHandle, app: &App, links: &[String]) {
    let (address, failed) = lead(app, links);
    if let Some(address) = address {
        go(window, &address);
    }
    for failure in failed {
        dialog::tell(failure, window);
    }
}

/// The cluster that somebody has before them: in a window that has the keyboard.
pub fn watched(app: &AppHandle) -> Option<i64> {
    let focused = app.get_webview_window(window::LABEL)?.is_focused();
    if !focused.is_ok_and(|focused| focused) {
        return None;
    }
    cluster(&here(app)?)
}

/// The cluster of the reader's own store that an address is about.
pub fn cluster(address: &str) -> Option<i64> {
    let path = address.strip_prefix("#/1/cluster/")?;
    path.split(['?', '/']).next()?.parse().ok()
}

/// Keeps where the page is for the next window.
pub fn keep(app: &AppHandle, dir: &Path) {
    let Some(address) = here(app).filter(|address| lasts(address)) else {
        return;
    };
    if kept(dir).as_ref() == Some(&address) {
        return;
    }
    let written = serde_json::to_vec(&Last { address })
        .map_err(bobbin_core::Error::from)
        .and_then(|text| write_private(&dir.join(FILE), &text));
    if let Err(error) = written {
        tracing::warn!(%error, "the next window begins at the overview");
    }
}

/// Where the last window was.
pub fn kept(dir: &Path) -> Option<String> {
    let text = fs::read(dir.join(FILE)).ok()?;
    let last: Last = serde_json::from_slice(&text).ok()?;
    Some(last.address).filter(|address| lasts(address))
}

/// A bundle that is looked at beside the store is gone at the next start.
fn lasts(address: &str) -> bool {
    address.len() <= LONGEST
        && address.starts_with("#/1/")
        && !address.starts_with("#/1/beside/")
        && !address.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_may_be_about_a_cluster_of_ones_own() {
        assert_eq!(cluster("#/1/cluster/7"), Some(7));
        assert_eq!(cluster("#/1/cluster/7?tab=workers"), Some(7));
        for other in [
            "#/1/clusters",
            "#/1/overview",
            "#/1/beside/0/cluster/7",
            "",
            "#/1/cluster/x",
        ] {
            assert_eq!(cluster(other), None, "{other}");
        }
    }

    #[test]
    fn the_next_window_begins_where_it_can() {
        let dir = tempfile::tempdir().unwrap();
        let write = |text: &str| fs::write(dir.path().join(FILE), text).unwrap();
        assert_eq!(kept(dir.path()), None);
        write(r##"{"address":"#/1/cluster/7?tab=workers"}"##);
        assert_eq!(
            kept(dir.path()).as_deref(),
            Some("#/1/cluster/7?tab=workers")
        );
        for lost in [
            r##"{"address":"#/1/beside/0123/overview"}"##,
            r##"{"address":"https://example.org"}"##,
            "no JSON",
        ] {
            write(lost);
            assert_eq!(kept(dir.path()), None, "{lost}");
        }
    }
}
