"""What is switched off never leaves the scheduler."""

import json

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from processes import PLUGIN, cluster
from reports import latest, raw, records, until

NFRAMES = "distributed.diagnostics.computations.nframes"


def a_function_with_a_telling_name(x):
    return x + 1


def work(client):
    a_variable_nobody_should_see = client.map(a_function_with_a_telling_name, range(3))
    return client.gather(a_variable_nobody_should_see)


def log_an_odd_event(dask_scheduler):
    dask_scheduler.log_event("all", {"text": "hello", "odd": [float("nan"), {1, 2}, b"abc", (None, 1.5)]})


def report(settings, **chosen):
    """Runs a small cluster to its end."""
    with dask.config.set({name.replace("__", "."): value for name, value in chosen.items()}):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                work(client)
                client.run_on_scheduler(log_an_odd_event)
                client.log_event("private", {"text": "secret"})
    return settings / "out"


def switches(out):
    return records(out, "cluster")[0]["switches"]


def test_code_is_captured_and_sent_once_if_nothing_is_said(settings):
    out = report(settings)
    assert dask.config.get(NFRAMES) == 2
    sent = [row for row in records(out, "computation") if "code" in row]
    (row,) = sent
    inner = row["code"][-1]
    assert "a_variable_nobody_should_see" in inner["code"]
    assert inner["filename"].endswith("test_switches.py")
    called = inner["code"].splitlines()[inner["line_relative"]]
    assert "client.map(" in called
    assert switches(out) == {
        "code": True,
        "profile": False,
        "exceptions": True,
        "names": True,
        "user": True,
        "host": True,
        "paths": True,
        "remote_close": False,
        "events_allow": ["all", "scheduler", "worker-fail-hard", "worker-restart-memory"],
    }


@pytest.mark.parametrize("name", ["bobbin.code.transmit", "coiled.analytics.computation.code.transmit"])
def test_without_code_there_is_none_in_the_bytes(settings, name):
    with dask.config.set({NFRAMES: 2, name: False}):
        out = report(settings)
    assert b"a_variable_nobody_should_see" not in raw(out)
    assert b'"code":[' not in raw(out)
    assert switches(out)["code"] is False
    assert latest(out, "computation", "computation_id")


@pytest.fixture(params=["file", "environment"])
def written(request, tmp_path, monkeypatch):
    """Writes down a setting of Dask's where a user does."""

    def write(key, value):
        if request.param == "environment":
            monkeypatch.setenv("DASK_" + key.upper().replace(".", "__"), json.dumps(value))
            return
        made = {}
        inner = made
        *parents, last = key.split(".")
        for parent in parents:
            inner = inner.setdefault(parent, {})
        inner[last] = value
        folder = tmp_path / "dask"
        folder.mkdir()
        # Which YAML is, too.
        (folder / "mine.yaml").write_text(json.dumps(made))
        monkeypatch.setattr(dask.config, "paths", [*dask.config.paths, str(folder)])

    return write


def test_who_wrote_down_that_dask_captures_no_code_sends_none(settings, written):
    written(NFRAMES, 0)
    out = report(settings)
    assert dask.config.get(NFRAMES) == 0
    assert not [row for row in records(out, "computation") if "code" in row]
    assert b"a_variable_nobody_should_see" not in raw(out)


def a_proprietary_function(x):
    raise ValueError("what went wrong")  # a line nobody should see


def a_wrong_text(x):
    compile("a_line_of_source = = 1", "somewhere.py", "exec")


def test_without_code_a_traceback_has_places_and_no_source(settings):
    with dask.config.set({"bobbin.code.transmit": False}):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                wait([client.submit(a_proprietary_function, 1), client.submit(a_wrong_text, 1)])
    found = {row["exception_type"]: row for row in records(settings / "out", "exception")}
    lines = found["ValueError"]["traceback"].splitlines()
    assert lines and all(line.startswith('  File "') and ", line " in line for line in lines)
    assert lines[-1].endswith("in a_proprietary_function")
    assert found["ValueError"]["message"] == "what went wrong"
    assert "invalid syntax" in found["SyntaxError"]["message"]
    assert b"nobody should see" not in raw(settings / "out")
    assert b"a_line_of_source" not in raw(settings / "out")


def test_without_code_dask_is_not_told_to_capture_any(settings):
    report(settings, bobbin__code__transmit=False)
    assert dask.config.get(NFRAMES) == 0


def test_events_of_allowed_topics_are_made_plain(settings):
    payloads = [row["payload"] for row in records(report(settings), "event") if row["topic"] == "all"]
    assert {"text": "hello", "odd": [None, {"count": 2}, {"bytes": 3}, [None, 1.5]]} in payloads
    assert b'"text":"secret"' not in raw(settings / "out")


@pytest.mark.parametrize("allowed", [["private"], "private"])
def test_a_topic_can_be_allowed(settings, allowed):
    out = report(settings, bobbin__events__allow=allowed)
    assert {row["topic"] for row in records(out, "event") if row["payload"]} == {"private"}


