//! Who asks for what. A token names its account, and nothing that a request says names another: what belongs to others does not
//! exist here. Each request is looked at anew, and once more when its body is here, so that a token that is revoked ends in the middle of
//! an upload, and of a bundle that is handed out.

use std::fs::File;
use std::io::Read;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bobbin_core::Error;
use http_body_util::BodyExt;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_LENGTH, HeaderMap, HeaderValue};
use hyper::{Method, Request, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::json;
use tokio::sync::mpsc;

use super::Hub;
use super::account::{Account, Denied, named};
use super::command::{AccountCommand, Command, within};
use super::pages::Pages;
use super::running::HubPlace;
use super::secret::{self, Purpose};
use super::state::Who;
use super::turns::{Turn, Turns};
use crate::answer::{self, Refusal, Response};
use crate::body;
use crate::door::live::Stream;
use crate::door::page;
use crate::gate::{Hosts, announced, refuse_browsers};
use crate::net::{Handler, Line, Way};
use crate::team::{CHUNK_BYTES, Declared, Join};

const JSON_BYTES: u64 = 1 << 20;
const DEADLINE: Duration = Duration::from_secs(60);
/// Pieces in which a bundle is handed out.
const PIECE: usize = 64 << 10;

/// The hub, as its connections see it.
pub struct Routes {
    pub hub: Arc<Hub>,
    pub hosts: Hosts,
    pub place: HubPlace,
    pub pages: Pages,
    pub turns: Turns,
}

/// Somebody with a good token.
pub struct Caller {
    pub account: Arc<Account>,
    pub who: Who,
}

/// What a path below `/v1/bundles/` means.
enum OfBundle {
    Whole,
    Chunk(usize),
    Commit,
    File,
}

impl Routes {
    async fn routed(&self, request: Request<Incoming>, line: &Line) -> Result<Response, Refusal> {
        let host = self.hosts.check(&request, line.way)?;
        let path = request.uri().path().to_owned();
        if line.way == Way::Socket {
            line.prove();
            return self.local(&path, request).await;
        }
        if !path.starts_with("/v1/") {
            return self.pages.answer(&self.hub, request, line, &host).await;
        }
        refuse_browsers(request.headers())?;
        let method = request.method().clone();
        if path == "/v1/join" {
            only(&method, &Method::POST, "POST")?;
            let join: Join = read_json(request).await?;
            let hub = Arc::clone(&self.hub);
            return blocking(move || {
                // Before anything is looked up: the answer tells nothing of what there is.
                named("device", &join.device)?;
                let (account, digest) =
                    secret::read(Purpose::Invite, &join.invite).ok_or(Denied::Unknown)?;
                let account = hub.account(account).ok_or(Denied::Unknown)?;
                account.join(&digest, &join.device)
            })
            .await;
        }
        let caller = caller(&self.hub, request.headers())?;
        line.prove();
        let Caller { account, who } = caller;
        match path.as_str() {
            "/v1/me" => {
                only(&method, &Method::GET, "GET")?;
                Ok(answer::json(StatusCode::OK, &account.me(&who)))
            }
            "/v1/bundles" => {
                only(&method, &Method::GET, "GET")?;
                Ok(answer::json(StatusCode::OK, &account.shared(&who)))
            }
            "/v1/account" => {
                only(&method, &Method::POST, "POST")?;
                if !who.governs() {
                    return Err(Denied::Forbidden.into());
                }
                let turn = self.turns.begin(&who.token, true, Instant::now())?;
                let headers = request.headers().clone();
                let command: AccountCommand = read_json(request).await?;
                let (hub, place) = (Arc::clone(&self.hub), self.place.clone());
                blocking(move || {
                    let _turn = turn;
                    let Caller { account, who } = still(&hub, &headers)?;
                    if !who.governs() {
                        return Err(Denied::Forbidden);
                    }
                    Ok(within(&account, &who.member, command, Some(&place))?)
                })
                .await
            }
            _ => {
                if let Some(number) = path.strip_prefix("/v1/chain/") {
                    only(&method, &Method::GET, "GET")?;
                    let number = number.parse().map_err(|_| Denied::NotFound)?;
                    let hash = account.row_hash(&who, number)?;
                    return Ok(answer::json(StatusCode::OK, &json!({"hash": hash})));
                }
                let (sha256, of) = of_bundle(&path).ok_or(Denied::NotFound)?;
                self.bundle(account, who, sha256.to_owned(), of, method, request)
                    .await
            }
        }
    }

    async fn bundle(
        &self,
        account: Arc<Account>,
        who: Who,
        sha256: String,
        of: OfBundle,
        method: Method,
        request: Request<Incoming>,
    ) -> Result<Response, Refusal> {
        let turn = |counted| self.turns.begin(&who.token, counted, Instant::now());
        match (of, method) {
            (OfBundle::Whole, Method::GET) => {
                blocking(move || account.standing(&who, &sha256)).await
            }
            (OfBundle::Whole, Method::PUT) => {
                let turn = turn(true)?;
                let headers = request.headers().clone();
                let declared: Declared = read_json(request).await?;
                let hub = Arc::clone(&self.hub);
                blocking(move || {
                    let _turn = turn;
                    let Caller { account, who } = still(&hub, &headers)?;
                    account.declare(&who, &sha256, &declared)
                })
                .await
            }
            (OfBundle::Whole, Method::DELETE) => {
                let turn = turn(true)?;
                blocking(move || {
                    let _turn = turn;
                    account.recall(&who, &sha256)
                })
                .await
            }
            (OfBundle::Whole, _) => Err(Refusal::wrong_method("GET, PUT, DELETE")),
            (OfBundle::Chunk(number), Method::PUT) => {
                if !who.shares() {
                    return Err(Denied::Forbidden.into());
                }
                let turn = turn(false)?;
                let (parts, incoming) = request.into_parts();
                announced(&parts.headers, &incoming, CHUNK_BYTES as u64)?;
                let bytes = body::read(incoming, DEADLINE).await?;
                let headers = parts.headers;
                let hub = Arc::clone(&self.hub);
                blocking(move || {
                    let _turn = turn;
                    let Caller { account, who } = still(&hub, &headers)?;
                    account.chunk(&who, &sha256, number, &bytes)?;
                    Ok(json!({"chunk": number}))
                })
                .await
            }
            (OfBundle::Chunk(_), _) => Err(Refusal::wrong_method("PUT")),
            (OfBundle::Commit, Method::POST) => {
                let turn = turn(true)?;
                blocking(move || {
                    let _turn = turn;
                    account.commit(&who, &sha256)
                })
                .await
            }
            (OfBundle::Commit, _) => Err(Refusal::wrong_method("POST")),
            (OfBundle::File, Method::GET) => {
                let turn = turn(false)?;
                let file = account.file(&who, &sha256)?;
                let (hub, headers) = (Arc::clone(&self.hub), request.headers().clone());
                let still_may = move || {
                    let now = still(&hub, &headers);
                    now.is_ok_and(|now| now.account.hands_out(&now.who, &sha256))
                };
                Ok(handed_out(file, turn, still_may))
            }
            (OfBundle::File, _) => Err(Refusal::wrong_method("GET")),
        }
    }

    /// Whoever runs the hub, on its own machine.
    async fn local(&self, path: &str, request: Request<Incoming>) -> Result<Response, Refusal> {
        if path != "/v1/command" {
            return Err(Denied::NotFound.into());
        }
        only(request.method(), &Method::POST, "POST")?;
        let command: Command = read_json(request).await?;
        let (hub, place) = (Arc::clone(&self.hub), self.place.clone());
        blocking(move || Ok(hub.run(command, Some(&place))?)).await
    }
}

impl Handler for Routes {
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        line: Arc<Line>,
    ) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(async move {
            let path = request.uri().path();
            let (for_page, for_people) = (path.starts_with("/api/"), !path.starts_with("/v1/"));
            match self.routed(request, &line).await {
                Ok(response) => response,
                Err(refusal) if for_page => page::guarded(refusal.native()),
                Err(refusal) if for_people => self.pages.refused(&refusal),
                Err(refusal) => refusal.native(),
            }
        })
    }
}

