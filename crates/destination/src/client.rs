//! The client by which object stores are reached. It is made here, and not by the library, since that one follows where a server
//! sends it on to without a word: here each such place has its row of the ledger first, or is not asked.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use hyper_util::client::proxy::matcher::Matcher;
use object_store::client::{
    ClientConfigKey, ClientOptions, HttpClient, HttpConnector, HttpError, HttpErrorKind,
    HttpRequest, HttpResponse, HttpService,
};
use reqwest::redirect::{Attempt, Policy};
use reqwest::tls::Certificate;
use reqwest::{Client, NoProxy, Proxy};

use crate::watch::{Names, Refused, Watch};

/// How often a server may send a request on.
const MOST_REDIRECTS: usize = 10;

/// Makes clients whose connections are watched.
#[derive(Debug)]
pub(crate) struct Connector(pub(crate) Arc<Watch>);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let options = Options(options);
        let proxies = Arc::new(options.proxies());
        let ways = Ways {
            watch: Arc::clone(&self.0),
            proxies,
        };
        let client =
            options
                .client(ways.clone())
                .map_err(|source| object_store::Error::Generic {
                    store: "HTTP",
                    source,
                })?;
        Ok(HttpClient::new(Watched { ways, client }))
    }
}

/// What one client may connect to.
#[derive(Clone, Debug)]
struct Ways {
    watch: Arc<Watch>,
    proxies: Arc<Matcher>,
}

impl Ways {
    /// Notes the place of an address, and the proxy that is asked for it.
    fn before(&self, address: &str) -> Result<(), Refused> {
        let none = || Refused(format!("{address} is no address"));
        let uri = address.parse().map_err(|_| none())?;
        let proxy = self.proxies.intercept(&uri);
        for uri in proxy.iter().map(|proxy| proxy.uri()).chain([&uri]) {
            let port = uri.port_u16().or(match uri.scheme_str() {
                Some("http") => Some(80),
                _ => Some(443),
            });
            self.watch.before(uri.host().ok_or_else(none)?, port)?;
        }
        Ok(())
    }

    fn followed(&self, attempt: Attempt<'_>) -> reqwest::redirect::Action {
        if attempt.previous().len() > MOST_REDIRECTS {
            return attempt.error("it is sent on again and again");
        }
        match self.before(attempt.url().as_str()) {
            Ok(()) => attempt.follow(),
            Err(refused) => attempt.error(refused),
        }
    }
}

#[derive(Debug)]
struct Watched {
    ways: Ways,
    client: Client,
}

impl HttpService for Watched {
    fn call<'a, 'b>(
        &'a self,
        request: HttpRequest,
    ) -> BoxFuture<'b, Result<HttpResponse, HttpError>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async move {
            self.ways
                .before(&request.uri().to_string())
                // Asking again changes nothing.
                .map_err(|error| HttpError::new(HttpErrorKind::Unknown, error))?;
            HttpService::call(&self.client, request).await
        })
    }
}

type Wrong = Box<dyn std::error::Error + Send + Sync>;

/// What the environment says of connections.
struct Options<'a>(&'a ClientOptions);

impl Options<'_> {
    fn said(&self, key: ClientConfigKey) -> Option<String> {
        self.0.get_config_value(&key)
    }

    fn is(&self, key: ClientConfigKey) -> bool {
        let said = self.said(key).unwrap_or_default();
        matches!(
            said.to_ascii_lowercase().as_str(),
            "1" | "true" | "on" | "yes" | "y"
        )
    }

    fn time(&self, key: ClientConfigKey) -> Result<Option<Duration>, Wrong> {
        let said = self.said(key);
        Ok(said
            .map(|said| humantime::parse_duration(&said))
            .transpose()?)
    }

    /// Those that requests are sent through, as the client itself finds them.
    fn proxies(&self) -> Matcher {
        match self.said(ClientConfigKey::ProxyUrl) {
            Some(proxy) => Matcher::builder()
                .all(proxy)
                .no(self
                    .said(ClientConfigKey::ProxyExcludes)
                    .unwrap_or_default())
                .build(),
            None => Matcher::from_system(),
        }
    }

    /// As the library makes one, but for where it goes.
    fn client(&self, ways: Ways) -> Result<Client, Wrong> {
        let names = Names(Arc::clone(&ways.watch));
        let agent = self.said(ClientConfigKey::UserAgent);
        let mut builder = Client::builder()
            .user_agent(
                agent
                    .as_deref()
                    .unwrap_or(concat!("bobbin/", env!("CARGO_PKG_VERSION"))),
            )
            .https_only(!self.is(ClientConfigKey::AllowHttp))
            .tls_danger_accept_invalid_certs(self.is(ClientConfigKey::AllowInvalidCertificates))
            .no_gzip()
            .no_brotli()
            .no_zstd()
            .no_deflate()
            .http1_only()
            .dns_resolver(Arc::new(names))
            .redirect(Policy::custom(move |attempt| ways.followed(attempt)));
        let mut trusted = Vec::new();
        if let Some(url) = self.said(ClientConfigKey::ProxyUrl) {
            let excludes = self.said(ClientConfigKey::ProxyExcludes);
            let excludes = excludes.and_then(|excludes| NoProxy::from_string(&excludes));
            builder = builder.proxy(Proxy::all(url)?.no_proxy(excludes));
            if let Some(pem) = self.said(ClientConfigKey::ProxyCaCertificate) {
                trusted.push(Certificate::from_pem(pem.as_bytes())?);
            }
        }
        builder = match self.is(ClientConfigKey::NoSystemCertificates) {
            true => builder.tls_certs_only(trusted),
            false => builder.tls_certs_merge(trusted),
        };
        if let Some(time) = self.time(ClientConfigKey::Timeout)? {
            builder = builder.timeout(time);
        }
        if let Some(time) = self.time(ClientConfigKey::ConnectTimeout)? {
            builder = builder.connect_timeout(time);
        }
        if let Some(time) = self.time(ClientConfigKey::ReadTimeout)? {
            builder = builder.read_timeout(time);
        }
        if let Some(time) = self.time(ClientConfigKey::PoolIdleTimeout)? {
            builder = builder.pool_idle_timeout(time);
        }
        if let Some(most) = self.said(ClientConfigKey::PoolMaxIdlePerHost) {
            builder = builder.pool_max_idle_per_host(most.parse()?);
        }
        Ok(builder.build()?)
    }
}

