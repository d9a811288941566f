//! The page's files, which are inside the binary.

use hyper::StatusCode;
use hyper::header::CACHE_CONTROL;

use crate::answer::{Refusal, Response, typed, with_headers};

/// Path below the root, and content.
type File = (&'static str, &'static [u8]);

// `FILES`, sorted by path: written by the build script from `ui/dist`.
include!(concat!(env!("OUT_DIR"), "/files.rs"));

const INDEX: &str = "index.html";
/// Where a file's name holds a digest of its content.
const NAMED_BY_CONTENT: &str = "assets/";

/// A file, or the page itself for an address that only the page knows.
///
/// # Errors
/// 404 for a name with an ending that no file has.
pub fn serve(path: &str) -> Result<Response, Refusal> {
    served(path, "")
}

/// The same, where the page is to know that a hub shows it: it offers nothing then that a hub does not do.
///
/// # Errors
/// As [`serve`].
pub fn serve_on_hub(path: &str) -> Result<Response, Refusal> {
    served(path, "<meta name=\"bobbin-hub\" content=\"read-only\">")
}

fn served(path: &str, head: &str) -> Result<Response, Refusal> {
    let path = path.trim_start_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let found = find(path).or_else(|| {
        if last.contains('.') {
            None
        } else {
            find(INDEX)
        }
    });
    let (name, content) = found.ok_or_else(|| Refusal::not_found("there is no such file"))?;
    let response = match std::str::from_utf8(content) {
        Ok(page) if name == INDEX && !head.is_empty() => {
            let page = page.replacen("<head>", &format!("<head>{head}"), 1);
            typed(StatusCode::OK, content_type(name), page)
        }
        _ => typed(StatusCode::OK, content_type(name), content),
    };
    Ok(if name.starts_with(NAMED_BY_CONTENT) {
        with_headers(
            response,
            &[(CACHE_CONTROL, "private, max-age=31536000, immutable")],
        )
    } else {
        response
    })
}

fn find(path: &str) -> Option<File> {
    FILES
        .binary_search_by(|(name, _)| (*name).cmp(path))
        .ok()
        .map(|index| FILES[index])
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => super::page::HTML,
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_answers_for_addresses_of_its_own_and_not_for_missing_files() {
        for path in ["/", "/index.html", "/clusters", "/clusters/7"] {
            let response = serve(path).unwrap();
            assert_eq!(
                response.headers()["content-type"],
                super::super::page::HTML,
                "{path}"
            );
            assert_eq!(response.headers()["cache-control"], "no-store", "{path}");
        }
        assert!(serve("/assets/missing.js").is_err());
        assert!(serve("/../Cargo.toml").is_err());
    }

    #[test]
    fn files_are_sorted() {
        assert!(FILES.is_sorted_by_key(|(name, _)| *name));
    }
}
