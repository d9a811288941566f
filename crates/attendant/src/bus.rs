//! The session's message bus: whether there is a tray, and whether notices are shown.

use std::{sync::OnceLock, time::Duration};

use zbus::{
    blocking::{Connection, Proxy, connection::Builder, fdo::DBusProxy},
    names::BusName,
};

const WATCHER: &str = "org.kde.StatusNotifierWatcher";
pub const NOTICES: &str = "org.freedesktop.Notifications";
/// Who takes longer to answer is not there.
const PATIENCE: Duration = Duration::from_secs(3);

/// The one connection of this process; none without a bus.
pub fn session() -> Option<&'static Connection> {
    static SESSION: OnceLock<Option<Connection>> = OnceLock::new();
    SESSION
        .get_or_init(|| {
            let session = Builder::session().and_then(|bus| bus.method_timeout(PATIENCE).build());
            session
                .inspect_err(|error| tracing::debug!(%error, "there is no session bus"))
                .ok()
        })
        .as_ref()
}

const NO_BUS: &str = "this session has no message bus (D-Bus)";

/// Why there is no tray; none: there is one.
pub fn no_tray() -> Option<String> {
    let Some(bus) = session() else {
        return Some(format!("{NO_BUS}, which trays need"));
    };
    let shown = Proxy::new(bus, WATCHER, "/StatusNotifierWatcher", WATCHER)
        .and_then(|watcher| watcher.get_property::<bool>("IsStatusNotifierHostRegistered"));
    match shown {
        Ok(true) => None,
        _ => {
            Some("this desktop has no tray; on GNOME, the AppIndicator extension adds one".into())
        }
    }
}

/// Why no notice can be shown; none: it can.
pub fn no_notices() -> Option<String> {
    let Some(bus) = session() else {
        return Some(format!("{NO_BUS}, which notifications need"));
    };
    let there = DBusProxy::new(bus).ok().is_some_and(|bus| {
        let known = |names: zbus::fdo::Result<Vec<zbus::names::OwnedBusName>>| {
            names.is_ok_and(|names| names.iter().any(|name| name.as_str() == NOTICES))
        };
        known(bus.list_names()) || known(bus.list_activatable_names())
    });
    (!there).then(|| "this desktop has no notification service".into())
}

/// Which service shows notices, and on which bus: one that is started anew counts them from one again.
pub fn who_shows_notices() -> String {
    let owner = session().and_then(|bus| {
        let owner = DBusProxy::new(bus)
            .ok()?
            .get_name_owner(BusName::from_static_str(NOTICES).ok()?);
        Some(format!("{}, {}", bus.inner().server_guid(), owner.ok()?))
    });
    owner.unwrap_or_default()
}
