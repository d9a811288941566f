"""Some of everything that people run, and what Dask's own scheduler says of it. Runs on every release of Dask in the matrix.

    workload.py local                 a LocalCluster in this process
    workload.py ssh OPTIONS           an SSHCluster of this process, over a connection with these options
    workload.py ADDRESS               a client of a cluster in other processes
    workload.py ADDRESS register      … which registers the plugin first

Talks in JSON lines: it prints Dask's numbers whenever nothing runs, and goes on when a line comes in.
"""

import json
import os
import sys
import tempfile
import time

import dask
import dask.array as da
import distributed
from distributed import Client, LocalCluster, SSHCluster, wait, worker_client
from distributed.diagnostics.plugin import SchedulerPlugin

try:
    from distributed import span
except ImportError:
    span = None

UNFINISHED = ("waiting", "no-worker", "queued", "processing")


def increment(x):
    time.sleep(0.001 * (x % 5))
    return x + 1


def refuse(x):
    raise ValueError("no %d" % x)


def second_time_lucky(mark):
    """Fails where nobody tried before."""
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return mark
    raise OSError("the first time")


def nested(numbers):
    """A task that has others run."""
    with worker_client() as client:
        return sum(client.gather(client.map(increment, numbers, key=keys("nested-inner", numbers))))


def keys(name, numbers):
    """Keys as collections have them: tuples, and before 2024 the text of tuples where a client gives them itself."""
    made = [(name, x) for x in numbers]
    return made if distributed.__version__ >= "2024" else [str(key) for key in made]


class Watcher(SchedulerPlugin):
    """Holds every group that a task ever was in, and the time of each task, which Dask does not keep."""

    name = "watcher"

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.groups = []
        self.seconds = {}

    def place(self, group):
        for place, held in enumerate(self.groups):
            if held is group:
                return place
        self.groups.append(group)
        return len(self.groups) - 1

    def transition(self, key, start, finish, *args, **kwargs):
        task = self.scheduler.tasks.get(key)
        if task is None:
            return
        place = self.place(task.group)
        if start == "processing" and finish == "memory":
            for action in kwargs.get("startstops") or ():
                if action["action"] == "compute":
                    self.seconds.setdefault(place, []).append(action["stop"] - action["start"])


def watch(dask_scheduler):
    dask_scheduler.add_plugin(Watcher(dask_scheduler))


def watcher_of(scheduler):
    return next(plugin for plugin in scheduler.plugins.values() if getattr(plugin, "name", None) == "watcher")


def group_numbers(watcher, place, group):
    return {
        "name": str(group.name),
        "prefix": group.prefix.name,
        "states": {state: count for state, count in group.states.items() if count},
        "seconds": dict(group.all_durations),
        "result_bytes": group.nbytes_total,
        "types": sorted(group.types),
        "start": group.start,
        "stop": group.stop,
        "dependencies": sorted(watcher.place(other) for other in list(group.dependencies)),
        "span_id": getattr(group, "span_id", None),
        "compute_seconds": watcher.seconds.get(place, []),
    }


def span_numbers(watcher, one):
    return {
        "id": one.id,
        "tags": list(one.name),
        "parent_id": one.parent.id if one.parent is not None else None,
        "groups": sorted(watcher.place(group) for group in one.groups),
        "start": one.start,
        "stop": one.stop,
        "enqueued": one.enqueued,
    }


def code_frames(computation):
    """Source, file, line of the frame's function and line within it, outermost first; null for what this release does not tell."""
    frames = []
    for stack in computation.code:
        # In 2023, of a client in the same process, it comes as it was wrapped for the way.
        stack = getattr(stack, "data", stack)
        for frame in [stack] if isinstance(stack, str) else stack:
            if isinstance(frame, str):
                frames.append([frame, None, None, None])
            else:
                frames.append([frame.code, frame.filename, frame.lineno_frame, frame.lineno_relative])
    return frames


def numbers(dask_scheduler):
    """What the scheduler says of itself; None for what this release does not have."""
    watcher = watcher_of(dask_scheduler)
    for group in list(dask_scheduler.task_groups.values()):
        # Data that a client brought comes without a transition.
        watcher.place(group)
    spans = getattr(dask_scheduler.extensions.get("spans"), "spans", None)
    workers = dask_scheduler.workers.values()
    metrics = getattr(dask_scheduler, "cumulative_worker_metrics", None)
    return {
        "scheduler_id": dask_scheduler.id,
        "groups": [group_numbers(watcher, place, group) for place, group in enumerate(list(watcher.groups))],
        "alive": [str(name) for name in dask_scheduler.task_groups],
        "computations": [
            {
                "id": str(one.id),
                "groups": sorted(watcher.place(group) for group in one.groups),
                "start": one.start,
                "stop": one.stop,
                "code": code_frames(one),
            }
            for one in dask_scheduler.computations
        ],
        "spans": None if spans is None else [span_numbers(watcher, one) for one in spans.values()],
        "metrics": None if metrics is None else [[list(key), value] for key, value in metrics.items() if isinstance(key, tuple)],
        "has_queue": hasattr(dask_scheduler, "queued"),
        "workers": len(workers),
        "threads": sum(worker.nthreads for worker in workers),
        "memory_limit": sum(worker.memory_limit for worker in workers),
        "versions": dask_scheduler.versions(),
        "started": dask_scheduler.time_started,
        "address": dask_scheduler.address,
        # By topic, what kind of thing happened, where an event says so.
        "events": {
            str(topic): [message.get("action") if isinstance(message, dict) else None for _, message in told]
            for topic, told in dask_scheduler.get_events().items()
        },
        "exceptions": [
            {
                "group": str(task.group.name),
                "text": task.exception_text,
                "traceback": task.traceback_text,
                "workers": sorted(getattr(task, "erred_on", None) or ()),
                "dependents": sum(other.exception_blame is task for other in dask_scheduler.tasks.values()) - 1,
            }
            for task in dask_scheduler.tasks.values()
            if task.state == "erred" and task.exception_blame is task
        ],
    }


