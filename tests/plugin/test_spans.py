"""Spans, and Dask's fine performance metrics: each is told once, and their sums are Dask's own."""

import json
import time

import bobbin
import pytest
from clusters import client_of
from distributed import span, wait
from processes import PLUGIN, cluster, run
from reports import latest, records, until

client = client_of(2, 2)


def work(client):
    with span("load", "files"):
        some = client.map(abs, range(-20, 0), key=["read-%032x" % number for number in range(20)])
    with span("train"):
        more = client.map(lambda x: x + 1, some, key=["fit-%032x" % number for number in range(20)])
    other = client.map(abs, range(5))
    wait(some + more + other)
    return some, more, other


def told(folder):
    """Value by span and Dask's four words: the latest of each."""
    found = {}
    for row in records(folder, "metric"):
        found[row["span_id"], row["context"], row["prefix"], row["activity"], row["unit"]] = row["value"]
    return found


def summed(values):
    """The same without spans."""
    sums = {}
    for (_, *words), value in values.items():
        sums[tuple(words)] = sums.get(tuple(words), 0) + value
    return sums


def metrics(scheduler):
    return {bobbin._measure(key): value for key, value in scheduler.cumulative_worker_metrics.items()}


def test_spans_are_dasks_own_with_their_groups(client, settings):
    out = settings / "out"
    bobbin.register(client)
    kept = work(client)
    spans = client.cluster.scheduler.extensions["spans"].spans
    expected = {
        one.id: (one.name[-1], list(one.name), one.parent and one.parent.id, round(one.start * 1e6), round(one.stop * 1e6))
        for one in spans.values()
    }

    def found():
        rows = latest(out, "span", "span_id").values()
        return {row["span_id"]: (row["name"], row["tags"], row["parent_id"], row["start_micros"], row["stop_micros"]) for row in rows}

    until(lambda: found() == expected)
    groups = latest(out, "task_group", "group_id").values()
    rows = latest(out, "span", "span_id")
    for group in groups:
        assert group["group_id"] in rows[group["span_id"]]["groups"]
    assert sorted(name for row in rows.values() for name in row["groups"]) == sorted(row["group_id"] for row in groups)
    # The parent has no groups of its own, and all of its child's time.
    (parent,) = [row for row in rows.values() if row["tags"] == ["load"]]
    assert parent["groups"] == [] and parent["stop_micros"]
    count = len(records(out, "span"))
    time.sleep(1)
    assert len(records(out, "span")) == count
    del kept


@pytest.mark.parametrize("late", [False, True], ids=["from the start", "late"])
def test_all_that_is_sent_adds_up_to_dasks_own_sums(client, settings, late):
    out = settings / "out"
    if not late:
        bobbin.register(client)
    kept = work(client)
    if late:
        time.sleep(1)
        bobbin.register(client)
    client.gather(kept[0])
    scheduler = client.cluster.scheduler

    def equal():
        dasks, ours = metrics(scheduler), summed(told(out))
        # Heartbeats go on meanwhile, and with them these.
        for sums in (dasks, ours):
            for words in [words for words in sums if words[0] == "worker"]:
                del sums[words]
        return dasks and ours == pytest.approx(dasks)

    until(lambda: "get-data" in {words[1] for words in told(out) if words[0] is None})
    until(equal)
    in_spans = {words for words in told(out) if words[0] is not None}
    assert {"execute"} == {words[1] for words in in_spans}
    assert {words[2] for words in in_spans} >= {"read", "fit", "abs"}
    assert ("worker", None, "latency", "seconds") in summed(told(out))
    del kept


def test_only_what_changed_is_sent_again(client, settings):
    out = settings / "out"
    bobbin.register(client)
    kept = work(client)

    async def tell(dask_worker):
        await dask_worker.heartbeat()

    def arrived():
        both = metrics(client.cluster.scheduler), summed(told(out))
        dasks, ours = ({words: value for words, value in sums.items() if words[0] == "execute"} for sums in both)
        return dasks and ours == pytest.approx(dasks)

    client.run(tell)
    until(arrived)
    before = [row for row in records(out, "metric") if row["context"] == "execute"]
    time.sleep(1)
    assert [row for row in records(out, "metric") if row["context"] == "execute"] == before
    del kept