/// Whose token a request shows.
///
/// # Errors
/// 401, the same whatever is wrong with it.
pub fn caller(hub: &Hub, headers: &HeaderMap) -> Result<Caller, Refusal> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let text = match (values.next().map(|value| value.to_str()), values.next()) {
        (Some(Ok(text)), None) => text.strip_prefix("Bearer ").unwrap_or_default(),
        _ => "",
    };
    by_token(hub, text).map_err(Refusal::from)
}

/// The same once a body is here, which may take its time: whoever was removed meanwhile is.
fn still(hub: &Hub, headers: &HeaderMap) -> Result<Caller, Denied> {
    caller(hub, headers).map_err(|_| Denied::Unknown)
}

/// Whose token this is.
///
/// # Errors
/// [`Denied::Unknown`].
pub fn by_token(hub: &Hub, text: &str) -> Result<Caller, Denied> {
    let (account, digest) = secret::read(Purpose::Token, text.trim()).ok_or(Denied::Unknown)?;
    let account = hub.account(account).ok_or(Denied::Unknown)?;
    let who = account.who(&digest)?;
    Ok(Caller { account, who })
}

fn of_bundle(path: &str) -> Option<(&str, OfBundle)> {
    let rest = path.strip_prefix("/v1/bundles/")?;
    let mut parts = rest.split('/');
    let sha256 = parts.next()?;
    let of = match (parts.next(), parts.next(), parts.next()) {
        (None, None, None) => OfBundle::Whole,
        (Some("commit"), None, None) => OfBundle::Commit,
        (Some("file"), None, None) => OfBundle::File,
        (Some("chunks"), Some(number), None) => OfBundle::Chunk(number.parse().ok()?),
        _ => return None,
    };
    crate::team::is_sha256(sha256).then_some((sha256, of))
}

