"""Everything goes wrong at once: computations come to the same result, and what the plugin lost is what it says it lost."""

import asyncio
import gc
import inspect
import itertools
import json
import operator
import os
import random
import sys
import threading
import time
import types
from collections import Counter
from contextlib import ExitStack, contextmanager
from pathlib import Path

import bobbin
import cloudpickle
import dask
import pytest
from distributed import Client, LocalCluster, Worker
from distributed.diagnostics.plugin import SchedulerPlugin
from listener import Listener, held_port, listening
from losses import Losses, missing
from processes import PLUGIN, cluster
from reports import latest, records, until
from small_disk import fill, small_disk
from story import settle

# Functions travel as they are: no other process can import this file.
cloudpickle.register_pickle_by_value(sys.modules[__name__])

# A million takes half an hour.
TASKS = int(os.environ.get("CHAOS_TASKS", 100_000))
PATIENCE_SECONDS = 60 + TASKS / 5000
CHUNK = 10_000
AT_ONCE = 50
# What all of the plugin may take beside the scheduler.
MEMORY_BYTES = 128 * 1024 * 1024


def square(x):
    return x * x


def a_cluster(**options):
    options = dict({"n_workers": 1}, **options)
    return LocalCluster(threads_per_worker=2, processes=False, dashboard_address=None, **options)


# Every part of it raises


# What calls the parts and catches what they raise; registering, which runs in the client and passes Dask's errors on.
FRAME = {"_ask", "_plan", "_tick", "_run", "_source", "_expression", "_explicit", "_true", "_config", "_coiled"}


def parts():
    """(owner, name, function) of every function of the plugin but the frame that holds them."""
    owners = [bobbin] + [cls for name, cls in vars(bobbin).items() if inspect.isclass(cls) and name.startswith("_")]
    for owner in owners:
        for name, part in list(vars(owner).items()):
            ours = inspect.isfunction(part) and part.__module__ == bobbin.__name__
            if ours and name not in FRAME and (owner is not bobbin or name.startswith("_")) and not name.startswith("__"):
                yield owner, name, part


def breaking(part, often, count):
    def broken(*arguments, **named):
        if often():
            count[part.__qualname__] += 1
            raise RuntimeError("a part of ours")
        return part(*arguments, **named)

    async def broken_later(*arguments, **named):
        if often():
            count[part.__qualname__] += 1
            raise RuntimeError("a part of ours")
        return await part(*arguments, **named)

    return broken_later if inspect.iscoroutinefunction(part) else broken


def much_of_everything(client, scheduler):
    """Calls every hook."""
    assert client.submit(sum, client.map(square, range(200))).result() == sum(x * x for x in range(200))
    with pytest.raises(ZeroDivisionError):
        client.submit(divmod, 1, 0).result()
    client.log_event("all", {"action": "something"})
    client.cluster.scale(3)
    until(lambda: len(scheduler.workers) == 3)
    client.cluster.scale(0)
    until(lambda: not scheduler.workers)
    # With workers that nobody starts again, it would wait for them.
    client.restart()
    client.cluster.scale(1)
    # Of the old client, the restart may still cancel something.
    with Client(scheduler.address, set_as_default=False) as other:
        assert other.submit(square, 9).result() == 81


@pytest.mark.parametrize("how", ["always", "now and then"])
def test_with_every_part_of_it_raising_nobody_notices(settings, how, caplog):
    chance = random.Random(7)
    often = {"always": lambda: True, "now and then": lambda: chance.random() < 0.2}[how]
    count = Counter()
    with a_cluster() as started, Client(started) as client:
        bobbin.register(client)
        run = started.scheduler.plugins["bobbin"]._run
        until(lambda: records(settings / "out", "sample"))
        with pytest.MonkeyPatch.context() as patch:
            for owner, name, part in parts():
                patch.setattr(owner, name, breaking(part, often, count))
            much_of_everything(client, started.scheduler)
            # Where all raise, those that they would call are never reached.
            until(lambda: len(count) >= (8 if how == "always" else 20), 60)
        # Whatever it was, it is over: the reports say how often it happened.
        until(lambda: records(settings / "out", "sample")[-1]["cost"]["hook_errors"] > 10, 90)
        assert run.outbox.thread.is_alive()
    assert not [record for record in caplog.records if "bobbin" in record.getMessage().lower() and record.levelname == "ERROR"]
    assert [row["reason"] for row in records(settings / "out", "stop")] == ["closed"]


