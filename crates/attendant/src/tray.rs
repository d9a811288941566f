//! The icon in the tray of the desktop: what is alive and what it costs, when one was heard, and what can be done about it.

use std::{io::Cursor, sync::OnceLock};

use bobbin_core::model::ClusterState;
use ksni::{
    Category, Icon, ToolTip,
    blocking::{Handle, TrayMethods},
    menu::StandardItem,
};
use png::{BitDepth, ColorType};

use crate::{
    start::Opening,
    wish::{Wish, Wishes},
};

/// What it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// `2 clusters running, 1 stalled`.
    pub clusters: String,
    /// Which those are, and what each does: one may come as another goes.
    pub alive: Vec<(i64, ClusterState)>,
    /// `≈ 0.02–0.15 € an hour`, where it is known.
    pub burning: Option<String>,
    /// `Last task 12 min ago`, where one that is alive has finished any.
    pub worked: Option<String>,
    /// `Last report 5 s ago`.
    pub last: String,
    /// Whether clusters may report.
    pub receives: bool,
}

impl Told {
    fn lines(&self) -> impl Iterator<Item = &str> {
        [
            Some(self.clusters.as_str()),
            self.burning.as_deref(),
            self.worked.as_deref(),
            Some(&self.last),
        ]
        .into_iter()
        .flatten()
    }
}

/// The icon, until it is dropped.
pub struct Tray(Handle<Item>);

impl Tray {
    /// Shows it as soon as there is a tray: a session may start its own after Bobbin.
    pub fn show(told: Told, wishes: Wishes) -> Option<Self> {
        let item = Item { told, wishes };
        item.assume_sni_available(true)
            .spawn()
            .inspect_err(|error| tracing::warn!(%error, "there is no icon in the tray"))
            .map(Self)
            .ok()
    }

    /// Tells something else; the desktop hears of it only if it is.
    pub fn tell(&self, told: &Told) {
        self.0.update(|item| item.told = told.clone());
    }
}

impl Drop for Tray {
    fn drop(&mut self) {
        // Not waited for: the desktop may be gone.
        drop(self.0.shutdown());
    }
}

struct Item {
    told: Told,
    wishes: Wishes,
}

impl Item {
    fn line(text: &str) -> ksni::MenuItem<Self> {
        StandardItem {
            label: label(text),
            enabled: false,
            ..StandardItem::default()
        }
        .into()
    }

    fn button(text: &str, wish: fn() -> Wish) -> ksni::MenuItem<Self> {
        StandardItem {
            label: text.into(),
            activate: Box::new(move |item: &mut Self| item.wishes.put(wish())),
            ..StandardItem::default()
        }
        .into()
    }
}

/// One underscore is a shortcut there.
fn label(text: &str) -> String {
    text.replace('_', "__")
}

impl ksni::Tray for Item {
    fn id(&self) -> String {
        "org.bobbin.desktop".into()
    }

    fn title(&self) -> String {
        "Bobbin".into()
    }

    fn category(&self) -> Category {
        Category::ApplicationStatus
    }

    fn activate(&mut self, _x: i32, _y: i32) {
        self.wishes.put(open());
    }

    fn icon_name(&self) -> String {
        // Of the icons below, so that a Bobbin that was not installed has one, too.
        String::new()
    }

    fn icon_pixmap(&self) -> Vec<Icon> {
        icons().to_vec()
    }

    fn tool_tip(&self) -> ToolTip {
        ToolTip {
            title: "Bobbin".into(),
            description: self.told.lines().collect::<Vec<_>>().join("\n"),
            ..ToolTip::default()
        }
    }

    fn menu(&self) -> Vec<ksni::MenuItem<Self>> {
        let mut menu: Vec<_> = self.told.lines().map(Self::line).collect();
        menu.push(ksni::MenuItem::Separator);
        menu.push(Self::button("Open Bobbin", open));
        menu.push(match self.told.receives {
            true => Self::button("Pause receiving", || Wish::Pause),
            false => Self::button("Resume receiving", || Wish::Resume),
        });
        menu.push(ksni::MenuItem::Separator);
        menu.push(Self::button("Quit", || Wish::Quit));
        menu
    }
}

fn open() -> Wish {
    Wish::Open(Opening::default(), None)
}

/// The pictures of the icon, unpacked once.
fn icons() -> &'static [Icon] {
    static ICONS: OnceLock<Vec<Icon>> = OnceLock::new();
    let files: [&[u8]; 2] = [
        include_bytes!("../../../assets/icons/bobbin-32.png"),
        include_bytes!("../../../assets/icons/bobbin-128.png"),
    ];
    ICONS.get_or_init(|| files.into_iter().filter_map(pixels).collect())
}

/// A picture of four bytes a pixel; the tray wants alpha first.
fn pixels(file: &[u8]) -> Option<Icon> {
    let mut picture = png::Decoder::new(Cursor::new(file)).read_info().ok()?;
    let mut data = vec![0; picture.output_buffer_size()?];
    let read = picture.next_frame(&mut data).ok()?;
    if (read.color_type, read.bit_depth) != (ColorType::Rgba, BitDepth::Eight) {
        return None;
    }
    for pixel in data.chunks_exact_mut(4) {
        pixel.rotate_right(1);
    }
    Some(Icon {
        width: read.width.try_into().ok()?,
        height: read.height.try_into().ok()?,
        data,
    })
}

#[cfg(test)]
mod tests {
    use super::icons;

    #[test]
    fn the_icon_is_drawn_in_two_sizes() {
        let sizes: Vec<_> = icons()
            .iter()
            .map(|icon| (icon.width, icon.height, icon.data.len()))
            .collect();
        assert_eq!(sizes, [(32, 32, 4096), (128, 128, 65536)]);
    }
}
