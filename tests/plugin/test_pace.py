"""A beat takes little of the event loop at a time and little of it in all, and what that means for the gap is told."""

import threading
import time

import bobbin
import dask
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


@pytest.mark.parametrize("what", ["computations", "events"])
def test_one_is_told_soon_and_a_stream_of_them_when_a_report_is_due(settings, what):
    def waited():
        """Seconds to the next report, behind one more."""
        if what == "computations":
            client.submit(abs, 1, pure=False).result()
        else:
            client.log_event("mine", {"stage": 1})
            # What comes behind it is heard behind it.
            client.run_on_scheduler(abs, 1)
        return run.planned - run.loop.time()

    def beat():
        until(lambda: run.steps is None)
        before = run.last_beat
        run.loop.call_soon_threadsafe(run._plan, 0.0)
        until(lambda: run.last_beat > before and run.steps is None)

    chosen = {"bobbin.interval": "60s", "bobbin.events.allow": ["mine"]}
    with dask.config.set({**chosen, "distributed.diagnostics.computations.nframes": 2}):
        with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                run = run_of(client)
                beat()
                assert waited() < 20
                for _ in range(bobbin.STREAM):
                    waited()
                beat()
                # Each by itself is no news any more, until a report in which there were few.
                assert waited() > 40
                beat()
                assert waited() < 20


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


def test_what_is_read_in_slices_is_sent_together_unless_it_is_much(client, settings, monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)
    kept = many_groups(client, 300)
    run = run_of(client)
    until(lambda: len({row["name"] for row in records(settings / "out", "task_group")}) == 300)
    until(lambda: run.steps is None)
    offered = []
    monkeypatch.setattr(run.outbox, "offer", offered.append)

    async def beat():
        del offered[:]
        run.steps = run._beat(None, False)
        slices = 1
        while run._go_on():
            slices += 1
        return slices, list(offered)

    slices, sent = client.sync(beat)
    assert slices >= 4 and len(sent) == 1
    monkeypatch.setattr(bobbin, "GATHERED_ROWS", 1)
    _, in_parts = client.sync(beat)
    assert len(in_parts) > 1
    # What a slice read is sent, too, where the rest of the beat fails.
    monkeypatch.setattr(bobbin, "GATHERED_ROWS", 1000)
    left = ("event", None, {"kind": "event"})
    run.read = [left]
    _, (whole,) = client.sync(beat)
    assert left in whole and len(whole) > 1
    del kept


@pytest.fixture
def events(client, monkeypatch):
    """The run of a cluster that reports when it is told to, and the events of the last reports."""
    run = run_of(client)
    run.settings.events = ("mine",)
    until(lambda: run.steps is None and run.timer is not None)
    run.loop.call_soon_threadsafe(run._plan, 3600.0)
    monkeypatch.setattr(run, "soon", lambda *_: None)
    return run


def told(rows):
    return [row["payload"] for kind, _, row in rows if kind == "event" and row["topic"] == "mine"]


def test_an_event_is_copied_with_the_report_and_not_where_it_is_told(client, events, monkeypatch):
    copied = []
    plain = bobbin._plain
    monkeypatch.setattr(bobbin, "_plain", lambda value, room, depth=0: (copied.append(value), plain(value, room, depth))[1])
    client.run_on_scheduler(lambda dask_scheduler: dask_scheduler.log_event("mine", {"stage": list(range(100))}))
    assert len(events.events) == 1 and copied == []

    async def beat():
        return [row for rows in events._beat(None, False) for row in rows]

    assert told(client.sync(beat)) == [{"stage": list(range(100))}] and copied


def test_many_long_events_are_copied_in_slices_and_the_beginnings_of_too_many(client, events, monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)
    monkeypatch.setattr(bobbin, "EVENTS_PARTS", 3000)
    message = {"stage": list(range(1000))}

    def log(dask_scheduler):
        for _ in range(10):
            dask_scheduler.log_event("mine", message)

    async def beat():
        return [list(rows) for rows in events._beat(None, False)]

    client.run_on_scheduler(log)
    slices = client.sync(beat)
    # A thousand parts are more than a slice.
    assert sum(1 for rows in slices if told(rows)) >= 3
    found = [payload for rows in slices for payload in told(rows)]
    assert len(found) == 10
    assert found[0] == found[1] == message
    assert all(len(payload["stage"]) <= bobbin.EVENT_BEGINNING and "cut" in str(payload) for payload in found[3:])


