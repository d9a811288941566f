"""A guest in somebody's scheduler: it never raises, never waits, and starts once."""

import os
import socket
import subprocess
import sys
import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from processes import PLUGIN
from processes import cluster as scheduler
from reports import batches, records, until
from spools import lag


CIRCULAR = {}
CIRCULAR["itself"] = CIRCULAR


def a_cluster(**options):
    return LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", **options)


def plugin_of(cluster):
    return cluster.scheduler.plugins["bobbin"]


def headers(settings):
    return [header for header, _ in batches(settings / "out")]


def test_registering_and_starting_twice_is_the_same_as_once(settings):
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
        first = plugin_of(cluster)._run
        bobbin.register(client)
        client.sync(plugin_of(cluster).start, cluster.scheduler)
        assert plugin_of(cluster)._run is first
        assert client.submit(abs, -1).result() == 1
    assert len({header["instance_id"] for header in headers(settings)}) == 1
    assert len(records(settings / "out", "stop")) == 1


def test_another_live_instance_is_joined_not_doubled(settings):
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)

        async def second(dask_scheduler):
            # As Dask before 2022.5.2 does it: start, then take the place of the first.
            plugin = bobbin.BobbinPlugin()
            await plugin.start(dask_scheduler)
            dask_scheduler.plugins["bobbin"] = plugin

        client.run_on_scheduler(second)
        assert client.gather(client.map(abs, range(-5, 0))) == [5, 4, 3, 2, 1]
    assert len({header["instance_id"] for header in headers(settings)}) == 1
    assert records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == 5
    assert len(records(settings / "out", "stop")) == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"bobbin.interval": "soon"},
        {"bobbin.tags": 17},
        {"bobbin.receiver": "ftp://somewhere", "bobbin.destination": "receiver"},
        {"bobbin.receiver": "http://203.0.113.9:8788", "bobbin.destination": "receiver"},
        {"bobbin.receiver": "https://localhost:8788", "bobbin.destination": "receiver"},
        {"bobbin.folder": "/proc/nowhere"},
        {"bobbin.token-file": "/nowhere", "bobbin.destination": "receiver"},
        {"bobbin": "nonsense"},
        {"bobbin": None},
        {"bobbin.events.allow": True},
        {"bobbin.events.allow": 5},
        {"bobbin.tags": {(1, 2): "x", None: {3}}},
        {"bobbin.tags": CIRCULAR},
        {"bobbin.interval": float("nan")},
        {"bobbin.interval": ["10s"]},
        {"bobbin.token-file": "a\0b", "bobbin.destination": "receiver"},
        {"bobbin.token": "a\nb", "bobbin.receiver": "http://127.0.0.1:9", "bobbin.destination": "receiver"},
        {"bobbin.receiver": "http://[::1", "bobbin.destination": "receiver"},
        {"bobbin.project": {"a": 1}, "bobbin.name": object()},
    ],
    ids=lambda wrong: repr(wrong).partition(" object at ")[0],
)
def test_wrong_settings_harm_nobody(settings, wrong):
    with dask.config.set(wrong):
        start = time.monotonic()
        with a_cluster() as cluster, Client(cluster) as client:
            bobbin.register(client)
            assert client.submit(abs, -1).result() == 1
            assert plugin_of(cluster)._run is not None
        assert time.monotonic() - start < 5


def test_settings_that_cannot_be_used_are_defaults_and_told_once(settings, caplog):
    wrong = {"bobbin.events.allow": 5, "bobbin.tags": [1], "bobbin.interval": "soon", "bobbin.project": "mine", "bobbin.destination": "folder"}
    with dask.config.set(wrong):
        found = bobbin.Settings()
    assert (found.events, found.tags, found.interval, found.project) == (bobbin.DEFAULT_TOPICS, {}, 10, "mine")
    (told,) = [record.getMessage() for record in caplog.records if record.levelname == "WARNING"]
    assert told.endswith("interval, events.allow, tags, destination.") and found.destination == "receiver"
    with dask.config.set({"bobbin.destination": " File"}):
        assert bobbin.Settings().destination == "file"