def test_a_star_allows_all_but_the_topics_of_each_worker_and_client(settings):
    out = report(settings, bobbin__events__allow="*")
    topics = {row["topic"] for row in records(out, "event") if row["count"] is None}
    assert {"all", "private"} <= topics
    assert not [topic for topic in topics if "://" in topic or topic.startswith("Client-")]


@pytest.mark.parametrize("chosen, topics", [({}, bobbin.DEFAULT_TOPICS), ({"events": {"allow": []}}, ())])
def test_what_a_scheduler_inherits_as_a_default_of_the_package_is_nobodys_choice(settings, chosen, topics):
    """As behind SSH: the whole configuration of a client that has the package, in a process that has not."""
    package = {"computation": {"interval": "15s"}, "profile": {"interval": "60s"}, "events": {"allow": ["*"]}, **chosen}
    inherited = {"coiled": {"analytics": package}}
    environment = {"DASK_INTERNAL_INHERIT_CONFIG": dask.config.serialize(inherited), "DASK_BOBBIN__FOLDER": str(settings / "out")}
    environment["DASK_BOBBIN__DESTINATION"] = "file"
    with cluster("newest", settings / "run", workers=0, preload=PLUGIN, environment=environment):
        record = until(lambda: records(settings / "out", "cluster"))[0]
    assert tuple(record["switches"]["events_allow"]) == topics


def test_a_long_event_is_cut(settings):
    with LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
        bobbin.register(client)
        client.log_event("all", {"text": "x" * 100_000})
        event = until(lambda: [row for row in records(settings / "out", "event") if "cut_bytes" in (row["payload"] or ())])[0]
    assert event["payload"]["cut_bytes"] > 100_000
    assert len(event["payload"]["head"]) == 4096


@pytest.mark.parametrize("name", ["bobbin.disabled", "coiled.analytics.disabled"])
def test_disabled_means_nothing_at_all(settings, name):
    report(settings, **{name.replace(".", "__"): True})
    assert not (settings / "out").exists()


def test_disabled_reads_its_settings_once(settings, monkeypatch, caplog):
    made, read = [], bobbin.Settings.__init__

    def counted(self, given=None, quiet=False):
        made.append(quiet)
        read(self, given, quiet)

    chosen = {"bobbin.disabled": True, "bobbin.interval": "soon"}
    with dask.config.set(chosen), LocalCluster(n_workers=0, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            monkeypatch.setattr(bobbin.Settings, "__init__", counted)
            cluster.scale(1)
            for number in range(20):
                assert client.submit(abs, -number, pure=False).result() == number
    assert not made
    assert len([record for record in caplog.records if "cannot use these settings" in record.getMessage()]) == 1


def test_what_the_published_client_ships_as_a_default_is_not_a_choice(settings):
    shipped = {"coiled": {"analytics": {"computation": {"interval": "10 minutes"}, "events": {"allow": "*"}}}}
    with dask.config.set({"bobbin.interval": None}):
        dask.config.defaults.append(shipped)
        try:
            with dask.config.set(shipped):
                assert bobbin.Settings().interval == 10
                assert bobbin.Settings().events == bobbin.DEFAULT_TOPICS
            with dask.config.set({"coiled.analytics.computation.interval": "20s"}):
                assert bobbin.Settings().interval == 20
        finally:
            dask.config.defaults.remove(shipped)


def test_what_is_written_down_is_a_choice_also_where_it_is_the_default(settings, written):
    shipped = {"coiled": {"analytics": {"events": {"allow": ["*"]}}}}
    dask.config.defaults.append(shipped)
    try:
        with dask.config.set(shipped):
            assert bobbin.Settings().events == bobbin.DEFAULT_TOPICS
            written("coiled.analytics.events.allow", ["*"])
            assert bobbin.Settings().events == ("*",)
    finally:
        dask.config.defaults.remove(shipped)


@pytest.mark.parametrize(
    "client, scheduler, told",
    [
        ("*", [], ()),
        ([], "*", ()),
        ("*", ["a"], ("a",)),
        ("a,b", "*", ("a", "b")),
        (["a", "b"], ["b", "c"], ("b",)),
        (None, ["a"], ("a",)),
        (["a"], None, ("a",)),
        (False, "*", ()),
    ],
)
def test_a_topic_is_told_only_where_nobody_left_it_out(settings, client, scheduler, told):
    given = {} if client is None else {"events.allow": client}
    with dask.config.set({"bobbin.events.allow": scheduler}):
        assert bobbin.Settings(given).events == told


def test_a_switch_is_on_only_where_nobody_turned_it_off(settings):
    assert not bobbin.Settings({"code.transmit": False}).code
    with dask.config.set({"bobbin.code.transmit": False}):
        assert not bobbin.Settings({"code.transmit": True}).code
    assert not bobbin.Settings().remote_close


@pytest.mark.parametrize("word, on", [("n", False), ("Disabled", False), ("never", False), ("y", True), ("maybe", True)])
def test_a_switch_may_be_a_word_and_one_without_sense_was_not_said(word, on, caplog):
    with dask.config.set({"bobbin.names.transmit": word}):
        assert bobbin.Settings().names is on
        assert ("names.transmit" in caplog.text) == (word == "maybe")
        assert not bobbin.Settings({"names.transmit": False}).names
