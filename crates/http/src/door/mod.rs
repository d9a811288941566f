//! The UI door: the page, for a browser on this machine. A listener of its own, off unless asked for.
//!
//! A browser is let in by a link that works once and becomes a cookie. Everything behind it asks for that cookie, for
//! the exact host, and for a request that the page itself made.

mod bundle;
mod entrance;
pub mod files;
pub mod live;
pub mod page;
mod save;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bobbin_core::Result;
use bobbin_core::api::{self, App};
use hyper::body::Incoming;
use hyper::header::{HeaderValue, LOCATION, SET_COOKIE};
use hyper::{Method, Request, StatusCode};

use self::entrance::Entrance;
use crate::answer::{Refusal, Response, json_text, typed};
use crate::body;
use crate::gate::{Hosts, announced};
use crate::net::{Handler, Line, Stop};

/// The most that a request of the page may be.
const REQUEST_BYTES: u64 = 1 << 20;
const REQUEST_DEADLINE: Duration = Duration::from_secs(10);

/// The UI door, as its connections see it.
pub struct Door {
    app: App,
    hosts: Hosts,
    port: u16,
    entrance: Entrance,
    stop: Stop,
}

impl Door {
    pub fn new(app: App, port: u16, stop: Stop) -> Result<Self> {
        let entrance = Entrance::new(port)?;
        Ok(Self {
            app,
            hosts: Hosts::of_port(port),
            port,
            entrance,
            stop,
        })
    }

    /// A link that signs a browser in, once; the one before no longer does.
    pub fn new_link(&self) -> Result<String> {
        Ok(format!(
            "http://127.0.0.1:{}/open/{}",
            self.port,
            self.entrance.new_link()?
        ))
    }

    async fn routed(
        &self,
        request: Request<Incoming>,
        line: &Line,
    ) -> std::result::Result<Response, Refusal> {
        let host = self.hosts.check(&request, line.way)?;
        let path = request.uri().path().to_owned();
        let get = *request.method() == Method::GET;
        if let (true, Some(link)) = (get, path.strip_prefix("/open/")) {
            return self.open(&request, link);
        }
        page::made_by_the_page(request.headers(), &format!("http://{host}"), !get)?;
        if !self.entrance.signed_in(request.headers()) {
            return Err(page::not_signed_in());
        }
        line.prove();
        match path.strip_prefix("/api/") {
            Some("live") if get => Ok(live::stream(&self.app, self.stop.clone())),
            Some("offer_bundle") if *request.method() == Method::POST => {
                bundle::offer(&self.app, request).await
            }
            Some("save") if *request.method() == Method::POST => {
                let (app, beside, text) = self.asked(request).await?;
                let saved = move || save::save(&app, beside.as_deref(), &text);
                tokio::task::spawn_blocking(saved)
                    .await
                    .map_err(|_| Refusal::fault())?
            }
            Some(command) if *request.method() == Method::POST => {
                let command = command.to_owned();
                self.call(command, request).await
            }
            Some(_) => Err(Refusal::wrong_method("POST")),
            None if get => files::serve(&path),
            None => Err(Refusal::wrong_method("GET")),
        }
    }

    /// Signs a browser in, if the link is good. One that is signed in already is let through with an old link too.
    fn open(
        &self,
        request: &Request<Incoming>,
        link: &str,
    ) -> std::result::Result<Response, Refusal> {
        let headers = request.headers();
        let prefetched = headers.contains_key("sec-purpose") || headers.contains_key("purpose");
        let cookie = if prefetched {
            None
        } else {
            self.entrance.enter(link)
        };
        if cookie.is_none() && !self.entrance.signed_in(headers) {
            return Err(page::spent_link());
        }
        // A cookie for this site alone is not sent along when another site's link is redirected; a page of our own that
        // goes on by itself is this site.
        let from_elsewhere = headers
            .get("sec-fetch-site")
            .is_some_and(|site| site != "none" && site != "same-origin");
        let mut response = if from_elsewhere {
            typed(StatusCode::OK, page::HTML, page::GO_ON)
        } else {
            let mut response = typed(StatusCode::SEE_OTHER, page::HTML, "");
            response
                .headers_mut()
                .insert(LOCATION, HeaderValue::from_static("/"));
            response
        };
        if let Some(cookie) = cookie.and_then(|cookie| HeaderValue::try_from(cookie).ok()) {
            response.headers_mut().insert(SET_COOKIE, cookie);
        }
        Ok(response)
    }

    /// A request in JSON, and the bundle beside the store that it is about.
    async fn asked(
        &self,
        request: Request<Incoming>,
    ) -> std::result::Result<(App, Option<String>, String), Refusal> {
        let (parts, incoming) = request.into_parts();
        page::is_json(&parts.headers)?;
        let beside = bundle::named(&parts.uri, "beside");
        announced(&parts.headers, &incoming, REQUEST_BYTES)?;
        let bytes = body::read(incoming, REQUEST_DEADLINE).await?;
        let text = String::from_utf8(bytes).map_err(|_| {
            Refusal::new(
                StatusCode::BAD_REQUEST,
                "invalid",
                "the request is not UTF-8",
            )
        })?;
        Ok((self.app.clone(), beside, text))
    }

    async fn call(
        &self,
        command: String,
        request: Request<Incoming>,
    ) -> std::result::Result<Response, Refusal> {
        let (app, beside, text) = self.asked(request).await?;
        let called = move || match beside {
            Some(id) => api::call_beside(&app, &id, &command, &text),
            None => api::call(&app, &command, &text),
        };
        match tokio::task::spawn_blocking(called).await {
            Ok(answer) => Ok(json_text(StatusCode::OK, answer?)),
            Err(_) => Err(Refusal::fault()),
        }
    }
}

impl Handler for Door {
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        line: Arc<Line>,
    ) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(async move {
            let wants_page = page::wants_page(&request);
            let response = match self.routed(request, &line).await {
                Ok(response) => response,
                Err(refusal) => {
                    self.app.count_refusal(refusal.code);
                    if wants_page {
                        page::refused(&refusal)
                    } else {
                        refusal.native()
                    }
                }
            };
            page::guarded(response)
        })
    }
}
