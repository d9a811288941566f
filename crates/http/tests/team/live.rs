//! What a browser hears of an account's changes, and for how long.

use std::time::Duration;

use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Command};
use bobbin_http::team::{Role, Scope};
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout_at};
use tokio_rustls::client::TlsStream;

use super::bench::{Bench, Desk};

/// A browser that is signed in, with a token of its own.
struct Browser {
    cookie: String,
    token: String,
}

impl Browser {
    async fn sign_in(bench: &Bench, of: &Desk) -> Self {
        let made = bench.within(
            &bench.account,
            AccountCommand::TokenNew {
                member: of.team.member.clone(),
                device: "browser".into(),
                scope: Scope::Read,
                days: 1,
            },
        );
        let said = |name: &str| made[name].as_str().unwrap().to_owned();
        let origin = format!("Origin: https://{}", bench.proxy.address);
        let form = "Content-Type: application/x-www-form-urlencoded";
        let signed = bench
            .ask(
                "POST",
                "/sign-in",
                &[&origin, form],
                &format!("token={}", said("text")),
            )
            .await;
        let set = signed.head.lines();
        let set = set.filter_map(|line| line.strip_prefix("set-cookie: "));
        let cookie = set.filter_map(|line| line.split(';').next()).next();
        Self {
            cookie: format!("Cookie: {}", cookie.unwrap()),
            token: said("token"),
        }
    }

    /// Listens, and has heard the first beat.
    async fn listen(&self, bench: &Bench) -> Listening {
        let stream = bench.begin("GET", "/api/live", &[&self.cookie], "").await;
        let mut listening = Listening {
            stream,
            heard: String::new(),
        };
        assert!(listening.hears("\n:\n\n").await, "{}", listening.heard);
        listening
    }
}

struct Listening {
    stream: TlsStream<TcpStream>,
    heard: String,
}

impl Listening {
    /// Whether a text comes before the end.
    async fn hears(&mut self, text: &str) -> bool {
        // Beats alone keep it from being silent.
        let until = Instant::now() + Duration::from_secs(60);
        let mut piece = [0; 4_096];
        while !self.heard.contains(text) {
            let read = self.stream.read(&mut piece);
            match timeout_at(until, read).await {
                // An end without TLS's own goodbye is an end, too.
                Ok(Ok(0) | Err(_)) => return false,
                Ok(Ok(read)) => self.heard += &String::from_utf8_lossy(&piece[..read]),
                Err(_) => panic!("it neither ends nor goes on: {}", self.heard),
            }
        }
        true
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_ends_with_its_token_its_member_or_its_account_and_others_go_on() {
    let bench = Bench::start().await;
    let ada = bench.laptop(&bench.account, "ada", Role::Member).await;
    let eve = bench.laptop(&bench.account, "eve", Role::Viewer).await;
    let of_ada = Browser::sign_in(&bench, &ada).await;
    let mut stays = of_ada.listen(&bench).await;
    let member = || eve.team.member.clone();

    let browser = Browser::sign_in(&bench, &eve).await;
    let mut hears = browser.listen(&bench).await;
    let token = browser.token.clone();
    bench.within(&bench.account, AccountCommand::TokenRevoke { token });
    assert!(!hears.hears("event: change").await);

    // Who sees one bundle alone is told nothing of the others.
    let browser = Browser::sign_in(&bench, &eve).await;
    let mut hears = browser.listen(&bench).await;
    let role = |role| AccountCommand::MemberRole {
        member: member(),
        role,
    };
    bench.within(&bench.account, role(Role::Guest));
    assert!(!hears.hears("event: change").await);
    bench.within(&bench.account, role(Role::Viewer));

    let mut hears = browser.listen(&bench).await;
    bench.within(
        &bench.account,
        AccountCommand::MemberRemove { member: member() },
    );
    assert!(!hears.hears("event: change").await);
    let again = bench.ask("GET", "/api/live", &[&browser.cookie], "").await;
    assert_eq!(again.status, 401);

    // Ada's goes on, through all of that.
    ada.tell("Scheduler-0d6a7c1e-52f4-4b8e-9a3d-7f1b2c3d4e51", 1, 100);
    ada.send(&ada.look("one", Level::Names)).await.unwrap();
    assert!(stays.hears("event: change").await);

    let account = bench.account.clone();
    bench.run(Command::AccountRemove { account });
    assert!(!stays.hears("never said").await);
}
