"""What a report costs the scheduler's event loop: CPU time of the beat, by the number of task groups.

    target/python/newest/bin/python tests/plugin/cost.py

Prints one JSON line a figure: a beat in which all groups changed, one in which none did, and a transition.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "plugin"))

import bobbin
import dask
from distributed import Client, LocalCluster


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


def transition(dask_scheduler, repeats=5, calls=200_000):
    """Nanoseconds of the hook for a task that went well."""
    hook = dask_scheduler.plugins["bobbin"].transition
    best = None
    for _ in range(repeats):
        start = time.thread_time()
        for _ in range(calls):
            hook("key", "processing", "memory", worker="w", nbytes=1, startstops=(), stimulus_id="s")
        taken = (time.thread_time() - start) / calls * 1e9
        best = taken if best is None else min(best, taken)
    return best


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
            value = client.run_on_scheduler(transition)
            print(json.dumps({"bench": "plugin", "metric": "transition_hook", "value": round(value), "unit": "ns"}))


if __name__ == "__main__":
    main()
