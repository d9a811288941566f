//! Says notices through the desktop, and hears which are clicked and what is answered to them.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard},
    thread,
};

use bobbin_core::api::{
    App, CloseState, ClusterRequest, IdleAnswer, Notice, answer_idle, close_order,
};
use bobbin_core::lock::lock;
use zbus::{blocking::Proxy, zvariant::Value};

use crate::{bus, said::Said, wish::Wishes};

const PATH: &str = "/org/freedesktop/Notifications";
/// A click on the notice itself.
const OPEN: [&str; 2] = ["default", "Open"];
const KEEP: [&str; 2] = ["keep", "Keep for an hour"];
const STOP: [&str; 2] = ["stop", "Stop now"];

/// The desktop's way to say something.
#[derive(Clone)]
pub struct Speaker {
    app: App,
    desktop: Proxy<'static>,
    said: Arc<Mutex<Said>>,
}

impl Speaker {
    /// Of what happens in that store. None without a bus.
    pub fn new(app: &App, wishes: Wishes) -> Option<Self> {
        let bus = bus::session()?;
        let desktop = Proxy::new(bus, bus::NOTICES, PATH, bus::NOTICES).ok()?;
        let said = Said::open(app.dir(), bus::who_shows_notices());
        let clicks = desktop.receive_signal("ActionInvoked").ok()?;
        let speaker = Self {
            app: app.clone(),
            desktop,
            said: Arc::new(Mutex::new(said)),
        };
        let heard = speaker.clone();
        thread::spawn(move || {
            for click in clicks {
                if let Ok((number, action)) = click.body().deserialize::<(u32, String)>() {
                    heard.clicked(number, &action, &wishes);
                }
            }
        });
        Some(speaker)
    }

    /// Does what a click on one of this store's notices means.
    fn clicked(&self, number: u32, action: &str, wishes: &Wishes) {
        let desktop = bus::who_shows_notices();
        let Some(notice) = self.said().notice(&desktop, number).cloned() else {
            return;
        };
        let answer = match action {
            action if action == KEEP[0] => Some(IdleAnswer::Keep),
            action if action == STOP[0] => Some(IdleAnswer::Stop),
            _ => None,
        };
        match notice.idle.zip(answer) {
            Some((id, answer)) => {
                if let Some(said) = answer_idle(&self.app, id, answer) {
                    self.say(said);
                }
            }
            None => wishes.open_at(&notice.place),
        }
    }

    /// Says it; a desktop that shows nothing is no failure.
    pub fn say(&self, notice: Notice) {
        let hints = HashMap::from([
            ("desktop-entry", Value::from("org.bobbin.desktop")),
            ("category", Value::from("transfer")),
        ]);
        let said = self.desktop.call::<_, _, u32>(
            "Notify",
            &(
                "Bobbin",
                0u32,
                "org.bobbin.desktop",
                &notice.summary,
                &notice.body,
                self.actions(&notice),
                &hints,
                -1i32,
            ),
        );
        match said {
            Ok(number) => {
                let desktop = bus::who_shows_notices();
                self.said().add(desktop, number, notice.place, notice.idle);
            }
            Err(error) => tracing::warn!(%error, "a notice was not shown"),
        }
    }

    /// What can be answered: an identifier and its words in turn. A cluster that may not be asked to stop is not offered that.
    fn actions(&self, notice: &Notice) -> Vec<&'static str> {
        let mut actions = OPEN.to_vec();
        if let Some(id) = notice.idle {
            actions.extend(KEEP);
            let order = close_order(&self.app, ClusterRequest { id });
            if order.is_ok_and(|order| order.state == CloseState::NotOrdered) {
                actions.extend(STOP);
            }
        }
        actions
    }

    fn said(&self) -> MutexGuard<'_, Said> {
        lock(&self.said)
    }
}
