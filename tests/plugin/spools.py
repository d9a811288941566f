"""Clusters in this process whose receiver is away, and what they leave in the spool."""

import asyncio
import gc
import gzip
import json
import time
from pathlib import Path

import bobbin
import dask
from distributed import Client, LocalCluster, wait
from ending import canary_in_code


def folders(data):
    return sorted((data / "spool").glob("*")) if (data / "spool").exists() else []


def spooled(data):
    """(header, records) of each plain batch in the spool, in order of their names."""
    found = []
    for path in sorted((data / "spool").glob("*/*.batch")):
        lines = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()]
        assert int(path.stem) == lines[0]["first_seq"] and lines[0]["records"] == len(lines) - 1
        found.append((lines[0], lines[1:]))
    return found


def work(client):
    assert client.gather(client.map(abs, range(-5, 0))) == [5, 4, 3, 2, 1]
    wait(client.map(canary_in_code, range(4), pure=False))


def waited():
    """Seconds that this thread could have run and no core was free for it; nothing where the system does not count that."""
    counted = Path("/proc/thread-self/schedstat")
    return int(counted.read_text().split()[1]) / 1e9 if counted.exists() else 0.0


async def late(dask_scheduler):
    worst = 0.0
    for _ in range(100):
        before = time.perf_counter() - waited()
        await asyncio.sleep(0.01)
        worst = max(worst, time.perf_counter() - waited() - before - 0.01)
    return worst


def lag(client):
    """How late the event loop of a scheduler in this process was at worst, in seconds. What the machine did instead does not count,
    nor looking for garbage among all that the tests before left in this process."""
    gc.collect()
    gc.freeze()
    try:
        return client.run_on_scheduler(late)
    finally:
        gc.unfreeze()


class Reporting:
    """A cluster in this process that reports to the Bobbin of a folder, or to an address."""

    def __init__(self, data, register=True, **chosen):
        self.register = register
        settings = {"bobbin.destination": "receiver", "bobbin.data-dir": str(data), "bobbin.interval": "0.2s"}
        settings.update({"bobbin." + name.replace("__", ".").replace("_", "-"): value for name, value in chosen.items()})
        self.settings = dask.config.set(settings)

    def __enter__(self):
        self.settings.__enter__()
        start = time.monotonic()
        self.cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
        self.client = Client(self.cluster)
        if self.register:
            bobbin.register(self.client)
        self.started_seconds = time.monotonic() - start
        self.run = self.cluster.scheduler.plugins["bobbin"]._run
        self.outbox = self.run.outbox
        return self

    def close(self):
        self.client.close()
        start = time.monotonic()
        self.cluster.close()
        self.closed_seconds = time.monotonic() - start

    def __exit__(self, *failure):
        self.close()
        self.settings.__exit__(*failure)
        # As if its process had ended, too.
        self.outbox.give_up = 0
        self.outbox.hurry()
        self.outbox.thread.join(15)
