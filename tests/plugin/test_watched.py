"""A cluster whose page is open reports every two seconds while it works, and at its own pace otherwise."""

import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from reports import until
from serving import serving


@pytest.fixture
def served(settings):
    """A receiver with its page, for plugins that report once a minute."""
    with serving(settings / "bobbin", page=True) as served:
        receiver = {"bobbin.destination": "receiver", "bobbin.receiver": served.address, "bobbin.token": served.token}
        with dask.config.set({**receiver, "bobbin.interval": "60s"}):
            yield served


def test_a_cluster_at_work_whose_page_is_open_reports_every_two_seconds(served):
    def report():
        """One more report; the seconds to the next one, once the answer was heard."""
        before, kept = run.last_beat, run.outbox.sent_bytes
        run.loop.call_soon_threadsafe(run._plan, 0.0)
        until(lambda: run.last_beat > before and run.steps is None and run.outbox.sent_bytes > kept)
        time.sleep(0.2)
        return run.planned - run.loop.time()

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            run = client.cluster.scheduler.plugins["bobbin"]._run
            (number,) = until(lambda: served.rows("select id from cluster"))[0]
            slow = client.map(time.sleep, [0.1] * 80, pure=False)
            until(lambda: run.groups.known)
            assert report() > 10
            served.asked("cluster", id=number)
            assert report() < bobbin.WATCHED_SECONDS
            # It goes on by itself for as long as the page asks.
            before = run.last_beat
            until(lambda: run.last_beat > before, 10)
            assert run.last_beat - before < 5
            wait(slow)
            served.asked("cluster", id=number)
            # Nothing is at work any more.
            assert report() > 10