fn only(method: &Method, allowed: &Method, name: &'static str) -> Result<(), Refusal> {
    if method == allowed {
        Ok(())
    } else {
        Err(Refusal::wrong_method(name))
    }
}

async fn read_json<T: DeserializeOwned>(request: Request<Incoming>) -> Result<T, Refusal> {
    let (parts, incoming) = request.into_parts();
    announced(&parts.headers, &incoming, JSON_BYTES)?;
    let bytes = body::read(incoming, DEADLINE).await?;
    serde_json::from_slice(&bytes).map_err(|error| {
        // Without the values: one may be a secret.
        let message = format!("Bobbin cannot read the request at line {}", error.line());
        Refusal::new(StatusCode::BAD_REQUEST, "invalid", message)
    })
}

async fn blocking<T: serde::Serialize + Send + 'static>(
    run: impl FnOnce() -> Result<T, Denied> + Send + 'static,
) -> Result<Response, Refusal> {
    match tokio::task::spawn_blocking(run).await {
        Ok(answer) => Ok(answer::json(StatusCode::OK, &answer?)),
        Err(_) => Err(Refusal::fault()),
    }
}

/// The bytes of a bundle, a piece at a time. It ends short of the length that it announces once somebody may not have it any more.
fn handed_out(
    mut file: File,
    turn: Turn,
    still_may: impl Fn() -> bool + Send + 'static,
) -> Response {
    let bytes = file.metadata().map(|found| found.len());
    let (sender, receiver) = mpsc::channel(2);
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let mut piece = vec![0; PIECE];
        while still_may()
            && let Ok(read) = file.read(&mut piece)
            && read > 0
            && sender
                .blocking_send(Bytes::copy_from_slice(&piece[..read]))
                .is_ok()
        {}
    });
    let mut response = answer::typed(StatusCode::OK, "application/octet-stream", "");
    *response.body_mut() = Stream(receiver).boxed();
    if let Ok(bytes) = bytes {
        let headers = response.headers_mut();
        headers.insert(CONTENT_LENGTH, HeaderValue::from(bytes));
    }
    response
}

impl From<Denied> for Refusal {
    fn from(denied: Denied) -> Self {
        match denied {
            Denied::Unknown => Refusal::new(
                StatusCode::UNAUTHORIZED,
                "wrong_token",
                "this token or invite is unknown, used, revoked or expired",
            )
            .hint("ask an admin of the account for an invite, and run `bobbin join`"),
            Denied::NotFound => Refusal::not_found("this account has nothing like that"),
            Denied::Forbidden => Refusal::new(
                StatusCode::FORBIDDEN,
                "not_allowed",
                "this member's role, or this token, does not allow that",
            ),
            Denied::OverQuota { quota, needed } => Refusal::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "over_quota",
                format!("the account may hold {quota} bytes, but would hold {needed}"),
            )
            .hint("recall bundles, or ask the hub's operator for more space"),
            Denied::Recalled => Refusal::new(
                StatusCode::GONE,
                "recalled",
                "this bundle was recalled: sending it again needs a new approval",
            ),
            Denied::Other(error @ (Error::Busy | Error::Stopping)) => {
                Refusal::from(error).retry_after(1)
            }
            Denied::Other(error) => Refusal::from(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_bundle_ends_once_whoever_fetches_it_may_not_have_it_any_more() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(100 * PIECE as u64).unwrap();
        let turn = Turns::new().begin("one", false, Instant::now()).unwrap();
        let may = Arc::new(AtomicBool::new(true));
        let still_may = {
            let may = Arc::clone(&may);
            move || may.load(Ordering::Relaxed)
        };
        let response = handed_out(file, turn, still_may);
        let length = &response.headers()[CONTENT_LENGTH];
        assert_eq!(*length, (100 * PIECE).to_string());
        let mut body = response.into_body();
        body.frame().await.unwrap().unwrap();
        may.store(false, Ordering::Relaxed);
        let mut pieces = 1;
        while body.frame().await.is_some() {
            pieces += 1;
        }
        // What was read before still comes.
        assert!(pieces < 10, "{pieces}");
    }
}
