//! What the door asks of a request that a page made, what it forbids the page, and the few pages of its own.

use hyper::body::Incoming;
use hyper::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, ORIGIN, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use hyper::{Method, Request, StatusCode};

use crate::answer::{Refusal, Response, typed, with_headers};

pub const HTML: &str = "text/html; charset=utf-8";

/// Goes on to the page by itself.
pub const GO_ON: &str = "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
    <meta http-equiv=\"refresh\" content=\"0;url=/\"><title>Bobbin</title><a href=\"/\">Open Bobbin</a>";

/// Nothing but the page's own files, and no word to any other address.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
    font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const GUARDS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (X_FRAME_OPTIONS, "DENY"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    ),
];

/// Puts on every answer what it forbids.
pub fn guarded(response: Response) -> Response {
    with_headers(response, &GUARDS)
}

/// Refuses requests that another site's page made: one of another origin than `origin`. A request that changes or asks something must name its origin.
///
/// # Errors
/// 403.
pub fn made_by_the_page(
    headers: &HeaderMap,
    origin: &str,
    needs_origin: bool,
) -> Result<(), Refusal> {
    let site = headers.get("sec-fetch-site").map(|site| site.as_bytes());
    let own_site = matches!(site, None | Some(b"same-origin" | b"none"));
    let own_origin = match headers.get(ORIGIN).map(|origin| origin.as_bytes()) {
        Some(named) => named.eq_ignore_ascii_case(origin.as_bytes()),
        None => !needs_origin,
    };
    if own_site && own_origin {
        return Ok(());
    }
    let message = "only Bobbin's own page may request this";
    Err(Refusal::new(StatusCode::FORBIDDEN, "other_origin", message).closing())
}

/// Refuses a body that a form could send.
///
/// # Errors
/// 415.
pub fn is_json(headers: &HeaderMap) -> Result<(), Refusal> {
    let media = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let media = media.split(';').next().unwrap_or_default().trim();
    if media.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "send a request as application/json";
    Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", message).closing())
}

pub fn not_signed_in() -> Refusal {
    Refusal::new(
        StatusCode::UNAUTHORIZED,
        "not_signed_in",
        "this browser is not signed in",
    )
    .hint("open the link from `bobbin serve --ui`; it works once")
}

pub fn spent_link() -> Refusal {
    Refusal::new(
        StatusCode::FORBIDDEN,
        "spent_link",
        "this link was already used or is not the newest",
    )
    .hint("restart Bobbin for a new one: `bobbin serve --ui`, or however you started it")
}

/// Whether a person looks at the answer.
pub fn wants_page(request: &Request<Incoming>) -> bool {
    let accept = request
        .headers()
        .get("accept")
        .and_then(|value| value.to_str().ok());
    *request.method() == Method::GET && accept.is_some_and(|accept| accept.contains("text/html"))
}

/// A refusal for a person.
pub fn refused(refusal: &Refusal) -> Response {
    let hint = refusal.hint.as_deref().unwrap_or_default();
    let body = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Bobbin</title><h1>Bobbin</h1>\
         <p>{}.</p><p>{}.</p>",
        escaped(&refusal.message),
        escaped(hint)
    );
    typed(refusal.status, HTML, body)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        pairs
            .collect::<Vec<(HeaderName, _)>>()
            .into_iter()
            .collect()
    }

    fn fine(pairs: &[(&str, &str)], needs_origin: bool) -> bool {
        made_by_the_page(&headers(pairs), "http://127.0.0.1:9", needs_origin).is_ok()
    }

    #[test]
    fn a_post_names_the_pages_own_origin() {
        assert!(fine(
            &[
                ("origin", "http://127.0.0.1:9"),
                ("sec-fetch-site", "same-origin")
            ],
            true
        ));
        assert!(fine(&[("origin", "http://127.0.0.1:9")], true));
        assert!(!fine(&[], true));
        assert!(!fine(&[("origin", "null")], true));
        assert!(!fine(&[("origin", "http://127.0.0.1:10")], true));
        assert!(!fine(&[("origin", "https://127.0.0.1:9")], true));
        assert!(!fine(
            &[
                ("origin", "http://127.0.0.1:9"),
                ("sec-fetch-site", "cross-site")
            ],
            true
        ));
    }

    #[test]
    fn a_get_may_leave_it_out_but_not_come_from_elsewhere() {
        assert!(fine(&[], false));
        assert!(fine(&[("sec-fetch-site", "none")], false));
        assert!(!fine(&[("sec-fetch-site", "cross-site")], false));
        assert!(!fine(&[("sec-fetch-site", "same-site")], false));
        assert!(!fine(&[("origin", "http://evil.example")], false));
    }

    #[test]
    fn forms_cannot_ask() {
        assert!(
            is_json(&headers(&[(
                "content-type",
                "application/json; charset=utf-8"
            )]))
            .is_ok()
        );
        assert!(is_json(&headers(&[("content-type", "text/plain")])).is_err());
        assert!(is_json(&headers(&[])).is_err());
    }
}
