//! Says notices through the desktop, and hears which are clicked.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Arc, Mutex, PoisonError},
    thread,
};

use bobbin_core::api::Notice;
use zbus::{blocking::Proxy, zvariant::Value};

use crate::{bus, wish::Wishes};

const PATH: &str = "/org/freedesktop/Notifications";
/// Desktops show a handful; what was said before those leads nowhere any more.
const REMEMBERED: usize = 64;

/// Where each notice leads, by the number that the desktop gave it.
#[derive(Default)]
struct Said(VecDeque<(u32, String)>);

impl Said {
    fn add(&mut self, number: u32, place: String) {
        self.0.retain(|(known, _)| *known != number);
        self.0.push_back((number, place));
        if self.0.len() > REMEMBERED {
            self.0.pop_front();
        }
    }

    fn place(&self, number: u32) -> Option<&str> {
        let mut said = self.0.iter();
        said.find(|(known, _)| *known == number)
            .map(|(_, place)| place.as_str())
    }
}

/// The desktop's way to say something.
pub struct Speaker {
    desktop: Proxy<'static>,
    said: Arc<Mutex<Said>>,
}

impl Speaker {
    /// None without a bus.
    pub fn new(wishes: Wishes) -> Option<Self> {
        let bus = bus::session()?;
        let desktop = Proxy::new(bus, bus::NOTICES, PATH, bus::NOTICES).ok()?;
        let said = Arc::new(Mutex::new(Said::default()));
        let clicks = desktop.receive_signal("ActionInvoked").ok()?;
        let known = Arc::clone(&said);
        thread::spawn(move || {
            for click in clicks {
                let Ok((number, _)) = click.body().deserialize::<(u32, String)>() else {
                    continue;
                };
                let known = known.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(place) = known.place(number) {
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
                said.add(number, notice.place);
            }
            Err(error) => tracing::warn!(%error, "a notice was not shown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_leads_where_it_was_said_to_last() {
        let mut said = Said::default();
        said.add(1, "cluster/1".into());
        said.add(1, "cluster/2".into());
        assert_eq!(said.place(1), Some("cluster/2"));
        for number in 2..100 {
            said.add(number, "costs".into());
        }
        assert_eq!((said.place(1), said.0.len()), (None, REMEMBERED));
    }
}
