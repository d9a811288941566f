//! The measured program: `bobbin serve` on a folder of its own.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::Value;

use super::{
    post::{Address, Door},
    slow::Slow,
};
use crate::{
    ending::Held,
    process::{Failure, Result},
};

/// A running receiver. Stopped when dropped, with its folder removed.
pub struct Server {
    child: Child,
    _held: Held,
    folder: PathBuf,
    listening: Value,
}

impl Server {
    /// Starts one on an empty folder.
    ///
    /// # Errors
    /// It does not start or does not say where it listens.
    pub fn start(bobbin: &Path, folder: PathBuf) -> Result<Self> {
        Self::start_on(bobbin, folder, None)
    }

    /// The same; on a slower disk, if there is one.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_on(bobbin: &Path, folder: PathBuf, disk: Option<&Slow>) -> Result<Self> {
        fs::create_dir_all(&folder)?;
        let mut command = Command::new(bobbin);
        if let Some(slow) = disk {
            slow.before(&mut command);
        }
        command
            .args(["serve", "--ui", "--port", "0", "--data-dir"])
            .arg(&folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(fs::File::create(folder.with_extension("log"))?);
        let (mut child, held) = Held::child(&mut command)?;
        let stdout = child
            .stdout
            .take()
            .ok_or_else(|| Failure::new("bobbin serve has no stdout"))?;
        let mut server = Self {
            child,
            _held: held,
            folder,
            listening: Value::Null,
        };
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        server.listening = serde_json::from_str(&line).map_err(|_| {
            Failure::new("bobbin serve did not say where it listens")
                .hint(server.folder.with_extension("log").display().to_string())
        })?;
        if let Some(slow) = disk {
            slow.is_in(server.child.id())?;
        }
        Ok(server)
    }

    /// Its Unix socket.
    ///
    /// # Errors
    /// There is none, or no token.
    pub fn socket(&self) -> Result<Door> {
        Ok(Door {
            address: Address::Unix(self.said("socket")?),
            token: self.token()?,
        })
    }

    /// Its TCP port.
    ///
    /// # Errors
    /// As [`Self::socket`].
    pub fn tcp(&self) -> Result<Door> {
        Ok(Door {
            address: Address::Tcp(self.said("tcp")?),
            token: self.token()?,
        })
    }

    /// Its Unix socket and the file with its token, as the plugin's settings name them.
    ///
    /// # Errors
    /// As [`Self::socket`].
    pub fn settings(&self) -> Result<[String; 2]> {
        Ok([
            format!("unix://{}", self.said("socket")?),
            self.said("token_file")?,
        ])
    }

    /// The link that signs a page in.
    ///
    /// # Errors
    /// It named none.
    pub fn link(&self) -> Result<String> {
        self.said("ui")
    }

    /// What it said of where it listens.
    pub fn listening(&self) -> &Value {
        &self.listening
    }

    /// The most memory it ever held, in megabytes.
    pub fn memory_peak_mb(&self) -> f64 {
        memory_mb(self.child.id(), "VmHWM:")
    }

    /// Processor time it used so far, in microseconds.
    pub fn cpu_micros(&self) -> f64 {
        cpu_micros(self.child.id())
    }

    /// How many descriptors and threads it has now; nothing where there is no /proc.
    pub fn holds(&self) -> Option<[f64; 2]> {
        let count = |of: &str| {
            let entries = fs::read_dir(format!("/proc/{}/{of}", self.child.id())).ok()?;
            Some(entries.count() as f64)
        };
        Some([count("fd")?, count("task")?])
    }

    fn said(&self, name: &str) -> Result<String> {
        self.listening[name]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| Failure::new(format!("bobbin serve named no {name}")))
    }

    fn token(&self) -> Result<String> {
        Ok(fs::read_to_string(self.said("token_file")?)?
            .trim()
            .to_owned())
    }
}

/// A line of what the kernel says of a process's memory, in megabytes; not a number where there is no /proc.
pub fn memory_mb(pid: u32, field: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let kilobytes = status.lines().find_map(|line| {
        line.strip_prefix(field)?
            .trim()
            .strip_suffix(" kB")?
            .parse::<f64>()
            .ok()
    });
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes / 1000.0)
}

/// Processor time of a process, its own and the kernel's for it, in microseconds; not a number where there is no /proc.
///
/// Unlike wall time it hardly depends on what else the machine does.
pub fn cpu_micros(pid: u32) -> f64 {
    /// Linux counts in hundredths of a second, whatever the kernel's own clock.
    const TICK_MICROS: f64 = 10_000.0;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // `PID (NAME) STATE …`: user and system time are the 14th and 15th field.
    let fields = stat
        .rsplit_once(')')
        .map_or("", |(_, rest)| rest)
        .split_whitespace()
        .skip(11)
        .take(2);
    let ticks: Vec<f64> = fields.filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 {
        (ticks[0] + ticks[1]) * TICK_MICROS
    } else {
        f64::NAN
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // SIGTERM first: it drains, as it does for its users.
        let _ = Command::new("kill")
            .arg(self.child.id().to_string())
            .status();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}
