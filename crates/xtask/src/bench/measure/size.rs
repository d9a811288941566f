//! How much is measured.

#[derive(Clone, Copy)]
pub enum Size {
    Full,
    Quick,
    /// Only that it runs.
    Smoke,
}

impl Size {
    pub fn name(self) -> &'static str {
        match self {
            Size::Full => "full",
            Size::Quick => "quick",
            Size::Smoke => "smoke",
        }
    }

    /// As the measuring scripts take it.
    pub fn option(self) -> Option<&'static str> {
        match self {
            Size::Full => None,
            Size::Quick => Some("--quick"),
            Size::Smoke => Some("--smoke"),
        }
    }
}