def test_a_cluster_closes_while_every_part_raises(settings):
    count = Counter()
    with pytest.MonkeyPatch.context() as patch:
        with a_cluster() as started, Client(started) as client:
            bobbin.register(client)
            run = started.scheduler.plugins["bobbin"]._run
            for owner, name, part in parts():
                patch.setattr(owner, name, breaking(part, lambda: True, count))
            assert client.submit(square, 9).result() == 81
    assert count["_Run.why"]
    # Let its thread end.
    run.finish("a test")
    assert run.outbox.done.wait(20)


@pytest.fixture
def port():
    with held_port() as port:
        yield port


# A receiver in every mood


class Moody(Listener):
    """Answers as its mood is."""

    MOODS = ("refuse", "hang", "noise", 503, "hang up", "not bobbin", "refuse", 429, 404, 500, b"{}", b"[" * 30000)

    def __init__(self):
        super().__init__()
        self.mood = "ok"
        self.met = Counter()
        self.changed = threading.Event()

    def answer(self, request):
        mood = self.mood
        self.met[mood] += 1
        if mood == "hang":
            self.changed.wait(60)
            request.close_connection = True
        elif mood == "noise":
            request.wfile.write(os.urandom(4096))
            request.close_connection = True
        else:
            self.answers = [] if mood == "ok" else [mood]
            super().answer(request)


@contextmanager
def moody(token):
    """A listener whose mood changes; gives it, its address, and what makes it well for good. With each mood the file with the
    token is new, so that the plugin does not wait until it tries again."""
    listener, over = Moody(), threading.Event()
    well = threading.Event()

    def live():
        moods = itertools.cycle(listener.MOODS)
        while not over.is_set():
            listener.mood = "ok" if well.is_set() else next(moods)
            listener.changed.clear()
            with ExitStack() as stack:
                if listener.mood != "refuse":
                    stack.enter_context(listening(listener, port=port))
                token.write_text("t")
                (over if well.is_set() else well).wait(None if well.is_set() else 1.5)
                listener.changed.set()

    thread = threading.Thread(target=live)
    with held_port() as port:
        thread.start()
        try:
            yield listener, "http://127.0.0.1:%d" % port, well.set
        finally:
            over.set()
            well.set()
            thread.join(30)


class Holder(SchedulerPlugin):
    """Keeps all groups, so that they can be read after Dask has forgotten them."""

    name = "holder"

    def __init__(self):
        self.held = {}

    def update_graph(self, scheduler, *args, **kwargs):
        self.held.update((id(group), group) for group in scheduler.task_groups.values())


def hold_groups(dask_scheduler):
    dask_scheduler.add_plugin(Holder())


def held_groups(dask_scheduler):
    return {
        str(group.name): [
            {state: count for state, count in group.states.items() if count},
            dict(group.all_durations),
            group.nbytes_total,
        ]
        for group in dask_scheduler.plugins["holder"].held.values()
    }


def is_forgotten(dask_scheduler):
    return not dask_scheduler.task_groups


def narrow(dask_scheduler):
    """The spool has less room than it takes, however much that is. What was tried stays as it is: where all was, what comes next has to
    go, soon, and of the rest also what is told once."""
    bobbin.DRAFT_BYTES = 2**14
    spool = dask_scheduler.plugins["bobbin"]._run.outbox.spool
    spool.limit = spool.bytes * 9 // 10


def has_shed(dask_scheduler):
    return dask_scheduler.plugins["bobbin"]._run.outbox.shed_records > 0


