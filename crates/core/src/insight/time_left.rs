//! When a cluster will be through with what it has to do, as a range.

use crate::query::Todo;
use crate::query::types::TimeLeft;

/// With more tasks than this of which nothing like them has ended, nothing can be said.
const UNKNOWN_SHARE: f64 = 0.1;

/// At least: all threads compute without a pause. At most: as many as did lately. None where there is nothing to do, where
/// too little is known of what there is, or where nothing computes.
pub(crate) fn time_left(todo: &Todo) -> Option<TimeLeft> {
    let known = todo.tasks - todo.unknown_tasks;
    if todo.tasks < 1.0 || todo.unknown_tasks > UNKNOWN_SHARE * todo.tasks || todo.threads == 0 {
        return None;
    }
    // Those that are not known are taken for the average of the others.
    let seconds = todo.seconds * todo.tasks / known;
    let threads = todo.threads as f64;
    let computing = todo.computing?.min(threads);
    // A twentieth of a thread is a cluster that hardly moves: its pace says nothing.
    (computing >= 0.05).then(|| TimeLeft {
        tasks: todo.tasks as u64,
        low_seconds: seconds / threads,
        high_seconds: seconds / computing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn todo() -> Todo {
        Todo {
            tasks: 100.0,
            seconds: 400.0,
            unknown_tasks: 0.0,
            threads: 8,
            computing: Some(4.0),
        }
    }

    #[test]
    fn it_ends_between_full_use_and_the_present_pace() {
        let left = time_left(&todo()).unwrap();
        assert_eq!((left.low_seconds, left.high_seconds), (50.0, 100.0));
        let some = Todo {
            unknown_tasks: 10.0,
            seconds: 360.0,
            ..todo()
        };
        assert_eq!(time_left(&some).unwrap().low_seconds, 50.0);
    }

    #[test]
    fn it_says_nothing_where_too_little_is_known() {
        for told in [
            Todo {
                unknown_tasks: 11.0,
                ..todo()
            },
            Todo {
                tasks: 0.0,
                ..todo()
            },
            Todo {
                threads: 0,
                ..todo()
            },
            Todo {
                computing: None,
                ..todo()
            },
            Todo {
                computing: Some(0.0),
                ..todo()
            },
        ] {
            assert_eq!(time_left(&told), None, "{told:?}");
        }
        // A sum that Dask corrected is no pace beyond all threads.
        let fast = Todo {
            computing: Some(100.0),
            ..todo()
        };
        let left = time_left(&fast).unwrap();
        assert_eq!(left.low_seconds, left.high_seconds);
    }
}
