//! What the checks say is made to be pasted into a public question: the home folder is `~`, and elsewhere the folder of the user is
//! `$USER`. A shell reads both.

use std::env;
use std::path::Path;

use super::DoctorCheck;

/// The same check, without the user.
pub(super) fn masked(check: DoctorCheck) -> DoctorCheck {
    DoctorCheck {
        found: without_user(&check.found),
        hint: check.hint.as_deref().map(without_user),
        ..check
    }
}

fn without_user(text: &str) -> String {
    let home = env::home_dir();
    let user = USER
        .into_iter()
        .find_map(|(name, shown)| Some((env::var(name).ok()?, shown)));
    without(
        text,
        home.as_deref().and_then(Path::to_str),
        user.as_ref().map(|(name, shown)| (name.as_str(), *shown)),
    )
}

/// Where systems name the user, and how a shell reads it.
const USER: [(&str, &str); 3] = [
    ("USER", "$USER"),
    ("LOGNAME", "$LOGNAME"),
    ("USERNAME", "%USERNAME%"),
];

fn without(text: &str, home: Option<&str>, user: Option<(&str, &str)>) -> String {
    let text = match home.map(|home| home.trim_end_matches('/')) {
        Some(home) if home.len() > 1 => replaced(text, home, "~", |_| true),
        _ => text.to_owned(),
    };
    match user {
        // A part of a path, and not the word somewhere else.
        Some((name, shown)) if !name.is_empty() => {
            replaced(&text, name, shown, |before| before.ends_with(SEPARATORS))
        }
        _ => text,
    }
}

/// The text with `shown` for each `name` that begins there and does not go on as a longer one.
fn replaced(text: &str, name: &str, shown: &str, begins: impl Fn(&str) -> bool) -> String {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let is_name = begins(before) && !behind.starts_with(goes_on);
        told.push_str(before);
        told.push_str(if is_name { shown } else { name });
        rest = behind;
    }
    told + rest
}

const SEPARATORS: [char; 2] = ['/', '\\'];

#[cfg(test)]
mod tests {
    use super::without;

    #[test]
    fn neither_the_home_folder_nor_the_user_elsewhere_is_told() {
        let told = |text| without(text, Some("/home/ada/"), Some(("ada", "$USER")));
        assert_eq!(told("in /home/ada/data/token"), "in ~/data/token");
        assert_eq!(
            told("chmod go-rwx /scratch/ada /mnt/ada/bobbin"),
            "chmod go-rwx /scratch/$USER /mnt/$USER/bobbin"
        );
        assert_eq!(
            told("/srv/adam/x, canada/ada, ada"),
            "/srv/adam/x, canada/$USER, ada"
        );
        assert_eq!(
            told("`/scratch/ada`, /srv/ada.txt, not /home/adam/x"),
            "`/scratch/$USER`, /srv/$USER.txt, not /home/adam/x"
        );
        assert_eq!(without("/srv/ada", None, None), "/srv/ada");
    }
}