def is_told(dask_scheduler):
    return dask_scheduler.plugins["bobbin"]._run.outbox.waiting() == 0


def plugin_bytes(dask_scheduler):
    """All objects that the plugin holds, but what is Dask's or the interpreter's."""
    kinds = (type, types.ModuleType, types.FunctionType, types.CodeType, types.FrameType, threading.Thread)
    foreign = ("distributed", "dask", "asyncio", "tornado", "logging", "ssl")
    seen, waiting, size = set(), [dask_scheduler.plugins["bobbin"]._run], 0
    while waiting:
        one = waiting.pop()
        if id(one) in seen or isinstance(one, kinds) or type(one).__module__.split(".")[0] in foreign:
            continue
        seen.add(id(one))
        size += sys.getsizeof(one)
        waiting.extend(gc.get_referents(one))
    return size


@contextmanager
def sizes_of_the_plugin(address):
    """What it takes while its cluster works, again and again; for that, at most a tenth of the scheduler's time."""
    sizes, over = [], threading.Event()

    def look():
        with Client(address, set_as_default=False) as client:
            pause = 0.0
            while not over.wait(pause):
                began = time.monotonic()
                sizes.append(client.run_on_scheduler(plugin_bytes))
                pause = max(1.0, 10 * (time.monotonic() - began))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield sizes
    finally:
        over.set()
        thread.join(60)


def test_many_tasks_while_the_receiver_is_in_every_mood(tmp_path):
    with moody(tmp_path / "token") as (listener, address, get_well):
        environment = {
            "DASK_BOBBIN__DESTINATION": "receiver",
            "DASK_BOBBIN__RECEIVER": address,
            "DASK_BOBBIN__TOKEN_FILE": str(tmp_path / "token"),
            "DASK_BOBBIN__INTERVAL": "0.2s",
            "DASK_BOBBIN__PROFILE__TRANSMIT": "true",
            "DASK_BOBBIN__PROFILE__INTERVAL": "1s",
            "BOBBIN_DATA_DIR": str(tmp_path / "data"),
            "BOBBIN_CHAOS_COUNT": str(tmp_path / "made"),
        }
        preload = Path(__file__).with_name("chaos_preload.py")
        with cluster("newest", tmp_path / "run", workers=2, threads=1, preload=preload, environment=environment) as started:
            with Client(started.address) as client, sizes_of_the_plugin(started.address) as sizes:
                client.run_on_scheduler(hold_groups)
                for start in range(0, TASKS, CHUNK):
                    total = ("total-%d" % start, 0)
                    graph = {("square-%d" % start, x): (operator.mul, x, x) for x in range(start, start + CHUNK)}
                    graph[total] = (sum, list(graph))
                    assert client.get(graph, total) == sum(x * x for x in range(start, start + CHUNK))
                until(lambda: client.run_on_scheduler(is_forgotten), PATIENCE_SECONDS)
                sizes.append(client.run_on_scheduler(plugin_bytes))
                client.run_on_scheduler(narrow)
                until(lambda: client.run_on_scheduler(has_shed), PATIENCE_SECONDS)
                get_well()
                dasks = client.run_on_scheduler(held_groups)

                def same():
                    rows = {row["group_id"]: row for row in listener.records("task_group") if row["final"]}
                    came = [row["name"] for row in rows.values()]
                    lost = Losses(listener.records()).by_what["task_group"]
                    assert len(came) == len(set(came)) and 0 <= len(dasks) - len(came) <= lost
                    for row in rows.values():
                        states, seconds, nbytes = dasks[row["name"]]
                        assert {state: count for state, count in row["states"].items() if count} == states
                        assert abs(row["seconds"]["compute"] - seconds["compute"]) < 2e-6
                        assert row["result_bytes"] == nbytes
                        # So many tasks one after the other take more than the plugin may: not all of them are timed.
                        assert row["durations"] is None or row["durations"]["count"] <= sum(states.values())

                settle(same, PATIENCE_SECONDS)
                # What met too much trouble comes behind the others, and a scheduler that closes has five seconds to tell.
                until(lambda: client.run_on_scheduler(is_told), PATIENCE_SECONDS)
        until(lambda: listener.records("stop"), PATIENCE_SECONDS)
    # While it worked, and not only in the end.
    assert len(sizes) > 3 and max(sizes) < MEMORY_BYTES
    # What met too much trouble comes behind the others.
    newest = max(listener.records("sample"), key=lambda sample: sample["at_micros"])
    assert newest["totals"]["tasks_completed"] == TASKS + TASKS // CHUNK
    assert set(Moody.MOODS) - {"refuse"} <= set(listener.met)
    losses = Losses(listener.records())
    # No failures.
    assert {"sample"} <= set(losses.by_what) <= {"profile", "profile_source", "cluster", *bobbin.WORTHS} - {"exception"}
    # Each has a number, and the numbers that are missing are those of what was shed after it had one.
    assert missing(listener.numbers()) == losses.gap > 0
    made, came = json.loads((tmp_path / "made").read_text()), Counter(row["kind"] for row in listener.records())
    for kind, count in made.items():
        assert came[kind] + losses.by_what[kind] == count, kind
    print(TASKS, "tasks,", sum(came.values()), "records came, lost:", dict(losses.by_reason), dict(losses.by_what))
    print("plugin bytes, of", len(sizes), "looks: most", max(sizes), "last", sizes[-1])


