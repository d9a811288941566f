"""The reading API: over real stores, on the oldest and the newest Python."""

import contextlib
import datetime
import inspect
import json
import re
import sqlite3
import subprocess
import sys
import time
import warnings
from pathlib import Path
from types import SimpleNamespace

import pytest
from conftest import REPOSITORY, SECOND, batch, copied_plugin, event, failure, python, records

import bobbin_reader
from bobbin_reader import command
from bobbin_reader import store as store_of
from bobbin_reader.card import money
from bobbin_reader.store import at as store_at

HOUR = datetime.timedelta(hours=1)


@pytest.fixture
def store(bobbin, monkeypatch):
    ago = int(time.time() * 1e6) - 3600 * SECOND
    start, end, lines = records("first", start=ago, more=[failure(ago), event(ago)])
    old = records("old", start=int(time.time() * 1e6) - 30 * 86400 * SECOND)
    bobbin.told(("first", (start, end, lines)), ("old", old))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    return bobbin


def same(listed, told):
    """A row of ours is that of the command."""
    micros = lambda at: None if at is None else round(at.timestamp() * 1e6)  # noqa: E731
    assert {key: listed[key] for key in ("id", "scheduler_id", "sample", "name", "state", "user", "host", "project", "tags")} == {
        key: told[key] for key in ("id", "scheduler_id", "sample", "name", "state", "user", "host", "project", "tags")}
    for ours, theirs in (("started", "started_micros"), ("last_heard", "last_heard_micros")):
        assert micros(listed[ours]) == told[theirs] and listed[ours].tzinfo is not None
    for name in ("workers_peak", "threads_peak", "memory_peak_bytes", "tasks_completed", "tasks_erred", "compute_seconds",
                 "thread_seconds", "efficiency", "result_bytes", "computations", "exceptions"):
        assert listed[name] == told[name], name


def test_the_lists_are_those_of_the_command(store):
    listed = bobbin_reader.list_clusters(since=None)
    told = store.ask("clusters")["rows"]
    assert [row["name"] for row in listed] == ["first", "old"]
    for ours, theirs in zip(listed, told):
        same(ours, theirs)
    assert [row["name"] for row in bobbin_reader.list_clusters()] == ["first"]
    assert [row["name"] for row in bobbin_reader.list_clusters(since=HOUR * 24 * 40)] == ["first", "old"]
    assert bobbin_reader.list_clusters(since=datetime.datetime.now().astimezone() + HOUR) == []
    assert bobbin_reader.list_clusters(since=None, user="nobody") == []
    assert len(bobbin_reader.list_clusters(since=None, limit=1)) == 1


def test_what_is_sealed_is_said_to_be_locked_until_the_command_is_asked(store):
    (computation,) = bobbin_reader.list_computations(1)
    assert (computation["code"], computation["locked"], computation["groups"]) == (None, True, ["inc-5f3a9c01"])
    assert computation["compute_seconds"] == 40.0
    (failed,) = bobbin_reader.list_exceptions(cluster_id=1)
    assert (failed["type"], failed["message"], failed["locked"], failed["count"]) == ("ValueError", None, True, 2)
    (happened,) = bobbin_reader.list_events(scheduler_id="Scheduler-first")
    assert (happened["topic"], happened["payload"], happened["locked"]) == ("all", None, True)
    (computation,) = bobbin_reader.list_computations(1, text=True)
    assert computation["code"][0]["code"] == "zqcanarycode()" and not computation["locked"]
    (failed,) = bobbin_reader.list_exceptions(cluster_id=1, text=True)
    assert (failed["message"], failed["traceback"], failed["locked"]) == ("zqcanarymessage", "zqcanarytraceback", False)
    (happened,) = bobbin_reader.list_events(1, text=True)
    assert (happened["payload"], happened["locked"]) == ({"text": "zqcanarypayload"}, False)
    # What is on the disk and not sealed never holds such text.
    assert b"zqcanarymessage" not in (store.folder / "bobbin.sqlite").read_bytes()


def test_a_filter_is_the_list_s_own(store):
    names = lambda text: [row["name"] for row in bobbin_reader.list_clusters(since=None, filter=text)]  # noqa: E731
    assert names("has:exception") == ["first"]
    assert names("-has:exception") == ["old"]
    assert names("user:nobody") == []
    # As the manual has it: no shell takes quotes away here.
    assert names("state:finished workers>=1") == ["first", "old"]
    with pytest.raises(bobbin_reader.BobbinError, match="statee|filter"):
        names("statee:lost")


