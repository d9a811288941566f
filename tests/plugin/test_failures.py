"""Failures: whose they are, counted, as text."""

import pickle
import sys
import time

import bobbin
import cloudpickle
import pytest
from clusters import client_of
from distributed import Client, KilledWorker, LocalCluster, wait
from distributed.protocol.serialize import Serialize, Serialized
from processes import PLUGIN, cluster, run
from reports import latest, records, until

# Functions and classes travel as they are: no other process can import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])


def divide(a, b):
    return a / b


def refuse(x):
    raise ValueError("row %d is not a number: %r" % (x, "🧵"))


class Odd(Exception):
    def __repr__(self):
        return "<odd>"


def oddly():
    raise Odd()


client = client_of(1, 2, register=True)


def exceptions(settings):
    return latest(settings / "out", "exception", "exception_id").values()


def test_one_failure_of_many_rows_is_one_record_with_a_count(client, settings):
    failed = client.map(refuse, range(7))
    after = client.map(lambda x: x, failed)
    last = client.submit(list, after)
    wait(last)
    found = until(lambda: [row for row in exceptions(settings) if row["dependents"] == 8])
    assert len(exceptions(settings)) == 1
    row = found[0]
    assert (row["origin"], row["exception_type"], row["count"]) == ("user", "ValueError", 7)
    assert row["message"].startswith("row ") and row["message"].endswith("is not a number: '🧵'")
    assert "in refuse" in row["traceback"]
    assert row["group"] == "refuse"
    assert row["worker"] in client.scheduler_info()["workers"]
    assert row["first_seen_micros"] <= row["last_seen_micros"] <= row["at_micros"]
    groups = latest(settings / "out", "task_group", "group_id")
    assert groups[row["group_id"]]["name"] == "refuse"
    totals = records(settings / "out", "sample")[-1]["totals"]
    assert totals["tasks_erred"] == 7
    del failed, after, last


def test_other_types_are_other_records_and_odd_ones_are_text_too(client, settings):
    futures = [client.submit(divide, 1, 0), client.submit(oddly), client.submit(dict().__getitem__, "absent")]
    wait(futures)
    until(lambda: len(exceptions(settings)) == 3)
    told = {row["exception_type"]: row["message"] for row in exceptions(settings)}
    assert told == {"ZeroDivisionError": "division by zero", "Odd": "<odd>", "KeyError": "'absent'"}


class Reduced(Exception):
    def __repr__(self):
        return "<reduced>"

    def __reduce__(self):
        return divide, (1, 1)


@pytest.mark.parametrize(
    "error, told",
    [(Odd(), "Odd"), (ValueError(), "ValueError"), (Reduced(), "Exception")],
    ids=["by value or name", "built in", "by a function"],
)
@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_the_type_of_a_pickle_is_read_and_never_loaded(error, told, protocol):
    for dumps in (pickle.dumps, cloudpickle.dumps):
        data = dumps(error, protocol=protocol)
        for packed in (Serialize(data), Serialized({}, [memoryview(data)])):
            assert bobbin._told("<odd>", packed) == (told, "<odd>")
    assert bobbin._told("<odd>") == ("Exception", "<odd>")
    assert bobbin._told("<odd>", Serialized({}, [])) == ("Exception", "<odd>")


def test_an_odd_one_from_another_process_has_its_type(settings):
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster, Client(cluster) as client:
        bobbin.register(client)
        wait(client.submit(oddly))
        (row,) = until(lambda: exceptions(settings))
    assert (row["exception_type"], row["message"]) == ("Odd", "<odd>")


def test_first_and_last_seen_are_when_it_failed(client, settings):
    def now():
        return time.time() * 1e6

    began = now()
    future = client.submit(divide, 1, 0)
    wait(future)
    between = now()
    until(lambda: exceptions(settings))
    time.sleep(0.5)
    again = now()
    future.retry()
    (row,) = until(lambda: [row for row in exceptions(settings) if row["count"] == 2])
    # Clocks that never run backwards start at the machine's and go their own way.
    slack = 50_000
    assert began - slack <= row["first_seen_micros"] <= between + slack
    assert again - slack <= row["last_seen_micros"] <= now() + slack


def test_a_retried_failure_counts_again(client, settings):
    future = client.submit(divide, 1, 0)
    wait(future)
    (first,) = until(lambda: exceptions(settings))
    future.retry()
    time.sleep(0.2)
    wait(future)
    until(lambda: [row for row in exceptions(settings) if row["count"] == 2])
    (row,) = exceptions(settings)
    assert row["first_seen_micros"] == first["first_seen_micros"] == first["last_seen_micros"] < row["last_seen_micros"]


DIE = """
import os, sys
from distributed import Client, wait

def die():
    os._exit(1)

def name(x):
    return str(x)

with Client(sys.argv[1]) as client:
    future = client.submit(die)
    after = client.submit(name, future)
    wait(after)
    print(type(future.exception()).__name__)
"""


@pytest.mark.parametrize("version", ["newest", "2022"])
def test_a_worker_that_dies_of_a_task_is_a_failure_of_dasks_own(version, settings):
    script = settings / "die.py"
    script.write_text(DIE)
    with cluster(version, settings / "run", workers=2, threads=1, preload=PLUGIN, allowed_failures=0) as started:
        assert run(version, script, started.address).strip() == KilledWorker.__name__
    out = settings / "run" / "out"
    (row,) = latest(out, "exception", "exception_id").values()
    assert (row["origin"], row["exception_type"], row["count"], row["dependents"]) == ("dask", "KilledWorker", 1, 1)
    assert row["group"] == "die"
    assert row["message"].startswith("Dask gave up task die-")
    assert row["message"].endswith(": worker %s died while it ran it" % row["worker"])
    assert row["traceback"] is None
    payloads = [event["payload"] for event in records(out, "event") if event["payload"]]
    assert [payload for payload in payloads if payload.get("action") == "remove-worker"]


def test_the_texts_of_many_failures_are_bounded(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "FAILURES_BYTES", 20000)
    failed = [client.submit(long_refusal, word, key="%s-1" % word) for word in ("one", "two", "three", "four", "five", "six")]
    wait(failed)
    until(lambda: len(exceptions(settings)) == 6)
    lengths = sorted(len(row["message"]) for row in exceptions(settings))
    assert lengths[0] <= 2048 and lengths[-1] > 8000
    assert all(row["message"].startswith("row of ") for row in exceptions(settings))


def long_refusal(word):
    raise ValueError("row of %s" % word + "x" * 9000)
