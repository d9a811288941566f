"""What is reported of workers' machines and of event loops is what Dask's scheduler has of them at that moment."""

import os
import time

import bobbin
import psutil
import pytest
from distributed import Client, LocalCluster
from reports import records, until


@pytest.fixture
def client():
    """Its workers talk over the network, which therefore has something to tell."""
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, protocol="tcp", dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            yield client


RATES = {
    "network_read_bytes_per_s": ("host_net_io", "read_bps"),
    "network_write_bytes_per_s": ("host_net_io", "write_bps"),
    "disk_read_bytes_per_s": ("host_disk_io", "read_bps"),
    "disk_write_bytes_per_s": ("host_disk_io", "write_bps"),
}


def told(dask_scheduler):
    """What its workers told last."""
    return [dict(worker.metrics) for worker in dask_scheduler.workers.values()]


def expected(metrics):
    """The same as a sample has it: workers are summed up, machines counted once, and the slowest loop is told."""
    fields = {
        "cpu_percent": sum(one["cpu"] for one in metrics),
        "memory_used_bytes": sum(one["memory"] for one in metrics),
        "worker_lag_micros": max(round(one["event_loop_interval"] * 1e6) for one in metrics),
    }
    for name, (kind, direction) in RATES.items():
        fields[name] = metrics[0][kind][direction]
    return fields


def stir(path):
    """Bytes to the disk, and from it again."""
    with open(path, "w+b") as file:
        file.write(os.urandom(4 << 20))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        file.seek(0)
        file.read()


def disks_tell(path):
    """Whether the counters of this machine know of what is read and written here: those of a folder in memory know nothing."""
    before = psutil.disk_io_counters()
    stir(path)
    after = psutil.disk_io_counters()
    return None not in (before, after) and after.read_bytes > before.read_bytes and after.write_bytes > before.write_bytes


def test_processors_memory_loops_networks_and_disks_are_as_the_workers_told(client, settings):
    wanted = {"cpu_percent", "memory_used_bytes", "worker_lag_micros", *RATES}
    if not disks_tell(settings / "stirred"):
        wanted -= {"disk_read_bytes_per_s", "disk_write_bytes_per_s"}
    bobbin.register(client)
    work = client.map(lambda number: sum(range(number)), range(200_000, 200_400))
    seen, met = [], set()

    def all_met():
        client.gather(client.scatter([bytes(1_000_000)]))
        stir(settings / "stirred")
        seen.append(expected(client.run_on_scheduler(told)))
        for sample in records(settings / "out", "sample"):
            for at_once in seen:
                met.update(name for name, value in at_once.items() if value and sample[name] == pytest.approx(value, rel=1e-6, abs=1))
        return wanted <= met

    # Each worker tells twice a second: of some moment between, all of it was read.
    until(all_met, 30)
    sample = records(settings / "out", "sample")[-1]
    assert all(sample[name] is not None and sample[name] >= 0 for name in RATES)
    # No such thing here, and not zero of it.
    assert sample["gpu_percent"] is None and sample["gpu_memory_bytes"] is None
    del work


def test_graphics_processors_are_summed_up_where_workers_have_them(client, settings):
    def have_one(dask_worker):
        # As a worker with the library of its maker does.
        dask_worker.metrics["gpu_utilization"] = lambda worker: 41
        dask_worker.metrics["gpu_memory_used"] = lambda worker: 3 << 30

    bobbin.register(client)
    client.run(have_one)
    sample = until(lambda: next((row for row in records(settings / "out", "sample") if row["gpu_percent"] == 82), None), 30)
    assert sample["gpu_memory_bytes"] == 6 << 30


def test_an_event_loop_that_was_held_up_says_so(client, settings):
    bobbin.register(client)
    until(lambda: len(records(settings / "out", "sample")) >= 3)
    before = len(records(settings / "out", "sample"))

    def hold(dask_scheduler):
        time.sleep(1.5)

    client.run_on_scheduler(hold)
    until(lambda: any(row["loop_lag_micros"] >= 400_000 for row in records(settings / "out", "sample")[before:]), 30)