def test_a_list_that_nobody_asked_to_cut_says_that_there_is_more(store, monkeypatch):
    monkeypatch.setattr(bobbin_reader, "MOST", 1)
    for filter in (None, "project:etl"):
        with pytest.warns(UserWarning, match="only the first 1 rows are listed: pass limit=") as caught:
            assert [row["name"] for row in bobbin_reader.list_clusters(since=None, filter=filter)] == ["first"]
        # In the caller's line.
        assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(bobbin_reader.list_clusters(since=None, limit=1)) == 1
        for asked in (bobbin_reader.list_computations, bobbin_reader.list_events, bobbin_reader.list_exceptions):
            assert len(asked(cluster_id=1)) == 1
    monkeypatch.setattr(bobbin_reader, "MOST", 0)
    for asked in (bobbin_reader.list_computations, bobbin_reader.list_events, bobbin_reader.list_exceptions):
        with pytest.warns(UserWarning, match="limit="):
            assert asked(cluster_id=1, text=True) == []


def test_a_filter_and_a_user_together_find_what_stands_on_a_later_page(bobbin, monkeypatch):
    now = int(time.time() * 1e6)
    ours, theirs = (records(name, start=now - ago * SECOND) for name, ago in (("ours", 7200), ("theirs", 3600)))
    theirs[2][0]["user"] = "another"
    bobbin.told(("ours", ours), ("theirs", theirs))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    monkeypatch.setattr(command, "PAGE", 1)
    names = lambda **asked: [row["name"] for row in bobbin_reader.list_clusters(filter="project:etl", **asked)]  # noqa: E731
    assert names() == ["theirs", "ours"]
    assert names(limit=1) == ["theirs"]
    assert names(limit=1, user="zqcanaryuser") == ["ours"]


def test_text_of_more_rows_than_are_told_is_refused_and_not_called_locked(store, monkeypatch):
    monkeypatch.setattr(command, "PAGE", 0)
    for asked in (bobbin_reader.list_computations, bobbin_reader.list_events):
        assert len(asked(1)) == 1
        with pytest.raises(bobbin_reader.BobbinError, match="limit=0"):
            asked(1, text=True)
    with pytest.raises(bobbin_reader.BobbinError, match="limit=0"):
        bobbin_reader.list_exceptions(cluster_id=1, text=True)


def test_an_event_that_is_not_told_hides_none_of_the_others(monkeypatch):
    def row(at, topic):
        return {"at": store_at(at), "topic": topic, "payload": None, "locked": True}

    told = [{"at_micros": at, "topic": "all", "payload": {"is": "text", "text": str(at)}} for at in (5, 3, 2)]
    monkeypatch.setattr(command, "shown", lambda folder, cluster: {"events": {"rows": told}})
    rows = [row(4, "all"), row(3, "all"), row(2, "all")]
    command.open_events(None, 1, rows)
    assert [(one["payload"], one["locked"]) for one in rows] == [(None, True), (3, False), (2, False)]


def test_it_reads_while_bobbin_writes(store, monkeypatch):
    process, listening = store.serve()
    try:
        for n in range(5):
            name = "live-%d" % n
            _, end, lines = records(name)
            store.post(listening, batch(name, lines[:-1], end))
            assert name in [row["name"] for row in bobbin_reader.list_clusters(since=None)]
    finally:
        process.terminate()
        assert process.wait(timeout=120) == 0
    assert len(bobbin_reader.list_clusters(since=None)) == 7


def test_a_lost_cluster_is_finished_here_too_where_somebody_said_so_since_it_was_heard(store):
    for mark, state in ((None, "lost"), (0, "finished"), (-1, "lost")):
        with contextlib.closing(sqlite3.connect(store.folder / "bobbin.sqlite")) as db, db:
            db.execute("update cluster_total set stop_at_micros = null, silent_after_micros = 0, "
                       "finished_mark_micros = last_heard_micros + ?", (mark,))
        told = store.ask("clusters")["rows"]
        listed = bobbin_reader.list_clusters(since=None)
        assert [row["state"] for row in listed] == [row["state"] for row in told] == [state, state]
        stops = [store_at(row["stopped_micros"]) if state == "finished" else None for row in told]
        assert [row["stopped"] for row in listed] == stops


