"""What profiles cost the scheduler's event loop: pulls from the helper beside Dask's own `get_profile`, in turn in one run.

    target/python/newest/bin/python tests/plugin/cost_profiles.py

Prints one JSON line a figure, medians of several intervals: ordinary stacks, and deep ones of which hardly two are alike.
"""

import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "assets" / "plugin"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

import bobbin
import dask
import msgpack
from distributed import Client, LocalCluster, wait

SECONDS = 5.0
REPEATS = 5


def rest(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def ordinary(seconds, number, depth=8):
    if depth:
        return ordinary(seconds, number, depth - 1)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        rest(0.003)


def left(depth, chance):
    return rest(0.002) if not depth else (left if chance.random() < 0.5 else right)(depth - 1, chance)


def right(depth, chance):
    return rest(0.002) if not depth else (left if chance.random() < 0.5 else right)(depth - 1, chance)


def deep(seconds, number):
    chance = random.Random(number)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        left(60, chance)


async def timed(work):
    """(milliseconds of processor time of this thread, longest that a timer was late, result) while something is awaited."""
    lag, done = 0.0, False

    async def watch():
        nonlocal lag
        while not done:
            before = time.perf_counter()
            await asyncio.sleep(0.005)
            lag = max(lag, time.perf_counter() - before - 0.005)

    watching = asyncio.ensure_future(watch())
    await asyncio.sleep(0.05)
    lag, start = 0.0, time.thread_time()
    result = await work
    spent = time.thread_time() - start
    done = True
    await watching
    return spent * 1e3, lag * 1e3, result


async def helper(dask_scheduler):
    profiles = dask_scheduler.plugins["bobbin"]._run.profiles
    found = []
    for known in list(profiles._workers()):
        _, idle_lag, _ = await timed(asyncio.sleep(0.5))
        bytes_before, counted = profiles.bytes, profiles.seconds
        merged = profiles.run.outbox.profiles.seconds
        spent, lag, _ = await timed(profiles._pull(known, time.time(), 30.0))
        counted = (profiles.seconds - counted) * 1e3
        bytes_sent = profiles.bytes - bytes_before
        _, merge_lag, _ = await timed(asyncio.sleep(0.5))
        merged = (profiles.run.outbox.profiles.seconds - merged) * 1e3
        found.append((spent, lag, counted, bytes_sent, merged, merge_lag, idle_lag))
    return [statistics.mean(column) for column in zip(*found)]


async def plain(dask_scheduler):
    found = []
    for address in list(dask_scheduler.workers):
        work = dask_scheduler.get_profile(workers=[address], start=time.time() - SECONDS - 1)
        spent, lag, tree = await timed(work)
        found.append((spent, lag, len(msgpack.packb(tree))))
    return [statistics.mean(column) for column in zip(*found)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        chosen = {"bobbin.destination": "file", "bobbin.folder": folder, "bobbin.interval": "1h"}
        chosen.update({"bobbin.profile.transmit": True, "bobbin.profile.interval": "1h"})
        options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
        with dask.config.set(chosen), LocalCluster(**options) as cluster, Client(cluster) as client:
            bobbin.register(client)
            while not all(client.run(lambda dask_worker: "bobbin-profile" in dask_worker.plugins).values()):
                time.sleep(0.1)
            for kind, work in (("ordinary", ordinary), ("deep", deep)):
                pulls, plains = [], []
                for repeat in range(REPEATS):
                    wait([client.submit(work, SECONDS, 2 * repeat + number) for number in range(2)])
                    time.sleep(1.1)
                    for _ in range(2):
                        # Each goes first as often as the other.
                        if (repeat + _) % 2:
                            pulls.append(client.run_on_scheduler(helper))
                        else:
                            plains.append(client.run_on_scheduler(plain))
                names = ("pull_cpu", "pull_lag", "pull_counted_cpu", "pull_bytes", "merge_cpu", "merge_lag", "idle_lag")
                figures = list(zip(names, zip(*pulls))) + list(zip(("dask_cpu", "dask_lag", "dask_bytes"), zip(*plains)))
                for name, values in figures:
                    unit = "bytes" if name.endswith("bytes") else "ms"
                    line = {"bench": "plugin", "metric": "profile_%s_%s" % (kind, name)}
                    print(json.dumps(dict(line, value=round(statistics.median(values), 3), unit=unit)), flush=True)


if __name__ == "__main__":
    main()