# All of it at once


def test_every_trouble_at_once(tmp_path, monkeypatch):
    """Parts raise, the receiver has moods, the spool has no room, workers come and go, and there is more than is kept."""
    chance, count = random.Random(11), Counter()
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 2**15)
    monkeypatch.setattr(bobbin, "WORKERS_PER_BEAT", 5)
    with moody(tmp_path / "token") as (listener, address, get_well):
        chosen = {"destination": "receiver", "receiver": address, "token-file": str(tmp_path / "token"), "interval": "0.2s"}
        chosen.update({"data-dir": str(tmp_path / "data"), "spool.limit": "128 KiB", "events.allow": "*"})
        with dask.config.set({"bobbin." + name: value for name, value in chosen.items()}), a_cluster() as started:
            with Client(started) as client:
                bobbin.register(client)
                run = started.scheduler.plugins["bobbin"]._run
                until(lambda: run.outbox.waiting() or listener.kept)
                with pytest.MonkeyPatch.context() as patch:
                    # What reads the scheduler: a sender whose parts raise tries ever more slowly, and would meet no mood.
                    readers = (bobbin._Run, bobbin._Groups, bobbin._Computations, bobbin._Workers, bobbin._Failures, bobbin._Load)
                    for owner, name, part in parts():
                        if owner in readers:
                            patch.setattr(owner, name, breaking(part, lambda: chance.random() < 0.1, count))
                    end = time.monotonic() + 60
                    for number in itertools.count():
                        client.cluster.scale(1 + number % 4)
                        client.run_on_scheduler(flood, numbers=range(50), size=5000)
                        squares = client.map(square, range(200), key=[("square-%d" % number, x) for x in range(200)])
                        assert client.submit(sum, squares).result() == sum(x * x for x in range(200))
                        with pytest.raises(ZeroDivisionError):
                            client.submit(divmod, number, 0).result()
                        met = set(Moody.MOODS) - {"refuse"} <= set(listener.met)
                        if (met and len(count) > 20) or time.monotonic() > end:
                            break
                    assert met and len(count) > 20, (listener.met, count)
                assert plugin_bytes(started.scheduler) < MEMORY_BYTES
                get_well()
                # All that is still told is told, of the last tasks, too.
                until(lambda: listener.records("sample")[-1:] and run.outbox.waiting() == 0, 90)
                assert client.submit(square, 9).result() == 81
                until(lambda: listener.records("sample")[-1]["totals"]["tasks_completed"] >= 202 * (number + 1), 60)
        until(lambda: listener.records("stop"), PATIENCE_SECONDS)
    last = listener.records("sample")[-1]
    assert last["cost"]["hook_errors"] > 20
    assert [row for row in listener.records("exception") if row["exception_type"] == "ZeroDivisionError"]
    numbers = listener.numbers()
    assert len(numbers) == len(set(numbers))
    assert missing(numbers) == Losses(listener.records()).gap


