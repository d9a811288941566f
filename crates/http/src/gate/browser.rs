//! Requests that a browser made. The receiver is for machines, and no machine sends these headers; a page that gets
//! past the `Host` check does, unless it is older than they are, which is why this is not the only check.

use hyper::StatusCode;
use hyper::header::{COOKIE, HeaderMap, ORIGIN, REFERER};

use crate::answer::Refusal;

/// Refuses a request with any header that only browsers send.
///
/// # Errors
/// 403, for every route alike.
pub fn refuse_browsers(headers: &HeaderMap) -> Result<(), Refusal> {
    let tell_tale = headers.keys().any(|name| {
        name == ORIGIN
            || name == REFERER
            || name == COOKIE
            || name.as_str().starts_with("sec-fetch-")
            || name.as_str().starts_with("access-control-request-")
    });
    if tell_tale {
        let message = "this address is for programs, not for browsers";
        return Err(Refusal::new(StatusCode::FORBIDDEN, "browser", message)
            .hint("open the page with `bobbin serve --ui` or in the app")
            .closing());
    }
    Ok(())
}
