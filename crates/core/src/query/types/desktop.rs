//! What the window does besides showing the page.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What closing the window means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum OnClose {
    /// It asks, as long as there is a tray to stay in.
    #[default]
    Ask,
    /// Bobbin stays in the tray, and clusters go on reporting.
    Keep,
    Quit,
}

/// What was chosen; `desktop.json` in the data folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct DesktopChoices {
    pub on_close: OnClose,
    /// Begin with the session of the desktop, without a window.
    pub start_at_login: bool,
    pub notices: NoticeChoices,
}

/// What is worth a notice of the desktop, while nobody looks at it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(default)]
pub struct NoticeChoices {
    /// A cluster said goodbye, having lasted at least as long as the minutes below.
    pub finished: bool,
    pub finished_minutes: u32,
    /// A task erred, or a cluster fell silent without a goodbye.
    pub failed: bool,
    pub stalled: bool,
    /// A cluster has had nothing to do for the minutes below.
    pub idle: bool,
    pub idle_minutes: u32,
    /// Half, four fifths or all of a budget is spent.
    pub budget: bool,
    /// Views of the list of clusters, by name: a cluster came into one.
    pub views: Vec<String>,
    /// Whether notices name clusters and views; a locked screen may show them.
    pub names: bool,
}
impl Default for NoticeChoices {
    fn default() -> Self {
        Self {
            finished: true,
            finished_minutes: 10,
            failed: true,
            stalled: true,
            idle: true,
            idle_minutes: 30,
            budget: true,
            views: Vec::new(),
            names: true,
        }
    }
}

dto! {
/// What the window does, and what this desktop lets it do.
pub struct Desktop {
    /// Why there is no window to choose anything for; null in the window.
    pub no_window: Option<String>,
    pub choices: DesktopChoices,
    /// Why closing the window cannot leave Bobbin in the tray now; null: it can.
    pub no_tray: Option<String>,
    /// Why no notice can be shown now; null: it can.
    pub no_notices: Option<String>,
    /// Why Bobbin cannot start at login; null: it can.
    pub no_login: Option<String>,
}
}