# Many groups that all live


def test_fifty_thousand_live_groups_have_room():
    with a_cluster() as started, Client(started) as client:
        bobbin.register(client)
        run = started.scheduler.plugins["bobbin"]._run
        until(lambda: run.groups is not None and run.last_beat)
        empty = plugin_bytes(started.scheduler)
        keys = ["group%d-%032x" % (number, number) for number in range(1000)]
        kept = client.map(abs, range(1000), key=keys)
        client.gather(kept)
        until(lambda: len(run.groups.known) == 1000 and run.steps is None and not run.outbox.waiting(), 60)
        # What is on its way at one look has come at another.
        until(lambda: 50 * (plugin_bytes(started.scheduler) - empty) < MEMORY_BYTES, 60)


# More than there is room for


def flood(dask_scheduler, numbers, size):
    for number in numbers:
        dask_scheduler.log_event("chaos", {"number": number, "filling": "x" * size})


def resident_bytes(dask_scheduler):
    import psutil

    return psutil.Process().memory_info().rss


def test_what_there_was_no_room_for_is_counted_and_memory_stays_bounded(tmp_path, port):
    listener = Listener()
    environment = {
        "DASK_BOBBIN__DESTINATION": "receiver",
        "DASK_BOBBIN__RECEIVER": "http://127.0.0.1:%d" % port,
        "DASK_BOBBIN__TOKEN": "t",
        "DASK_BOBBIN__EVENTS__ALLOW": "chaos",
        "DASK_BOBBIN__INTERVAL": "0.5s",
        "BOBBIN_DATA_DIR": str(tmp_path / "data"),
    }
    # Many at once, and then 240 MB over many reports.
    floods = [(range(3000), 10)] + [(range(start, start + 40), 60_000) for start in range(3000, 7000, 40)]
    resident = []
    for preload in (None, PLUGIN):
        folder = tmp_path / ("with" if preload else "without")
        with cluster("newest", folder, workers=0, preload=preload, environment=environment) as started:
            with Client(started.address) as client:
                for numbers, size in floods:
                    client.run_on_scheduler(flood, numbers=numbers, size=size)
                    time.sleep(0.05)
                resident.append(client.run_on_scheduler(resident_bytes))
                if preload:
                    with listening(listener, port=port):
                        sent = {number for numbers, _ in floods for number in numbers}

                        def counted():
                            came = [row["payload"]["number"] for row in listener.records("event") if row["payload"]]
                            lost = Counter()
                            for row in listener.records("dropped"):
                                lost[row["what"], row["reason"]] += row["count"]
                            assert len(came) == len(set(came)) and set(came) <= sent
                            assert len(came) + sum(count for (what, _), count in lost.items() if what == "event") == len(sent)
                            return lost

                        lost = settle(counted, 90)
    assert lost["event", "too_many"] >= 2000
    assert lost["event", "queue_full"] > 0
    assert resident[1] - resident[0] < MEMORY_BYTES


# Workers come and go


class Comings(SchedulerPlugin):
    """What Dask says."""

    name = "comings"

    def __init__(self):
        self.seen = Counter()

    def add_worker(self, scheduler, worker):
        self.seen["joined"] += 1

    def remove_worker(self, scheduler, worker, **kwargs):
        self.seen["left"] += 1


async def come(address):
    workers = [Worker(address, nthreads=1, dashboard=False, memory_limit=0) for _ in range(AT_ONCE)]
    await asyncio.gather(*workers)
    return workers


async def go(workers):
    """They take their time, which the next ones use to come."""
    return asyncio.gather(*(worker.close(nanny=False) for worker in workers))


