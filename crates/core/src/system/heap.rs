//! How the C library gives out memory, for Bobbin and for SQLite.

/// The most heaps that threads share. By itself glibc has eight for each processor, and what one thread freed there, others cannot use.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const MOST: usize = 4;

/// Blocks from so many bytes on are given back as soon as they are free. By itself glibc keeps ever larger ones: after one that had
/// the size of a large batch, 32 MiB in each heap.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const LARGE_BYTES: libc::c_int = 1 << 20;

/// Has threads share a heap for each processor, so that those who decode large batches do not wait for each other, and keeps little of
/// what they free. Whoever starts the program may say otherwise, with `MALLOC_ARENA_MAX` and its like, or `GLIBC_TUNABLES`.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub(crate) fn share_heaps() {
    let processors = std::thread::available_parallelism().map_or(MOST, usize::from);
    let heaps = libc::c_int::try_from(processors.min(MOST)).unwrap_or(1);
    let wishes = [
        (libc::M_ARENA_MAX, "ARENA_MAX", heaps),
        (libc::M_MMAP_THRESHOLD, "MMAP_THRESHOLD_", LARGE_BYTES),
        (libc::M_TRIM_THRESHOLD, "TRIM_THRESHOLD_", LARGE_BYTES),
    ];
    let tunables = std::env::var_os("GLIBC_TUNABLES").unwrap_or_default();
    let tunables = tunables.to_string_lossy();
    for (parameter, name, value) in wishes {
        let tunable = name.trim_end_matches('_').to_lowercase();
        if std::env::var_os(format!("MALLOC_{name}")).is_none()
            && !tunables.contains(&format!("glibc.malloc.{tunable}="))
        {
            // SAFETY: it only sets a number, and no other thread runs yet.
            unsafe { libc::mallopt(parameter, value) };
        }
    }
}

/// Other C libraries have no such numbers.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub(crate) fn share_heaps() {}
