//! How the C library gives out memory, for Bobbin and for SQLite.

/// The most heaps that threads share. By itself glibc has eight for each processor, and what one thread freed there, others cannot use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST: usize = 4;

/// Has threads share a heap for each processor, so that those who decode large batches do not wait for each other. Whoever starts the
/// program may say otherwise, with `MALLOC_ARENA_MAX` or `GLIBC_TUNABLES`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share_heaps() {
    let said = |name, what: &str| {
        std::env::var_os(name).is_some_and(|told| told.to_string_lossy().contains(what))
    };
    if said("MALLOC_ARENA_MAX", "") || said("GLIBC_TUNABLES", "glibc.malloc.arena_max=") {
        return;
    }
    let processors = std::thread::available_parallelism().map_or(MOST, usize::from);
    let heaps = libc::c_int::try_from(processors.min(MOST)).unwrap_or(1);
    // SAFETY: it only sets a number, and no other thread runs yet.
    unsafe { libc::mallopt(libc::M_ARENA_MAX, heaps) };
}

/// Other C libraries have no such number.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_heaps() {}
