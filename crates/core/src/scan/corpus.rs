//! Two hundred secrets in code, keys and tracebacks as Dask's users write and see them, and snippets that hold none.
//!
//! Everything is drawn from a seed, and the beginnings of vendors' tokens are put together from parts: no file of this
//! project holds anything that could be taken for a living token.

use std::ops::Range;

/// What a secret of the corpus is found by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Vendor,
    Url,
    Keyword,
}

/// A secret, and the text that it stands in.
pub(crate) struct Planted {
    pub(crate) kind: Kind,
    pub(crate) secret: String,
    pub(crate) text: String,
}

impl Planted {
    /// Whether each place at which the secret stands lies whole within one that was found: of half a secret the rest is told.
    pub(crate) fn is_covered(&self, found: &[Range<usize>]) -> bool {
        self.text.match_indices(&self.secret).all(|(from, secret)| {
            let to = from + secret.len();
            found.iter().any(|at| at.start <= from && to <= at.end)
        })
    }
}

/// Draws numbers: xorshift, good enough to look random.
struct Drawn(u64);

impl Drawn {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[(self.next() % list.len() as u64) as usize]
    }

    fn letters(&mut self, alphabet: &str, length: usize) -> String {
        let letters: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| *self.of(&letters)).collect()
    }
}

const ALNUM: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/// As most vendors draw from.
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX: &str = "0123456789abcdef";
const BASE32: &str = "abcdefghijklmnopqrstuvwxyz234567";

/// Beginnings in parts, letters as the vendor draws them and how many, and what stands behind them.
const VENDORS: &[(&[&str], &str, usize, &str)] = &[
    (&["AK", "IA"], UPPER, 16, ""),
    (&["AS", "IA"], UPPER, 16, ""),
    (&["AI", "za"], URL, 35, ""),
    (&["ya", "29."], URL, 160, ""),
    (&["GOC", "SPX-"], URL, 28, ""),
    (&["gh", "p_"], ALNUM, 36, ""),
    (&["gh", "o_"], ALNUM, 36, ""),
    (&["gh", "s_"], ALNUM, 36, ""),
    (&["github", "_pat_11ABCDEFG0"], ALNUM, 71, ""),
    (&["gl", "pat-"], URL, 20, ""),
    (&["xo", "xb-123456789012-1234567890123-"], ALNUM, 24, ""),
    (
        &["xo", "xp-123456789012-123456789012-123456789012-"],
        HEX,
        32,
        "",
    ),
    (&["sk", "_live_"], ALNUM, 24, ""),
    (&["rk", "_live_"], ALNUM, 24, ""),
    (&["whs", "ec_"], BASE64, 32, ""),
    (&["sk-", "proj-"], URL, 156, ""),
    (&["s", "k-"], ALNUM, 48, ""),
    (&["sk-", "ant-api03-"], URL, 93, "AA"),
    (&["h", "f_"], ALNUM, 34, ""),
    (&["py", "pi-AgEIcHlwaS5vcmc"], URL, 150, ""),
    (&["np", "m_"], ALNUM, 36, ""),
    (&["da", "pi"], HEX, 32, ""),
    (&["da", "pi"], HEX, 32, "-2"),
    (&["dop", "_v1_"], HEX, 64, ""),
    (&["pn", "u_"], ALNUM, 36, ""),
    (&["dckr", "_pat_"], URL, 27, ""),
    (&["hv", "s."], URL, 95, ""),
    (&["shp", "at_"], HEX, 32, ""),
    (&["NR", "AK-"], UPPER, 27, ""),
    (&["lin", "_api_"], ALNUM, 40, ""),
    (&["gs", "k_"], ALNUM, 52, ""),
    (&["S", "G.ngeVfQFYQlKU0ufo8x5d1A."], URL, 43, ""),
    (
        &["hooks.slack", ".com/services/T01234567/B01234567/"],
        ALNUM,
        24,
        "",
    ),
    (&["Account", "Key="], BASE64, 86, "=="),
    (&["gl", "sa_"], ALNUM, 32, "_0a1b2c3d"),
    (&["S", "K"], HEX, 32, ""),
    (&["bob", "bin"], BASE32, 52, ""),
    (
        &["bobbin", "_token_", "0a1b2c3d4e5f_", "bobbin"],
        BASE32,
        58,
        "",
    ),
    (
        &["bobbin", "_invite_", "0a1b2c3d4e5f_", "bobbin"],
        BASE32,
        58,
        "",
    ),
    (
        &[
            "bobbin",
            "-join:hub.example:8789:",
            "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08:",
            "bobbin_invite_0a1b2c3d4e5f_bobbin",
        ],
        BASE32,
        58,
        "",
    ),
    (&["tskey-", "auth-kABCDEF1CNTRL-"], ALNUM, 32, ""),
];

