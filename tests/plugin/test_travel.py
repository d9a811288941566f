"""The plugin travels to other processes as text."""

import json
import pickle
import pickletools
import sys

import bobbin
import dask
import pytest
from distributed import Client
from distributed.protocol.pickle import dumps
from processes import PLUGIN, cluster, run
from reports import records, until


def test_a_pickle_of_it_names_nothing_but_eval():
    for data in (pickle.dumps(bobbin.BobbinPlugin({"project": "p"})), dumps(bobbin.BobbinPlugin())):
        texts = [argument for _, argument, _ in pickletools.genops(data) if isinstance(argument, str) and len(argument) < 100]
        assert texts == ["builtins", "eval"]


def test_what_a_client_says_comes_before_what_the_schedulers_process_says(settings):
    with dask.config.set({"bobbin.interval": "60s", "bobbin.project": "of the scheduler"}):
        there = bobbin.Settings({"interval": "5s", "project": "of the client"})
    assert (there.interval, there.project) == (5, "of the client")


def test_where_the_module_is_loaded_it_is_used():
    copy = pickle.loads(pickle.dumps(bobbin.BobbinPlugin({"project": "it's \"quoted\" \\ 🧵"})))
    assert type(copy) is bobbin.BobbinPlugin
    assert copy._given == {"project": "it's \"quoted\" \\ 🧵"}


def test_where_another_version_is_loaded_a_module_is_made(monkeypatch):
    data = pickle.dumps(bobbin.BobbinPlugin())
    monkeypatch.setattr(bobbin, "_SOURCE", "something else")
    monkeypatch.delitem(sys.modules, "bobbin_telemetry", raising=False)
    copy = pickle.loads(data)
    assert type(copy) is not bobbin.BobbinPlugin
    assert type(copy).__module__ == "bobbin_telemetry"
    # And from there it travels on.
    assert type(pickle.loads(pickle.dumps(copy))) is type(copy)
    sys.modules.pop("bobbin_telemetry")


REGISTER = """
import sys
sys.path.insert(0, sys.argv[2])
import bobbin
from distributed import Client

with Client(sys.argv[1]) as client:
    bobbin.register(client)
    bobbin.register()
    assert client.gather(client.map(abs, range(-10, 0))) == list(range(10, 0, -1))
"""


@pytest.mark.parametrize("version", ["newest", "2022"])
def test_register_reaches_a_scheduler_in_another_process(version, settings):
    script = settings / "register.py"
    script.write_text(REGISTER)
    with cluster(version, settings / "run") as started:
        chosen = {"DASK_BOBBIN__PROJECT": "of the client", "DASK_BOBBIN__TAGS": "{'team': 'a'}"}
        run(version, script, started.address, PLUGIN.parent, environment=chosen)
        until(lambda: records(settings / "run" / "out", "cluster"))
    # Where the machine is slow it is told again, with a longer interval.
    for row in records(settings / "run" / "out", "cluster"):
        assert row["project"] == "of the client" and row["tags"] == {"team": "a"}
        assert row["cluster_class"] is None
    assert len(records(settings / "run" / "out", "stop")) == 1
    assert records(settings / "run" / "out", "sample")[-1]["totals"]["tasks_completed"] == 10


def test_register_carries_what_the_client_was_told_and_no_more(settings):
    path = settings / "t"
    path.write_text("bobbinsecret\n")
    chosen = {"bobbin.token-file": str(path), "bobbin.code.transmit": False, "bobbin.data-dir": str(settings)}
    with dask.config.set(chosen):
        said = bobbin._explicit()
    assert said["token"] == "bobbinsecret" and said["code.transmit"] is False
    assert said["data-dir"] == str(settings) and "token-file" not in said and "name" not in said


def test_register_carries_what_was_said_by_the_keys_of_the_original_too(settings):
    said = {"events.allow": ["mine"], "idle.timeout": "20 minutes", "computation.interval": "3s", "profile.transmit": True}
    with dask.config.set({"coiled.analytics." + key: value for key, value in said.items()}):
        with dask.config.set({"bobbin.interval": None}):
            given = bobbin._explicit()
    assert {"events.allow": ["mine"], "idle.timeout": "20 minutes", "interval": "3s", "profile.transmit": True}.items() <= given.items()
    # In another process, which was told nothing.
    there = bobbin.Settings(given)
    assert (there.events, there.idle_timeout, there.profile) == (("mine",), 1200, True)
    with dask.config.set({"coiled.analytics.events.allow": ["mine"], "bobbin.events.allow": ["ours"]}):
        assert bobbin._explicit()["events.allow"] == ["ours"]


def test_a_clients_folder_is_used_where_the_scheduler_has_none_of_its_own(settings, monkeypatch):
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(settings / "of the client"))
    given = bobbin._explicit()
    assert bobbin._data_dir(bobbin.Settings(given)) == str(settings / "of the client")
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(settings / "of the scheduler"))
    assert bobbin._data_dir(bobbin.Settings(given)) == str(settings / "of the scheduler")
    monkeypatch.delenv("BOBBIN_DATA_DIR")
    assert bobbin._data_dir(bobbin.Settings(given)) == str(settings / "of the client")
    with dask.config.set({"bobbin.data-dir": "/somewhere"}):
        assert bobbin._data_dir(bobbin.Settings(given)) == "/somewhere"


def test_only_plain_values_travel(settings):
    circular = {}
    circular["itself"] = circular
    odd = {"bobbin.tags": {(1, 2): {3}, "a": "b"}, "bobbin.interval": float("nan"), "bobbin.name": object(), "bobbin.project": circular}
    with dask.config.set(odd):
        given = bobbin._explicit()
        copy = pickle.loads(pickle.dumps(bobbin.BobbinPlugin(given)))
    assert copy._given == given == json.loads(json.dumps(given))
    assert given["tags"] == {"(1, 2)": {"count": 1}, "a": "b"} and "interval" not in given


def test_an_asynchronous_client_gets_something_to_await(settings):
    import asyncio

    async def story():
        from distributed import LocalCluster

        options = {"n_workers": 1, "processes": False, "dashboard_address": ":0", "asynchronous": True}
        async with LocalCluster(**options) as local, Client(local, asynchronous=True) as client:
            await bobbin.register(client)
            assert await client.submit(abs, -1) == 1

    asyncio.run(story())
    assert records(settings / "out", "stop")


def test_a_preload_as_text_works_and_a_missing_file_harms_nobody(settings):
    text = """
def dask_setup(scheduler):
    try:
        import importlib.util
        spec = importlib.util.spec_from_file_location("bobbin_preload", %r)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.dask_setup(scheduler)
    except Exception:
        pass
"""
    from distributed import LocalCluster

    for path, reports in ((PLUGIN.parent / "absent.py", 0), (PLUGIN, 1)):
        with dask.config.set({"distributed.scheduler.preload": [text % str(path)]}):
            with LocalCluster(n_workers=1, processes=False, dashboard_address=":0") as local, Client(local) as client:
                assert client.submit(abs, -1).result() == 1
        found = records(settings / "out", "cluster") if reports else []
        assert len(found) == reports
    assert found[0]["cluster_class"] == "LocalCluster"
