//! Says notices through the desktop, and hears which are clicked.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use bobbin_core::api::Notice;
use zbus::{blocking::Proxy, zvariant::Value};

use crate::{bus, said::Said, wish::Wishes};

const PATH: &str = "/org/freedesktop/Notifications";

/// The desktop's way to say something.
pub struct Speaker {
    desktop: Proxy<'static>,
    said: Arc<Mutex<Said>>,
}

impl Speaker {
    /// For the store in that folder. None without a bus.
    pub fn new(folder: &Path, wishes: Wishes) -> Option<Self> {
        let bus = bus::session()?;
        let desktop = Proxy::new(bus, bus::NOTICES, PATH, bus::NOTICES).ok()?;
        let said = Said::open(folder, bus::who_shows_notices());
        let said = Arc::new(Mutex::new(said));
        let clicks = desktop.receive_signal("ActionInvoked").ok()?;
        let known = Arc::clone(&said);
        thread::spawn(move || {
            for click in clicks {
                let Ok((number, _)) = click.body().deserialize::<(u32, String)>() else {
                    continue;
                };
                let desktop = bus::who_shows_notices();
                let known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(place) = known.place(&desktop, number) {
                    wishes.open_at(place);
                }
            }
        });
        Some(Self { desktop, said })
    }

    /// Says it; a desktop that shows nothing is no failure.
    pub fn say(&self, notice: Notice) {
        let hints = HashMap::from([
            ("desktop-entry", Value::from("org.bobbin.desktop")),
            ("category", Value::from("transfer")),
        ]);
        let actions = ["default", "Open"];
        let said = self.desktop.call::<_, _, u32>(
            "Notify",
            &(
                "Bobbin",
                0u32,
                "org.bobbin.desktop",
                &notice.summary,
                &notice.body,
                &actions[..],
                &hints,
                -1i32,
            ),
        );
        match said {
            Ok(number) => {
                let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
                said.add(bus::who_shows_notices(), number, notice.place);
            }
            Err(error) => tracing::warn!(%error, "a notice was not shown"),
        }
    }
}