/// Where a secret stands as a text of its own.
const AROUND: &[&str] = &[
    "client = Client(address)\nresult = client.submit(fetch, \"{}\").result()\n",
    "df = dd.read_parquet(path, storage_options={'headers': {'x': '{}'}})",
    "load-{}-17",
    "Traceback (most recent call last):\n  File \"etl.py\", line 12, in fetch\n    raise ValueError(f\"bad answer for {}\")\nValueError: bad answer for {}",
    "os.environ[\"X\"] = \"{}\"  # for the workers",
    "('read-block', '{}', 0)",
    "ddf.map_partitions(lambda part: call(part, '{}')).compute()",
    "{\"topic\": \"etl\", \"note\": \"{}\"}",
    "requests.get(url, headers={\"X\": \"{}\"}, timeout=30)",
    "ConnectionError: 401 for {} after 3 tries",
];

const URLS: &[&str] = &[
    "engine = create_engine(\"postgresql://etl:{}@db.corp.example:5432/lake\")",
    "dd.read_sql_table('t', 'mysql+pymysql://ana:{}@mysql:3306/x', index_col='id')",
    "sqlalchemy.exc.OperationalError: could not connect to postgresql://etl:{}@10.0.0.7/lake",
    "redis.Redis.from_url('redis://:{}@cache:6379/0')",
    "MongoClient(\"mongodb+srv://svc:{}@cluster0.mongodb.example/db?retryWrites=true\")",
    "amqp://worker:{}@rabbit:5672/%2F",
    "git clone https://ana:{}@git.corp.example/team/etl.git",
    "df = dd.read_csv('https://reader:{}@data.corp.example/2026/*.csv')",
    "snowflake://ana:{}@acme/db/schema?warehouse=wh",
    "fsspec.open('ftp://ana:{}@files.corp.example/in.csv')",
    "clickhouse://default:{}@ch.corp.example:9000/logs",
    "HTTPError: 403 for url: https://bucket.example/x.parquet?X-Amz-Expires=60&X-Amz-Signature={}",
    "https://acct.blob.core.windows.net/c/x?sv=2026&sig={}",
    "proxy = 'http://proxyuser:{}@proxy:3128'",
];

const KEYWORDS: &[&str] = &[
    "password = \"{}\"",
    "storage_options={'key': key, 'secret': '{}'}",
    "conn = psycopg.connect(host='db', user='etl', password='{}')",
    "os.environ['PGPASSWORD'] = '{}'",
    "{\"user\": \"etl\", \"password\": \"{}\"}",
    "aws_secret_access_key={}",
    "db_passwd: \"{}\"",
    "connect(\"host=db user=etl password={} dbname=lake\")",
    "Server=db;Uid=etl;Pwd={};Database=lake",
    "export SNOWFLAKE_PASSWORD={}",
    "API_KEY = '{}'",
    "headers={'Authorization': 'Bearer {}'}",
    "DASK_COILED__TOKEN={}",
    "client_secret=\"{}\"",
    "wandb_api_key: str = '{}'",
    "cluster = KubeCluster(env={'DB_PASSWORD': '{}'})",
    "auth_token: \"{}\"",
    "psycopg.OperationalError: connection failed: host=db password={} user=etl",
    "credentials = dict(token='{}', project='lake')",
    "config.set({\"storage.account_key\": \"{}\"})",
];

/// What people choose.
const CHOSEN: &[&str] = &[
    "hunter2",
    "S3cret!Pass",
    "tr0ub4dor&3",
    "Winter2026!",
    "letmein99",
    "qwerty!23",
    "P4ssw0rd#",
    "dask4ever",
    "lake-etl-2026",
    "zX9!kk2p",
];