def test_metrics_are_bounded_and_what_is_left_out_is_counted_once(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "METRIC_KEYS", 10)
    out = settings / "out"
    bobbin.register(client)
    kept = work(client)
    until(lambda: [row for row in records(out, "dropped") if row["what"] == "metric"])
    scheduler = client.cluster.scheduler

    def lost():
        return [row for row in records(out, "dropped") if row["what"] == "metric"]

    def number():
        return len(told(out)) + sum(row["count"] for row in lost())

    def bounds():
        """Values by span and key with those of no span at least; at most with all sums, of which the rest is told where spans had no room."""
        spans = [span._cumulative_worker_metrics for span in scheduler.extensions["spans"].spans.values()]
        sums, of_spans = set(scheduler.cumulative_worker_metrics), sum(map(len, spans))
        return of_spans + len(sums.difference(*spans)), of_spans + len(sums)

    assert {row["reason"] for row in lost()} == {"too_many"}
    assert len(told(out)) <= 10
    # Each value is told or counted,
    until(lambda: number() >= bounds()[0])
    # and counted once, however many reports there are.
    time.sleep(1)
    assert number() <= bounds()[1]
    del kept


SCRIPT = """
import json, sys, time
from distributed import Client, wait

def sums(dask_scheduler):
    wanted = getattr(dask_scheduler, "cumulative_worker_metrics", {})
    return [[list(key), value] for key, value in wanted.items() if isinstance(key, tuple)]

with Client(sys.argv[1]) as client:
    client.wait_for_workers(1)
    kept = client.map(abs, range(20))
    wait(kept)
    client.gather(kept)
    time.sleep(3)
    print(json.dumps(client.run_on_scheduler(sums)))
    time.sleep(1)
"""


@pytest.mark.parametrize("version", ["2023", "2024", "2025", "2022"])
def test_an_older_dask_tells_what_it_has(version, settings):
    script = settings / "script.py"
    script.write_text(SCRIPT)
    with cluster(version, settings / "run", workers=1, preload=PLUGIN) as started:
        expected = json.loads(run(version, script, started.address).splitlines()[-1])
    out = settings / "run" / "out"
    ours = summed(told(out))
    if version == "2022":
        assert not ours and not records(out, "span")
        return
    assert any(words[0] == "execute" for words in ours)
    for key, value in expected:
        if key[0] in ("execute", "get-data") and value:
            assert ours[bobbin._measure(tuple(key))] == pytest.approx(value), key
    assert bool(records(out, "span")) == (version in ("2024", "2025"))


def test_spans_that_are_done_make_room_for_the_metrics_of_later_ones(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "METRIC_KEYS", 24)
    monkeypatch.setattr(bobbin, "SPAN_SETTLES", 2.0)
    out = settings / "out"
    bobbin.register(client)
    metrics_ = client.cluster.scheduler.plugins["bobbin"]._run.metrics
    spans = client.cluster.scheduler.extensions["spans"].spans
    for number in range(6):
        with span("turn-%d" % number):
            kept = client.submit(abs, -number, key=("fit-%032x" % number, 0))
            wait(kept)
        (last,) = [one for one in spans.values() if one.name[-1] == "turn-%d" % number]
        until(lambda: [row for row in records(out, "metric") if row["span_id"] == last.id and row["context"] == "execute"])
        until(lambda: last.id not in metrics_.spans.live)
        del kept
    assert metrics_.settled and metrics_.keys == sum(map(len, metrics_.told.values())) <= 24
    # All together, nothing is told twice.
    ours, theirs = summed(told(out)), metrics(client.cluster.scheduler)
    for words, value in theirs.items():
        if words[0] == "execute" and value:
            assert ours[words] == pytest.approx(value), words