def is_busy(dask_scheduler):
    groups = list(dask_scheduler.task_groups.values())
    return any(group.states.get(state) for group in groups for state in UNFINISHED)


def has_again(dask_scheduler):
    return "again" in dask_scheduler.task_groups


def heartbeats(dask_scheduler):
    """When each worker was heard last; nothing where its heartbeats bring no metrics."""
    if not hasattr(dask_scheduler, "cumulative_worker_metrics"):
        return {}
    return {worker.address: worker.last_seen for worker in dask_scheduler.workers.values()}


def wait_for_metrics(client):
    """Those of all tasks that ran so far: the second heartbeat from now was certainly made after them."""
    for _ in range(2):
        before = client.run_on_scheduler(heartbeats)
        while any(client.run_on_scheduler(heartbeats)[address] == at for address, at in before.items()):
            time.sleep(0.05)


def is_empty(dask_scheduler):
    return not dask_scheduler.task_groups


def poll(client, condition, wanted, seconds=60):
    end = time.monotonic() + seconds
    while client.run_on_scheduler(condition) != wanted:
        if time.monotonic() > end:
            raise SystemExit("%s was never %s" % (condition.__name__, wanted))
        time.sleep(0.02)


def say_numbers(client, what, **more):
    poll(client, is_busy, False)
    wait_for_metrics(client)
    said = dict(client.run_on_scheduler(numbers), did=what, **more)
    if isinstance(client.cluster, LocalCluster):
        # Its object is in the scheduler's process.
        said.update(cluster_class=type(client.cluster).__name__, name=client.cluster.name)
    print(json.dumps(said), flush=True)
    sys.stdin.readline()


def arrays():
    x = da.random.random((200, 200), chunks=(50, 50)).persist()
    total = (x + x.T).sum(axis=0).persist()
    wait([x, total])
    return [x, total]


def futures(client):
    begun = client.map(increment, range(20))
    total = client.submit(sum, begun)
    named = client.map(increment, range(4), key=keys("größe/ключ", range(4)))
    brought = client.scatter(list(range(3)), hash=False)
    # What comes and goes between two reports.
    passing = client.scatter({"ferry-1": b"x" * 1000, "ferry-2": b"y" * 1000})
    del passing
    inner = client.submit(nested, [1, 2, 3])
    wait([total, inner, *named])
    return [begun, total, named, brought, inner]


def failures(client):
    refused = client.map(refuse, range(3))
    after = client.submit(sum, refused)
    mark = os.path.join(tempfile.mkdtemp(), "tried")
    lucky = client.submit(second_time_lucky, mark, retries=2)
    wait([after, lucky])
    return [refused, after, lucky]


def spans(client):
    if span is None:
        return []
    with span("outer"):
        first = client.submit(increment, 100, key="spanned-1")
        with span("inner", "innermost"):
            second = client.submit(increment, first, key="deeper-1")
    wait([first, second])
    return [first, second]


def delayed():
    parts = [dask.delayed(increment)(x, dask_key_name=("delayed-part", x)) for x in range(5)]
    total = dask.delayed(sum)(parts).persist()
    wait(total)
    return [total]


def main():
    where, words = sys.argv[1], sys.argv[2:]
    if where == "local":
        client = Client(LocalCluster(n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None, name="ours"))
    elif where == "ssh":
        options = {"connect_options": json.loads(words[0]), "remote_python": sys.executable}
        quiet = {"scheduler_options": {"port": 0, "dashboard": False}, "worker_options": {"nthreads": 2}}
        client = Client(SSHCluster(["127.0.0.1"] * 3, **options, **quiet))
    else:
        client = Client(where)
    client.wait_for_workers(2)
    client.run_on_scheduler(watch)
    if "register" in words:
        import bobbin

        bobbin.register()
    kept = []
    for part in (arrays, lambda: futures(client), lambda: failures(client), lambda: spans(client), delayed):
        kept += part()
        # Each a computation of its own: Dask begins one when work comes to an idle cluster.
        poll(client, is_busy, False)
    # A group that Dask forgets at once, and another of the same name.
    for start in (1000, 2000):
        client.gather(client.map(increment, range(start, start + 3), key=keys("again", range(3))))
        poll(client, has_again, False)
    say_numbers(client, "work")
    del kept
    poll(client, is_empty, True)
    say_numbers(client, "forget")
    if where in ("local", "ssh"):
        cluster = client.cluster
        client.close()
        cluster.close()


if __name__ == "__main__":
    main()
