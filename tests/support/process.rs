//! Processes that end with their story, and all that they started with them.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use super::PATIENCE;

/// A process with a group of its own. Its stdout is read line by line, its stderr kept.
pub struct Process {
    name: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    talk: Arc<Mutex<String>>,
}

impl Process {
    /// Starts it.
    #[track_caller]
    pub fn start(name: &str, command: &mut Command) -> Self {
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let mut child = command
            .spawn()
            .unwrap_or_else(|e| panic!("{name} does not start: {e}"));
        let input = child.stdin.take();
        let out = child.stdout.take().unwrap();
        let mut err = child.stderr.take().unwrap();
        let (sender, lines) = sync_channel(10_000);
        thread::spawn(move || {
            for line in BufReader::new(out).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let talk = Arc::new(Mutex::new(String::new()));
        let heard = Arc::clone(&talk);
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(n @ 1..) = err.read(&mut buffer) {
                heard
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push_str(&String::from_utf8_lossy(&buffer[..n]));
            }
        });
        Self {
            name: name.into(),
            child,
            input,
            lines,
            talk,
        }
    }

    /// All that it wrote to stderr until now.
    pub fn talk(&self) -> String {
        self.talk
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The next line of stdout that is a JSON object.
    #[track_caller]
    pub fn hear(&mut self) -> Value {
        let until = Instant::now() + PATIENCE;
        loop {
            match self
                .lines
                .recv_timeout(until.saturating_duration_since(Instant::now()))
            {
                Ok(line) => {
                    if let Ok(value @ Value::Object(_)) = serde_json::from_str(&line) {
                        return value;
                    }
                }
                Err(RecvTimeoutError::Timeout) => {
                    panic!("{} says nothing more; it said:\n{}", self.name, self.talk())
                }
                Err(RecvTimeoutError::Disconnected) => {
                    // Whoever closes stdout has ended, or soon will.
                    let status = self.end();
                    panic!(
                        "{} ended with {status} before it said more; it said:\n{}",
                        self.name,
                        self.talk()
                    )
                }
            }
        }
    }

    /// Sends a line to its stdin.
    #[track_caller]
    pub fn say(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        writeln!(input, "{line}")
            .and_then(|()| input.flush())
            .unwrap_or_else(|e| panic!("{} does not listen: {e}\n{}", self.name, self.talk()));
    }

    /// Nothing more comes from its stdin.
    pub fn end_input(&mut self) {
        drop(self.input.take());
    }

    /// Waits until it ends by itself.
    #[track_caller]
    pub fn end(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(
                Instant::now() < until,
                "{} does not end; it said:\n{}",
                self.name,
                self.talk()
            );
            thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// Waits until it ends by itself, and well.
    #[track_caller]
    pub fn end_well(&mut self) {
        let status = self.end();
        assert!(
            status.success(),
            "{} ended with {status}; it said:\n{}",
            self.name,
            self.talk()
        );
    }

    /// Its number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs.
    pub fn runs(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Asks it to stop (SIGTERM).
    pub fn terminate(&mut self) {
        self.signal(Signal::TERM);
    }

    /// Breaks it off as Ctrl-C does (SIGINT).
    pub fn interrupt(&mut self) {
        self.signal(Signal::INT);
    }

    /// Kills it and all that it started (SIGKILL), and waits until it is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        let _ = self.child.wait();
    }

    /// Ends it as a fault of its own would (SIGABRT), and waits until it is gone.
    pub fn abort(&mut self) {
        self.signal(Signal::ABORT);
        let _ = self.child.wait();
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // It may have ended by itself.
            let _ = kill_process_group(group, signal);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if thread::panicking() {
            eprintln!("--- {} said:\n{}", self.name, self.talk());
        }
    }
}
