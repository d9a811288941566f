//! The receiver's routes: what is asked for, who may, and what answers.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use bobbin_core::api::App;
use bobbin_core::install::PLUGIN;
use hyper::body::Incoming;
use hyper::{Method, Request, StatusCode};
use serde_json::json;
use tokio::time::sleep;

use super::batches::Intake;
use super::noted::Noted;
use super::reading::{Reading, read, readable};
use crate::answer::{self, Refusal, Response, typed};
use crate::compat::{self, Compat};
use crate::gate::{Access, Hosts, Keys, WRONG_TOKEN, Wrong, refuse_browsers};
use crate::net::{Handler, Line, Way};

/// What a request is for.
enum Route {
    Batches,
    Health,
    Plugin,
    Read(Reading),
    Compat(compat::Route),
}

impl Route {
    /// By method and path.
    fn of(method: &Method, path: &str) -> Result<Self, Refusal> {
        if let Some(what) = path.strip_prefix("/v1/read/") {
            return Reading::of(method, what).map(Self::Read);
        }
        let (route, allowed, name) = match path {
            "/v1/batches" => (Self::Batches, Method::POST, "POST"),
            "/v1/health" => (Self::Health, Method::GET, "GET"),
            "/v1/plugin" => (Self::Plugin, Method::GET, "GET"),
            _ => return compat::Route::of(method, path).map(Self::Compat),
        };
        if *method == allowed {
            Ok(route)
        } else {
            Err(Refusal::wrong_method(name))
        }
    }

    /// The published client shows its token to nobody for some of its routes, and is handed a key by one of them: that is for this
    /// machine.
    fn is_for(&self, way: Way) -> Result<(), Refusal> {
        match (self, way) {
            (Self::Compat(_), Way::Network) => Err(Refusal::new(
                StatusCode::FORBIDDEN,
                "this_machine_only",
                "Bobbin serves the published client only on the receiver's own machine",
            )
            .hint("use Bobbin's plugin there, or a tunnel to 127.0.0.1")
            .closing()),
            _ => Ok(()),
        }
    }

    fn access(&self) -> Access {
        match self {
            Self::Batches => Access::Writer,
            Self::Health | Self::Plugin | Self::Read(_) => Access::Owner,
            Self::Compat(route) => route.access(),
        }
    }
}

/// The receiver, as its connections see it.
pub struct Routes {
    pub app: App,
    pub hosts: Hosts,
    pub keys: Keys,
    pub wrong: Wrong,
    pub intake: Intake,
    pub noted: Noted,
    pub compat: Compat,
}

impl Routes {
    async fn routed(&self, request: Request<Incoming>, line: &Line) -> Result<Response, Refusal> {
        let host = self.hosts.check(&request, line.way)?;
        refuse_browsers(request.headers())?;
        let route = Route::of(request.method(), one_slash(request.uri().path()))?;
        route.is_for(line.way)?;
        let bearer = self.keys.check(request.headers(), route.access(), line)?;
        let (parts, incoming) = request.into_parts();
        match route {
            Route::Batches => self.intake.post(bearer, &parts.headers, incoming).await,
            Route::Health => Ok(answer::json(
                StatusCode::OK,
                &json!({"version": env!("CARGO_PKG_VERSION"), "refused": self.app.refused()}),
            )),
            Route::Plugin => Ok(typed(
                StatusCode::OK,
                "text/x-python; charset=utf-8",
                PLUGIN,
            )),
            Route::Read(reading) => {
                let query = parts.uri.query();
                let app = readable(&self.app, query, line.way)?;
                self.noted.read(&self.app, line, query.is_some())?;
                read(app, reading, &parts.headers, incoming).await
            }
            Route::Compat(route) => {
                let query = parts.uri.query().unwrap_or_default();
                let asked = compat::Asked {
                    host,
                    way: line.way,
                    query,
                    headers: &parts.headers,
                };
                self.compat.answer(route, asked, incoming).await
            }
        }
    }
}

impl Handler for Routes {
    fn answer(
        self: Arc<Self>,
        request: Request<Incoming>,
        line: Arc<Line>,
    ) -> Pin<Box<dyn Future<Output = Response> + Send>> {
        Box::pin(async move {
            let for_compat = compat::is_theirs(one_slash(request.uri().path()));
            match self.routed(request, &line).await {
                Ok(response) => response,
                Err(refusal) => {
                    self.app.count_refusal(refusal.code);
                    if refusal.code == WRONG_TOKEN {
                        sleep(self.wrong.count(line.peer, Instant::now())).await;
                    }
                    if for_compat {
                        compat::refused(refusal)
                    } else {
                        refusal.native()
                    }
                }
            }
        })
    }
}

/// A path with its leading slashes made one: the published client doubles them when its address ends in one.
fn one_slash(path: &str) -> &str {
    let bare = path.trim_start_matches('/');
    &path[(path.len() - bare.len()).saturating_sub(1)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leading_slashes_are_one() {
        let cases = [
            ("/a//b/", "/a//b/"),
            ("//a", "/a"),
            ("////a", "/a"),
            ("//", "/"),
            ("/", "/"),
            ("*", "*"),
            ("", ""),
        ];
        for (path, expected) in cases {
            assert_eq!(one_slash(path), expected);
        }
    }
}
