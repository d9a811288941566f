//! The page over an account's store.

use bobbin_core::clock::Clock;
use bobbin_core::model::Micros;
use bobbin_core::share::Level;
use bobbin_http::hub::AccountCommand;
use bobbin_http::team::{Role, Scope};
use tokio::io::AsyncWriteExt;

use super::access::signed_in;
use super::bench::{Answer, Bench};

#[tokio::test(flavor = "multi_thread")]
async fn a_member_signs_in_with_a_token_reads_and_is_out_with_it() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    ada.send(&ada.look("one", Level::Names)).await.unwrap();
    let made = bench.within(
        &bench.account,
        AccountCommand::TokenNew {
            member: ada.team.member.clone(),
            device: "browser".into(),
            scope: Scope::Read,
            days: 1,
        },
    );
    let token = made["text"].as_str().unwrap();
    let origin = format!("Origin: https://{}", bench.proxy.address);
    let form = "Content-Type: application/x-www-form-urlencoded";
    let wrong = bench
        .ask("POST", "/sign-in", &[&origin, form], "token=bobbin_token_x")
        .await;
    assert_eq!(
        (wrong.status, wrong.head.contains("set-cookie")),
        (401, false)
    );
    let page = bench.ask("GET", "/", &["Accept: text/html"], "").await;
    assert_eq!(
        (page.status, page.head.contains("location: /sign-in")),
        (303, true),
        "{}",
        page.head
    );
    // A browser names the origin of a form only where the page lets it.
    let form_page = bench.ask("GET", "/sign-in", &[], "").await;
    assert!(
        form_page.head.contains("referrer-policy: same-origin"),
        "{}",
        form_page.head
    );
    // A form of another site's page signs nobody in.
    let foreign = bench
        .ask(
            "POST",
            "/sign-in",
            &["Origin: https://evil.example", form],
            &format!("token={token}"),
        )
        .await;
    assert_eq!(foreign.status, 403);
    let signed = bench
        .ask(
            "POST",
            "/sign-in",
            &[&origin, form],
            &format!("token={token}"),
        )
        .await;
    assert_eq!(signed.status, 303, "{}", signed.body);
    let cookie = signed
        .head
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    for word in ["__Host-bobbin=", "Secure", "HttpOnly", "SameSite=Strict"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    assert!(!cookie.contains("bobbin_token"));
    let cookie = format!("Cookie: {}", cookie.split(';').next().unwrap());
    let asked = [
        origin.as_str(),
        cookie.as_str(),
        "Content-Type: application/json",
    ];
    let listed = bench.ask("POST", "/api/clusters", &asked, "{}").await;
    assert_eq!(
        (listed.status, listed.body.contains("\"user\":\"ada\"")),
        (200, true),
        "{}",
        listed.body
    );
    let page = bench
        .ask("GET", "/", &[&cookie, "Accept: text/html"], "")
        .await;
    assert_eq!(page.status, 200);
    // Nothing of the hub's own machine.
    let status = bench.ask("POST", "/api/status", &asked, "{}").await;
    assert!(status.body.contains("\"clusters\":1"), "{}", status.body);
    let dir = bench.dir.path().display().to_string();
    assert!(!status.body.contains(&dir), "{}", status.body);
    for command in ["sql", "delete_clusters", "recovery_key", "set_price"] {
        let refused = bench
            .ask("POST", &format!("/api/{command}"), &asked, "{}")
            .await;
        assert_eq!(refused.status, 403, "{command}");
        // The page reads why.
        assert!(
            refused.body.contains("\"code\":\"read_only\""),
            "{}",
            refused.body
        );
    }
    // The cookie opens no route of laptops, and a browser none at all.
    assert_eq!(
        bench.ask("GET", "/v1/bundles", &[&cookie], "").await.status,
        403
    );

    let id = made["token"].as_str().unwrap().to_owned();
    bench.within(&bench.account, AccountCommand::TokenRevoke { token: id });
    assert_eq!(
        bench
            .ask("POST", "/api/clusters", &asked, "{}")
            .await
            .status,
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_signs_in_without_end_signs_nobody_else_out() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Viewer).await;
    let eve = bench.laptop(&bench.account, "eve", Role::Viewer).await;
    let of_ada = signed_in(&bench, &ada.token()).await;
    let of_eve = signed_in(&bench, &eve.token()).await;
    let mut last = String::new();
    // Each with another blank behind it is still the same token.
    for blanks in 0..20 {
        let token = eve.token() + &"+".repeat(blanks);
        last = signed_in(&bench, &token).await;
    }
    let origin = format!("Origin: https://{}", bench.proxy.address);
    for (cookie, status) in [(of_ada, 200), (of_eve, 401), (last, 200)] {
        let asked = [
            origin.as_str(),
            cookie.as_str(),
            "Content-Type: application/json",
        ];
        let answer = bench.ask("POST", "/api/clusters", &asked, "{}").await;
        assert_eq!(answer.status, status, "{}", answer.body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_out_before_their_request_is_whole_is_told_nothing() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let cookie = signed_in(&bench, &ada.token()).await;
    // When a token is shown is noted to the minute.
    bench.clock.set(Micros(bench.clock.now().0 + 120_000_000));
    let origin = format!("Origin: https://{}", bench.proxy.address);
    let asked = [
        origin.as_str(),
        cookie.as_str(),
        "Content-Type: application/json",
    ];
    let mut stream = bench.announce("POST", "/api/clusters", &asked, 2).await;
    bench.until_shown(&ada.team.token_id).await;
    let member = ada.team.member.clone();
    bench.within(&bench.account, AccountCommand::MemberRemove { member });
    stream.write_all(b"{}").await.unwrap();
    stream.flush().await.unwrap();
    let answer = Answer::read(stream).await;
    assert_eq!(answer.status, 401, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_http_another_host_and_a_wildcard_are_refused() {
    use tokio::io::AsyncReadExt;
    let bench = Bench::start().await;
    let mut plain = tokio::net::TcpStream::connect(bench.running().tcp)
        .await
        .unwrap();
    let asked = format!(
        "GET /v1/me HTTP/1.1\r\nHost: {}\r\n\r\n",
        bench.proxy.address
    );
    plain.write_all(asked.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    // A reset is an answer, too.
    let _ = plain.read_to_end(&mut answer).await;
    assert_eq!(answer, b"");
    for path in ["/", "/v1/me"] {
        let answer = bench.ask("GET", path, &["Host: evil.example"], "").await;
        assert_eq!(answer.status, 400, "{path}");
    }
    let dir = bench.dir.path().join("other");
    let hub = bobbin_http::hub::Hub::open(&dir, bench.clock.clone()).unwrap();
    let config = bobbin_http::hub::HubConfig::new(([0, 0, 0, 0], 0).into());
    assert!(
        bobbin_http::hub::RunningHub::start(hub, config)
            .await
            .is_err()
    );
}
