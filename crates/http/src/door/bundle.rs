//! `POST /api/offer_bundle?name=…`: a bundle that a person dropped on the page, byte for byte, to be looked at.

use std::time::Duration;

use bobbin_core::api::App;
use hyper::body::Incoming;
use hyper::header::CONTENT_TYPE;
use hyper::{Request, StatusCode, Uri};

use crate::answer::{Refusal, Response, json};
use crate::body::{self, Pieces};
use crate::gate::announced;

/// The most that is let in; core says no before that.
const BUNDLE_BYTES: u64 = 2 << 30;
/// For a file of that size from the same machine.
const DEADLINE: Duration = Duration::from_secs(300);

/// One value of the query.
pub fn named(uri: &Uri, name: &str) -> Option<String> {
    let query = uri.query()?;
    form_urlencoded::parse(query.as_bytes())
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.into_owned())
}

/// Takes a bundle in, and answers what is in it.
pub async fn offer(app: &App, request: Request<Incoming>) -> Result<Response, Refusal> {
    let (parts, incoming) = request.into_parts();
    let media = parts
        .headers
        .get(CONTENT_TYPE)
        .map(|value| value.as_bytes());
    // As with JSON: no form can send it.
    if media != Some(b"application/octet-stream") {
        return Err(Refusal::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "not_a_bundle",
            "send a bundle as application/octet-stream",
        )
        .closing());
    }
    announced(&parts.headers, &incoming, BUNDLE_BYTES)?;
    let name = named(&parts.uri, "name").unwrap_or_else(|| "bundle".into());
    let (sender, mut pieces) = Pieces::new();
    let app = app.clone();
    let looking = tokio::task::spawn_blocking(move || app.offer_bundle(&name, &mut pieces));
    // What broke off looks cut to core: the body says why.
    let passed = body::pass_on(incoming, DEADLINE, sender).await;
    let looked = looking.await.map_err(|_| Refusal::fault())?;
    passed?;
    Ok(json(StatusCode::OK, &looked?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_was_written() {
        let uri: Uri = "/api/x?beside=7&name=na%C3%AFve%20%26%20co.bobbin"
            .parse()
            .unwrap();
        assert_eq!(named(&uri, "name").as_deref(), Some("naïve & co.bobbin"));
        assert_eq!(named(&uri, "beside").as_deref(), Some("7"));
        assert_eq!(named(&uri, "lens"), None);
    }
}
