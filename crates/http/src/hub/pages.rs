//! The page over an account's store, for browsers: the same as the window's, and read only. A member signs in with a token of
//! theirs; the cookie stands for that token, and ends with it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bobbin_core::api;
use bobbin_core::install::Token;
use bobbin_core::lock::lock;
use hyper::body::Incoming;
use hyper::header::{
    CONTENT_SECURITY_POLICY, COOKIE, HeaderMap, HeaderValue, LOCATION, REFERRER_POLICY, SET_COOKIE,
};
use hyper::{Method, Request, StatusCode};
use serde_json::Value;

use super::Hub;
use super::account::Denied;
use super::routes::{Caller, by_token};
use crate::answer::{Refusal, Response, json_text, typed};
use crate::body;
use crate::door::live::{self, Lease};
use crate::door::{files, page};
use crate::gate::announced;
use crate::net::{Line, Stop};
use crate::team::Role;

const COOKIE_NAME: &str = "__Host-bobbin";
const REQUEST_BYTES: u64 = 1 << 20;
const DEADLINE: Duration = Duration::from_secs(10);
/// Browsers of one account that can be signed in at once; the one that came first makes room. No account signs out others.
const OF_AN_ACCOUNT: usize = 1_000;
/// The same with one token: whoever signs in without end makes room among their own.
const OF_A_TOKEN: usize = 20;

/// What a member may ask of their account's store: what reads, and tells nothing of the hub's own machine.
const READS: &[&str] = &[
    "activity",
    "baseline",
    "budgets",
    "cluster",
    "cluster_answers",
    "cluster_cost",
    "cluster_pruned",
    "cluster_uses",
    "clusters",
    "compare",
    "complete_filter",
    "computations",
    "cost_table",
    "event_fields",
    "events",
    "exception_kinds",
    "exceptions",
    "findings",
    "flame",
    "flame_about",
    "flame_difference",
    "flame_line",
    "flame_table",
    "graph",
    "graph_group",
    "group_costs",
    "heat_map",
    "line_costs",
    "metrics",
    "overview",
    "prices",
    "profile",
    "search",
    "secrets",
    "spans",
    "status",
    "storage",
    "task_groups",
    "thread_use",
    "timeline",
    "topics",
    "users",
    "verdict",
    "verdicts",
    "view_counts",
    "views",
    "worker_heat",
    "worker_series",
    "workers",
];

/// What answers say of the hub's own machine: the command, the place in its answer, and what stands there instead.
const OF_THE_MACHINE: &[(&str, &str, &str)] = &[
    ("status", "/data_dir", "\"\""),
    ("status", "/receiver", "null"),
    ("status", "/plugin_path", "null"),
    ("status", "/inbox/folder", "\"\""),
    ("status", "/safety/folder", "\"\""),
    ("status", "/safety/snapshots", "[]"),
    ("status", "/safety/damaged", "[]"),
    ("status", "/safety/shared_by", "null"),
    ("status", "/refused", "{}"),
    ("storage", "/deletions", "[]"),
];

/// What stands before the form and behind what is said of a token that is none.
const SIGN_IN: [&str; 2] = [
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
    <meta name=\"viewport\" content=\"width=device-width\"><link rel=\"stylesheet\" href=\"/sign-in.css\">\
    <title>Bobbin: sign in</title></head><body><main><h1>Bobbin: sign in to the team’s hub</h1>",
    "<form method=\"post\" action=\"/sign-in\"><label for=\"token\">Token</label>\
    <input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"current-password\" required autofocus>\
    <button>Sign in</button></form>\
    <p>Create one for your browser with <code>bobbin hub token new</code>. An admin can revoke it at any time.</p></main></body></html>",
];
const WRONG_TOKEN: &str = "<p role=\"alert\">This token is unknown, revoked or expired.</p>";
const SIGN_IN_STYLE: &str = include_str!("sign_in.css");
/// That page sends its form here, and nothing else.
const SIGN_IN_POLICY: &str = "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The browsers that are signed in. It has no `Debug`.
pub struct Pages {
    sessions: Mutex<VecDeque<Session>>,
    stop: Stop,
}

/// A browser that is signed in.
struct Session {
    cookie: Token,
    /// With which it signed in.
    token: String,
    account: String,
}

impl Pages {
    pub fn new(stop: Stop) -> Self {
        Self {
            sessions: Mutex::default(),
            stop,
        }
    }