async def all_gone(going):
    await asyncio.gather(*going)


# As many as there are, with room for them all; and some hundreds with room for few.
@pytest.mark.parametrize("many, room", [(1000, bobbin.WORKERS_PER_BEAT), (200, 20)])
def test_many_workers_join_and_leave(settings, monkeypatch, many, room):
    monkeypatch.setattr(bobbin, "WORKERS_PER_BEAT", room)
    comings = Comings()
    # A thousand threads that look at what the others do would be all that this machine does.
    with dask.config.set({"distributed.worker.profile.enabled": False}), a_cluster() as started:
        with Client(started) as client:
            started.scheduler.add_plugin(comings)
            bobbin.register(client)
            going = []
            for number in range(many // AT_ONCE):
                workers = client.sync(come, started.scheduler_address)
                # Many of them take part.
                squares = client.map(square, range(200), key=[("square-%d" % number, x) for x in range(200)])
                assert sum(client.gather(squares)) == sum(x * x for x in range(200))
                del squares
                going.append(client.sync(go, workers))
            client.sync(all_gone, going)
            assert comings.seen == {"joined": many, "left": many}

            def counted():
                told = Counter(row["event"] for row in records(settings / "out", "worker"))
                lost = sum(row["count"] for row in records(settings / "out", "dropped") if row["what"] == "worker")
                # The one that was there before.
                assert told["joined"] + told["left"] + lost == 2 * many + 1
                assert records(settings / "out", "sample")[-1]["workers"] == 1
                return lost

            assert (settle(counted) > 0) == (room < AT_ONCE)
            assert plugin_bytes(started.scheduler) < MEMORY_BYTES
    sample = records(settings / "out", "sample")[-1]
    assert sample["totals"]["tasks_completed"] >= 200 * (many // AT_ONCE)
    assert sample["cost"]["hook_errors"] == 0
    assert max(row["workers"] for row in records(settings / "out", "sample")) > AT_ONCE


# The disk is full


@pytest.fixture
def full_disk(tmp_path):
    with small_disk(tmp_path / "disk", "256k") as folder:
        fill(folder)
        yield folder


def test_with_a_full_disk_files_wait_and_then_all_is_there(full_disk):
    out = full_disk / "out"
    with dask.config.set({"bobbin.folder": str(out)}), a_cluster() as started, Client(started) as client:
        bobbin.register(client)
        run = started.scheduler.plugins["bobbin"]._run
        assert sum(client.gather(client.map(square, range(500)))) == sum(x * x for x in range(500))
        until(lambda: run.outbox.failing_since)
        assert not records(out)
        (full_disk / "ballast").unlink()
        until(lambda: latest(out, "task_group", "group_id"), 90)
    assert records(out, "sample")[-1]["totals"]["tasks_completed"] == 500
    assert not records(out, "dropped")
    (row,) = latest(out, "task_group", "group_id").values()
    assert row["states"]["forgotten"] == 500


def test_with_a_full_disk_and_nobody_there_reports_wait_in_memory(full_disk, port):
    listener = Listener()
    chosen = {"bobbin.destination": "receiver", "bobbin.receiver": "http://127.0.0.1:%d" % port, "bobbin.token": "t"}
    with dask.config.set(dict(chosen, **{"bobbin.data-dir": str(full_disk)})), a_cluster() as started:
        with Client(started) as client:
            bobbin.register(client)
            run = started.scheduler.plugins["bobbin"]._run
            assert sum(client.gather(client.map(square, range(500)))) == sum(x * x for x in range(500))
            until(lambda: run.outbox.failing_since and run.outbox.errors)
            with listening(listener, port=port):
                until(lambda: listener.records("task_group"), 90)
                client.close()
                started.close()
    assert listener.records("sample")[-1]["totals"]["tasks_completed"] == 500
    assert sorted(listener.numbers()) == list(range(1, len(listener.numbers()) + 1))
    assert not listener.records("dropped")
