//! What goes on beside the page, with a window or without: the tray tells what is alive, and the desktop says what nobody saw.

use std::{
    sync::{Arc, Condvar, Mutex, PoisonError},
    thread,
    time::Duration,
};

use bobbin_core::api::{Notices, OnClose, Subscription, desktop_choices, presence};
use bobbin_core::lock::lock;

use crate::{
    bobbin::{Bobbin, Reception},
    said::Said,
    speaker::Speaker,
    tray::{Told, Tray},
    wish::{Wish, Wishes},
};

/// From a change to a look: what comes together is said together, and a busy store is not asked at every commit.
const GATHERING: Duration = Duration::from_secs(5);
/// Without a change: clusters fall silent, and grow old in the tray.
const AT_LEAST: Duration = Duration::from_secs(30);

/// What it is told of this Bobbin.
pub struct Post {
    pub bobbin: Arc<Bobbin>,
    pub wishes: Wishes,
    /// No window: the tray is how it is reached.
    pub hidden: bool,
    /// A demo says nothing to the desktop.
    pub demo: bool,
    /// The cluster that somebody has before them; called once a look.
    pub watched: Box<dyn Fn() -> Option<i64> + Send>,
    /// Called when clusters came, went or changed their state.
    pub news: Box<dyn Fn() + Send>,
}

/// Attends until it is dropped. It is not waited for: the desktop may take its time to answer.
pub struct Attendant {
    _subscription: Subscription,
    bell: Arc<Bell>,
}

impl Drop for Attendant {
    fn drop(&mut self) {
        self.bell.ring(|state| state.ended = true);
    }
}

impl Attendant {
    /// Attends from now on.
    pub fn start(post: Post) -> Self {
        let bell = Arc::new(Bell::default());
        let rung = Arc::clone(&bell);
        let subscription = post
            .bobbin
            .app()
            .subscribe(Box::new(move |_| rung.ring(|state| state.changed = true)));
        let heard = Arc::clone(&bell);
        thread::spawn(move || attend(&post, &heard));
        Self {
            _subscription: subscription,
            bell,
        }
    }

    /// Looks at once.
    pub fn hurry(&self) {
        self.bell.ring(|state| state.hurried = true);
    }
}

fn attend(post: &Post, bell: &Bell) {
    let app = post.bobbin.app();
    let mut notices = Notices::open(app);
    // It is not asked for before there is something to say, or to be clicked.
    let mut speaker = (!post.demo && Said::any(app.dir()))
        .then(|| Speaker::new(app, post.wishes.clone()))
        .flatten();
    let mut tray = None;
    let mut shown = false;
    let mut before = None;
    loop {
        // A demo has nothing to lose, and does not begin once more.
        if !post.demo && app.is_to_be_opened_anew() {
            post.wishes.put(Wish::Anew);
        }
        if matches!(post.bobbin.reception(), Reception::Failed(_))
            && let Err(failure) = post.bobbin.begin()
        {
            tracing::debug!(%failure, "clusters still cannot report");
        }
        let told = told(post);
        if is_news(&mut before, &told) {
            (post.news)();
        }
        let wanted = post.hidden || keeps(post);
        if wanted != shown {
            // Whether it could be: what failed once is not tried at every look.
            shown = wanted;
            tray = wanted
                .then(|| Tray::show(told.clone(), post.wishes.clone()))
                .flatten();
        } else if let Some(tray) = &tray {
            tray.tell(&told);
        }
        if !post.demo {
            let watched = (post.watched)();
            match notices.look(app, watched, &time_zone()) {
                Ok(None) => {}
                Ok(Some(notice)) => {
                    speaker = speaker.or_else(|| Speaker::new(app, post.wishes.clone()));
                    if let Some(speaker) = &speaker {
                        speaker.say(notice);
                    }
                }
                Err(error) => tracing::debug!(%error, "no look for notices"),
            }
        }
        if !bell.wait() {
            return;
        }
    }
}

/// Whether this tells of other clusters, or other states, than the look before; the first has none before it.
fn is_news(before: &mut Option<Told>, told: &Told) -> bool {
    let before = before.replace(told.clone());
    before.is_some_and(|before| before.clusters != told.clusters || before.alive != told.alive)
}

fn keeps(post: &Post) -> bool {
    !post.demo && desktop_choices(post.bobbin.app().dir()).on_close == OnClose::Keep
}

fn told(post: &Post) -> Told {
    let alive = presence(post.bobbin.app())
        .inspect_err(|error| tracing::debug!(%error, "the tray has nothing to tell"))
        .ok();
    let reception = post.bobbin.reception();
    Told {
        receives: reception == Reception::Open,
        clusters: match (reception, &alive) {
            (Reception::Paused, _) => "Receiving is paused".into(),
            (Reception::Failed(why), _) => format!("Clusters cannot report: {why}"),
            (Reception::Open, Some(alive)) => alive.clusters.clone(),
            (Reception::Open, None) => "The store is not responding".into(),
        },
        alive: alive
            .as_ref()
            .map(|alive| alive.alive.clone())
            .unwrap_or_default(),
        burning: alive.as_ref().and_then(|alive| alive.burning.clone()),
        worked: alive.as_ref().and_then(|alive| alive.worked.clone()),
        last: alive.map(|alive| alive.last).unwrap_or_default(),
    }
}

fn time_zone() -> String {
    iana_time_zone::get_timezone().unwrap_or_default()
}

/// What calls for a look.
#[derive(Default)]
struct Bell {
    state: Mutex<State>,
    rung: Condvar,
}

#[derive(Default)]
struct State {
    changed: bool,
    hurried: bool,
    ended: bool,
}

impl Bell {
    fn ring(&self, what: impl FnOnce(&mut State)) {
        what(&mut lock(&self.state));
        self.rung.notify_one();
    }

    /// Waits for the next look; false at the end.
    fn wait(&self) -> bool {
        let state = lock(&self.state);
        let quiet = |state: &mut State| !(state.changed || state.hurried || state.ended);
        let (state, _) = self
            .rung
            .wait_timeout_while(state, AT_LEAST, quiet)
            .unwrap_or_else(PoisonError::into_inner);
        let calm = |state: &mut State| !(state.hurried || state.ended);
        let (mut state, _) = self
            .rung
            .wait_timeout_while(state, GATHERING, calm)
            .unwrap_or_else(PoisonError::into_inner);
        (state.changed, state.hurried) = (false, false);
        !state.ended
    }
}

#[cfg(test)]
mod tests {
    use bobbin_core::model::ClusterState;

    use super::*;

    #[test]
    fn another_cluster_or_state_is_news_and_the_time_of_a_report_is_none() {
        let mut before = None;
        let mut look = |clusters: &str, ids: &[i64], last: &str| {
            let told = Told {
                clusters: clusters.into(),
                alive: ids.iter().map(|id| (*id, ClusterState::Running)).collect(),
                last: last.into(),
                ..Told::default()
            };
            is_news(&mut before, &told)
        };
        assert!(!look("2 running", &[2, 1], "1 s ago"));
        assert!(!look("2 running", &[2, 1], "6 s ago"));
        assert!(look("1 running, 1 stalled", &[2, 1], "1 s ago"));
        assert!(!look("1 running, 1 stalled", &[2, 1], "1 s ago"));
        // One went as another came.
        assert!(look("1 running, 1 stalled", &[3, 2], "1 s ago"));
    }
}
