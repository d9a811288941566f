"""Whoever registers after the first may switch off, and nothing on: also where Dask drops their plugin without a word."""

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from processes import PLUGIN, cluster, run
from reports import batches, latest, raw, records, until

QUIET = {
    "bobbin.code.transmit": False,
    "bobbin.exceptions.transmit": False,
    "bobbin.names.transmit": False,
    "bobbin.events.allow": ["scheduler", "mine"],
}
NAME = "telling"


@pytest.fixture
def client():
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            yield client


def secret(number):
    """The code around a call is told, and does not have it."""
    return "secret number %d" % number


def run_of(client):
    return client.cluster.scheduler.plugins["bobbin"]._run


def refuse_with(text):
    raise ValueError(text)


def newest(folder, kind):
    """Each instance has a file of its own."""
    return max(records(folder, kind), key=lambda row: row["at_micros"])


def test_what_the_second_switches_off_is_off_and_nothing_is_lost(client, settings):
    client.submit(refuse_with, secret(1)).exception()
    until(lambda: records(settings / "out", "exception"))
    with dask.config.set(QUIET):
        bobbin.register(client)
    assert run_of(client).settings.switches() == {
        **bobbin.Settings().switches(),
        "code": False,
        "exceptions": False,
        "names": False,
        "events_allow": ["scheduler"],
    }
    client.submit(refuse_with, secret(2), key=NAME + "-" + "0" * 32).exception()
    client.log_event("mine", secret(3))
    until(lambda: sum(row["count"] for row in latest(settings / "out", "exception", "exception_id").values()) == 2)
    client.close()
    client.cluster.close()
    text = raw(settings / "out").decode()
    assert secret(1) in text
    assert not [word for word in (secret(2), NAME, secret(3)) if word in text]
    assert len({header["instance_id"] for header, _ in batches(settings / "out")}) == 2
    assert newest(settings / "out", "cluster")["switches"]["code"] is False
    # Each instance counts what it saw.
    erred = {}
    for header, rows in batches(settings / "out"):
        for row in rows:
            if row["kind"] == "sample":
                erred[header["instance_id"]] = max(row["totals"]["tasks_erred"], erred.get(header["instance_id"], 0))
    assert list(erred.values()) == [1, 1]
    assert len(records(settings / "out", "stop")) == 1


def test_what_the_second_switches_on_stays_off(client, settings):
    before = run_of(client)
    with dask.config.set({"bobbin.profile.transmit": True, "bobbin.remote-close": True, "bobbin.events.allow": "*"}):
        bobbin.register(client)
    # Nothing is new, so that all goes on as it was.
    assert run_of(client) is before and not before.finished


def test_whoever_disables_it_ends_the_reports(client, settings):
    until(lambda: records(settings / "out", "sample"))
    with dask.config.set({"bobbin.disabled": True}):
        bobbin.register(client)
    run = run_of(client)
    assert run.left and run.outbox.done.wait(10)
    told = len(records(settings / "out"))
    assert client.submit(abs, -1).result() == 1
    client.cluster.scale(2)
    client.wait_for_workers(2)
    assert run_of(client) is run and len(records(settings / "out")) == told


def test_settings_that_make_no_sense_change_nothing(client, settings):
    before = run_of(client)
    client.cluster.scheduler.plugins["bobbin"].heed({"code.transmit": "perhaps", "events.allow": 7, "names.transmit": None})
    assert run_of(client) is before


def test_another_cluster_of_the_process_is_left_alone(client, settings):
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as other, Client(other, set_as_default=False) as second:
        with dask.config.set(QUIET):
            bobbin.register(second)
        assert run_of(client).settings.code and not other.scheduler.plugins["bobbin"]._run.settings.code


SCRIPT = """
import sys
sys.path.insert(0, sys.argv[2])
import bobbin
from distributed import Client

def refuse_with(text):
    raise ValueError(text)

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        bobbin.register(client)
        # Its code is not switched off.
        client.submit(refuse_with, " ".join(["my", "secret"])).exception()
"""


@pytest.mark.parametrize("version", ["newest", "oldest", "2022", "2023", "2024", "2025"])
def test_a_client_of_a_scheduler_that_has_it_from_a_preload_switches_off(version, settings):
    script = settings / "script.py"
    script.write_text(SCRIPT)
    quiet = {"DASK_BOBBIN__EXCEPTIONS__TRANSMIT": "false"}
    with cluster(version, settings / "run", preload=PLUGIN) as started:
        run(version, script, started.address, PLUGIN.parent, environment=quiet)
        out = settings / "run" / "out"
        (row,) = until(lambda: latest(out, "exception", "exception_id").values())
    assert (row["exception_type"], row["message"], row["traceback"]) == ("ValueError", None, None)
    assert "my secret" not in raw(out).decode()
    assert newest(out, "cluster")["switches"]["exceptions"] is False


def test_who_was_disabled_by_a_second_notes_nothing_more(client):
    held = client.submit(abs, -1)
    held.result()
    run = run_of(client)
    (group,) = [group for group in run.groups.known.values() if group.held.name == "abs"]
    with dask.config.set({"bobbin.disabled": True}):
        bobbin.register(client)
    assert run.finished
    before = len(group.times.waiting)
    more = client.map(abs, range(20))
    client.gather(more)
    assert len(group.times.waiting) == before


def test_the_topics_of_the_default_are_without_routine_whoever_names_them():
    settings = bobbin.Settings({"events.allow": ["*"]})
    assert not settings.without_routine
    settings.narrow({"events.allow": list(bobbin.DEFAULT_TOPICS)})
    assert settings.without_routine and set(settings.events) == set(bobbin.DEFAULT_TOPICS)
