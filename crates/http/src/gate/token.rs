//! The token: always, over every way, for every route but the few that tell nothing.

use bobbin_core::api::App;
use hyper::StatusCode;
use hyper::header::{AUTHORIZATION, HeaderMap};

use crate::answer::Refusal;
use crate::net::Line;

/// Who may use a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Nobody shows a token: the published client sends none.
    Anyone,
    /// Whoever may write: the owner, or a plugin with a key handed out with its source.
    Writer,
    /// The owner of the install alone.
    Owner,
}

/// Who showed a right token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bearer {
    /// None was needed.
    Anyone,
    Owner,
    /// Whoever has the key of this digest.
    Key([u8; 32]),
}

/// What tokens are held against. It has no `Debug`.
pub struct Keys {
    app: App,
}

impl Keys {
    pub fn new(app: App) -> Self {
        Self { app }
    }

    /// Checks the `Authorization` header. What was presented goes nowhere else: it may be a token of another service,
    /// sent here by a client of which only the address was changed.
    ///
    /// # Errors
    /// 401 without a right token, 403 with a key that is not for this.
    pub fn check(
        &self,
        headers: &HeaderMap,
        access: Access,
        line: &Line,
    ) -> Result<Bearer, Refusal> {
        if access == Access::Anyone {
            return Ok(Bearer::Anyone);
        }
        let presented = presented(headers).ok_or_else(|| wrong("the request has no token"))?;
        if self.app.is_owner_token(presented) {
            line.prove();
            return Ok(Bearer::Owner);
        }
        match (access, self.app.ingest_key_known(presented)) {
            (_, false) => Err(wrong("this token is not for this Bobbin")),
            (Access::Owner, true) => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "write_only_key",
                "this key can only post batches",
            )),
            (Access::Writer | Access::Anyone, true) => {
                line.prove();
                Ok(Bearer::of_key(presented))
            }
        }
    }
}

/// The token of the one `Authorization` header, under any of the three names in use.
fn presented(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else {
        return None;
    };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    let known = ["Bearer", "Token", "ApiToken"];
    known
        .iter()
        .any(|name| name.eq_ignore_ascii_case(scheme))
        .then_some(token.trim())
}

/// The code of a token that is not right.
pub const WRONG_TOKEN: &str = "wrong_token";

fn wrong(message: &'static str) -> Refusal {
    Refusal::new(StatusCode::UNAUTHORIZED, WRONG_TOKEN, message)
        .hint("the right one is in the file that `token_file` in receiver.json names")
        .closing()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_read_under_each_of_its_names_and_only_once() {
        let of = |values: &[&str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, value.parse().unwrap());
            }
            presented(&headers).map(str::to_owned)
        };
        for scheme in ["Bearer", "bearer", "Token", "ApiToken"] {
            assert_eq!(of(&[&format!("{scheme} abc")]).as_deref(), Some("abc"));
        }
        assert_eq!(of(&["Basic abc"]), None);
        assert_eq!(of(&["abc"]), None);
        assert_eq!(of(&[]), None);
        assert_eq!(of(&["Bearer abc", "Bearer abc"]), None);
    }
}
