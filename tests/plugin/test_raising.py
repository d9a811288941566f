"""Whatever of ours raises, in a hook or in a beat, the cluster computes as without us, and the next beat tells how often."""

import bobbin
import pytest
from distributed import Client, LocalCluster, wait
from reports import records, until


class Broken(RuntimeError):
    pass


def broken(*arguments, **named):
    raise Broken("one of ours")


class Raising:
    """In the place of anything: each use of it raises."""

    def __getattr__(self, name):
        raise Broken(name)


# What the hooks call, and what a beat is made of.
HOOKS = ["task_ended", "task_released", "task_erred", "graph_came", "worker_came", "worker_went", "restarts", "event_came", "group_goes", "profile_came"]
PARTS = ["_cluster_rows", "_worker_rows", "_take_events", "_take_counts", "_load", "_stall"]
HELD = ["computations", "workers", "failures", "spans", "metrics", "profiles", "mismatches"]


def work(client):
    """The right results, by way of every hook."""
    assert client.gather(client.map(abs, range(-20, 0), retries=1)) == list(range(20, 0, -1))
    with pytest.raises(ZeroDivisionError):
        client.submit(divmod, 1, 0, retries=1).result()
    client.log_event("all", {"action": "note"})
    # As a worker says that it has nothing to give.
    client.log_event("bobbin-profile", {"worker": None, "refused": "broken"})
    # Data that comes and goes without a task.
    brought = client.scatter([1, 2, 3])
    del brought
    client.cluster.scale(2)
    client.wait_for_workers(2)
    client.restart()
    assert client.submit(sum, [1, 2, 3]).result() == 6


@pytest.fixture
def client():
    # With nannies, so that a restart brings workers back.
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=True, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            client.wait_for_workers(1)
            yield client


def run_of(client):
    return client.cluster.scheduler.plugins["bobbin"]._run


def worst(settings):
    return max([row["cost"]["hook_errors"] for row in records(settings / "out", "sample")], default=0)


def test_nothing_raises_where_nothing_is_broken(client, settings):
    work(client)
    until(lambda: records(settings / "out", "sample"))
    assert worst(settings) == 0


def test_every_hook_may_raise(client, settings, monkeypatch):
    run = run_of(client)
    calls = dict.fromkeys(HOOKS, 0)
    for name in HOOKS:

        def count(*arguments, name=name, **named):
            calls[name] += 1
            raise Broken(name)

        monkeypatch.setattr(run, name, count)
    # So that each task that ends goes by the slow way.
    monkeypatch.setattr(bobbin, "TIMES_WAITING", 1)
    work(client)
    assert all(calls.values()), calls
    until(lambda: worst(settings) >= sum(calls.values()))


def test_the_shortest_way_through_a_hook_may_raise(client, settings, monkeypatch):
    monkeypatch.setattr(run_of(client).groups, "timed", Raising())
    work(client)
    until(lambda: worst(settings) >= 21)


@pytest.mark.parametrize("name", PARTS)
def test_every_part_of_a_beat_may_raise_and_the_others_are_told(client, settings, monkeypatch, name):
    monkeypatch.setattr(run_of(client), name, broken)
    work(client)
    before = worst(settings)
    until(lambda: worst(settings) > before)
    until(lambda: "sum" in {row["name"] for row in records(settings / "out", "task_group")})


@pytest.mark.parametrize("name", HELD)
def test_whatever_a_run_holds_may_be_broken(client, settings, monkeypatch, name):
    run = run_of(client)
    until(lambda: records(settings / "out", "sample"))
    monkeypatch.setattr(run, name, Raising())
    work(client)
    before = run.errors
    until(lambda: run.errors > before)
    if name in ("computations", "spans", "metrics", "profiles"):
        # The groups are told all the same.
        until(lambda: "sum" in {row["name"] for row in records(settings / "out", "task_group")})
    monkeypatch.undo()
    until(lambda: worst(settings) > 0)


def test_all_at_once_and_to_the_end(settings, monkeypatch):
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            run = run_of(client)
            for name in HOOKS + PARTS + ["_beat", "_tick", "_go_on", "finish", "drained", "why"]:
                monkeypatch.setattr(run, name, broken)
            kept = client.map(abs, range(-50, 0))
            wait(kept)
            assert client.gather(kept) == list(range(50, 0, -1))
    assert cluster.status.name == "closed" and run.errors


@pytest.mark.parametrize("held, name", [("profiles", "last"), ("profiles", "finish"), (None, "why"), ("groups", "rows")])
def test_a_cluster_says_goodbye_whatever_breaks_at_its_end(settings, monkeypatch, held, name):
    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            bobbin.register(client)
            run = run_of(client)
            assert client.submit(abs, -1).result() == 1
            monkeypatch.setattr(run if held is None else getattr(run, held), name, broken)
    assert [row["reason"] for row in records(settings / "out", "stop")] == ["closed"]
    assert records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == 1
    until(lambda: not run.outbox.thread.is_alive())


def test_the_very_next_beat_tells_it(client, settings, monkeypatch):
    run, raised = run_of(client), []
    until(lambda: records(settings / "out", "sample"))

    def once(*arguments):
        raised.append(run.clock.now())
        raise Broken("once")

    for number in range(1, 4):
        with monkeypatch.context() as patch:
            patch.setattr(run, "event_came", once)
            client.log_event("all", {"action": "note"})
        until(lambda: worst(settings) == number)
        after = [row for row in records(settings / "out", "sample") if row["at_micros"] > raised[-1]]
        assert after[0]["cost"]["hook_errors"] == number