def test_what_goes_wrong_says_what_to_do(store, tmp_path, monkeypatch):
    wrong = bobbin_reader.BobbinError
    with pytest.raises(wrong, match="data_dir="):
        bobbin_reader.list_clusters(data_dir=tmp_path / "nowhere")
    assert not (tmp_path / "nowhere").exists()
    with pytest.raises(wrong, match="7 days"):
        bobbin_reader.list_clusters(since="lately")
    with pytest.raises(wrong, match="time zone"):
        bobbin_reader.list_clusters(since=datetime.datetime(2026, 1, 1))
    with pytest.raises(wrong, match="limit=-1"):
        bobbin_reader.list_clusters(limit=-1)
    with pytest.raises(wrong, match="cluster_id or"):
        bobbin_reader.list_computations()
    with pytest.raises(wrong, match="99"):
        bobbin_reader.list_events(99)
    other = tmp_path / "other"
    other.mkdir()
    (other / "bobbin.sqlite").write_bytes(b"no database" * 100)
    with pytest.raises(wrong, match="cannot be read"):
        bobbin_reader.list_clusters(data_dir=other)
    monkeypatch.setenv("BOBBIN_COMMAND", "no-such-command-here")
    with pytest.raises(wrong, match="BOBBIN_COMMAND"):
        bobbin_reader.list_clusters(filter="x")
    # The card does without.
    assert "first" in repr(bobbin_reader.last())


def test_the_card_escapes_what_a_cluster_calls_itself(bobbin, monkeypatch):
    hostile = '<script>alert(1)</script>"\u202e\x1b[2J'
    bobbin.told((hostile, records(hostile)))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    card = bobbin_reader.last()
    shown = card._repr_html_()
    assert "<script" not in shown and "&lt;script&gt;" in shown
    for character in ("\u202e", "\x1b"):
        assert character not in shown and character not in repr(card)
    assert "prefers-color-scheme: dark" in shown and 'href="bobbin://cluster/1"' in shown
    assert set(card._repr_mimebundle_()) == {"text/plain", "text/html"}
    # Nothing is fetched, and nothing runs.
    assert not re.search(r"https?:|src=|on\w+=|url\(", shown)
    assert card.cluster["id"] == 1
    with pytest.raises(bobbin_reader.BobbinError, match="cluster 7"):
        bobbin_reader.last(7)


def test_the_card_links_by_the_id_that_every_bobbin_knows(bobbin, monkeypatch):
    bobbin.told(("first", records("first")))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    assert bobbin_reader.last().link == "bobbin://cluster/Scheduler-first"


def test_the_card_of_a_sample_says_so(bobbin, monkeypatch):
    bobbin.run("demo")
    bobbin.told(("first", records("first")))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    listed = bobbin_reader.list_clusters(since=None)
    own, sample = (next(row["id"] for row in listed if row["sample"] is is_sample) for is_sample in (False, True))
    card = bobbin_reader.last(sample)
    assert ", sample)" in repr(card).splitlines()[0] and ", sample)" in card._repr_html_()
    assert "sample" not in repr(bobbin_reader.last(own))


def test_the_card_says_how_a_cluster_stands_against_its_earlier_runs(bobbin, monkeypatch):
    now = int(time.time() * 1e6)
    seconds = [1.0] * 6 + [1.6]
    bobbin.told(*[("night-%d" % n, records("night-%d" % n, start=now - (9 - n) * 86400 * SECOND, each=each)) for n, each in enumerate(seconds)])
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    card = bobbin_reader.last()
    words = "60.0 % more than the median of 6 runs"
    assert card.cluster["name"] == "night-6" and words in repr(card) and words in card._repr_html_()


def test_the_card_tells_money_as_people_do():
    told = [money(*cost, "EUR") for cost in ((6.7e-6, 5.3e-5), (0.004, 0.02), (1.234, 1.2341), (12, 15.5))]
    assert told == ["below 0.01 EUR", "0.00 – 0.02 EUR", "1.23 EUR", "12.00 – 15.50 EUR"]


def test_the_card_names_the_currency_of_the_prices(bobbin, monkeypatch):
    bobbin.told(("first", records("first")))
    monkeypatch.setenv("BOBBIN_DATA_DIR", str(bobbin.folder))
    assert re.search(r"^  cost +below 0\.01 EUR$", repr(bobbin_reader.last()), re.MULTILINE), bobbin_reader.last()


def test_on_windows_the_folder_is_where_the_plugin_looks(monkeypatch, tmp_path):
    # Of that module alone: the system's own would have pathlib make paths of Windows.
    monkeypatch.setattr(store_of, "os", SimpleNamespace(name="nt", environ={"APPDATA": str(tmp_path)}))
    assert store_of.data_dir(None) == tmp_path / "bobbin" / "data"


