"""What is reported equals what Dask's own scheduler says of the same run."""

import time

import bobbin
import dask
import pytest
from clusters import client_of
from distributed import wait
from distributed.diagnostics.plugin import SchedulerPlugin
from reports import latest, records, until

client = client_of(2, 2)


def increment(x):
    time.sleep(0.01)
    return x + 1


def groups_of(dask_scheduler):
    """Dask's own numbers, group by group."""
    return {
        group.name: {
            "states": {state: count for state, count in group.states.items() if count},
            "seconds": dict(group.all_durations),
            "result_bytes": group.nbytes_total,
            "types": sorted(group.types),
            "start": group.start,
            "stop": group.stop,
            "dependencies": sorted(other.name for other in group.dependencies),
        }
        for group in dask_scheduler.task_groups.values()
    }


def test_each_group_has_the_schedulers_numbers(client, settings):
    da = pytest.importorskip("dask.array")
    bobbin.register(client)
    array = da.random.random((400, 400), chunks=(100, 100))
    kept = client.persist((array + array.T).sum(axis=0))
    numbers = client.map(increment, range(20))
    total = client.submit(sum, numbers)
    assert total.result() == 210
    kept.compute()

    def arrived():
        # What the last call left behind is forgotten a moment later.
        expected = client.run_on_scheduler(groups_of)
        found = {row["name"]: row for row in records(settings / "out", "task_group")}
        for name, dask in expected.items():
            states = found.get(name, {"states": {}})["states"]
            if {state: count for state, count in states.items() if count} != dask["states"]:
                return None
        return expected, found

    expected, found = until(arrived)
    names = {row["group_id"]: row["name"] for row in found.values()}
    for name, dask in expected.items():
        row = found[name]
        assert row["seconds"]["compute"] == pytest.approx(dask["seconds"].get("compute", 0), abs=2e-6)
        assert row["seconds"]["transfer"] == pytest.approx(dask["seconds"].get("transfer", 0), abs=2e-6)
        assert row["result_bytes"] == dask["result_bytes"]
        assert row["types"] == dask["types"]
        if dask["stop"]:
            assert row["start_micros"] == pytest.approx(dask["start"] * 1e6, abs=1)
            assert row["stop_micros"] == pytest.approx(dask["stop"] * 1e6, abs=1)
        assert sorted(names[other] for other in row["dependencies"]) == dask["dependencies"]
        assert not row["final"]
    del array, kept, numbers, total


def test_a_sample_has_the_schedulers_workers_threads_and_memory(client, settings):
    bobbin.register(client)
    data = client.scatter([bytes([number]) * 100_000 for number in range(4)])
    blocks = client.map(lambda size: bytes(size), range(10_000, 10_010))
    client.gather(blocks)

    def numbers(dask_scheduler):
        memory = dask_scheduler.memory
        return {
            "workers": len(dask_scheduler.workers),
            "threads": dask_scheduler.total_nthreads,
            "memory_limit_bytes": sum(worker.memory_limit for worker in dask_scheduler.workers.values()),
            "memory_managed_bytes": memory.managed,
            "memory_spilled_bytes": memory.spilled,
        }

    def equal():
        expected = client.run_on_scheduler(numbers)
        sample = records(settings / "out", "sample")[-1]
        return sample if {name: sample[name] for name in expected} == expected else None

    sample = until(equal)
    assert sample["memory_managed_bytes"] > 480_000
    assert sample["memory_used_bytes"] == sample["memory_managed_bytes"] + sample["memory_unmanaged_bytes"] > 0
    assert sample["tasks"]["memory"] == 14
    assert sample["cost"]["hook_errors"] == 0
    del data, blocks


