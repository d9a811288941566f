//! Bobbin's window.

fn main() {
    let _ = tauri::Builder::default()
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .plugin(tauri_plugin_single_instance::init(|_, _, _| {}))
        .run(tauri::generate_context!());
}
