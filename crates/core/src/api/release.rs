//! What this build is, and what a release file would change. Neither needs the store, so that the shell asks without one.

use super::{App, CheckReleaseRequest, Empty, ReleaseCheck, ThisBuild, shell_word};
use crate::Result;
use crate::release;
use crate::store::{OLDEST_SCHEMA, known_schema};
use crate::wire::PROTOCOL;

/// What this build is.
pub fn build() -> ThisBuild {
    ThisBuild::of(known_schema(), OLDEST_SCHEMA, PROTOCOL)
}

/// Reads a release file, and compares the packages that the door found beside it.
///
/// # Errors
/// [`crate::Error::Declined`] says what does not hold; [`crate::Error::Invalid`] for a key that is none.
pub fn check(request: &CheckReleaseRequest) -> Result<ReleaseCheck> {
    release::check(request, build(), &shell_word)
}

pub(super) fn this_build(_: &App, _: Empty) -> Result<ThisBuild> {
    Ok(build())
}

pub(super) fn check_release(_: &App, request: CheckReleaseRequest) -> Result<ReleaseCheck> {
    check(&request)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::api::call;
    use crate::release::{Package, Release, write};
    use crate::signature::SigningKey;
    use crate::testing::*;

    #[test]
    fn a_release_file_is_checked_by_name_as_every_door_asks() {
        let bench = Bench::new();
        let key = SigningKey::make(&bench.path().join("release.key")).unwrap();
        let this: Value =
            serde_json::from_str(&call(&bench.app, "this_build", "{}").unwrap()).unwrap();
        assert_eq!(this["store_schema"], known_schema());
        let release = Release {
            version: "99.0.0".into(),
            released: "2026-11-25".into(),
            store_schema: known_schema() + 1,
            oldest_store_schema: OLDEST_SCHEMA,
            batch_format: PROTOCOL,
            changes: "- One.".into(),
            packages: vec![Package {
                name: "bobbin_99.0.0_amd64.deb".into(),
                bytes: 1,
                sha256: "0".repeat(64),
            }],
        };
        let beside =
            json!([{"name": "bobbin_99.0.0_amd64.deb", "bytes": 1, "sha256": "0".repeat(64)}]);
        let request =
            json!({"file": write(&release, &key).unwrap(), "key": key.public(), "beside": beside});
        let said = call(&bench.app, "check_release", &request.to_string()).unwrap();
        let said: Value = serde_json::from_str(&said).unwrap();
        assert_eq!(
            (&said["age"], &said["install"]),
            (
                &json!("newer"),
                &json!(["sudo dpkg -i bobbin_99.0.0_amd64.deb"])
            )
        );
        assert_eq!(said["build"], this);
        // Where somebody looked and found nothing.
        let none = json!({"file": request["file"], "key": request["key"], "beside": []});
        assert!(call(&bench.app, "check_release", &none.to_string()).is_err());
    }
}