def test_a_report_that_is_left_tells_each_event_once(client, events, monkeypatch):
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 100)

    def log(dask_scheduler):
        for number in range(50):
            dask_scheduler.log_event("mine", {"number": number, "parts": list(range(100))})

    async def beats():
        found, beat = [], events._beat(None, False)
        while not told(found):
            found += next(beat)
        found += next(beat)
        # As where the scheduler closes, or its last worker goes.
        beat.close()
        for rows in events._beat(None, False):
            found += rows
        return found

    client.run_on_scheduler(log)
    assert [payload["number"] for payload in told(client.sync(beats))] == list(range(50))


class CountedSleep:
    """The module `time`, and which thread slept for how long."""

    def __init__(self):
        self.slept = []

    def count(self, seconds, thread):
        return self.slept.count((thread, seconds))

    def __getattr__(self, name):
        return getattr(time, name)

    def sleep(self, seconds):
        self.slept.append((threading.get_ident(), seconds))
        time.sleep(seconds)


def test_the_sender_lets_the_loop_have_the_interpreter_but_not_at_the_end(client, settings, monkeypatch):
    counted = CountedSleep()
    monkeypatch.setattr(bobbin, "time", counted)
    monkeypatch.setattr(bobbin, "HELD_SECONDS", 0.0001)
    kept = many_groups(client, 300)
    outbox = run_of(client).outbox
    until(lambda: len({row["name"] for row in records(settings / "out", "task_group")}) == 300)
    assert counted.count(0.0001, outbox.thread.ident) > 10
    until(lambda: not outbox.waiting())
    # In this thread, for the sender's own breathes when it has to.
    here = threading.get_ident()
    outbox.closing, outbox.held_since = True, 0.0
    outbox._breathe()
    assert counted.count(0.0001, here) == 0
    outbox.closing, outbox.held_since = False, 0.0
    outbox._breathe()
    assert counted.count(0.0001, here) == 1
    del kept


def burn(seconds):
    """Takes so much of the processor; returns how much it was."""
    start = time.thread_time()
    while time.thread_time() - start < seconds:
        pass
    return time.thread_time() - start


def typical(last):
    """What a beat has to be paid for with after these: the second of three, or the mean."""
    last = [*[0.0] * bobbin.BEATS_KEPT, *last][-bobbin.BEATS_KEPT :]
    return max(sorted(last[-3:])[1], sum(last) / len(last))


def test_one_long_beat_says_nothing_of_the_next(client, settings, monkeypatch):
    run = run_of(client)
    until(lambda: len(records(settings / "out", "sample")) > 3)
    read, slow_ones = run.groups.rows, [True]

    def slow(*arguments):
        if slow_ones:
            slow_ones.pop()
            # Half a percent of 20 seconds.
            burn(0.1)
        yield from read(*arguments)

    monkeypatch.setattr(run.groups, "rows", slow)
    until(lambda: not slow_ones)
    before = len(records(settings / "out", "sample"))
    until(lambda: len(records(settings / "out", "sample")) > before + 3)
    # Over the next beats it is paid for all the same: by 16 of them.
    assert 20_000_000 / 16 <= max(intervals(settings)) < 10_000_000
    slow_ones += [True] * 2
    until(lambda: intervals(settings)[-1] >= 20_000_000, 30)


def test_what_a_beat_takes_is_told_with_the_next(client, settings, monkeypatch):
    run = run_of(client)
    read = run.groups.rows
    until(lambda: run.steps is None and records(settings / "out", "sample"))
    before = len(records(settings / "out", "sample"))

    def slow(*arguments):
        burn(0.005)
        yield from read(*arguments)

    monkeypatch.setattr(run.groups, "rows", slow)
    until(lambda: len(records(settings / "out", "sample")) > before + 5, 60)
    told = [row["cost"]["beat_micros"] for row in records(settings / "out", "sample")[before:]]
    # The first tells of one that was quick, and so does the second where a beat came just before.
    assert min(told[2:6]) > 5000
    # A machine that is busy takes some more.
    assert sorted(told[2:6])[1] < 50_000


