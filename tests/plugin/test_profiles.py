"""Profiles of known work on real clusters: each function has its share, and each sample of a worker's is told once."""

import math
import os
import signal
import time
from collections import Counter
from contextlib import contextmanager

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from profiles import by_line, checked, innermost, paths, samples, totals
from reports import raw, records, until


def spin(steps):
    for _ in range(steps):
        pass


def seven_parts(steps):
    for _ in range(7 * steps):
        pass


def three_parts(steps):
    for _ in range(3 * steps):
        pass


def busy(seconds, number):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        seven_parts(50_000)
        three_parts(50_000)


def unevenly(seconds, number):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        spin(60_000)
        spin(20_000)


def nested(seconds, depth):
    if depth:
        return nested(seconds, depth - 1)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        spin(50_000)


def other(seconds, number):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        spin(100_000)


@contextmanager
def profiled(settings, processes=True, workers=2, interval="0.5s", register=True, **chosen):
    """A cluster whose workers are profiled; `run` has the attachment."""
    chosen = {name.replace("__", "."): value for name, value in chosen.items()}
    chosen = dict({"bobbin.profile.transmit": True, "bobbin.profile.interval": interval}, **chosen)
    options = {"n_workers": workers, "threads_per_worker": 1, "processes": processes, "dashboard_address": ":0"}
    with dask.config.set(chosen), LocalCluster(**options) as cluster, Client(cluster) as client:
        if register:
            bobbin.register(client)
            until(lambda: len(helpers(client)) == workers)
        yield client


def run_of(client):
    return client.cluster.scheduler.plugins["bobbin"]._run


def helpers(client):
    found = client.run(bobbin_helper, on_error="ignore")
    return [address for address, there in found.items() if there]


def bobbin_helper(dask_worker):
    return "bobbin-profile" in dask_worker.plugins or "bobbin_profile" in dask_worker.handlers


def worked(client, function, count, *arguments):
    """Runs `count` tasks of one function and waits for the end of the cycle in which they ended."""
    client.gather([client.submit(function, *arguments, number, pure=False) for number in range(count)])
    time.sleep(1.1)


def own(client):
    """What all workers have counted, by prefix, once nothing runs any more: a thread goes on with a task that was cancelled."""

    def counted():
        made = Counter()
        for found in client.run(totals).values():
            made.update(found)
        return dict(made)

    made = counted()
    while True:
        time.sleep(0.1)
        before, made = made, counted()
        if made == before:
            return made


def test_each_function_has_its_share_and_each_sample_is_told_once(settings):
    with profiled(settings) as client:
        worked(client, busy, 8, 1.0)
        worked(client, other, 2, 1.0)
        expected = own(client)
    found = checked(settings / "out")
    assert samples(found) == expected and set(expected) == {"busy", "other"}
    assert len([record for record in found if record["prefix"] == "busy"]) > 2
    ended = innermost([record for record in found if record["prefix"] == "busy"])
    inner = ended["seven_parts"] + ended["three_parts"]
    # A machine that is busy otherwise has few samples: four standard deviations of a share of so many.
    assert inner > 0.9 * samples(found)["busy"] > 10
    assert ended["seven_parts"] / inner == pytest.approx(0.7, abs=0.05 + 4 * math.sqrt(0.21 / inner))
    # Dask's own, around each task, is met now and then.
    assert set(innermost([record for record in found if record["prefix"] == "other"])) <= {"spin", "other", "range", "meter"}
    assert not records(settings / "out", "dropped")
    assert records(settings / "out", "sample")[-1]["cost"]["hook_errors"] == 0


def test_each_line_of_a_function_has_its_share(settings):
    with profiled(settings) as client:
        worked(client, unevenly, 6, 1.0)
    found = checked(settings / "out")
    first = unevenly.__code__.co_firstlineno
    lines = by_line(found)
    three, one = lines["unevenly", first + 3, "spin(60_000)"], lines["unevenly", first + 4, "spin(20_000)"]
    both = three[1] + one[1]
    assert both > 0.9 * samples(found)["unevenly"] > 20
    assert three[1] / both == pytest.approx(0.75, abs=0.05 + 4 * math.sqrt(0.19 / both))
    # They wait for what they call, which has lines of its own.
    assert three[0] + one[0] < 0.1 * both
    assert sum(ended for (name, _, _), (ended, _) in lines.items() if name == "spin") > 0.8 * both


