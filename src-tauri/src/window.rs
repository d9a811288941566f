//! The one window: its title, its size, and what the page in it may not do.

use bobbin_attendant::Failure;
use tauri::{
    AppHandle, DragDropEvent, LogicalSize, Manager, PhysicalPosition, Url, WebviewUrl,
    WebviewWindow, WebviewWindowBuilder, WindowEvent, Wry, plugin::TauriPlugin,
    webview::NewWindowResponse,
};
use tauri_plugin_window_state::StateFlags;

use crate::{closing, files};

/// As in `capabilities/main.json`.
pub const LABEL: &str = "main";
const SIZE: (f64, f64) = (1280.0, 820.0);

/// A window needs a display. Tauri panics without one, so it is asked for first.
///
/// # Errors
/// There is none; the hint says how to look at Bobbin all the same.
pub fn require_display() -> Result<(), Failure> {
    #[cfg(target_os = "linux")]
    if gtk::init().is_err() {
        return Err(Failure::new("there is no display to open a window on")
            .hint("run `bobbin serve --ui` and open the link that it prints in a browser"));
    }
    Ok(())
}

/// Size, place and maximised state survive a restart.
pub fn remember_size() -> TauriPlugin<Wry> {
    let remembered = StateFlags::SIZE | StateFlags::POSITION | StateFlags::MAXIMIZED;
    tauri_plugin_window_state::Builder::new()
        .with_state_flags(remembered)
        .build()
}

/// Opens the window, at an address of the page's.
///
/// # Errors
/// The web view cannot be made.
pub fn open(app: &AppHandle, address: Option<String>) -> tauri::Result<()> {
    let page = format!("index.html{}", address.unwrap_or_default());
    let window = WebviewWindowBuilder::new(app, LABEL, WebviewUrl::App(page.into()))
        .title("Bobbin")
        .inner_size(SIZE.0, SIZE.1)
        .min_inner_size(480.0, 360.0)
        .on_navigation(is_the_page)
        .on_new_window(|_, _| NewWindowResponse::Deny)
        .on_download(|_, _| false)
        .build()?;
    #[cfg(target_os = "linux")]
    if !has_graphics_processor() {
        window.with_webview(|view| draw_what_changed(&view.inner()))?;
    }
    let handle = app.clone();
    window.on_window_event(move |event| match event {
        WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) => {
            files::hand(&handle, paths.clone());
        }
        WindowEvent::CloseRequested { api, .. } => closing::asked(&handle, api),
        _ => {}
    });
    Ok(())
}

/// Takes the page to another address before it had an answer. Not by a script: there may be no page yet to run it.
///
/// # Errors
/// The page cannot be taken there.
pub fn lead(app: &AppHandle, address: &str) -> tauri::Result<()> {
    let Some(window) = app.get_webview_window(LABEL) else {
        return Ok(());
    };
    let mut page = window.url()?;
    page.set_fragment(Some(address.trim_start_matches('#')));
    window.navigate(page)
}

/// Whether the kernel offers one to draw with, as it does not in most virtual machines.
#[cfg(target_os = "linux")]
fn has_graphics_processor() -> bool {
    std::fs::read_dir("/dev/dri").is_ok_and(|devices| {
        devices.flatten().any(|device| {
            device
                .file_name()
                .as_encoded_bytes()
                .starts_with(b"renderD")
        })
    })
}

/// Without a graphics processor, `WebKit` has the processor play one, which draws the whole window for each digit that changes. Told
/// that there is none, it draws what changed: a quarter of the work.
#[cfg(target_os = "linux")]
fn draw_what_changed(view: &webkit2gtk::WebView) {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};

    if let Some(settings) = WebViewExt::settings(view) {
        settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
    }
}

/// Whether there is a window that can show something.
pub fn is_open(app: &AppHandle) -> bool {
    app.get_webview_window(LABEL).is_some()
}

/// Brings the window to the front.
pub fn focus(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        // Each of these may be refused by the desktop; the others still help.
        let _ = window.unminimize();
        let _ = window.show();
        let _ = window.set_focus();
    }
}

/// Gives the window the size of a first start, in the middle of its screen.
pub fn reset(app: &AppHandle) {
    if let Some(window) = app.get_webview_window(LABEL) {
        let size = LogicalSize::new(SIZE.0, SIZE.1);
        // As above.
        let _ = window.unmaximize();
        let _ = window.set_size(size);
        let _ = center(&window, size);
    }
}

/// Puts the window in the middle of its screen by the size that it is about to have. Its own way to do that goes by the size of now,
/// and a desktop resizes a window later than it is told to.
fn center(window: &WebviewWindow, size: LogicalSize<f64>) -> tauri::Result<()> {
    let Some(screen) = window.current_monitor()? else {
        return Ok(());
    };
    let inner = window.inner_size()?.cast::<i32>();
    let outer = window.outer_size()?.cast::<i32>();
    let size = size.to_physical::<i32>(screen.scale_factor());
    let area = screen.work_area();
    let room = area.size.cast::<i32>();
    // The frame of the desktop is around it, where one is known. On a small screen its upper left corner stays in sight.
    let sides = (outer.width - inner.width).max(0);
    let bars = (outer.height - inner.height).max(0);
    let left = (room.width - size.width - sides) / 2;
    let above = (room.height - size.height - bars) / 2;
    window.set_position(PhysicalPosition::new(
        area.position.x + left.max(0),
        area.position.y + above.max(0),
    ))
}

/// Text from a cluster may hold a link; nothing but the embedded page is ever loaded into this window.
fn is_the_page(url: &Url) -> bool {
    let embedded = url.scheme() == "tauri" && url.host_str() == Some("localhost");
    // Windows and Android have no schemes of their own.
    let on_windows =
        cfg!(windows) && url.scheme() == "http" && url.host_str() == Some("tauri.localhost");
    embedded || on_windows
}

#[cfg(test)]
mod tests {
    use super::is_the_page;

    #[test]
    fn only_the_embedded_page_is_loaded() {
        let loads = |url: &str| is_the_page(&url.parse().unwrap());
        assert!(loads("tauri://localhost/index.html"));
        for url in [
            "https://example.org/",
            "http://localhost/",
            "http://tauri.localhost.example.org/",
            "tauri://localhost.example.org/",
            "file:///etc/passwd",
            "data:text/html,x",
            "javascript:alert(1)",
            "about:blank",
        ] {
            assert!(!loads(url), "{url}");
        }
    }
}
