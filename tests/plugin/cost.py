"""What a report costs the scheduler's event loop: CPU time of the beat, by the number of task groups.

    target/python/newest/bin/python tests/plugin/cost.py

Prints one JSON line a figure: a beat in which all groups changed, one in which none did, and a transition of a real run, with
the times of its tasks folded, beside that of a plugin that does nothing.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "plugin"))

import bobbin
import dask
from distributed import Client, LocalCluster, wait
from distributed.diagnostics.plugin import SchedulerPlugin


def beats(dask_scheduler, repeats=7):
    """CPU milliseconds on the loop of a beat, least of several: all groups changed, none changed."""
    run = dask_scheduler.plugins["bobbin"]._run

    def beat():
        start = time.thread_time()
        for rows in run._beat(0.0, False):
            run.outbox.offer(rows)
        return (time.thread_time() - start) * 1e3

    def changed():
        for group in run.groups.known.values():
            group.mark = None
        return beat()

    return {
        "all_changed": min(changed() for _ in range(repeats)),
        "none_changed": min(beat() for _ in range(repeats)),
        "groups": len(run.groups.known),
    }


class Recorder(SchedulerPlugin):
    """Calls of the hook as Dask makes them."""

    name = "recorder"

    def __init__(self, calls):
        self.calls = calls

    def transition(self, *args, **kwargs):
        self.calls.append((args, kwargs))


def replay(calls, hook, repeats=50):
    """Nanoseconds a call, least of several. Few enough calls to be in the processor's cache: Dask has just used the same task."""
    best = None
    for _ in range(repeats):
        start = time.thread_time()
        for args, kwargs in calls:
            hook(*args, **kwargs)
        taken = (time.thread_time() - start) / len(calls) * 1e9
        best = taken if best is None else min(best, taken)
    return best


def transitions(client, tasks=500):
    """What the hook takes for a transition of a real run, and what that of a plugin that does nothing takes."""
    calls = []
    scheduler = client.cluster.scheduler

    async def begin():
        scheduler.add_plugin(Recorder(calls), name="recorder")

    client.sync(begin)
    futures = client.map(abs, range(tasks))
    more = client.map(divmod, futures, [3] * tasks)
    wait(more)
    client.unregister_scheduler_plugin("recorder")
    # The tasks are still there, as they are when Dask calls the hook.
    hook, nothing = scheduler.plugins["bobbin"].transition, SchedulerPlugin().transition

    async def measure():
        return {"hook": replay(calls, hook), "empty": replay(calls, nothing)}

    return dict(client.sync(measure), per_task=len(calls) / (2 * tasks))


def main():
    with tempfile.TemporaryDirectory() as folder:
        chosen = {"bobbin.destination": "file", "bobbin.folder": folder, "bobbin.interval": "1h"}
        options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": ":0"}
        with dask.config.set(chosen), LocalCluster(**options) as cluster, Client(cluster) as client:
            bobbin.register(client)
            for groups in (100, 1000):
                keys = [("group-%d-%d" % (groups, group), i) for group in range(groups) for i in range(5)]
                futures = client.map(abs, range(len(keys)), key=keys)
                client.gather(futures)
                found = client.run_on_scheduler(beats)
                for metric in ("all_changed", "none_changed"):
                    line = {"bench": "plugin", "metric": "beat_%s_%d_groups" % (metric, found["groups"])}
                    print(json.dumps(dict(line, value=round(found[metric], 3), unit="ms")))
                del futures
            found = transitions(client)
            for metric in ("hook", "empty"):
                line = {"bench": "plugin", "metric": "transition_" + metric, "value": round(found[metric]), "unit": "ns"}
                print(json.dumps(dict(line, per_task=round(found["per_task"], 1))))


if __name__ == "__main__":
    main()
