//! Tokens and invites: 260 random bits, behind words that say what they are, so that scanners for secrets know them, and the id of
//! the account, so that nothing of another account is ever looked at.

use bobbin_core::Result;
use bobbin_core::install::Token;
use bobbin_core::ledger::digest;

const TOKEN: &str = "bobbin_token";
const INVITE: &str = "bobbin_invite";
const CHECK_LETTERS: usize = 6;

/// What a secret is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Token,
    Invite,
}

impl Purpose {
    fn word(self) -> &'static str {
        match self {
            Purpose::Token => TOKEN,
            Purpose::Invite => INVITE,
        }
    }
}

/// A new secret of an account: its text, to be handed out once, and its digest, to be kept.
///
/// # Errors
/// [`bobbin_core::Error::Io`] without random numbers.
pub fn new(purpose: Purpose, account: &str) -> Result<(String, String)> {
    let random = Token::random()?;
    let body = format!("{}_{account}_{}", purpose.word(), random.expose());
    let text = format!("{body}{}", &digest(body.as_bytes())[..CHECK_LETTERS]);
    let kept = digest(text.as_bytes());
    Ok((text, kept))
}

/// The account that a secret names, and the secret's digest; none if it is no such secret, or is mistyped.
pub fn read(purpose: Purpose, text: &str) -> Option<(&str, String)> {
    let rest = text.strip_prefix(purpose.word())?.strip_prefix('_')?;
    let (account, _) = rest.split_once('_')?;
    let (body, check) = text.split_at_checked(text.len().checked_sub(CHECK_LETTERS)?)?;
    let fine = is_id(account) && digest(body.as_bytes())[..CHECK_LETTERS] == *check;
    fine.then(|| (account, digest(text.as_bytes())))
}

/// A new id: twelve letters that say nothing.
///
/// # Errors
/// [`bobbin_core::Error::Io`] without random numbers.
pub fn id() -> Result<String> {
    let random = Token::random()?;
    Ok(digest(random.expose().as_bytes())[..12].to_owned())
}

/// Whether a text is such an id: it becomes the name of a folder.
pub fn is_id(text: &str) -> bool {
    text.len() == 12
        && text
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_found_by_whoever_looks_for_secrets() {
        let scanner = bobbin_core::scan::Scanner::new(Default::default()).unwrap();
        for purpose in [Purpose::Token, Purpose::Invite] {
            let (text, _) = new(purpose, &id().unwrap()).unwrap();
            let found = scanner.scan(&format!("x = '{text}'")).unwrap();
            assert!(
                found.len() == 1 && found[0].rule.is_fatal() && found[0].at == (5..5 + text.len()),
                "{found:?}"
            );
        }
    }

    #[test]
    fn a_secret_names_its_account_and_is_read_for_its_purpose_alone() {
        let account = id().unwrap();
        let (text, kept) = new(Purpose::Token, &account).unwrap();
        assert_eq!(read(Purpose::Token, &text), Some((account.as_str(), kept)));
        assert_eq!(read(Purpose::Invite, &text), None);
        for bad in [
            "",
            "bobbin_token_",
            &text[1..],
            &text[..text.len() - 1],
            "bobbin_token_../x_y",
        ] {
            assert_eq!(read(Purpose::Token, bad), None, "{bad}");
        }
        assert_ne!(new(Purpose::Token, &account).unwrap().0, text);
    }
}
