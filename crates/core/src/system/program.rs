//! This program, started again for one piece of work that could take it down: it ends with its work, and with whoever asked for it.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::OnceLock;

/// None where nobody called [`remember`], as in tests of the library.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// From now on this program is started again for such work. It must look at its first argument before it does anything else.
pub(crate) fn remember() {
    // Also where the file was replaced meanwhile, by an update. On other systems anybody may make a file of this name.
    let same = Path::new("/proc/self/exe");
    let program = match cfg!(target_os = "linux") && same.exists() {
        true => Some(same.to_path_buf()),
        false => std::env::current_exe().ok(),
    };
    if let Some(program) = program {
        let _ = PROGRAM.set(program);
    }
}

/// The program to start, where there is one that knows such work.
pub(crate) fn program() -> Option<&'static Path> {
    PROGRAM.get().map(PathBuf::as_path)
}

/// Ends this process once its asker is gone, also in the middle of a step: the asker holds its standard input open.
///
/// # Errors
/// No thread can be started.
pub(crate) fn end_with_asker() -> io::Result<()> {
    let watching = std::thread::Builder::new().spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(1)
    });
    watching.map(drop)
}

/// A process that is gone when this is.
pub(crate) struct Ended(pub(crate) Child);

impl Ended {
    /// Starts one and asks it in a line of text. The end of its standard input, which is to stay open until it has answered: a process
    /// whose asker is gone has nobody to tell.
    ///
    /// # Errors
    /// It does not start, or cannot be asked. One that ended at once is no error: how, it tells itself.
    pub(crate) fn asked(
        command: &mut Command,
        text: &str,
    ) -> io::Result<(Self, Option<ChildStdin>)> {
        let mut process = Self(
            command
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?,
        );
        let mut input = process.0.stdin.take();
        if let Some(input) = &mut input {
            match input.write_all(format!("{text}\n").as_bytes()) {
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                written => written?,
            }
        }
        Ok((process, input))
    }
}

impl Drop for Ended {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
