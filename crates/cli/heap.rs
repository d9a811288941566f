//! How the C library gives out memory, from which SQLite allocates.

/// Has all threads share one heap. By itself glibc gives each its own, and what a reader freed there, the next one cannot use: under
/// load they kept 75 MB that nobody needed. SQLite takes a lock of its own for each allocation, so that none waits longer for this.
/// Whoever starts the program may say otherwise.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share() {
    if std::env::var_os("MALLOC_ARENA_MAX").is_none() {
        // SAFETY: it only sets a number, and no other thread runs yet.
        unsafe { libc::mallopt(libc::M_ARENA_MAX, 1) };
    }
}

/// Other C libraries have one.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share() {}
