"""What happens to workers without anybody's wish, on every release: one that has no memory left pauses and goes on, and one that
answers no more is taken for gone."""

import pytest
from processes import PLUGIN, cluster, run
from reports import records

VERSIONS = ("oldest", "2022", "2023", "2024", "2025", "newest")
MEMORY = {"PAUSE": "0.7", "TARGET": "False", "SPILL": "False", "TERMINATE": "False"}

FULL = """
import sys, time
from distributed import Client

def hold(size, dask_worker):
    dask_worker.held = bytearray(size)
    for place in range(0, size, 4096):
        dask_worker.held[place] = 1

def let_go(dask_worker):
    del dask_worker.held

def statuses(dask_scheduler):
    return {worker.status.name for worker in dask_scheduler.workers.values()}

def until(client, status):
    end = time.monotonic() + 30
    while client.run_on_scheduler(statuses) != {status}:
        assert time.monotonic() < end, status
        time.sleep(0.05)

with Client(sys.argv[1]) as client:
    client.wait_for_workers(1)
    client.run(hold, 700 * 2**20)
    until(client, "paused")
    time.sleep(1.5)
    client.run(let_go)
    until(client, "running")
    time.sleep(1)
"""

SILENT = """
import os, signal, sys, time
from distributed import Client

def there(dask_scheduler):
    return len(dask_scheduler.workers)

with Client(sys.argv[1]) as client:
    client.wait_for_workers(1)
    (pid,) = client.run(os.getpid).values()
    os.kill(pid, signal.SIGSTOP)
    try:
        end = time.monotonic() + 60
        while client.run_on_scheduler(there):
            assert time.monotonic() < end
            time.sleep(0.1)
    finally:
        os.kill(pid, signal.SIGCONT)
"""


def story(version, folder, text, environment, worker_options):
    """The records of a cluster in which that happened."""
    script = folder / "story.py"
    script.write_text(text)
    options = {"preload": PLUGIN, "environment": environment, "worker_options": worker_options}
    with cluster(version, folder / "run", **options) as started:
        run(version, script, started.address)
    return folder / "run" / "out"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_worker_without_memory_pauses_and_goes_on(version, tmp_path):
    environment = {"DASK_DISTRIBUTED__WORKER__MEMORY__" + name: value for name, value in MEMORY.items()}
    out = story(version, tmp_path, FULL, environment, ["--memory-limit", "900MB"])
    rows = records(out, "worker")
    events = [(row["event"], row["worker_id"]) for row in rows if row["event"] != "left"]
    (one,) = {worker for _, worker in events}
    assert events == [("joined", one), ("paused", one), ("resumed", one)]
    samples = records(out, "sample")
    paused = [sample for sample in samples if sample["workers_paused"] == 1]
    assert paused and samples[0]["workers_paused"] == samples[-1]["workers_paused"] == 0
    # The status comes before the heartbeat that tells of the memory.
    assert max(sample["memory_used_bytes"] for sample in paused) > 600 * 2**20


@pytest.mark.parametrize("version", VERSIONS)
def test_a_worker_that_answers_no_more_is_gone_by_timeout(version, tmp_path):
    out = story(version, tmp_path, SILENT, {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "4s"}, ["--no-nanny"])
    first = next(row["worker_id"] for row in records(out, "worker") if row["event"] == "joined")
    (left,) = [row for row in records(out, "worker") if row["event"] == "left" and row["worker_id"] == first]
    # Older ones remove it and tell nobody for what.
    told = (None, None) if version in ("oldest", "2022", "2023") else ("heartbeat timeout", False)
    assert (left["cause"], left["expected"]) == told
