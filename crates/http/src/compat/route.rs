//! Which route of the published client a request is for.

use hyper::Method;
use percent_encoding::percent_decode_str;

use super::answers::{Fixed, Unavailable};
use super::lists::List;
use crate::answer::Refusal;
use crate::gate::Access;

/// A route, with what its path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// The source that `register()` and `--preload coiled.analytics` run.
    Preload,
    List(List),
    /// Performance reports that were taken.
    Reports,
    TakeReport,
    /// Close the cluster of this id.
    Close(String),
    /// Always the same answer.
    Fixed(Fixed),
    /// Always the same refusal.
    Unavailable(Unavailable),
}

impl Route {
    /// By method and path, which begins with one slash. Any workspace is right: the client puts there what its user
    /// says.
    ///
    /// # Errors
    /// 404 for anything else.
    pub fn of(method: &Method, path: &str) -> Result<Self, Refusal> {
        let segments: Vec<String> = path
            .trim_matches('/')
            .split('/')
            .map(|segment| percent_decode_str(segment).decode_utf8_lossy().into_owned())
            .collect();
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let found = match (method.as_str(), &segments[..]) {
            ("GET", ["api", "v1", rest @ ..]) => first_version(rest),
            ("GET", ["api", "v2", "analytics", rest @ ..]) => analytics(rest),
            ("GET", ["api", "v2", rest @ ..]) => second_version(rest),
            ("POST" | "DELETE", ["api", rest @ ..]) => change(rest),
            _ => None,
        };
        found.ok_or_else(|| {
            Refusal::not_found("Bobbin is a local viewer for Dask and has nothing at this address")
        })
    }

    /// Who may use it. The plugin's source and constants are all that is open: the client shows no token for them, or
    /// takes whatever comes back as settings.
    pub fn access(&self) -> Access {
        match self {
            Self::Preload | Self::Fixed(Fixed::ConfigOverrides | Fixed::TokenGrant) => {
                Access::Anyone
            }
            Self::List(_)
            | Self::Reports
            | Self::TakeReport
            | Self::Close(_)
            | Self::Fixed(_)
            | Self::Unavailable(_) => Access::Owner,
        }
    }
}

fn first_version(segments: &[&str]) -> Option<Route> {
    Some(Route::Fixed(match segments {
        ["users", "me"] => Fixed::UserWithMemberships,
        ["health"] => Fixed::Health,
        ["api-tokens"] => Fixed::Tokens,
        [_workspace, "usage", "cores"] => Fixed::Nothing,
        [_workspace, "performance_reports", "all"] => return Some(Route::Reports),
        [_workspace, "notifications"] => Fixed::NoNotifications,
        [_workspace, "backend_options"] => {
            return Some(Route::Unavailable(Unavailable::CloudClusters));
        }
        _ => return None,
    }))
}

fn second_version(segments: &[&str]) -> Option<Route> {
    Some(Route::Fixed(match segments {
        ["user", "me"] => Fixed::User,
        ["user", "me", "memberships"] => Fixed::Memberships,
        ["user", "account", _workspace, "usage"] => Fixed::Quota,
        ["user", "workspace", _workspace, "dask-config-overrides"] => Fixed::ConfigOverrides,
        ["clusters", "account", _workspace] => Fixed::NoRows,
        _ => return None,
    }))
}

/// The same id lists computations under two addresses: which one an older client means by a bare number differs.
fn analytics(segments: &[&str]) -> Option<Route> {
    Some(Route::List(match segments {
        ["preload"] => return Some(Route::Preload),
        [_workspace, "clusters", "list"] => List::Clusters,
        [_workspace, "exceptions", "list"] => List::Exceptions,
        [_workspace, "cluster", id, "computations", "list"]
        | [_workspace, id, "computations", "list"] => List::Computations((*id).into()),
        [_workspace, id, "events", "list"] => List::Events((*id).into()),
        _ => return None,
    }))
}

fn change(segments: &[&str]) -> Option<Route> {
    Some(match segments {
        ["v2", "analytics", _workspace, id, "desired-state"] => Route::Close((*id).into()),
        ["v2", "analytics", _workspace, "cluster", _id, "span", _span] => {
            Route::Fixed(Fixed::Heard)
        }
        ["v2", "clusters", "id", _id, "event"] => Route::Fixed(Fixed::Heard),
        ["v2", "interactions", "interaction"] => Route::Fixed(Fixed::Heard),
        ["v1", "api-tokens-no-user"] => Route::Fixed(Fixed::TokenGrant),
        ["v1", "api-tokens"] | ["v1", "api-tokens", _, "revoke"] => {
            Route::Unavailable(Unavailable::Tokens)
        }
        [
            "v1",
            _workspace,
            "performance_reports",
            "public" | "private",
        ] => Route::TakeReport,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(method: Method, path: &str) -> Option<Route> {
        Route::of(&method, path).ok()
    }

    #[test]
    fn both_addresses_of_computations_are_one_list() {
        let expected = Some(Route::List(List::Computations("5".into())));
        assert_eq!(
            of(Method::GET, "/api/v2/analytics/w/5/computations/list"),
            expected
        );
        assert_eq!(
            of(
                Method::GET,
                "/api/v2/analytics/any%2Fw/cluster/5/computations/list"
            ),
            expected
        );
    }

    #[test]
    fn an_id_may_be_the_schedulers_own_and_is_decoded() {
        let close = Some(Route::Close("Scheduler-a b".into()));
        assert_eq!(
            of(
                Method::POST,
                "/api/v2/analytics/w/Scheduler-a%20b/desired-state"
            ),
            close
        );
    }

    #[test]
    fn a_report_stays_here_whether_it_is_public_or_private() {
        let of_post = |path| of(Method::POST, path);
        let take = Some(Route::TakeReport);
        assert_eq!(of_post("/api/v1/w/performance_reports/public/"), take);
        assert_eq!(of_post("/api/v1/w/performance_reports/private/"), take);
        assert_eq!(of_post("/api/v1/w/performance_reports/all/"), None);
        assert_eq!(
            of(Method::GET, "/api/v1/w/performance_reports/all/"),
            Some(Route::Reports)
        );
    }

    #[test]
    fn a_trailing_slash_does_not_matter() {
        let me = Some(Route::Fixed(Fixed::UserWithMemberships));
        assert_eq!(of(Method::GET, "/api/v1/users/me/"), me);
        assert_eq!(of(Method::GET, "/api/v1/users/me"), me);
    }

    #[test]
    fn what_changes_something_is_never_a_get() {
        assert_eq!(of(Method::GET, "/api/v2/analytics/w/5/desired-state"), None);
        assert_eq!(of(Method::GET, "/api/v2/interactions/interaction"), None);
    }
}