def test_beats_that_take_long_make_the_gap_longer_and_that_is_told(client, settings, monkeypatch):
    run = run_of(client)
    read, paced = run.groups.rows, run._pace
    beats, burnt, burnt_then = [], [0.0], []

    def pace():
        paced()
        burnt_then.append(burnt[0])
        burnt[0] = 0.0
        beats.append((typical(burnt_then), typical(run.budget.last_cpus), round(run.gap * 1e6)))

    def slow(*arguments):
        for row in read(*arguments):
            burnt[0] += burn(0.00005)
            yield row

    monkeypatch.setattr(run, "_pace", pace)
    monkeypatch.setattr(bobbin, "SLICE_STEPS", 10)
    until(lambda: records(settings / "out", "sample"))
    assert intervals(settings)[0] == 300_000
    monkeypatch.setattr(run.groups, "rows", slow)
    kept = many_groups(client, 60)
    # All slices of a beat count, not only the last: each has at most 10 of the 60 groups.
    until(lambda: any(least > 0.002 for least, _, _ in beats), 60)
    least, cpu, gap = next(beat for beat in beats if beat[0] > 0.002)
    assert cpu >= least
    assert gap > 300_000 and gap >= cpu * 1e6 * bobbin.BEATS_APART
    until(lambda: gap in intervals(settings))
    monkeypatch.setattr(run.groups, "rows", read)
    monkeypatch.setattr(bobbin, "BEATS_APART", 1)
    client.submit(abs, -1).result()
    until(lambda: intervals(settings)[-1] == 300_000, 60)
    del kept


@pytest.fixture
def slow_transitions(monkeypatch):
    """Each transition takes 50 microseconds more of the processor; all that it was."""
    hook, burnt = bobbin.BobbinPlugin.transition, [0.0]

    def slow(plugin, *args, **kwargs):
        burnt[0] += burn(0.00005)
        hook(plugin, *args, **kwargs)

    monkeypatch.setattr(bobbin.BobbinPlugin, "transition", slow)
    return burnt


def test_what_transitions_take_is_in_the_share_of_the_loop(client, settings, slow_transitions):
    until(lambda: records(settings / "out", "sample"))
    slow_transitions[0] = 0.0
    before = len(records(settings / "out", "sample"))
    for start in range(0, 2000, 500):
        client.gather(client.map(abs, range(start, start + 500)))

    def told():
        samples = records(settings / "out", "sample")
        return samples if samples[-1]["totals"]["tasks_completed"] == 2000 and not samples[-1]["cost"]["hook_micros"] else None

    samples = until(told, 60)
    # Three transitions of a task and more, which one in some hundred was timed of.
    assert slow_transitions[0] > 0.3
    hooks = sum(sample["cost"]["hook_micros"] for sample in samples[before:]) / 1e6
    assert 0.9 * slow_transitions[0] < hooks < 1.3 * slow_transitions[0]
    busy = [(earlier, later) for earlier, later in zip(samples, samples[1:]) if later["cost"]["hook_micros"] > 20_000]
    assert busy
    for earlier, later in busy:
        cost, passed = later["cost"], later["at_micros"] - earlier["at_micros"]
        assert cost["loop_share"] > 0.01
        assert cost["loop_share"] == pytest.approx((cost["beat_micros"] + cost["hook_micros"]) / passed, rel=0.2, abs=0.005)


def test_what_hooks_take_comes_off_the_half_percent_of_the_beats(client, settings, slow_transitions, monkeypatch):
    run = run_of(client)
    read, seen = run.groups.rows, []

    def slow(*arguments):
        burn(0.001)
        yield from read(*arguments)

    monkeypatch.setattr(run.groups, "rows", slow)
    need = run.budget.need

    def needed():
        seen.append((run.budget.others_share, typical(run.budget.last_cpus), need()))
        return seen[-1][-1]

    monkeypatch.setattr(run.budget, "need", needed)
    until(lambda: len(records(settings / "out", "sample")) > 5)
    assert all(least == pytest.approx(cpu * bobbin.BEATS_APART, rel=0.01) for share, cpu, least in seen if share < 0.00001)
    for start in range(0, 2000, 500):
        client.gather(client.map(abs, range(start, start + 500)))
    # Where they leave nothing, half of it is for the beats all the same.
    crowded = until(lambda: [one for one in seen if one[0] > 0.005])
    assert all(least == pytest.approx(2 * cpu * bobbin.BEATS_APART) for _, cpu, least in crowded)
    until(lambda: max(intervals(settings)) >= max(least for _, _, least in crowded) * 1e6 > 400_000)