/// The corpus: the same for the same seed.
pub(crate) fn planted(seed: u64) -> Vec<Planted> {
    let mut drawn = Drawn(seed);
    let mut all = Vec::new();
    for number in 0..80 {
        let (start, letters, length, end) = VENDORS[number % VENDORS.len()];
        let secret = start.concat() + &drawn.letters(letters, length) + end;
        let text = drawn.of(AROUND).replace("{}", &secret);
        all.push(Planted {
            kind: Kind::Vendor,
            secret,
            text,
        });
    }
    for number in 0..6 {
        let lines: Vec<String> = (0..3).map(|_| drawn.letters(BASE64, 64)).collect();
        let kind = ["", "RSA ", "EC "][number % 3];
        let (begin, end) = ("-----BEGIN ", "-----END ");
        // As code has it, and as the JSON of a service account does.
        let (line, text) = [
            ("\n", "key = \"\"\"{}\"\"\"\nclient = connect(key)\n"),
            (
                "\\n",
                "{\"type\": \"service_account\", \"private_key\": \"{}\", \"x\": 1}",
            ),
        ][number % 2];
        let body = lines.join(line);
        let secret =
            format!("{begin}{kind}PRIVATE KEY-----{line}{body}{line}{end}{kind}PRIVATE KEY-----");
        all.push(Planted {
            kind: Kind::Vendor,
            text: text.replace("{}", &secret),
            secret,
        });
    }
    for _ in 0..4 {
        let secret = format!(
            "{}{}.{}{}.{}",
            "ey",
            "J".to_owned() + &drawn.letters(ALNUM, 30),
            "eyJ",
            drawn.letters(ALNUM, 60),
            drawn.letters(URL, 43)
        );
        all.push(Planted {
            kind: Kind::Vendor,
            text: drawn.of(AROUND).replace("{}", &secret),
            secret,
        });
    }
    for number in 0..50 {
        let text = URLS[number % URLS.len()];
        let secret = match text.contains("ig") && text.contains('?') && !text.contains('@') {
            true => drawn.letters(ALNUM, 44),
            false => chosen(&mut drawn),
        };
        // Whoever writes an address writes these so.
        let secret = secret.replace('#', "%23").replace('/', "%2F");
        all.push(Planted {
            kind: Kind::Url,
            text: text.replace("{}", &secret),
            secret,
        });
    }
    for number in 0..60 {
        let secret = chosen(&mut drawn);
        all.push(Planted {
            kind: Kind::Keyword,
            text: KEYWORDS[number % KEYWORDS.len()].replace("{}", &secret),
            secret,
        });
    }
    all
}

/// What a person chose, or what was drawn.
fn chosen(drawn: &mut Drawn) -> String {
    match drawn.next() % 4 {
        0 | 1 => (*drawn.of(CHOSEN)).to_owned(),
        2 => drawn.letters(ALNUM, 24),
        _ => drawn.letters(BASE64, 40),
    }
}

/// Where people and machines are named in what people write.
const NAMED: &[&str] = &[
    "ValueError: no customer {}",
    "Traceback (most recent call last):\n  File \"etl.py\", line 12, in fetch\n    raise KeyError({})\nKeyError: '{}'",
    "df = df[df.owner == \"{}\"]  # the old owner",
    "{\"owner\": \"{}\", \"rows\": 3}",
    "distributed.comm.core.CommClosedError: in <TCP (closed) remote=tcp://[{}]:43211>: Stream is closed",
    "ConnectionError: {} refused after 3 tries",
    "load(('{}', 0, 1))",
    "requests.get('http://[{}]/v1')",
    "sent to {}, and kept.",
    "smtp.sendmail(sender, ['{}'], text)\n",
];

/// Sixty e-mail and IP addresses, each with a text that it stands in.
pub(crate) fn named(seed: u64) -> Vec<(String, String)> {
    const LOCAL: &str = "abcdefghijklmnopqrstuvwxyz";
    let mut drawn = Drawn(seed);
    let mut all = Vec::new();
    for number in 0..60 {
        let mut octet = |least: u64, many: u64| least + drawn.next() % many;
        let named = match number % 3 {
            0 => format!("10.{}.{}.{}", octet(0, 256), octet(0, 256), octet(1, 254)),
            1 => {
                let (one, other) = (octet(4_096, 61_440), octet(1, 65_535));
                format!("2001:db8:{one:x}::{other:x}")
            }
            _ => {
                let sign = *drawn.of(&[".", "_", "+", "-", ""]);
                let (name, more) = (drawn.letters(LOCAL, 5), drawn.letters(LOCAL, 7));
                let end = *drawn.of(&["example", "corp.example", "co.uk", "io"]);
                format!("{name}{sign}{more}@{}.{end}", drawn.letters(LOCAL, 6))
            }
        };
        let text = drawn.of(NAMED).replace("{}", &named);
        all.push((named, text));
    }
    all
}