def test_a_token_that_cannot_be_sent_is_not_told(settings, caplog):
    caplog.set_level("DEBUG", "distributed.bobbin")
    chosen = {"bobbin.destination": "receiver", "bobbin.receiver": "http://127.0.0.1:9", "bobbin.token": "secret\nline"}
    with dask.config.set(chosen), a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
        until(lambda: plugin_of(cluster)._run.outbox.told)
    assert "secret" not in caplog.text and "the token must be one word" in caplog.text


def test_a_start_that_fails_inside_is_not_seen_outside(settings, monkeypatch):
    with a_cluster() as cluster, Client(cluster) as client:
        monkeypatch.setattr(bobbin, "_Run", None)
        bobbin.register(client)
        assert plugin_of(cluster)._run is None
        assert client.submit(abs, -1).result() == 1
        client.sync(bobbin.BobbinPlugin().start, None)


def test_errors_in_hooks_are_counted_and_told(settings, monkeypatch):
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
        run = plugin_of(cluster)._run

        def broken(*arguments, **named):
            raise RuntimeError("a hook of ours")

        for name in ("graph_came", "event_came", "task_erred", "workers_changed"):
            monkeypatch.setattr(run, name, broken)
        assert client.submit(abs, -1).result() == 1
        with pytest.raises(ZeroDivisionError):
            client.submit(divmod, 1, 0).result()
        cluster.scale(2)
        until(lambda: len(cluster.scheduler.workers) == 2)
        until(lambda: any(row["cost"]["hook_errors"] >= 3 for row in records(settings / "out", "sample")))
    assert records(settings / "out", "stop")


def test_an_unreadable_group_does_not_stop_the_reports(settings):
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
        kept = client.submit(abs, -1)
        kept.result()

        def spoil(dask_scheduler):
            class Odd:
                name = "odd"
                dependencies = ()

                @property
                def states(self):
                    raise RuntimeError("unreadable")

            dask_scheduler.task_groups["odd"] = Odd()

        client.run_on_scheduler(spoil)
        until(lambda: any(row["cost"]["hook_errors"] > 1 for row in records(settings / "out", "sample")))
        assert "abs" in {row["name"] for row in records(settings / "out", "task_group")}
        client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.task_groups.pop("odd") and None)


@pytest.mark.parametrize("how", ["never answers", "nobody listens", "no receiver known"])
def test_closing_without_a_receiver_is_quick(settings, how):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if how == "nobody listens":
            listener.close()
        chosen = {"bobbin.destination": "receiver", "bobbin.token": "bobbintoken"}
        if how != "no receiver known":
            chosen["bobbin.receiver"] = "http://127.0.0.1:%d" % port
        with dask.config.set(chosen):
            cluster = a_cluster()
            client = Client(cluster)
            start = time.monotonic()
            bobbin.register(client)
            assert time.monotonic() - start < 1
            assert client.submit(abs, -1).result() == 1
            time.sleep(1)
            client.close()
            start = time.monotonic()
            cluster.close()
            taken = time.monotonic() - start
    assert taken < (5 if how == "never answers" else 2)


@pytest.mark.parametrize("how", ["nobody listens", "no receiver known"])
def test_with_nobody_there_the_end_comes_as_soon_as_without_the_plugin(settings, how):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    chosen = {"bobbin.destination": "receiver"}
    if how == "nobody listens":
        chosen.update({"bobbin.receiver": "http://127.0.0.1:%d" % port, "bobbin.token": "t"})

    def closing(disabled):
        with dask.config.set(dict(chosen, **{"bobbin.disabled": disabled})):
            cluster = a_cluster()
            client = Client(cluster)
            bobbin.register(client)
            assert client.submit(abs, -1).result() == 1
            client.close()
            start = time.monotonic()
            cluster.close()
            return time.monotonic() - start

    assert min(closing(False) for _ in range(3)) - min(closing(True) for _ in range(3)) < 0.3