#[cfg(test)]
mod tests {
    use bobbin_core::ledger::Ledger;
    use object_store::aws::AmazonS3Builder;
    use object_store::path::Path;
    use object_store::{ObjectStoreExt, RetryConfig};
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;
    use crate::watch::KeysFrom;

    const FOUND: &str = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nETag: \"a\"\r\n\
                         Last-Modified: Wed, 25 Nov 2026 12:00:00 GMT\r\n\r\nhere";

    /// A server that answers everything so. Gives its port.
    async fn answering(answer: impl Fn(u16) -> String + Send + 'static) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let answer = answer(port);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let answer = answer.clone();
                tokio::spawn(async move {
                    let mut asked = vec![0; 16 << 10];
                    while stream.read(&mut asked).await.is_ok_and(|read| read > 0) {
                        if stream.write_all(answer.as_bytes()).await.is_err() {
                            break;
                        }
                    }
                });
            }
        });
        port
    }

    fn sent_to(place: &str) -> String {
        format!("HTTP/1.1 307 Elsewhere\r\nLocation: {place}\r\nContent-Length: 0\r\n\r\n")
    }

    struct Asked {
        _dir: tempfile::TempDir,
        found: Result<String, String>,
        rows: Vec<String>,
        refused: Option<String>,
    }

    /// Has an object fetched from a store at an address.
    async fn asked(endpoint: &str, options: ClientOptions) -> Asked {
        crate::place::choose_cryptography();
        let dir = tempfile::tempdir().unwrap();
        let ledger = Ledger::of(dir.path());
        let watch = Watch::new("s3://team/x", KeysFrom::Environment, &ledger);
        let store = AmazonS3Builder::new()
            .with_bucket_name("team")
            .with_endpoint(endpoint)
            .with_access_key_id("a")
            .with_secret_access_key("b")
            .with_client_options(options.with_allow_http(true))
            .with_retry(RetryConfig {
                max_retries: 0,
                ..RetryConfig::default()
            })
            .with_http_connector(Connector(Arc::clone(&watch)))
            .build()
            .unwrap();
        let found = async {
            let got = store.get(&Path::from("x")).await?;
            let bytes = got.bytes().await?;
            Ok::<_, object_store::Error>(String::from_utf8(bytes.to_vec()).unwrap())
        };
        let found = found.await.map_err(|error| format!("{error:?}"));
        let rows = ledger.rows().unwrap().into_iter();
        Asked {
            found,
            rows: rows.filter_map(|row| row.entry.to).collect(),
            refused: watch.refused(),
            _dir: dir,
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn where_a_server_sends_one_on_to_has_its_row_whether_it_is_a_name_or_an_address() {
        for host in ["127.0.0.1", "localhost"] {
            let last = answering(|_| FOUND.to_owned()).await;
            let place = format!("{host}:{last}");
            let to = format!("http://{place}/team/x");
            let first = answering(move |_| sent_to(&to)).await;
            let asked = asked(&format!("http://127.0.0.1:{first}"), ClientOptions::new()).await;
            assert_eq!(asked.found.as_deref(), Ok("here"));
            assert_eq!(asked.rows, [format!("127.0.0.1:{first}"), place]);
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn nobody_is_sent_on_to_the_service_of_the_machine_nor_in_a_circle() {
        let first = answering(|_| sent_to("http://169.254.169.254/latest")).await;
        let asked = asked(&format!("http://127.0.0.1:{first}"), ClientOptions::new()).await;
        assert!(asked.found.is_err());
        assert!(asked.refused.unwrap().contains("169.254.169.254"));
        assert_eq!(asked.rows, [format!("127.0.0.1:{first}")]);
        let circle = answering(|port| sent_to(&format!("http://127.0.0.1:{port}/again"))).await;
        let asked = self::asked(&format!("http://127.0.0.1:{circle}"), ClientOptions::new()).await;
        assert!(asked.found.unwrap_err().contains("again and again"));
        assert_eq!(asked.rows, [format!("127.0.0.1:{circle}")]);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_proxy_has_its_row_too() {
        let proxy = answering(|_| FOUND.to_owned()).await;
        let options = ClientOptions::new().with_proxy_url(format!("http://127.0.0.1:{proxy}"));
        let asked = asked("http://s3.example", options).await;
        assert_eq!(asked.found.as_deref(), Ok("here"));
        assert_eq!(
            asked.rows,
            [format!("127.0.0.1:{proxy}"), "s3.example:80".to_owned()]
        );
    }
}