class Count(SchedulerPlugin):
    """Counts each finished task itself."""

    name = "count"

    def __init__(self):
        self.tasks, self.seconds = 0, 0.0

    def transition(self, key, start, finish, *args, **kwargs):
        if start == "processing" and finish == "memory":
            self.tasks += 1
            for part in kwargs.get("startstops") or ():
                if part["action"] == "compute":
                    self.seconds += part["stop"] - part["start"]


def test_groups_that_are_forgotten_between_the_same_two_reports_still_name_each_other(client, settings):
    with dask.config.set({"bobbin.interval": "2s"}):
        bobbin.register(client)
    numbers = client.map(increment, range(4))
    assert client.submit(sum, numbers).result() == 10
    del numbers

    def ended():
        found = {row["name"]: row for row in records(settings / "out", "task_group") if row["final"]}
        return found if {"increment", "sum"} <= set(found) else None

    found = until(ended)
    assert found["sum"]["dependencies"] == [found["increment"]["group_id"]]


def test_groups_that_dask_forgets_between_two_reports_are_not_lost(client, settings):
    count = Count()
    client.cluster.scheduler.add_plugin(count)
    bobbin.register(client)
    for number in range(60):
        assert client.submit(increment, number, pure=False).result() == number + 1
    client.shutdown()
    assert count.tasks == 60
    totals = records(settings / "out", "sample")[-1]["totals"]
    assert totals["tasks_completed"] == 60
    assert totals["compute"] == pytest.approx(count.seconds, abs=1e-3)
    groups = latest(settings / "out", "task_group", "group_id").values()
    assert all(group["final"] for group in groups)
    assert sum(sum(group["states"].values()) for group in groups) == 60
    assert sum(group["seconds"]["compute"] for group in groups) == pytest.approx(count.seconds, abs=1e-3)


def test_totals_only_grow_and_thread_seconds_are_threads_times_time(client, settings):
    bobbin.register(client)
    client.gather(client.map(increment, range(40)))

    def several():
        samples = records(settings / "out", "sample")
        return samples if len(samples) > 6 else None

    samples = until(several, 60)
    for before, after in zip(samples, samples[1:]):
        for name, value in before["totals"].items():
            assert after["totals"][name] >= value, name
        assert after["at_micros"] >= before["at_micros"]
    first, last = samples[1], samples[-1]
    seconds = (last["at_micros"] - first["at_micros"]) / 1e6
    grown = last["totals"]["thread_seconds"] - first["totals"]["thread_seconds"]
    assert grown == pytest.approx(4 * seconds, rel=0.05)


def test_idle_since_is_null_while_busy_and_the_end_of_the_work_after(client, settings):
    bobbin.register(client)
    slow = client.submit(time.sleep, 1.2)
    slow.result()
    ended = time.time()
    until(lambda: records(settings / "out", "sample")[-1]["idle_since_micros"])
    time.sleep(0.7)
    samples = records(settings / "out", "sample")
    assert any(sample["idle_since_micros"] is None and sample["tasks"].get("processing") for sample in samples)
    assert samples[-1]["idle_since_micros"] / 1e6 == pytest.approx(ended, abs=0.6)


def test_computations_name_their_groups_and_end(client, settings):
    bobbin.register(client)
    numbers = client.map(increment, range(8))
    client.submit(sum, numbers).result()

    def ended():
        rows = latest(settings / "out", "computation", "computation_id").values()
        return rows if rows and all(row["stop_micros"] for row in rows) else None

    rows = until(ended)
    groups = latest(settings / "out", "task_group", "group_id")
    named = {groups[group]["name"] for row in rows for group in row["groups"]}
    assert named == {"increment", "sum"}
    expected = client.run_on_scheduler(lambda dask_scheduler: [str(one.id) for one in dask_scheduler.computations])
    assert sorted(row["computation_id"] for row in rows) == sorted(expected)
    for row in rows:
        assert row["start_micros"] <= row["stop_micros"]