def test_all_hooks_of_a_closing_scheduler_wait_once(settings, monkeypatch):
    monkeypatch.setattr(bobbin, "DRAIN_SECONDS", 0.8)
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
        plugin = plugin_of(cluster)
        until(lambda: records(settings / "out", "sample"))
        # As if a receiver answered slowly, and never with the last word.
        for end in (plugin._run.outbox.done, plugin._run.outbox.settled):
            monkeypatch.setattr(end, "is_set", lambda: False)
        start = time.monotonic()
        client.sync(plugin.before_close)
        assert 0.7 < time.monotonic() - start < 1.5
        start = time.monotonic()
        client.sync(plugin.close)
        plugin._run.at_exit()
        assert time.monotonic() - start < 0.2


def test_a_silent_receiver_does_not_delay_the_loop(settings):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        chosen = {"bobbin.destination": "receiver", "bobbin.receiver": "http://127.0.0.1:%d" % listener.getsockname()[1]}
        with dask.config.set(dict(chosen, **{"bobbin.token": "t"})), a_cluster() as cluster, Client(cluster) as client:
            bobbin.register(client)

            assert lag(client) < 0.5


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
import bobbin
from distributed import Client, LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
    client = Client(cluster)
    bobbin.register(client)
    futures = client.map(abs, range(-20, 0))
    client.gather(futures)
"""


def test_a_script_that_ends_without_closing_still_says_all(settings, monkeypatch):
    script = settings / "script.py"
    script.write_text(SCRIPT)
    monkeypatch.setenv("DASK_BOBBIN__DESTINATION", "file")
    monkeypatch.setenv("DASK_BOBBIN__FOLDER", str(settings / "out"))
    monkeypatch.setenv("DASK_BOBBIN__INTERVAL", "60s")
    done = subprocess.run([sys.executable, str(script), str(PLUGIN.parent)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert records(settings / "out", "stop")[0]["reason"] == "exit"
    assert records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == 20


FORK = """
import os, sys, time
sys.path.insert(0, sys.argv[1])
import bobbin
from distributed import Client, LocalCluster

if __name__ == "__main__":
    cluster = LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0")
    client = Client(cluster)
    bobbin.register(client)
    client.submit(abs, -1).result()
    run = cluster.scheduler.plugins["bobbin"]._run
    run.outbox.wake.acquire()
    start = time.monotonic()
    child = os.fork()
    if child == 0:
        run.outbox.offer([("stop", "stop", {"kind": "stop"})])
        run.at_exit()
        run._tick()
        run.finish("of a child")
        os._exit(0 if time.monotonic() - start < 0.5 else 1)
    run.outbox.wake.release()
    done, status = os.waitpid(child, 0)
    print("child", status, flush=True)
    client.close()
    cluster.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="only where processes can be forked")
def test_a_process_that_is_forked_off_neither_waits_nor_says_anything(settings, monkeypatch):
    script = settings / "script.py"
    script.write_text(FORK)
    monkeypatch.setenv("DASK_BOBBIN__DESTINATION", "file")
    monkeypatch.setenv("DASK_BOBBIN__FOLDER", str(settings / "out"))
    done = subprocess.run([sys.executable, str(script), str(PLUGIN.parent)], capture_output=True, text=True, timeout=60)
    assert "child 0" in done.stdout, done.stderr
    assert [row["reason"] for row in records(settings / "out", "stop")] == ["closed"]


def test_files_are_for_their_user_only(settings):
    with a_cluster() as cluster, Client(cluster) as client:
        bobbin.register(client)
    assert (settings / "out").stat().st_mode & 0o777 == 0o700
    (path,) = (settings / "out").iterdir()
    assert path.stat().st_mode & 0o777 == 0o600


def test_it_needs_nothing_newer_than_python_3_8():
    import ast

    ast.parse(PLUGIN.read_text(), feature_version=(3, 8))
    ast.parse((PLUGIN.parent / "served.py").read_text(), feature_version=(3, 8))


def test_the_2022_scheduler_starts_where_the_plugin_has_no_receiver(settings):
    quiet = {"DASK_BOBBIN__DESTINATION": "receiver", "BOBBIN_DATA_DIR": str(settings / "nothing")}
    with scheduler("2022", settings / "run", workers=0, preload=PLUGIN, environment=quiet) as started:
        time.sleep(1)
        assert started.scheduler.poll() is None
    assert started.scheduler.returncode is not None
    assert "Traceback" not in started.log.read_text()