def test_what_breaks_between_two_looks_is_counted_and_the_next_look_comes(settings, monkeypatch):
    with profiled(settings, workers=1) as client:
        run = run_of(client)
        errors, workers = run.errors, run.profiles._workers

        def broken():
            monkeypatch.setattr(run.profiles, "_workers", workers)
            raise RuntimeError("one of ours")

        monkeypatch.setattr(run.profiles, "_workers", broken)
        until(lambda: run.errors > errors)
        worked(client, other, 1, 1.0)
        expected = own(client)
    assert samples(checked(settings / "out")) == expected


def test_recursion_is_a_stack_of_its_own(settings):
    with profiled(settings, workers=1) as client:
        client.submit(nested, 1.0, 20).result()
        client.submit(nested, 1.0, 300).result()
        expected = own(client)
    found = checked(settings / "out")
    assert samples(found) == expected
    depths = {path.count("nested") for path in paths(found) if path[-1] == "spin"}
    # Dask cuts stacks at a hundred frames.
    assert 21 in depths and 90 < max(depths) < 105
    assert innermost(found)["spin"] > 0.8 * expected["nested"]
    # However deep it is, a sample counts once: at the line of the outermost one.
    nested_lines = {line: both for (name, line, _), both in by_line(found).items() if name == "nested"}
    assert 0.8 * expected["nested"] < sum(count for _, count in nested_lines.values()) <= expected["nested"]


def test_nothing_is_put_on_workers_where_profiles_are_off(settings):
    with profiled(settings, bobbin__profile__transmit=False, register=False, processes=False) as client:
        bobbin.register(client)
        before = client.run(lambda dask_worker: type(dask_worker.profile_keys.default_factory).__name__)
        worked(client, other, 2, 0.3)
        assert not helpers(client)
        assert client.run(lambda dask_worker: type(dask_worker.profile_keys.default_factory).__name__) == before
        assert run_of(client).profiles.timer is None
    assert not records(settings / "out", "profile")
    assert records(settings / "out", "cluster")[0]["switches"]["profile"] is False


@pytest.mark.parametrize("name", ["bobbin.profile.transmit", "coiled.analytics.profile.transmit"])
def test_profiles_are_off_unless_asked_for(name):
    assert not bobbin.Settings().profile
    assert bobbin.Settings().profile_interval == 30
    with dask.config.set({name: True, name.replace("transmit", "interval"): "2 minutes"}):
        assert bobbin.Settings().profile
        assert bobbin.Settings().profile_interval == 120


@pytest.mark.parametrize("code", [True, False])
def test_lines_of_source_come_only_with_code(settings, code):
    with profiled(settings, workers=1, bobbin__code__transmit=code) as client:
        client.submit(a_task_with_a_telling_line, 0.5).result()
        held = client.run(helper_texts)
    found = checked(settings / "out")
    assert innermost(found)["a_task_with_a_telling_line"] + innermost(found)["spin"] > 0
    assert (b"nobody_should_see" in raw(settings / "out")) is code
    texts = [text for record in found for text in record["frames"]["text"]]
    assert all(text is None for text in texts) is not code
    assert any("lines" in record for record in found) is code
    # Nor do they leave the worker.
    assert list(held.values()) == [code]