def test_profiles_that_are_asked_for_all_the_time_do_not_put_reports_off():
    class NobodysScheduler:
        transition_counter = 0

    budget, gap = bobbin._Budget(NobodysScheduler(), 10.0), 10.0
    for _ in range(20):
        budget.told_at = time.perf_counter() - gap
        budget.pulls += gap / bobbin.PULLS_APART
        budget.hooks += gap * 0.003
        budget.cpu = 0.005
        budget.take()
        budget.beat_is_over()
        while gap < budget.need():
            gap *= 2
    assert gap == 10.0


def test_a_report_leaves_what_pulls_took_to_the_rest_behind_them(settings):
    with dask.config.set({"bobbin.profile.transmit": True, "bobbin.profile.interval": "0.2s", "bobbin.interval": "0.2s"}):
        with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster, Client(cluster) as client:
            bobbin.register(client)
            profiles, seen = cluster.scheduler.plugins["bobbin"]._run.profiles, []
            until(lambda: seen.append(profiles.seconds) or (seen[-1] > 0 and len(records(settings / "out", "sample")) > 5))
    assert seen == sorted(seen)


def refuse(x):
    raise ValueError(x)


def test_where_hooks_take_too_much_only_some_tasks_are_timed_and_all_are_counted(client, settings, monkeypatch):
    hook = bobbin.BobbinPlugin.transition

    def slow(plugin, key, start, finish, *args, **kwargs):
        if (start, finish) == ("processing", "memory"):
            burn(0.0005)
        hook(plugin, key, start, finish, *args, **kwargs)

    monkeypatch.setattr(bobbin.BobbinPlugin, "transition", slow)
    monkeypatch.setattr(bobbin, "WEIGHED_SECONDS", 2.0)
    monkeypatch.setattr(bobbin, "GAPS_A_FULL_ONE", 3)
    run = run_of(client)
    used, tasks = set(), 0
    while used != {"full", "brief", "full again"}:
        assert tasks < 20_000
        client.gather(client.map(abs, range(tasks, tasks + 100), pure=False))
        tasks += 100
        brief = run.budget.transitions.brief
        used.add("brief" if brief else "full again" if "brief" in used else "full")
    failed = [client.submit(refuse, number, pure=False) for number in range(3)]
    assert all(future.exception() for future in failed)
    until(lambda: records(settings / "out", "sample")[-1]["totals"]["tasks_completed"] == tasks + 3)
    assert records(settings / "out", "sample")[-1]["totals"]["tasks_erred"] == 3
    timed = sum(row["durations"]["count"] for row in latest(settings / "out", "task_group", "group_id").values() if row["durations"])
    assert 0 < timed < tasks
    # Where there is nothing to do, there is time for all of it.
    until(lambda: not run.budget.brief and not run.budget.transitions.brief)
    assert run.owner.__dict__.get("transition") != run.owner._brief_transition
    del failed


@pytest.mark.parametrize(
    "beats, hooks, brief",
    [(0.0, 0.004, False), (0.004, 0.0, False), (0.006, 0.002, False), (0.0024, 0.0027, True), (0.0, 0.006, True)],
)
def test_the_hook_is_brief_above_half_a_percent_of_which_it_is_half(beats, hooks, brief):
    class NobodysScheduler:
        transition_counter = 0

    budget = bobbin._Budget(NobodysScheduler(), 10.0)
    for minute in range(3):
        budget._weigh(60.0 * minute, 60.0 * (minute + 1), 60 * beats, 60 * hooks)
    assert budget.brief is brief
    # Once it is, it stays so down to three fifths of that.
    budget.brief = True
    budget._weigh(180.0, 240.0, 0.0, 60 * 0.0031)
    budget._weigh(240.0, 300.0, 0.0, 60 * 0.0031)
    budget._weigh(300.0, 360.0, 0.0, 60 * 0.0031)
    assert budget.brief
    for minute in range(6, 9):
        budget._weigh(60.0 * minute, 60.0 * (minute + 1), 0.0, 60 * 0.0029)
    assert not budget.brief


