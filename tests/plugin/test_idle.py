"""A cluster that has nothing to do is closed after the time that was set, in every version, and one with work never."""

import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from processes import PLUGIN, cluster, run
from reports import records, until


def a_cluster(**options):
    return LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0", **options)


@pytest.mark.parametrize(
    "value, seconds",
    [
        (None, None),
        ("", None),
        (False, None),
        ("none", None),
        (0, None),
        (-5, None),
        ("20 minutes", 1200),
        ("90", 90),
        (45, 45),
        (1.5, 1.5),
        ("2h", 7200),
        ("soon", None),
        ([1], None),
    ],
)
@pytest.mark.parametrize("name", ["bobbin.idle.timeout", "coiled.analytics.idle.timeout"])
def test_the_values_of_the_setting(settings, name, value, seconds):
    with dask.config.set({name: value}):
        assert bobbin.Settings(quiet=True).idle_timeout == seconds


def test_an_idle_cluster_in_this_process_is_closed_through_its_object(settings):
    with dask.config.set({"bobbin.idle.timeout": "1.5s"}):
        started = a_cluster()
        with Client(started) as client:
            bobbin.register(client)
            begun = time.monotonic()
            # Longer than the limit: nothing ends meanwhile.
            assert client.submit(time.sleep, 3).result() is None
            assert started.status.name == "running" and time.monotonic() - begun >= 3
            until(lambda: started.status.name == "closed", 20)
        closing = time.monotonic()
        started.close()
        assert time.monotonic() - closing < 5
    assert records(settings / "out", "stop")[0]["reason"] == "idle_timeout"
    assert records(settings / "out", "cluster")[0]["idle_timeout_micros"] == 1_500_000


def test_tasks_that_no_worker_can_run_are_work_and_released_results_are_activity(settings):
    with dask.config.set({"bobbin.idle.timeout": "2s"}), a_cluster() as started, Client(started) as client:
        bobbin.register(client)
        waiting = client.submit(abs, -1, resources={"GPU": 1})
        time.sleep(4)
        assert started.status.name == "running"
        kept = client.map(abs, range(-8, 0))
        wait(kept)
        waiting.cancel()
        while kept:
            time.sleep(1)
            kept.pop()
        assert started.status.name == "running"
        until(lambda: started.status.name == "closed", 20)


def test_one_that_did_not_close_is_closed_later_and_that_is_told(settings):
    with dask.config.set({"bobbin.idle.timeout": "1s"}):
        started = a_cluster()
        with Client(started) as client:
            bobbin.register(client)
            close, tries = started.close, []

            def stuck(*arguments, **named):
                tries.append(time.monotonic())
                if len(tries) == 1:
                    raise RuntimeError("not now")
                return close(*arguments, **named)

            started.close = stuck
            until(lambda: started.status.name == "closed", 20)
    assert tries[1] - tries[0] >= 1
    assert records(settings / "out", "stop")[0]["reason"] == "idle_timeout"
    assert records(settings / "out", "sample")[-1]["cost"]["hook_errors"] >= 1


def test_a_plugin_that_was_removed_closes_nothing(settings):
    with dask.config.set({"bobbin.idle.timeout": "1s"}), a_cluster() as started, Client(started) as client:
        bobbin.register(client)
        client.unregister_scheduler_plugin("bobbin")
        time.sleep(3)
        assert started.status.name == "running"


SCRIPT = """
import sys, time
from distributed import Client

with Client(sys.argv[1]) as client:
    # A task that waits for its worker is work.
    client.submit(time.sleep, 9).result()
    print("done")
"""


OURS, THEIRS = "DASK_BOBBIN__IDLE__TIMEOUT", "DASK_COILED__ANALYTICS__IDLE__TIMEOUT"


@pytest.mark.parametrize(
    "version, setting",
    [("oldest", OURS), ("2022", THEIRS), ("2023", OURS), ("2024", OURS), ("2025", OURS), ("newest", OURS), ("newest", THEIRS)],
)
def test_every_version_closes_itself_when_idle_and_not_before(version, setting, settings):
    script = settings / "script.py"
    script.write_text(SCRIPT)
    chosen = {setting: "8 seconds"}
    with cluster(version, settings / "run", workers=1, preload=PLUGIN, environment=chosen) as started:
        assert run(version, script, started.address).strip() == "done"
        until(lambda: started.scheduler.poll() is not None, 30)
    assert records(settings / "run" / "out", "stop")[0]["reason"] == "idle_timeout"
