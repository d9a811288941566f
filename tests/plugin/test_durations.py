"""The spread of a group's task times, and tasks that were tried again: against a recorder of the test's own."""

import json
import math
import random

import bobbin
import pytest
from clusters import client_of
from distributed import wait
from distributed.diagnostics.plugin import SchedulerPlugin
from processes import PLUGIN, cluster, run
from reports import latest, records, until


class Recorder(SchedulerPlugin):
    """Every compute time, by the name of the group."""

    name = "recorder"

    def __init__(self, scheduler):
        self.scheduler = scheduler
        self.times = {}

    def transition(self, key, start, finish, *args, **kwargs):
        if start == "processing" and finish == "memory":
            times = self.times.setdefault(self.scheduler.tasks[key].group.name, [])
            times += [part["stop"] - part["start"] for part in kwargs["startstops"] if part["action"] == "compute"]


client = client_of(2, 2)


def wait_a_little(x):
    import time

    time.sleep(0.001 * x)


def rank(times, part):
    return sorted(times)[math.ceil(len(times) * part) - 1]


def test_the_spread_of_task_times_is_that_of_the_tasks(client, settings, monkeypatch):
    # Both ways to fold are taken, by the hook in between and by the beat, and both in slices.
    monkeypatch.setattr(bobbin, "TIMES_WAITING", 64)
    monkeypatch.setattr(bobbin, "TIMES_AT_ONCE", 8)
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 20)
    folded = []
    fold = bobbin._Times.fold

    def counted(times, most=None):
        folded.append(len(times.waiting[:most]))
        fold(times, most)

    monkeypatch.setattr(bobbin._Times, "fold", counted)
    bobbin.register(client)
    scheduler = client.cluster.scheduler
    recorder = Recorder(scheduler)
    client.sync(_add, scheduler, recorder)
    kept = client.map(wait_a_little, [x % 40 for x in range(150)], key=["waits-%032x" % x for x in range(150)])
    kept += client.map(abs, range(-200, 0))
    wait(kept)

    def arrived():
        rows = {row["name"]: row for row in records(settings / "out", "task_group")}
        counts = {name: (rows.get(name, {}).get("durations") or {}).get("count") for name in ("waits", "abs")}
        return rows if counts == {"waits": 150, "abs": 200} else None

    rows = until(arrived)
    sums = {group.name: group.all_durations["compute"] for group in scheduler.task_groups.values()}
    for name, times in recorder.times.items():
        found = rows[name]["durations"]
        assert found["mean_seconds"] * found["count"] == pytest.approx(sums[name], rel=1e-9)
        # Dask itself keeps whole microseconds.
        assert found["p50_seconds"] == pytest.approx(rank(times, 0.5), rel=0.02, abs=1e-6)
        assert found["p95_seconds"] == pytest.approx(rank(times, 0.95), rel=0.02, abs=1e-6)
        assert found["max_seconds"] == pytest.approx(max(times), abs=1e-6)
        mean = sum(times) / len(times)
        spread = math.sqrt(sum((time - mean) ** 2 for time in times) / len(times))
        assert found["std_seconds"] == pytest.approx(spread, abs=1e-6)
    assert sum(folded) >= 350 and max(folded) <= 8


def test_what_waits_is_folded_between_two_beats_a_slice_at_a_time(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "TIMES_WAITING", 256)
    monkeypatch.setattr(bobbin, "TIMES_AT_ONCE", 16)
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 20)
    bobbin.register(client)
    attached = client.cluster.scheduler.plugins["bobbin"]._run
    until(lambda: records(settings / "out", "sample"))

    def waiting():
        return sum(len(group.times.waiting) for group in list(attached.groups.known.values()))

    # No beat ends meanwhile; the end of a cluster would wait for it.
    with monkeypatch.context() as patch:
        patch.setattr(attached, "_go_on", lambda: True)
        client.gather(client.map(abs, range(-700, 0), pure=False))
        # What is left came after the last time that it was time to fold.
        until(lambda: attached.folding is None and waiting() < 256)
        assert waiting() > 0 and attached.errors == 0


