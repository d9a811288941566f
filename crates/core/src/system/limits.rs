//! What a process may take of the machine that reads what anybody may have made, and what no process may leave on it.
//!
//! On Windows nothing is limited: there the reader's own limits have to do, and memory is kept only where the user set that up.

/// What it may take.
#[cfg_attr(windows, expect(dead_code, reason = "nothing is limited there"))]
pub(crate) struct Limits {
    /// Of address space, of which the program itself takes some.
    pub(crate) memory_bytes: u64,
    /// Of processor time.
    pub(crate) seconds: u64,
    /// Open at once.
    pub(crate) files: u64,
}

/// Limits this process for the rest of its life. Beyond the memory an allocation fails, which aborts; beyond the time the system ends
/// it. It leaves no core file, and is the first to go where the machine has no memory left. What a system refuses to limit is not.
#[cfg(unix)]
pub(crate) fn limit(limits: &Limits) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    for (resource, most) in [
        (Resource::As, limits.memory_bytes),
        (Resource::Cpu, limits.seconds),
        (Resource::Nofile, limits.files),
        (Resource::Core, 0),
    ] {
        // A stricter limit of whoever started it stays.
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |now| now.min(most));
        let _ = setrlimit(
            resource,
            Rlimit {
                current: Some(most),
                maximum: Some(most),
            },
        );
    }
    let _ = std::fs::write("/proc/self/oom_score_adj", "1000");
}

/// Limits nothing.
#[cfg(windows)]
pub(crate) fn limit(_: &Limits) {}

/// Has the system write no core file where this process crashes, nor where one does that it starts: the memory holds keys, and texts
/// that are sealed on the disk. A program that the system hands the memory to instead, as systemd-coredump, is told this limit. What it
/// starts may lift it for itself.
#[cfg(unix)]
pub(crate) fn leave_no_core() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    let none = Rlimit {
        current: Some(0),
        ..getrlimit(Resource::Core)
    };
    // No system refuses less.
    let _ = setrlimit(Resource::Core, none);
}

/// Changes nothing.
#[cfg(windows)]
pub(crate) fn leave_no_core() {}
