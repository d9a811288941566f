"""A beat takes little of the event loop at a time and little of it in all, and what that means for the gap is told."""

import time

import bobbin
import pytest
from distributed import Client, LocalCluster
from distributed.scheduler import TaskGroup
from reports import latest, records, until


@pytest.fixture
def client(settings):
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            yield client


def run_of(client):
    return client.cluster.scheduler.plugins["bobbin"]._run


def many_groups(client, count):
    keys = ["group%d-%032x" % (number, number) for number in range(count)]
    futures = client.map(abs, range(count), key=keys)
    client.gather(futures)
    return futures


def intervals(settings):
    return [row["interval_micros"] for row in records(settings / "out", "cluster")]


def test_groups_that_did_not_change_are_read_in_slices_too(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)
    kept = many_groups(client, 300)
    run = run_of(client)
    until(lambda: len({row["name"] for row in records(settings / "out", "task_group")}) == 300)

    async def slices():
        return sum(1 for _ in run._beat(None, False))

    client.sync(slices)
    assert client.sync(slices) >= 4
    del kept


def test_a_beat_that_takes_long_makes_the_gap_longer_and_that_is_told(client, settings, monkeypatch):
    run = run_of(client)
    sliced, paced = run._go_on, run._pace
    beats = []

    def pace():
        paced()
        beats.append((run.cpu, round(run.gap * 1e6)))

    def slow():
        end = time.thread_time() + 0.002
        while time.thread_time() < end:
            pass
        run.cpu += 0.002
        return sliced()

    monkeypatch.setattr(run, "_pace", pace)
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)
    until(lambda: records(settings / "out", "sample"))
    assert intervals(settings)[0] == 300_000
    kept = many_groups(client, 200)
    monkeypatch.setattr(run, "_go_on", slow)
    # All slices of a beat count, not only the last.
    until(lambda: any(cpu > 0.005 for cpu, _ in beats))
    cpu, gap = next(beat for beat in beats if beat[0] > 0.005)
    assert gap > 300_000 and gap >= cpu * 1e6 * bobbin.BEATS_APART
    until(lambda: gap in intervals(settings))
    monkeypatch.setattr(run, "_go_on", sliced)
    monkeypatch.setattr(bobbin, "BEATS_APART", 1)
    client.submit(abs, -1).result()
    until(lambda: intervals(settings)[-1] == 300_000)
    del kept


def test_computations_and_spans_of_many_groups_are_read_in_slices_too(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "MANY_GROUPS", 10)
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)
    bobbin.register(client)
    kept = many_groups(client, 300)
    run = run_of(client)
    until(lambda: [row for row in records(settings / "out", "computation") if len(row["groups"]) >= 300])
    (row,) = latest(settings / "out", "computation", "computation_id").values()
    names = {group["group_id"] for group in records(settings / "out", "task_group")}
    assert set(row["groups"]) <= names and sum(row["states"].values()) >= 300
    asked, most = [0], [0]
    done, go_on = TaskGroup.done.fget, run._go_on

    def counted(group):
        asked[0] += 1
        return done(group)

    def sliced():
        asked[0] = 0
        try:
            return go_on()
        finally:
            most[0] = max(most[0], asked[0])

    monkeypatch.setattr(TaskGroup, "done", property(counted))
    monkeypatch.setattr(run, "_go_on", sliced)
    told = len(records(settings / "out", "span"))
    more = client.submit(abs, -1, key="one-more")
    until(lambda: len(records(settings / "out", "span")) > told)
    assert 0 < most[0] <= 100
    del kept, more
