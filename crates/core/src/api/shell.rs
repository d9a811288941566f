//! The window, as far as commands are about it.

use crate::Result;
use crate::query::types::DesktopChoices;

/// What the window does for commands.
pub trait Shell: Send + Sync {
    /// What this desktop lets it do now.
    fn abilities(&self) -> Abilities;

    /// Does what was chosen; the choices are stored afterwards.
    ///
    /// # Errors
    /// Those of starting at login, which is a file of the desktop's.
    fn apply(&self, choices: &DesktopChoices) -> Result<()>;

    /// Puts the window where a first start puts it, in its first size.
    ///
    /// # Errors
    /// [`crate::Error::Refused`] by the desktop.
    fn reset_window(&self) -> Result<()>;
}

/// What a desktop lets the window do. A sentence says why not.
#[derive(Clone, Debug, Default)]
pub struct Abilities {
    pub no_tray: Option<String>,
    pub no_notices: Option<String>,
    pub no_login: Option<String>,
    /// The desktop's own file says so; people remove it by other means, too.
    pub starts_at_login: bool,
}
