//! The menu of the window: what the keys do, for those who do not know them yet.

use bobbin_attendant::{Wish, Wishes};
use tauri::{
    AppHandle, Manager, Wry,
    menu::{Menu, MenuBuilder, MenuEvent, MenuItemBuilder, SubmenuBuilder},
};

use crate::{files, places, window};

/// Places of the page, by the keys Ctrl-1 to Ctrl-9; as the bar of the page has them, and the ledger.
const SECTIONS: [(&str, &str); 9] = [
    ("overview", "Overview"),
    ("clusters", "Clusters"),
    ("exceptions", "Exceptions"),
    ("costs", "Costs"),
    ("sql", "SQL"),
    ("review", "Share"),
    ("connect", "Connect"),
    ("settings", "Settings"),
    ("ledger", "Ledger"),
];

/// Puts the menu on the windows of `app`.
///
/// # Errors
/// The desktop refuses it.
pub fn put(app: &AppHandle, wishes: Wishes) -> tauri::Result<()> {
    app.set_menu(menu(app)?)?;
    app.on_menu_event(move |app, event| chosen(app, &event, &wishes));
    Ok(())
}

fn menu(app: &AppHandle) -> tauri::Result<Menu<Wry>> {
    let item = |id: &str, words: &str, keys: &str| {
        MenuItemBuilder::with_id(id, words)
            .accelerator(keys)
            .build(app)
    };
    let file = SubmenuBuilder::new(app, "&File")
        .item(&item("open", "&Open File…", "CmdOrCtrl+O")?)
        .item(&item("export", "&Export or Share…", "CmdOrCtrl+S")?)
        .separator()
        .item(&item("settings", "&Settings", "CmdOrCtrl+,")?)
        .separator()
        .item(&item("close", "&Close Window", "CmdOrCtrl+W")?)
        .item(&item("quit", "&Quit", "CmdOrCtrl+Q")?)
        .build()?;
    let mut go = SubmenuBuilder::new(app, "&Go")
        .item(&item("back", "&Back", "Alt+Left")?)
        .item(&item("forward", "&Forward", "Alt+Right")?)
        .item(&item("find", "&Search and Actions…", "CmdOrCtrl+K")?)
        .separator();
    for (number, (view, words)) in (1..).zip(SECTIONS) {
        go = go.item(&item(
            &format!("{GO}{view}"),
            words,
            &format!("CmdOrCtrl+{number}"),
        )?);
    }
    let window = SubmenuBuilder::new(app, "&Window")
        .item(&MenuItemBuilder::with_id("reset", "&Reset Size and Position").build(app)?)
        .build()?;
    MenuBuilder::new(app)
        .items(&[&file, &go.build()?, &window])
        .build()
}

/// Before the name of a section.
const GO: &str = "go ";

fn chosen(app: &AppHandle, event: &MenuEvent, wishes: &Wishes) {
    match event.id().as_ref() {
        "open" => {
            tauri::async_runtime::spawn(files::choose_bundle(app.clone()));
        }
        "export" => places::go(app, &share(places::here(app).as_deref())),
        "settings" => places::go(app, "#/1/settings"),
        "close" => {
            if let Some(window) = app.get_webview_window(window::LABEL) {
                // As a click on it.
                let _ = window.close();
            }
        }
        "quit" => wishes.put(Wish::Quit),
        "back" => places::back(app),
        "forward" => places::forward(app),
        "find" => places::find(app),
        "reset" => window::reset(app),
        id => {
            if let Some(view) = id.strip_prefix(GO) {
                places::go(app, &format!("#/1/{view}"));
            }
        }
    }
}

/// Where the cluster that is looked at is shared from, or where clusters are chosen.
fn share(here: Option<&str>) -> String {
    match here.and_then(places::cluster) {
        Some(id) => format!("#/1/review?ids={id}"),
        None => "#/1/review".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::share;

    #[test]
    fn what_is_looked_at_is_what_is_shared() {
        assert_eq!(share(Some("#/1/cluster/7?tab=workers")), "#/1/review?ids=7");
        assert_eq!(share(Some("#/1/overview")), "#/1/review");
        assert_eq!(share(None), "#/1/review");
    }
}
