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
        Some(home) if home.len() > 1 => text.replace(home, "~"),
        _ => text.to_owned(),
    };
    let Some((name, shown)) = user.filter(|(name, _)| !name.is_empty()) else {
        return text;
    };
    // A part of a path, and not the word somewhere else.
    let ends = |c: char| SEPARATORS.contains(&c) || c.is_whitespace() || ":,;)\"'".contains(c);
    let mut told = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find(name) {
        let (before, behind) = (&rest[..at], &rest[at + name.len()..]);
        let is_part = before.ends_with(SEPARATORS) && behind.chars().next().is_none_or(ends);
        told.push_str(before);
        told.push_str(if is_part { shown } else { name });
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
        assert_eq!(without("/srv/ada", None, None), "/srv/ada");
    }
}
