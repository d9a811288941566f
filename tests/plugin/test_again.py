"""A plugin that is removed and comes back goes on where it stopped: nothing is told twice."""

import time

import bobbin
import pytest
from clusters import client_of
from distributed import wait
from reports import batches, latest, records, until


def increment(x):
    time.sleep(0.01)
    return x + 1


client = client_of(1, 4)


def last_totals(settings):
    """The last totals of each instance, the earlier first."""
    found = {}
    for header, rows in sorted(batches(settings / "out"), key=lambda batch: batch[0]["sent_at_micros"]):
        for row in rows:
            if row["kind"] == "sample":
                found[header["instance_id"]] = row["totals"]
    return list(found.values())


def run_of(client):
    return client.cluster.scheduler.plugins["bobbin"]._run


@pytest.mark.parametrize("noticed", [False, True], ids=["at once", "after a while"])
def test_sums_over_both_attachments_are_those_of_one(client, settings, noticed):
    start = time.time()
    bobbin.register(client)
    first = run_of(client)
    kept = client.map(increment, range(30))
    failed = client.submit(divmod, 1, 0)
    wait([*kept, failed])
    client.unregister_scheduler_plugin("bobbin")
    if noticed:
        until(lambda: first.finished)
    bobbin.register(client)
    assert first.finished and not run_of(client).finished
    more = client.map(increment, range(100, 112))
    wait(more)
    time.sleep(0.7)
    expected = client.run_on_scheduler(
        lambda dask_scheduler: {group.name: dict(group.all_durations) for group in dask_scheduler.task_groups.values()}
    )
    lived = time.time() - start
    client.shutdown()
    one, other = last_totals(settings)
    assert (one["tasks_completed"], other["tasks_completed"]) == (31, 12)
    assert one["tasks_erred"] + other["tasks_erred"] == 1
    compute = sum(seconds.get("compute", 0) for seconds in expected.values())
    assert one["compute"] + other["compute"] == pytest.approx(compute, abs=1e-4)
    assert one["thread_seconds"] + other["thread_seconds"] <= 4 * (lived + 1.5)
    groups = latest(settings / "out", "task_group", "group_id").values()
    assert sorted(row["name"] for row in groups) == sorted(expected)
    assert len(records(settings / "out", "stop")) == 1
    computations = latest(settings / "out", "computation", "computation_id").values()
    assert all(row["stop_micros"] for row in computations)


def test_a_plugin_that_was_removed_ends_without_a_goodbye(client, settings):
    bobbin.register(client)
    run = run_of(client)
    client.submit(abs, -1).result()
    client.unregister_scheduler_plugin("bobbin")
    until(lambda: run.finished and run.outbox.done.is_set())
    found = len(records(settings / "out"))
    time.sleep(1)
    assert len(records(settings / "out")) == found
    assert not records(settings / "out", "stop")


def test_a_plugin_that_comes_late_counts_what_was_done_before(client, settings):
    kept = client.map(increment, range(10))
    data = client.scatter([1, 2, 3])
    wait(kept)
    bobbin.register(client)
    wait(client.map(increment, range(20, 25)))
    client.shutdown()
    assert [totals["tasks_completed"] for totals in last_totals(settings)] == [15]
    del kept, data