def test_what_is_urgent_during_a_report_is_told_right_behind_it(client, settings, monkeypatch):
    run = run_of(client)
    until(lambda: run.steps is None and records(settings / "out", "sample"))

    async def during():
        run.settings.interval = run.gap = 60.0
        if run.steps is None:
            run._plan(60.0)
            assert run._begin_beat()
        run.soon(0.5, 1.0)
        run.soon(0.1, 5.0)
        while run.steps is not None:
            run._tick()
        return run.planned - run.loop.time()

    assert client.sync(during) < 2.0


@pytest.mark.parametrize("workers", [1, 2], ids=["the last", "another"])
def test_a_worker_that_goes_makes_no_report_on_the_spot(settings, workers):
    with dask.config.set({"bobbin.interval": "60s"}):
        with LocalCluster(n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                kept = many_groups(client, 300)
                run = run_of(client)
                until(lambda: run.steps is None and run.loop.time() - run.last_beat > 0.6)

                async def take_away():
                    scheduler, before = run.scheduler, run.budget.beats
                    await scheduler.remove_worker(next(iter(scheduler.workers)), stimulus_id="test")
                    kept_states = [group.intact for group in run.groups.known.values()]
                    return run.budget.beats - before, sum(states.get("memory", 0) for states in kept_states)

                # What a cluster that ends now had is known all the same.
                assert client.sync(take_away) == (0.0, 300)
                del kept


def test_a_report_that_is_made_in_a_hook_is_counted_once(client, settings):
    run = run_of(client)
    until(lambda: run.steps is None and records(settings / "out", "sample"))

    async def made():
        read = run.groups.rows

        def slow(*arguments):
            burn(0.05)
            yield from read(*arguments)

        beats, hooks = run.budget.beats, run.budget.hooks
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run.groups, "rows", slow)
            patch.setattr(run, "event_came", lambda *_: run._whole_beat(False))
            run.owner.log_event("mine", {})
        return run.budget.beats - beats, run.budget.hooks - hooks

    beats, hooks = client.sync(made)
    assert beats >= 0.05 and hooks < 0.02


def test_a_thousand_workers_that_are_there_are_read_in_slices(client, settings):
    class Thousand:
        """A scheduler with more workers."""

        def __init__(self, scheduler):
            (worker,) = scheduler.workers.values()
            self.workers = {"tcp://10.0.%d.%d:1" % divmod(number, 250): worker for number in range(1000)}
            self.total_nthreads = 2000

    run = run_of(client)
    until(lambda: run.steps is None and records(settings / "out", "sample"))

    async def read():
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(run, "scheduler", Thousand(run.scheduler))
            return sum(1 for _ in run._load()), run.workers_seen

    slices, seen = client.sync(read)
    assert slices == 1000 / bobbin.WORKERS_PER_SLICE
    assert (seen["workers"], seen["threads"], seen["workers_each"]) == (1000, 2000, None) and seen["workers_bands"]


def a_while(seconds):
    time.sleep(seconds)


def test_of_groups_that_are_over_a_computation_keeps_the_sums(client, settings):
    """A cluster that is never idle has one computation, which lasts."""
    run = run_of(client)
    busy = client.submit(a_while, 6, key="busy")
    keys = ["group%d-%032x" % (number, number) for number in range(30)]
    futures = client.map(abs, range(30), key=keys)
    client.gather(futures)
    del futures

    def told():
        rows = [row for row in records(settings / "out", "computation") if row["states"].get("forgotten") == 30]
        return rows and rows[-1]

    row = until(told)
    assert len(row["groups"]) == 31 and sum(row["states"].values()) == 31
    (computation,) = run.computations.known.values()
    assert len(computation.live) == 1 and len(computation.joined) == 31
    busy.result()


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
    # Where the machine is slow, a report of so many groups has a long gap behind it.
    until(lambda: len(records(settings / "out", "span")) > told, 60)
    assert 0 < most[0] <= 100
    del kept, more
