//! Who is let in: whoever has the link, once, and from then on whoever has the cookie.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard};

use bobbin_core::Result;
use bobbin_core::install::Token;
use bobbin_core::lock::lock;
use hyper::header::{COOKIE, HeaderMap};

/// Browsers that can be signed in at once; the one that came first makes room.
const SESSIONS: usize = 16;

/// The link and the cookies of one door. It has no `Debug`.
pub struct Entrance {
    /// Cookies of one host are shared by all its ports, so the name tells them apart.
    cookie_name: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    link: Option<Token>,
    sessions: VecDeque<Token>,
    /// Made before it is needed, so that signing in cannot fail.
    next: Option<Token>,
}

impl Entrance {
    pub fn new(port: u16) -> Result<Self> {
        Ok(Self {
            cookie_name: format!("bobbin_{port}"),
            state: Mutex::default(),
        })
    }

    /// The secret part of a new link; the one before no longer works.
    pub fn new_link(&self) -> Result<String> {
        let (link, session) = (Token::random()?, Token::random()?);
        let text = link.expose().to_owned();
        let mut state = self.lock();
        state.link = Some(link);
        state.next = Some(session);
        Ok(text)
    }

    /// Takes the link, if it is the right one and was not taken before. Gives the `Set-Cookie` for the browser.
    pub fn enter(&self, presented: &str) -> Option<String> {
        let mut state = self.lock();
        if !state.link.as_ref()?.matches(presented) {
            return None;
        }
        let session = state.next.take()?;
        state.link = None;
        let name = &self.cookie_name;
        let cookie = format!(
            "{name}={}; Path=/; HttpOnly; SameSite=Strict",
            session.expose()
        );
        state.sessions.push_back(session);
        if state.sessions.len() > SESSIONS {
            state.sessions.pop_front();
        }
        Some(cookie)
    }

    /// Whether a request has the cookie of a browser that is signed in.
    pub fn signed_in(&self, headers: &HeaderMap) -> bool {
        let state = self.lock();
        headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .filter(|(name, _)| *name == self.cookie_name)
            .any(|(_, value)| state.sessions.iter().any(|session| session.matches(value)))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(cookie: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        let pair = cookie.split(';').next().unwrap();
        headers.insert(COOKIE, format!("other=1; {pair}").parse().unwrap());
        headers
    }

    #[test]
    fn a_link_works_once_and_the_newest_alone() {
        let entrance = Entrance::new(1).unwrap();
        let old = entrance.new_link().unwrap();
        let link = entrance.new_link().unwrap();
        assert!(entrance.enter(&old).is_none());
        let cookie = entrance.enter(&link).unwrap();
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"));
        assert!(entrance.enter(&link).is_none());
        assert!(entrance.signed_in(&headers(&cookie)));
        assert!(!entrance.signed_in(&headers("bobbin_1=wrong")));
        assert!(!entrance.signed_in(&headers(&cookie.replace("bobbin_1", "bobbin_2"))));
    }
}