async def _add(scheduler, plugin):
    scheduler.add_plugin(plugin, name=plugin.name)


def test_any_times_are_ranked_within_two_percent_and_their_spread_is_stable():
    class Held:
        pass

    numbers = random.Random(7)
    spread = [numbers.lognormvariate(-3, 3) for _ in range(5000)]
    # A spread of microseconds around a quarter of an hour: naive sums of squares would lose it.
    narrow = [900 + numbers.random() * 1e-5 for _ in range(5000)]
    for times in (spread, narrow, [0.0], [1e-6], [86400.0, 0.0, -1e-3]):
        found = bobbin._Times(Held())
        for start in range(0, len(times), 700):
            found.waiting.extend(times[start : start + 700])
            found.fold()
        made = bobbin._durations(found.read())
        mean = math.fsum(times) / len(times)
        exact = math.sqrt(math.fsum((time - mean) ** 2 for time in times) / len(times))
        assert made["mean_seconds"] == pytest.approx(mean, rel=1e-9)
        assert made["std_seconds"] == pytest.approx(exact, rel=1e-3, abs=1e-12)
        for name, part in (("p50_seconds", 0.5), ("p95_seconds", 0.95)):
            assert made[name] == pytest.approx(max(rank(times, part), 0.0), rel=0.02)
        assert len(found.buckets) < 2000


def test_a_group_without_a_task_that_ran_has_no_times(client, settings):
    bobbin.register(client)
    data = client.scatter([1, 2, 3])
    row = until(lambda: records(settings / "out", "task_group"))[0]
    assert row["durations"] is None and row["retried"] == 0
    del data


RETRY = """
import json, os, sys
from distributed import Client, wait

def twice(path):
    with open(path, "a") as file:
        file.write("x")
    if os.path.getsize(path) < 3:
        raise ValueError("not yet")
    return 7

def refuse():
    raise ValueError("never")

with Client(sys.argv[1]) as client:
    client.wait_for_workers(1)
    good = client.submit(twice, sys.argv[2], retries=5)
    bad = client.submit(refuse, retries=1)
    wait([good, bad])
    print(json.dumps([good.result(), bad.status]))
    import time
    time.sleep(1)
"""


@pytest.mark.parametrize("version", ["newest", "2022"])
def test_tasks_that_were_tried_again_are_counted(version, settings):
    script = settings / "retry.py"
    script.write_text(RETRY)
    with cluster(version, settings / "run", workers=1, preload=PLUGIN) as started:
        assert json.loads(run(version, script, started.address, settings / "attempts")) == [7, "error"]
    out = settings / "run" / "out"
    rows = {row["name"]: row for row in latest(out, "task_group", "group_id").values()}
    assert (rows["twice"]["retried"], rows["refuse"]["retried"]) == (2, 1)
    assert rows["twice"]["durations"]["count"] == 1 and rows["refuse"]["durations"] is None
    assert records(out, "sample")[-1]["totals"]["tasks_retried"] == 3
    assert sum(row["retried"] for row in latest(out, "computation", "computation_id").values()) == 3


def test_without_dasks_log_an_old_version_does_not_tell_retries(settings):
    script = settings / "retry.py"
    script.write_text(RETRY)
    short = {"DASK_DISTRIBUTED__SCHEDULER__TRANSITION_LOG_LENGTH": "0"}
    with cluster("2022", settings / "run", workers=1, preload=PLUGIN, environment=short) as started:
        run("2022", script, started.address, settings / "attempts")
    out = settings / "run" / "out"
    assert records(out, "sample")[-1]["totals"]["tasks_retried"] is None
    assert {row["retried"] for row in latest(out, "task_group", "group_id").values()} == {None}


def test_a_time_that_is_no_number_is_in_the_way_once():
    for whole in (True, False):
        times = bobbin._Times(None)
        times.whole = whole
        times.waiting += [1.0, None]
        with pytest.raises(TypeError):
            times.read()
        times.waiting += [2.0]
        assert bobbin._durations(times.read())["count"] == 1
