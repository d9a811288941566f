"""What the scripts of the stories share: talking in JSON lines, some work, and Dask's own numbers."""

import collections
import json
import os
import sys
import time


def say(**fields):
    print(json.dumps(fields), flush=True)


def words():
    """The words that come in, one a line, until somebody hangs up."""
    for line in sys.stdin:
        yield line.strip()


def inc(x):
    time.sleep(0.002)
    return x + 1


def double(x):
    return b"x" * (2 * x)


def passing(x):
    time.sleep(0.01)
    return x


def broken(x):
    raise ValueError(f"no luck with {x}")


def numbers_of(dask_scheduler):
    """What the scheduler itself says, in words that JSON knows."""
    groups = {}
    for name, group in dask_scheduler.task_groups.items():
        groups[str(name)] = {
            "prefix": group.prefix.name,
            "states": {state: n for state, n in group.states.items() if n},
            "seconds": dict(group.all_durations),
            "result_bytes": group.nbytes_total,
        }
    workers = dask_scheduler.workers.values()
    return {
        "scheduler_id": dask_scheduler.id,
        "pid": os.getpid(),
        "groups": groups,
        "tasks": dict(collections.Counter(task.state for task in dask_scheduler.tasks.values())),
        "workers": len(workers),
        "threads": sum(worker.nthreads for worker in workers),
        "memory_limit": sum(worker.memory_limit for worker in workers),
    }


def is_busy(dask_scheduler):
    return any(group.states.get(state) for group in dask_scheduler.task_groups.values()
               for state in ("waiting", "processing", "queued", "no-worker"))


def settled(client):
    """Waits until nothing runs, and gives the numbers."""
    while client.run_on_scheduler(is_busy):
        time.sleep(0.02)
    return client.run_on_scheduler(numbers_of)
