//! What the window does besides showing the page. The choices are a file, since they are needed before a store is open;
//! what a desktop can do only the window knows, which says so once it is there.

use std::fs;
use std::path::Path;

use super::shell::Abilities;
use super::{App, Desktop, DesktopChoices, Empty};
use crate::install::write_private;
use crate::{Error, Result};

const FILE: &str = "desktop.json";
/// A week: who waits longer for a notice wants none.
const MOST_MINUTES: u32 = 7 * 24 * 60;

/// What was chosen for the window of this folder; what was never chosen, or cannot be read, has its default.
pub fn desktop_choices(dir: &Path) -> DesktopChoices {
    let path = dir.join(FILE);
    let read = fs::read(&path).map(|text| serde_json::from_slice(&text));
    match read {
        Ok(Ok(choices)) => choices,
        Ok(Err(error)) => {
            tracing::warn!(path = %path.display(), %error, "Bobbin cannot read the choices");
            DesktopChoices::default()
        }
        Err(_) => DesktopChoices::default(),
    }
}

pub(super) fn desktop(app: &App, _: Empty) -> Result<Desktop> {
    let mut choices = desktop_choices(app.dir());
    let Some(shell) = app.shell() else {
        return Ok(Desktop {
            no_window: Some(no_window()),
            choices,
            no_tray: None,
            no_notices: None,
            no_login: None,
        });
    };
    let Abilities {
        no_tray,
        no_notices,
        no_login,
        starts_at_login,
    } = shell.abilities();
    choices.start_at_login = starts_at_login;
    Ok(Desktop {
        no_window: None,
        choices,
        no_tray,
        no_notices,
        no_login,
    })
}

pub(super) fn set_desktop(app: &App, choices: DesktopChoices) -> Result<Desktop> {
    let shell = app.shell().ok_or_else(|| Error::Refused(no_window()))?;
    for (what, minutes) in [
        ("finished_minutes", choices.notices.finished_minutes),
        ("idle_minutes", choices.notices.idle_minutes),
    ] {
        if minutes > MOST_MINUTES {
            return Err(Error::Invalid {
                what,
                value: minutes.to_string(),
                reason: format!("use at most {MOST_MINUTES}, a week"),
            });
        }
    }
    shell.apply(&choices)?;
    let path = app.dir().join(FILE);
    let mut text = serde_json::to_vec_pretty(&choices)?;
    text.push(b'\n');
    write_private(&path, &text)?;
    app.tell(Vec::new());
    desktop(app, Empty {})
}

pub(super) fn reset_window(app: &App, _: Empty) -> Result<Desktop> {
    app.shell()
        .ok_or_else(|| Error::Refused(no_window()))?
        .reset_window()?;
    desktop(app, Empty {})
}

fn no_window() -> String {
    "this page is in a browser: the tray, notifications, and starting at login need the app".into()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::api::{NoticeChoices, OnClose, Shell, call};
    use crate::testing::Bench;

    #[derive(Default)]
    struct Toy {
        applied: Mutex<Vec<DesktopChoices>>,
    }

    impl Shell for Toy {
        fn abilities(&self) -> Abilities {
            Abilities {
                no_tray: Some("no tray".into()),
                starts_at_login: self
                    .applied
                    .lock()
                    .unwrap()
                    .last()
                    .is_some_and(|choices| choices.start_at_login),
                ..Abilities::default()
            }
        }

        fn apply(&self, choices: &DesktopChoices) -> Result<()> {
            self.applied.lock().unwrap().push(choices.clone());
            Ok(())
        }

        fn reset_window(&self) -> Result<()> {
            Err(Error::Refused("it stays".into()))
        }
    }

    #[test]
    fn in_a_browser_there_is_no_window_to_choose_for() {
        let bench = Bench::new();
        let answer = desktop(&bench.app, Empty {}).unwrap();
        assert!(answer.no_window.unwrap().contains("in a browser"));
        assert_eq!(answer.choices, DesktopChoices::default());
        for refused in [
            set_desktop(&bench.app, DesktopChoices::default()),
            reset_window(&bench.app, Empty {}),
        ] {
            assert!(matches!(refused, Err(Error::Refused(_))));
        }
        assert!(!bench.path().join(FILE).exists());
    }

    #[test]
    fn what_was_chosen_is_done_and_remembered() {
        let bench = Bench::new();
        let toy = Arc::new(Toy::default());
        bench.app.set_shell(Some(toy.clone()));
        let chosen = DesktopChoices {
            on_close: OnClose::Keep,
            start_at_login: true,
            notices: NoticeChoices {
                idle: false,
                finished_minutes: 3,
                ..NoticeChoices::default()
            },
        };
        let answer = set_desktop(&bench.app, chosen.clone()).unwrap();
        assert_eq!((answer.choices, answer.no_window), (chosen.clone(), None));
        assert_eq!(answer.no_tray.as_deref(), Some("no tray"));
        assert_eq!(desktop_choices(bench.path()), chosen);
        assert_eq!(*toy.applied.lock().unwrap(), [chosen]);
        let refused = reset_window(&bench.app, Empty {}).unwrap_err();
        assert_eq!(refused.to_string(), "it stays");
    }

    #[test]
    fn longer_than_a_week_is_refused_and_changes_nothing() {
        let bench = Bench::new();
        let toy = Arc::new(Toy::default());
        bench.app.set_shell(Some(toy.clone()));
        let request = r#"{"notices":{"idle_minutes":10081}}"#;
        let error = call(&bench.app, "set_desktop", request).unwrap_err();
        assert!(error.to_string().contains("10081"), "{error}");
        assert!(toy.applied.lock().unwrap().is_empty());
    }

    #[test]
    fn a_file_of_an_older_version_keeps_what_it_says() {
        let bench = Bench::new();
        let path = bench.path().join(FILE);
        fs::write(&path, r#"{"on_close":"quit","notices":{"failed":false}}"#).unwrap();
        let choices = desktop_choices(bench.path());
        assert_eq!(choices.on_close, OnClose::Quit);
        assert!(!choices.notices.failed && choices.notices.stalled);
        fs::write(&path, "no JSON").unwrap();
        assert_eq!(desktop_choices(bench.path()), DesktopChoices::default());
    }
}