/// Snippets that hold no secret.
pub(crate) const CLEAN: &[&str] = &[
    "import dask.dataframe as dd\ndf = dd.read_parquet('s3://lake/2026/*.parquet', storage_options={'anon': True})\ndf.groupby('user').amount.sum().compute()",
    "('random_sample-mean_chunk-fc98261335d052940d84db3ba3b180c5', 0, 1)",
    "read-parquet-fused-9a3c5b1de0f14c5c8a7f3e2d1b0a9c8d",
    "password = os.environ['PGPASSWORD']\nengine = create_engine(f'postgresql://etl:{password}@db/lake')",
    "token = dask.base.tokenize(df, meta)\nname = 'from-delayed-' + token",
    "def f(x, token=None, max_tokens=4096):\n    return model.generate(x, max_new_tokens=max_tokens)",
    "cluster = LocalCluster(n_workers=4, threads_per_worker=2, memory_limit='4GiB')\nclient = Client(cluster)",
    "Traceback (most recent call last):\n  File \"/opt/env/lib/python3.12/site-packages/distributed/worker.py\", line 2245, in execute\n    result = await self.loop.run_in_executor(executor, apply_function_simple)\nKeyError: 'amount'",
    "distributed.scheduler.KilledWorker: Attempted to run task ('sum-aggregate-5a1c', 0) on 4 different workers",
    "git checkout 85589fac3a1b0e9d8c7b6a5948372615f0e1d2c3",
    "sha256 = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
    "session_id = uuid.UUID('0d6a1f3e-0000-4000-8000-000000000001')",
    "tcp://10.0.0.7:43211",
    "x = da.random.random((100_000, 100_000), chunks=(10_000, 10_000))\ny = (x + x.T).rechunk('auto').std(axis=0)",
    "secrets = client.get_secret_value(SecretId=name)\npassword = json.loads(secrets['SecretString'])['password']",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')\ntokens = tokenizer(text)",
    "ValueError: password must have at least 8 letters",
    "AuthenticationError: invalid token: expired",
    "@dask.delayed\ndef clean(part):\n    return part.dropna(subset=['customer_id', 'transaction_timestamp'])",
    "df['password_hash'] = df.password.map(hash_password)\ndf = df.drop(columns=['password'])",
    "result = xr.open_zarr('gs://bucket/era5.zarr', chunks={'time': 24}).t2m.mean('time')",
    "assert_eq(ddf.repartition(npartitions=10), df)\n# see https://github.com/dask/dask/issues/12345",
    "urls = [f'https://data.example/2026/{month:02d}.csv.gz' for month in range(1, 13)]",
    "client.run(lambda dask_worker: dask_worker.data.memory.total_weight)",
    "futures = client.map(score_model_with_features_and_labels_v2, partitions, pure=False)",
    "apiVersion: v1\nkind: Secret\nmetadata:\n  name: dask-scheduler-credentials",
    "raise PermissionError('access_key and secret are required')",
    "os.environ.setdefault('AWS_SECRET_ACCESS_KEY', getpass.getpass())",
    "conn = connect(user=settings.user, password=settings.password, host=settings.host)",
    "@@ -12,7 +12,7 @@ class TokenBucketRateLimiterConfigurationFactoryBean",
    "schema = pa.schema([('accessToken', pa.string()), ('apiKey', pa.string()), ('password', pa.binary())])",
    "secret = client.secrets.get('projects/acme/secrets/db-password/versions/latest')",
    "password: str = Field(..., min_length=12)\ntoken: Optional[str] = None",
    "pod k8s-prod-eu-west-1-worker-7f9c8b6d5-x2v4q evicted: memory limit 4Gi",
    "proxies = {'https': 'http://ana@proxy.corp.example:3128'}",
    "rate = n_tokens / elapsed\nbucket = TokenBucket(tokens_per_second=rate, refill=True)",
    "pip install 'dask[complete]==2024.5.1' --hash=sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "SELECT token, expires_at FROM sessions WHERE user_id = 42 AND secret IS NOT NULL",
    "engine.connect(args.user, args.password, token=args.token or default_token(args.profile))",
    "img = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='",
];
