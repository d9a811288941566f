"""Threads times time, over workers that come and go and with a plugin that comes late, is what Dask's own list of workers says."""

import json
import math
import time

import bobbin
import pytest
from distributed import Client, LocalCluster
from processes import PLUGIN, cluster, run
from reports import records
from same import LACKING

SCRIPT = """
import json, sys, time
import bobbin
from distributed import Client, Worker
from distributed.diagnostics.plugin import SchedulerPlugin

class Watch(SchedulerPlugin):
    # When Dask's workers changed, and how many threads and workers there then were.
    name = "watch"

    def __init__(self, scheduler):
        self.scheduler, self.changes = scheduler, []

    def note(self, but=None):
        workers = [worker for address, worker in self.scheduler.workers.items() if address != but]
        self.changes.append((time.time(), sum(worker.nthreads for worker in workers), len(workers)))

    def add_worker(self, scheduler, worker, **kwargs):
        self.note()

    def remove_worker(self, scheduler, worker, **kwargs):
        self.note(worker)

def watch(dask_scheduler):
    dask_scheduler.add_plugin(Watch(dask_scheduler), name="watch")

def changes(dask_scheduler):
    return dask_scheduler.plugins["watch"].changes

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.run_on_scheduler(watch)
        workers = []

        async def scale(*threads):
            for one in threads:
                workers.append(await Worker(sys.argv[1], nthreads=one, dashboard=False))

        async def leave(count):
            for _ in range(count):
                await workers.pop(0).close()

        client.sync(scale, 2, 3)
        time.sleep(1)
        bobbin.register()
        time.sleep(0.8)
        for step, arguments in ((scale, [1, 1, 4]), (leave, [2]), (scale, [5]), (leave, [4])):
            client.sync(step, *arguments)
            time.sleep(0.8)
        print(json.dumps(client.run_on_scheduler(changes)))
"""


def thread_seconds(changes, start, end):
    """By the list: each number of threads for as long as it stood."""
    total, since, threads = 0.0, start, 0
    for at, now, _ in changes:
        at = min(max(at, start), end)
        total += (at - since) * threads
        since, threads = at, now
    return total + (end - since) * threads


def assert_what_stood(changes, told):
    """Each sample has what Dask had a moment before, and whatever stood for longer than a report takes is in one."""
    stood = [(0.0, (0, 0))] + [(at, (threads, workers)) for at, threads, workers in changes]
    ends = [at for at, _ in stood[1:]] + [math.inf]
    for at, found in told:
        assert found in [both for (since, both), end in zip(stood, ends) if since < at and end > at - 0.6], at
    lasting = {both for (since, both), end in zip(stood, ends) if since > told[0][0] and end - since > 0.7}
    assert len(lasting) > 2 and lasting <= {found for _, found in told}


@pytest.mark.parametrize("version", ["newest", "oldest", "2022", "2023", "2024", "2025"])
def test_it_is_the_integral_over_the_workers_that_dask_has(version, settings):
    script = settings / "script.py"
    script.write_text(SCRIPT)
    environment = {"PYTHONPATH": str(PLUGIN.parent)}
    # The client's configuration goes to the scheduler with the plugin.
    client = dict(environment, DASK_BOBBIN__DESTINATION="file", DASK_BOBBIN__INTERVAL="0.3s")
    client["DASK_BOBBIN__FOLDER"] = str(settings / "run" / "out")
    with cluster(version, settings / "run", workers=0, environment=environment) as started:
        changes = json.loads(run(version, script, started.address, environment=client).splitlines()[-1])
    samples = [(row["at_micros"] / 1e6, row["totals"]["thread_seconds"]) for row in records(settings / "run" / "out", "sample")]
    first, told_first = samples[0]
    if "threads_history" in LACKING[version]:
        # What was before the plugin came, such a release does not tell.
        assert told_first < 1
    else:
        assert told_first == pytest.approx(thread_seconds(changes, 0, first), abs=0.6)
        assert told_first > 4
    assert [threads for _, threads, _ in changes] == [2, 5, 6, 7, 11, 9, 6, 11, 10, 9, 5, 0]
    assert samples[-1][0] > changes[-1][0]
    for at, told in samples[1:]:
        assert told - told_first == pytest.approx(thread_seconds(changes, first, at), abs=0.6)
    rows = records(settings / "run" / "out", "sample")
    assert_what_stood(changes, [(row["at_micros"] / 1e6, (row["threads"], row["workers"])) for row in rows])


def test_a_clock_that_is_set_back_takes_no_time_away(settings):
    with LocalCluster(n_workers=1, threads_per_worker=4, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        bobbin.register(client)
        run = cluster.scheduler.plugins["bobbin"]._run
        time.sleep(0.5)
        before = run._thread_seconds()
        # As Dask notes that all workers went, after the clock was set back by an hour, and by less than since the last change.
        for behind in (3600.0, 0.4):
            cluster.scheduler.total_nthreads_history.append((time.time() - behind, 0 if behind > 1 else 4))
            time.sleep(0.2)
            now = run._thread_seconds()
            assert before <= now <= before + 4 * 0.5
            before = now