def a_task_with_a_telling_line(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        nobody_should_see = 100_000
        spin(nobody_should_see)


def helper_texts(dask_worker):
    """Whether a line of source is in what the helper packs of all that the worker still has."""
    import zlib

    helper = dask_worker.plugins["bobbin-profile"]
    given, helper.last = helper.last, None
    pack, cycles = helper._new(None)
    helper.last = given
    for cycle in [*cycles, helper._open()]:
        for _ in pack.add(helper._before(cycle), cycle):
            pass
    *_, data = pack.bytes(helper.sample_micros)
    return b"nobody_should_see" in zlib.decompress(data)


def test_names_and_folders_are_left_out_where_they_are_off(settings):
    chosen = {"bobbin.names.transmit": False, "bobbin.paths.transmit": False, "bobbin.code.transmit": False}
    with profiled(settings, workers=1, **chosen) as client:
        client.submit(a_task_with_a_telling_line, 0.5).result()
    (prefix,) = samples(checked(settings / "out"))
    assert prefix.startswith("task-") and len(prefix) == 13
    files = {record["strings"][file] for record in checked(settings / "out") for file in record["frames"]["file"]}
    assert "test_profiles.py" in files and not any("/" in file for file in files)


def test_a_short_cluster_says_all_when_it_closes(settings):
    with profiled(settings, interval="1h") as client:
        client.gather([client.submit(other, 0.5, number) for number in range(2)])
        expected = own(client)
    found = checked(settings / "out")
    assert samples(found) == expected and expected["other"] > 0
    (record,) = found
    assert record["to_micros"] <= records(settings / "out", "stop")[0]["at_micros"]


def test_a_worker_that_leaves_gives_what_it_has_left_and_leaves_no_event(settings):
    with profiled(settings, interval="1h", bobbin__code__transmit=False) as client:
        client.gather([client.submit(other, 0.5, number) for number in range(2)])
        expected = own(client)
        client.cluster.scale(1)
        until(lambda: len(client.scheduler_info()["workers"]) == 1)
        until(lambda: run_of(client).profiles.bytes)
        assert "bobbin-profile" not in client.get_events()
    assert samples(checked(settings / "out")) == expected
    assert b"bobbin-profile" not in raw(settings / "out")


def test_a_worker_that_is_killed_takes_little_with_it_and_the_next_has_a_helper(settings):
    with profiled(settings, workers=1) as client:
        worked(client, other, 1, 1.0)
        told = own(client)["other"]
        until(lambda: samples(checked(settings / "out")) == {"other": told})
        ((_, pid),) = client.run(os.getpid).items()
        os.kill(pid, signal.SIGKILL)
        until(lambda: pid not in client.run(os.getpid, on_error="ignore").values() and len(helpers(client)) == 1, 40)
        worked(client, busy, 1, 1.0)
        expected = own(client)
        assert "other" not in expected
    found = checked(settings / "out")
    assert samples(found) == dict(expected, other=told)
    assert records(settings / "out", "sample")[-1]["cost"]["hook_errors"] == 0


def test_a_plugin_that_comes_late_has_what_dask_kept_and_one_that_comes_back_doubles_nothing(settings):
    with profiled(settings, register=False) as client:
        worked(client, other, 2, 0.7)
        start = time.time()
        bobbin.register(client)
        until(lambda: records(settings / "out", "profile"))
        client.unregister_scheduler_plugin("bobbin")
        worked(client, busy, 2, 0.7)
        bobbin.register(client)
        until(lambda: len(helpers(client)) == 2)
        worked(client, busy, 2, 0.7)
        expected = own(client)
    found = records(settings / "out", "profile")
    assert samples(found) == expected
    assert min(record["from_micros"] for record in found) < (start - 1) * 1e6


@pytest.mark.parametrize("how", ["cannot be loaded there", "is refused"])
def test_without_a_helper_the_workers_own_profile_is_asked_for(settings, monkeypatch, caplog, how):
    caplog.set_level("INFO", "distributed.bobbin")
    if how == "cannot be loaded there":
        monkeypatch.setattr(bobbin, "PROFILE_IMPORTS", "import a_module_that_is_not_there\n")
    with profiled(settings, register=False, processes=False) as client:
        workers = list(client.cluster.workers.values())
        if how == "is refused":
            for worker in workers:
                worker.handlers["run"] = refuse
        bobbin.register(client)
        worked(client, nested, 2, 2.0)
        expected = sum(tree["count"] for worker in workers for _, tree in worker.profile_history)
        # Several windows, and no cycle in two of them.
        until(lambda: samples(records(settings / "out", "profile")) == {None: expected}, 60)
        until(lambda: len(records(settings / "out", "profile")) > 1)
    found = checked(settings / "out")
    assert set(samples(found)) == {None}
    assert innermost(found)["spin"] > 0.8 * expected > 0
    told = [record.getMessage() for record in caplog.records if "does not accept the profile helper" in record.getMessage()]
    assert len(told) == 1 and ("a_module_that_is_not_there" in told[0]) is (how == "cannot be loaded there")
    if how == "cannot be loaded there":
        assert "Traceback" not in caplog.text
    assert records(settings / "out", "sample")[-1]["cost"]["hook_errors"] == 2


def refuse(comm=None, **arguments):
    raise RuntimeError("nobody runs anything here")


def test_a_stall_is_the_same_stacks_twice(settings):
    with profiled(settings) as client:
        run = run_of(client)
        assert run.profiles.same_stacks() is None
        held = [client.submit(other, 12, number) for number in range(2)]
        until(lambda: run.profiles.same_stacks() is True)
        client.gather(held)
        until(lambda: run.profiles.same_stacks() is None)


def test_while_nobody_takes_reports_workers_are_left_alone(settings):
    unheard = {"bobbin.destination": "receiver", "bobbin.receiver": "http://127.0.0.1:9", "bobbin.token": "t"}
    with profiled(settings, workers=1, processes=False, **unheard) as client:
        run = run_of(client)
        until(run.outbox.silent)
        until(lambda: run.profiles.task is None)
        before = run.profiles.last_round
        serial = [known.serial for known in run.profiles.known.values()]
        client.submit(other, 1.5, 0).result()
        assert run.profiles.last_round == before
        assert [known.serial for known in run.profiles.known.values()] == serial
