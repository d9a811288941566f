//! How many heaps of the C library threads have. The only test of its program: heaps are never given back.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::sync::Barrier;
use std::{ffi::CStr, ptr, thread};

use bobbin_core::api::begin;

/// What the C library says of its heaps, as XML.
fn told() -> String {
    let (mut text, mut length) = (ptr::null_mut(), 0);
    // SAFETY: the stream writes to a text of its own, which is there and ends with a zero once the stream is closed.
    unsafe {
        let stream = libc::open_memstream(&mut text, &mut length);
        assert_eq!(libc::malloc_info(0, stream), 0);
        assert_eq!(libc::fclose(stream), 0);
        let told = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        told
    }
}

#[test]
fn a_program_of_many_threads_has_a_heap_for_each_processor_and_four_at_most() {
    assert!(begin().is_none());
    const THREADS: usize = 12;
    let all = Barrier::new(THREADS);
    let held = thread::scope(|scope| {
        let threads = [(); THREADS].map(|()| {
            scope.spawn(|| {
                let held = vec![1_u8; 10_000];
                all.wait();
                held.len()
            })
        });
        threads
            .map(|thread| thread.join().unwrap())
            .iter()
            .sum::<usize>()
    });
    assert_eq!(held, THREADS * 10_000);
    let processors = thread::available_parallelism().unwrap().get();
    let heaps = told().matches("<heap nr=").count();
    assert!(
        heaps <= processors.min(4),
        "{heaps} heaps, {processors} processors"
    );
}
