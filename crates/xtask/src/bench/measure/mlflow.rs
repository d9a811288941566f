//! MLflow with as many runs as there are clusters, as its users serve it.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{
    ending::Held,
    files::{root, target},
    process::{Failure, Result, run, say},
    setup::peer_python,
    stamp::Stamp,
};

const PATIENCE: Duration = Duration::from_secs(180);

/// A running server. Stopped when dropped.
pub struct Mlflow {
    child: Child,
    _held: Held,
    pub origin: String,
}

impl Mlflow {
    /// Installs it into an environment of its own and fills its store, both once; then starts it.
    ///
    /// # Errors
    /// It cannot be had, filled or started.
    pub fn start(runs: u64, log: &Path) -> Result<Self> {
        let python = peer_python("mlflow")?;
        let script = root().join("tests/peers/mlflow_fill.py");
        let store = target().join(format!("bench-stores/mlflow-{runs}.db"));
        let stamp = Stamp::of(
            &format!("bench-mlflow-{runs}"),
            &[script.clone(), root().join("tests/envs/mlflow.txt")],
            "",
        )?;
        if !(stamp.is_current() && store.exists()) {
            say("MLflow", &format!("{runs} runs"));
            fs::create_dir_all(target().join("bench-stores"))?;
            if store.exists() {
                fs::remove_file(&store)?;
            }
            run(Command::new(&python)
                .arg(&script)
                .arg(&store)
                .arg(runs.to_string()))?;
            stamp.keep()?;
        }
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let mut command = Command::new(python.with_file_name("mlflow"));
        command
            .args([
                "server",
                "--workers",
                "1",
                "--host",
                "127.0.0.1",
                "--port",
                &port.to_string(),
            ])
            .arg("--backend-store-uri")
            .arg(format!("sqlite:///{}", store.display()))
            .env("MLFLOW_DISABLE_TELEMETRY", "true")
            .env("DO_NOT_TRACK", "true")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(log)?);
        let (child, held) = Held::child(&mut command)?;
        let mut mlflow = Self {
            child,
            _held: held,
            origin: format!("http://127.0.0.1:{port}"),
        };
        let begun = Instant::now();
        while !is_there(port) {
            let ended = mlflow.child.try_wait()?.is_some();
            if ended || begun.elapsed() > PATIENCE {
                return Err(Failure::new("MLflow does not answer").hint(log.display().to_string()));
            }
            thread::sleep(Duration::from_millis(200));
        }
        Ok(mlflow)
    }
}

fn is_there(port: u16) -> bool {
    let answer = TcpStream::connect(("127.0.0.1", port)).and_then(|mut stream| {
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET /health HTTP/1.0\r\nHost: 127.0.0.1\r\n\r\n")?;
        let mut head = [0; 12];
        stream.read_exact(&mut head)?;
        Ok(head)
    });
    answer.is_ok_and(|head| head.ends_with(b" 200"))
}

impl Drop for Mlflow {
    fn drop(&mut self) {
        // SIGTERM: it takes its workers with it.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
    }
}