    pub async fn answer(
        &self,
        hub: &Arc<Hub>,
        request: Request<Incoming>,
        line: &Line,
        host: &str,
    ) -> Result<Response, Refusal> {
        let path = request.uri().path().to_owned();
        let get = *request.method() == Method::GET;
        // A browser leaves the usual port out.
        let origin = format!("https://{}", host.strip_suffix(":443").unwrap_or(host));
        page::made_by_the_page(request.headers(), &origin, !get)?;
        if path == "/sign-in.css" && get {
            let style = typed(StatusCode::OK, "text/css; charset=utf-8", SIGN_IN_STYLE);
            return Ok(page::guarded(style));
        }
        if path == "/sign-in" {
            return match *request.method() {
                Method::GET => Ok(sign_in_page(StatusCode::OK, "")),
                Method::POST => self.sign_in(hub, request).await,
                _ => Err(Refusal::wrong_method("GET, POST")),
            };
        }
        let Some((caller, token)) = self.signed_in(hub, request.headers()) else {
            if get && page::wants_page(&request) {
                return Ok(to("/sign-in"));
            }
            return Err(not_signed_in());
        };
        line.prove();
        let response = match path.strip_prefix("/api/") {
            Some("live") if get => {
                let hub = Arc::clone(hub);
                let lease = Lease {
                    changed: caller.account.changes(),
                    holds: Box::new(move || of_browser(&hub, &token).is_some()),
                };
                live::leased(&caller.account.app, self.stop.clone(), lease)
            }
            Some(command) if *request.method() == Method::POST => {
                call(hub, &token, command.to_owned(), request).await?
            }
            Some(_) => return Err(Refusal::wrong_method("POST")),
            None if get => files::serve_on_hub(&path)?,
            None => return Err(Refusal::wrong_method("GET")),
        };
        Ok(page::guarded(response))
    }

    /// A refusal as a browser is told it.
    pub fn refused(&self, refusal: &Refusal) -> Response {
        page::guarded(page::refused(refusal))
    }

    async fn sign_in(
        &self,
        hub: &Arc<Hub>,
        request: Request<Incoming>,
    ) -> Result<Response, Refusal> {
        let (parts, incoming) = request.into_parts();
        announced(&parts.headers, &incoming, 4_096)?;
        let bytes = body::read(incoming, DEADLINE).await?;
        let token = form_urlencoded::parse(&bytes)
            .find(|(name, _)| name == "token")
            .map(|(_, value)| value.trim().to_owned())
            .unwrap_or_default();
        let account = match by_token(hub, &token) {
            Ok(caller) if caller.who.role != Role::Guest => caller.account.id.clone(),
            Ok(_) => {
                return Err(Refusal::from(Denied::Forbidden)
                    .hint("a guest has access to one bundle: get it with `bobbin fetch`"));
            }
            Err(_) => return Ok(sign_in_page(StatusCode::UNAUTHORIZED, WRONG_TOKEN)),
        };
        let cookie = Token::random()?;
        let header = format!(
            "{COOKIE_NAME}={}; Path=/; Secure; HttpOnly; SameSite=Strict",
            cookie.expose()
        );
        let mut sessions = lock(&self.sessions);
        make_room(&mut sessions, OF_A_TOKEN, |one| one.token == token);
        make_room(&mut sessions, OF_AN_ACCOUNT, |one| one.account == account);
        sessions.push_back(Session {
            cookie,
            token,
            account,
        });
        let mut response = to("/");
        if let Ok(header) = HeaderValue::try_from(header) {
            response.headers_mut().insert(SET_COOKIE, header);
        }
        Ok(response)
    }

    /// Whose browser it is, and the token that it signed in with, while that is good.
    fn signed_in(&self, hub: &Hub, headers: &HeaderMap) -> Option<(Caller, String)> {
        let sessions = lock(&self.sessions);
        let shown = headers
            .get_all(COOKIE)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='))
            .find(|(name, _)| *name == COOKIE_NAME)?
            .1;
        let session = sessions.iter().find(|one| one.cookie.matches(shown))?;
        Some((of_browser(hub, &session.token)?, session.token.clone()))
    }
}

/// Signs the first of these out, where there are as many as there may be.
fn make_room(sessions: &mut VecDeque<Session>, most: usize, is_one: impl Fn(&Session) -> bool) {
    if sessions.iter().filter(|one| is_one(one)).count() >= most
        && let Some(first) = sessions.iter().position(is_one)
    {
        sessions.remove(first);
    }
}

