"""What a plugin's `transition` costs at each call: really captured calls, replayed as the scheduler makes them. And what a worker's
look at its own stack costs, which Dask takes a hundred times a second of each thread that works, where Bobbin counts in it.

    bench_hook.py [--quick|--smoke]

Prints one JSON line for each kind of plugin, nanoseconds of processor time a transition, one value a pass; the cost of the loop
around the call is taken off. The kinds take turns.
"""

import sys
import tempfile
import time

import dask
from bench_clusters import say, size
from bench_scheduler import Empty, bobbin
from distributed import Client, LocalCluster, profile, wait
from distributed.diagnostics.plugin import SchedulerPlugin

TASKS = 2000
DEPTH, LOOKS = 20, 2000


class Capture(SchedulerPlugin):
    """Keeps every call."""

    name = "capture"

    def __init__(self):
        self.calls = []

    def transition(self, *args, **kwargs):
        self.calls.append((args, kwargs))


class NoOverride(SchedulerPlugin):
    name = "no override"


def replay(plugins, calls):
    """Nanoseconds a call, around it what the scheduler has there."""
    begun = time.thread_time_ns()
    for args, kwargs in calls:
        for plugin in list(plugins.values()):
            try:
                plugin.transition(*args, **kwargs)
            except Exception:
                raise
    return (time.thread_time_ns() - begun) / len(calls)


def increment(x):
    return x + 1


def below(depth, function):
    return below(depth - 1, function) if depth else function(sys._getframe())


def looks(root):
    """Nanoseconds of one look at a stack of `DEPTH` functions, which goes into a tree."""

    def look(frame):
        begun = time.thread_time_ns()
        for _ in range(LOOKS):
            profile.process(frame, None, root)
        return (time.thread_time_ns() - begun) / LOOKS

    return below(DEPTH, look)


def main():
    passes = {"full": 25, "quick": 7, "smoke": 1}[size()]
    with tempfile.TemporaryDirectory() as folder:
        # No beat comes in between: what a beat does with what the hook noted is counted with the beats.
        chosen = {"bobbin.destination": "file", "bobbin.folder": folder, "bobbin.interval": "1h"}
        options = {"n_workers": 1, "threads_per_worker": 2, "processes": False, "dashboard_address": None}
        with dask.config.set(chosen), LocalCluster(**options) as cluster, Client(cluster) as client:
            capture = Capture()
            cluster.scheduler.add_plugin(capture)
            bobbin.register(client)
            first = client.map(increment, range(TASKS))
            second = client.map(increment, first)
            wait(second)
            calls = list(capture.calls)
            kinds = {"none": None, "no override": NoOverride(), "empty": Empty(), "bobbin": cluster.scheduler.plugins["bobbin"]}
            found = {kind: [] for kind in kinds}

            def turns(dask_scheduler):
                for kind, plugin in kinds.items():
                    found[kind].append(replay({} if plugin is None else {kind: plugin}, calls))

            sampled = {"none": [], "bobbin, profiles": []}
            for _ in range(passes):
                sampled["none"].append(looks(profile.create()))
                # As it is unless code is switched off: lines are counted, too.
                sampled["bobbin, profiles"].append(looks(bobbin._counting_root(True)))
                # On the loop, where the scheduler makes them.
                cluster.sync(on_loop, turns, cluster.scheduler)
    for kind, values in sampled.items():
        say("worker_look", "us", kind, [value / 1e3 for value in values])
    for kind in list(kinds)[1:]:
        taken = [value - around for value, around in zip(found[kind], found["none"])]
        say("transition_hook", "ns", kind, taken)
        say("transition_hooks_a_task", "us", kind, [value * len(calls) / (2 * TASKS) / 1e3 for value in taken])


async def on_loop(function, scheduler):
    function(scheduler)


if __name__ == "__main__":
    main()
