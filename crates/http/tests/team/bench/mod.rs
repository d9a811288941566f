//! A hub, laptops, and a proxy between them that writes down what passes and cuts where it is told.

mod asked;
mod desk;
mod proxy;
mod tls;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bobbin_core::api::{self, App, ClustersRequest, Role as StoreRole};
use bobbin_core::clock::{Clock, ManualClock, SystemClock};
use bobbin_core::share::Level;
use bobbin_http::hub::{AccountCommand, Command, Hub, HubConfig, RunningHub};
use bobbin_http::sync::Laptop;
use bobbin_http::team::{JoinCode, Role};
use serde_json::Value;
use tokio::net::TcpListener;

pub use asked::Answer;
pub use desk::{Desk, Looked};
use proxy::Proxy;
pub use tls::{acceptor, trusting};

/// A hub with one account, and the proxy that its join codes name.
pub struct Bench {
    pub dir: tempfile::TempDir,
    pub clock: Arc<ManualClock>,
    pub hub: Option<RunningHub>,
    pub proxy: Proxy,
    pub account: String,
}

impl Bench {
    pub async fn start() -> Self {
        Self::with_quota(1 << 30).await
    }

    pub async fn with_quota(quota_bytes: u64) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let clock = Arc::new(ManualClock::at(SystemClock.now()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let front = listener.local_addr().unwrap().to_string();
        let hub_dir = dir.path().join("hub");
        let hub = open(&hub_dir, &clock, &front, 0).await;
        let proxy = Proxy::start(listener, hub.tcp.port(), &hub_dir);
        let added = hub
            .hub()
            .run(
                Command::AccountAdd {
                    name: "blue".into(),
                    quota_bytes,
                },
                None,
            )
            .unwrap();
        let bench = Self {
            dir,
            clock,
            account: added["account"].as_str().unwrap().into(),
            hub: Some(hub),
            proxy,
        };
        let (account, level) = (bench.account.clone(), Level::Everything);
        bench.run(Command::AccountLevel { account, level });
        bench
    }

    pub fn hub_dir(&self) -> PathBuf {
        self.dir.path().join("hub")
    }

    pub fn running(&self) -> &RunningHub {
        self.hub.as_ref().unwrap()
    }

    pub fn run(&self, command: Command) -> Value {
        let hub = self.running();
        hub.hub().run(command, Some(&hub.place)).unwrap()
    }

    pub fn within(&self, account: &str, of: AccountCommand) -> Value {
        let account = account.to_owned();
        self.run(Command::Within { account, of })
    }

    /// Stops the hub.
    pub async fn stop(&mut self) -> u16 {
        let hub = self.hub.take().unwrap();
        let port = hub.tcp.port();
        hub.stop().await.unwrap();
        port
    }

    /// Starts it again on the port that it had.
    pub async fn again(&mut self, port: u16) {
        let front = self.proxy.address.clone();
        self.hub = Some(open(&self.hub_dir(), &self.clock, &front, port).await);
    }

    pub async fn restart(&mut self) {
        let port = self.stop().await;
        self.again(port).await;
    }

    /// Waits until the hub has looked at a token, at what its clock says now.
    pub async fn until_shown(&self, token_id: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let tokens = self.within(&self.account, AccountCommand::Tokens);
            let mut tokens = tokens.as_array().unwrap().iter();
            let token = tokens.find(|one| one["token"] == token_id).unwrap();
            if token["last_used_micros"] == self.clock.now().0 {
                return;
            }
            assert!(Instant::now() < until, "the token is never shown");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// A join code of an account.
    pub fn invite(
        &self,
        account: &str,
        name: &str,
        role: Role,
        bundle: Option<String>,
    ) -> JoinCode {
        let made = self.within(
            account,
            AccountCommand::Invite {
                name: name.into(),
                role,
                bundle,
                days: 1,
                token_days: 30,
            },
        );
        made["code"].as_str().unwrap().parse().unwrap()
    }

    /// A laptop that joined an account.
    pub async fn laptop(&self, account: &str, name: &str, role: Role) -> Desk {
        self.laptop_for(account, name, role, None).await
    }

    pub async fn laptop_for(
        &self,
        account: &str,
        name: &str,
        role: Role,
        bundle: Option<String>,
    ) -> Desk {
        let dir = self.dir.path().join(name);
        let app = App::open(&dir, StoreRole::Owner, Arc::new(SystemClock)).unwrap();
        let laptop = Laptop::new(&dir, Arc::new(SystemClock));
        let code = self.invite(account, name, role, bundle);
        let team = laptop.join(&code, "laptop").await.unwrap();
        Desk { app, laptop, team }
    }

    /// Names of users of the clusters in an account's store.
    pub fn users(&self, account: &str) -> Vec<String> {
        let dir = self.hub_dir().join("accounts").join(account).join("store");
        let app = App::open(&dir, StoreRole::Reader, Arc::new(SystemClock)).unwrap();
        let listed = api::clusters(&app, ClustersRequest::default()).unwrap();
        listed.rows.into_iter().filter_map(|row| row.user).collect()
    }
}

async fn open(dir: &Path, clock: &Arc<ManualClock>, front: &str, port: u16) -> RunningHub {
    let hub = Hub::open(dir, Arc::clone(clock) as Arc<dyn Clock>).unwrap();
    let mut config = HubConfig::new(([127, 0, 0, 1], port).into());
    config.names = vec![front.to_owned()];
    // Fifty at once take their time on a small machine that does other things, too.
    config.deadlines.header = Duration::from_secs(60);
    RunningHub::start(hub, config).await.unwrap()
}