/// Whose token this is, if its bearer may look at the page.
fn of_browser(hub: &Hub, token: &str) -> Option<Caller> {
    let caller = by_token(hub, token).ok()?;
    (caller.who.role != Role::Guest).then_some(caller)
}

fn not_signed_in() -> Refusal {
    let message = "this browser is not signed in, or its token was revoked or expired";
    Refusal::new(StatusCode::UNAUTHORIZED, "not_signed_in", message).hint("sign in at /sign-in")
}

async fn call(
    hub: &Hub,
    token: &str,
    command: String,
    request: Request<Incoming>,
) -> Result<Response, Refusal> {
    if !READS.contains(&command.as_str()) {
        return Err(Refusal::new(
            StatusCode::FORBIDDEN,
            "read_only",
            "the hub's page is read-only",
        ));
    }
    let (parts, incoming) = request.into_parts();
    page::is_json(&parts.headers)?;
    announced(&parts.headers, &incoming, REQUEST_BYTES)?;
    let bytes = body::read(incoming, DEADLINE).await?;
    let text = String::from_utf8(bytes).map_err(|_| {
        Refusal::new(
            StatusCode::BAD_REQUEST,
            "invalid",
            "the request is not UTF-8",
        )
    })?;
    // The body may have taken its time: whoever was removed meanwhile is.
    let caller = of_browser(hub, token).ok_or_else(not_signed_in)?;
    let app = caller.account.app.clone();
    let answered = move || api::call(&app, &command, &text).and_then(|text| told(&command, text));
    match tokio::task::spawn_blocking(answered).await {
        Ok(answer) => Ok(json_text(StatusCode::OK, answer?)),
        Err(_) => Err(Refusal::fault()),
    }
}

/// An answer without what it says of the hub's own machine.
fn told(command: &str, answer: String) -> bobbin_core::Result<String> {
    let places = OF_THE_MACHINE.iter().filter(|(of, ..)| *of == command);
    let mut places = places.peekable();
    if places.peek().is_none() {
        return Ok(answer);
    }
    let mut answer: Value = serde_json::from_str(&answer)?;
    for (_, place, instead) in places {
        if let Some(said) = answer.pointer_mut(place) {
            *said = serde_json::from_str(instead)?;
        }
    }
    Ok(serde_json::to_string(&answer)?)
}

fn sign_in_page(status: StatusCode, said: &str) -> Response {
    let [before, after] = SIGN_IN;
    let page = format!("{before}{said}{after}");
    let mut response = page::guarded(typed(status, page::HTML, page));
    let headers = response.headers_mut();
    headers.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static(SIGN_IN_POLICY),
    );
    // With none at all a browser says of its own form that it comes from nowhere.
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    response
}

fn to(path: &'static str) -> Response {
    let mut response = typed(StatusCode::SEE_OTHER, page::HTML, "");
    response
        .headers_mut()
        .insert(LOCATION, HeaderValue::from_static(path));
    page::guarded(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_signs_in_makes_room_in_their_own_account_alone() {
        let signed_in = [("blue", "a"), ("red", "b"), ("red", "c")];
        let mut sessions: VecDeque<Session> = signed_in
            .into_iter()
            .map(|(account, token)| Session {
                cookie: Token::random().unwrap(),
                token: token.into(),
                account: account.into(),
            })
            .collect();
        let left = |sessions: &VecDeque<Session>| -> String {
            sessions.iter().map(|one| one.token.as_str()).collect()
        };
        make_room(&mut sessions, 3, |one| one.account == "red");
        assert_eq!(left(&sessions), "abc");
        make_room(&mut sessions, 2, |one| one.account == "red");
        assert_eq!(left(&sessions), "ac");
    }

    #[test]
    fn what_may_be_asked_are_commands_and_none_that_writes() {
        for command in READS {
            assert!(api::COMMANDS.contains(command), "{command}");
        }
        for command in [
            "sql",
            "copy_sql",
            "keys",
            "recovery_key",
            "delete_clusters",
            "mark_clusters",
            "set_price",
            "close_cluster",
        ] {
            assert!(api::COMMANDS.contains(&command), "{command}");
            assert!(!READS.contains(&command), "{command}");
        }
    }
}