def test_the_manual_names_every_argument():
    manual = (REPOSITORY / "docs" / "python.md").read_text("utf-8")
    table = manual.partition("## Arguments\n")[2].partition("\n## ")[0]
    named = [name for row in table.splitlines() if row.startswith("| `") for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    functions = [getattr(bobbin_reader, name) for name in bobbin_reader.__all__ if name.islower()]
    assert len(functions) == 5
    assert sorted(named) == sorted({name for function in functions for name in inspect.signature(function).parameters})


def test_pandas_takes_the_lists_as_they_are(store):
    import pandas

    frame = pandas.DataFrame(bobbin_reader.list_clusters(since=None))
    assert list(frame["name"]) == ["first", "old"]
    assert str(frame["started"].dtype).startswith("datetime64") and str(frame["started"].dt.tz) == "UTC"


REAL = """
import json, os, sys, time
import bobbin, distributed
if __name__ == "__main__":
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            bobbin.register()
            assert client.submit(sum, [1, 2]).result() == 3
            until = time.time() + 120
            while not [row for row in bobbin.list_clusters() if row["tasks_completed"]]:
                assert time.time() < until, bobbin.list_clusters()
                time.sleep(0.2)
    until = time.time() + 120
    while bobbin.list_clusters()[0]["state"] != "finished":
        assert time.time() < until, bobbin.list_clusters()
        time.sleep(0.2)
    (row,) = bobbin.list_clusters()
    card = bobbin.last()
    assert "finished" in repr(card) and card._repr_html_()
    try:
        bobbin.nonsense
    except AttributeError as error:
        assert "nonsense" in str(error)
    assert not hasattr(bobbin, "dask_teardown")
    print(json.dumps([row["tasks_completed"], row["state"]]))
"""


@pytest.mark.parametrize("environment", ["oldest", "newest"])
def test_a_session_with_a_real_cluster(bobbin, tmp_path, environment):
    interpreter = python(environment)
    process, _ = bobbin.serve()
    try:
        script = tmp_path / "session.py"
        script.write_text(REAL)
        done = subprocess.run(
            # From the folder that an install puts the plugin into.
            [str(interpreter), "-W", "ignore", str(script)], cwd=tmp_path, capture_output=True, text=True, timeout=400,
            env={**bobbin.environment, "PYTHONPATH": str(bobbin.folder / "plugin"), "DASK_BOBBIN__INTERVAL": "0.5s",
                 "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__GIL__ENABLED": "false", "DASK_CONFIG": str(tmp_path / "none"),
                 "DASK_ROOT_CONFIG": str(tmp_path / "none")}, check=False)
        assert done.returncode == 0, done.stderr
        completed, state = json.loads(done.stdout.splitlines()[-1])
        assert completed >= 1 and state == "finished"
    finally:
        process.terminate()
        process.wait(timeout=120)


def test_pyright_reads_the_types_in_its_strict_mode(tmp_path):
    folder = copied_plugin(tmp_path)
    script = REPOSITORY / "tests" / "peers" / "node_modules" / "pyright" / "index.js"
    assert script.exists(), "there is no pyright: `cargo xtask setup` installs it"
    use = tmp_path / "use.py"

    def looked_at(text):
        use.write_text(text)
        (tmp_path / "pyrightconfig.json").write_text(json.dumps({
            "include": ["use.py", "plugin/bobbin_reader"], "extraPaths": ["plugin"], "stubPath": "none", "typeCheckingMode": "strict",
            "pythonVersion": "3.9", "pythonPlatform": "Linux"}))
        done = subprocess.run(["node", str(script), "--project", str(tmp_path), "--outputjson", "--pythonpath", sys.executable],
                              capture_output=True, text=True, timeout=300, check=False)
        return [(Path(one["file"]).name, one["message"]) for one in json.loads(done.stdout)["generalDiagnostics"]]

    assert (folder / "bobbin_reader").is_dir()
    assert looked_at(
        "import datetime\nfrom typing import Optional\nimport bobbin_reader\n"
        "at: datetime.datetime = bobbin_reader.list_clusters(since=None, receiver=True)[0]['started']\n"
        "seq: Optional[int] = bobbin_reader.list_events(1)[0]['seq']\n") == []
    (wrong,) = looked_at("import bobbin_reader\nwrong: int = bobbin_reader.list_clusters()[0]['name']\n")
    assert wrong[0] == "use.py" and "str" in wrong[1]
