//! Answers and refusals of the published client's routes that are always the same.

use std::time::Duration;

use hyper::StatusCode;
use hyper::body::Incoming;

use crate::answer::{Refusal, Response, json_text};
use crate::body;

/// A constant answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fixed {
    /// Who the user is: clients of 2022.
    UserWithMemberships,
    User,
    Memberships,
    Quota,
    Health,
    /// Two tokens in use, which keeps `coiled login` from offering a tour of the vendor's cloud.
    Tokens,
    /// Settings to add to the user's Dask configuration. The client takes them without looking at the status.
    ConfigOverrides,
    /// A token for somebody who has none: see [`TOKEN_GRANT`].
    TokenGrant,
    NoRows,
    /// For `diagnostics()` of clients of 2022.
    NoNotifications,
    Nothing,
    /// Reports about use of the vendor's product, which may hold local paths: thrown away unread.
    Heard,
}

/// A client without a token asks for one, shows a page in a browser and tries the token each second while it gets 401
/// or 403. What it is given here is not a token, so its first try gets a readable 400 and it stops. A refusal in this
/// place would not do: no version looks at the status, and all fail on the missing fields.
const TOKEN_GRANT: &str = r#"{"identifier":"bobbin-connect-coiled","token":"none"}"#;

/// How long a body that nobody reads may take, and how long it may be.
const UNREAD: (u64, Duration) = (1 << 20, Duration::from_secs(5));

impl Fixed {
    fn text(self) -> &'static str {
        match self {
            Self::UserWithMemberships => {
                r#"{"username":"local","membership_set":[{"account":{"slug":"local","name":"local","active_program":{"has_quota":true}},"is_admin":true,"is_default_account":true}]}"#
            }
            Self::User => r#"{"username":"local","default_account":{"slug":"local"}}"#,
            Self::Memberships => {
                r#"[{"account":{"slug":"local","name":"local"},"is_admin":true,"is_default_account":true}]"#
            }
            Self::Quota => r#"{"has_quota":true}"#,
            Self::Health => r#"{"status":"ok"}"#,
            Self::Tokens => {
                r#"{"results":[{"identifier":"bobbin","label":"Bobbin","revoked":false,"expired":false},{"identifier":"bobbin-local","label":"Bobbin on this machine","revoked":false,"expired":false}],"next":null}"#
            }
            Self::TokenGrant => TOKEN_GRANT,
            Self::NoRows => "[]",
            Self::NoNotifications => r#"{"notifications":[]}"#,
            Self::ConfigOverrides | Self::Nothing | Self::Heard => "{}",
        }
    }
}

/// Gives a constant answer, whatever was sent along.
pub async fn fixed(fixed: Fixed, incoming: Incoming) -> Response {
    body::discard(incoming, UNREAD.0, UNREAD.1).await;
    json_text(StatusCode::OK, fixed.text())
}

/// What Bobbin has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unavailable {
    CloudClusters,
    Tokens,
}

/// Says so, in a sentence that the client shows to its user.
pub fn unavailable(what: Unavailable) -> Refusal {
    let message = match what {
        Unavailable::CloudClusters => {
            "Bobbin is a local viewer and does not start clusters in a cloud: use dask.distributed.LocalCluster, or unset \
             DASK_COILED__SERVER to reach Coiled"
        }
        Unavailable::Tokens => {
            "Bobbin creates its only token itself: `bobbin connect --coiled` prints it"
        }
    };
    Refusal::not_found(message).closing()
}
