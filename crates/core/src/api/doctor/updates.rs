//! What this build is: somebody who asks for help says so with it, and learns that nothing looks for updates.

use super::DoctorCheck;
use crate::api::release::build;

pub(super) fn check() -> DoctorCheck {
    let build = build();
    let key = match build.release_key_fingerprint {
        Some(fingerprint) => format!("release key {fingerprint}"),
        None => "no release key".into(),
    };
    DoctorCheck::ok(
        "updates",
        format!(
            "store schema {}, batch format {}, {key}; Bobbin never checks for updates: `bobbin update FILE` checks a release file",
            build.store_schema, build.batch_format
        ),
    )
}