def test_results_that_go_with_the_last_worker_stay_counted(client, settings):
    bobbin.register(client)
    kept = client.map(increment, range(10))
    client.gather(kept)
    client.shutdown()
    totals = records(settings / "out", "sample")[-1]["totals"]
    assert totals["tasks_completed"] == 10
    (group,) = latest(settings / "out", "task_group", "group_id").values()
    assert group["final"] and group["states"]["memory"] == 10
    (computation,) = latest(settings / "out", "computation", "computation_id").values()
    assert computation["states"]["memory"] == 10 and computation["stop_micros"] == group["stop_micros"]
    del kept


def test_a_restart_forgets_groups_and_keeps_the_totals(client, settings):
    bobbin.register(client)
    kept = client.map(increment, range(10))
    client.gather(kept)
    until(lambda: records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == 10)
    client.restart(wait_for_workers=False)
    until(lambda: all(row["final"] for row in latest(settings / "out", "task_group", "group_id").values()))
    sample = until(lambda: records(settings / "out", "sample")[-1])
    assert sample["totals"]["tasks_completed"] == 10
    del kept


class Asleep:
    """The module `time` on a machine that slept for an hour, during which the monotonic time stood still."""

    slept = 0.0

    def __getattr__(self, name):
        return getattr(time, name)

    def time(self):
        return time.time() + self.slept


def test_after_a_sleep_the_times_are_right_and_no_thread_has_computed_meanwhile(client, settings, monkeypatch):
    asleep = Asleep()
    monkeypatch.setattr(bobbin, "time", asleep)
    bobbin.register(client)
    before = until(lambda: records(settings / "out", "sample"))[-1]
    asleep.slept = 3600.0
    after = until(lambda: [row for row in records(settings / "out", "sample") if row["at_micros"] > before["at_micros"] + 3e9])[0]
    assert after["at_micros"] == pytest.approx((time.time() + 3600) * 1e6, abs=2e6)
    assert after["totals"]["thread_seconds"] - before["totals"]["thread_seconds"] < 4 * 5
    asleep.slept = 0.0
    time.sleep(0.7)
    samples = records(settings / "out", "sample")
    for one, next_one in zip(samples, samples[1:]):
        assert next_one["at_micros"] > one["at_micros"]
        assert next_one["totals"]["thread_seconds"] >= one["totals"]["thread_seconds"]


def slowly(x):
    time.sleep(0.2)
    return x


def unlucky(x, seen):
    raise ValueError(x)


def test_only_tasks_that_ran_to_an_end_are_completed(client, settings):
    count = Count()
    client.cluster.scheduler.add_plugin(count)
    bobbin.register(client)
    cancelled = client.map(slowly, range(200))
    # Some have ended, some run, and some wait.
    until(lambda: count.tasks > 2)
    client.cancel(cancelled)
    data = client.scatter(list(range(5)), hash=False)
    failed = client.map(unlucky, range(3), seen=1)
    after = client.submit(sum, failed)
    wait([*failed, after])
    again = client.map(increment, range(4), pure=False)
    wait(again)
    time.sleep(0.5)
    client.shutdown()
    totals = records(settings / "out", "sample")[-1]["totals"]
    assert 4 < count.tasks < 204
    assert totals["tasks_completed"] == count.tasks + 3
    assert totals["tasks_erred"] == 3
    del cancelled, data, again


def test_a_task_that_runs_again_counts_again(client, settings):
    bobbin.register(client)
    first = client.submit(increment, 1, key="once")
    second = client.submit(slowly, first, key="then")
    wait(second)
    client.run_on_scheduler(forget_data)
    until(lambda: client.run_on_scheduler(is_in_memory))
    client.shutdown()
    assert records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == 3


def forget_data(dask_scheduler):
    """As when a worker lost the result: it is still wanted, so it is computed again."""
    dask_scheduler.transitions({"once": "released"}, stimulus_id="a test")


def is_in_memory(dask_scheduler):
    return dask_scheduler.tasks["once"].state == "memory"
