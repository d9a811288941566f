"""What is shed when there is more than the bounds allow: least worth first, and every record of it told."""

import copy
import errno
import json
import os
import random
import time
import tracemalloc
from collections import Counter

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from ending import canary_in_code
from listener import Listener, listening
from losses import Losses, missing, reasons
from processes import PLUGIN
from reports import until
from serving import installed, serving
from spools import spooled


class VirtualClock(bobbin._Clock):
    """Goes on when it is told to."""

    def __init__(self):
        super().__init__()
        self.micros = 0

    def monotonic(self):
        return self.micros


def an_outbox(data, receiver="http://127.0.0.1:9", clock=None):
    """An outbox of nobody's, not yet at work."""
    chosen = {"destination": "receiver", "receiver": receiver, "token": "t", "data-dir": str(data)}
    with dask.config.set({"bobbin." + name: value for name, value in chosen.items()}):
        settings = bobbin.Settings()
    mask = bobbin._Mask(settings, b"salt")
    return bobbin._Outbox(settings, "Scheduler-virtual", clock or VirtualClock(), dict, mask, print, print)


@pytest.fixture(scope="module")
def rows():
    """What a real cluster offered in one beat, and at its end."""
    taken = []

    class Tap(bobbin._Outbox):
        def offer(self, rows):
            taken.extend(rows)
            super().offer(rows)

    original, bobbin._Outbox = bobbin._Outbox, Tap
    try:
        with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
            with Client(cluster) as client:
                bobbin.register(client)
                wait(client.map(canary_in_code, range(5)))
                time.sleep(0.7)
    finally:
        bobbin._Outbox = original
    return {kind: next(row for row in reversed(taken) if row[0] == kind) for kind in {row[0] for row in taken}}


def profile(at, prefix):
    """A profile without source lines, as where code is switched off."""
    return {
        "kind": "profile",
        "at_micros": at,
        "from_micros": at - 10_000_000,
        "to_micros": at,
        "prefix": prefix,
        "samples": 300,
        "sample_micros": 10000,
        "unattributed": 0,
        "strings": ["f%d_%s" % (at + number, os.urandom(4).hex()) for number in range(30)],
        "frames": {"name": list(range(30)), "file": list(range(30)), "line": list(range(30)), "text": [None] * 30},
        "stacks": {"parent": list(range(-1, 29)), "frame": list(range(30))},
        "leaves": {"stack": list(range(30)), "count": [10] * 30},
    }


def moved(row, at):
    """The same row at another time."""
    kind, key, row = row
    if kind == "task_group":
        return kind, key, (at,) + row[1:]
    return kind, key, dict(copy.deepcopy(row), at_micros=at)


def of_a_beat(rows, clock, beat):
    """One beat of a cluster at work: numbers, a group that goes on and one that is over, a profile, now and then a failure."""
    at = clock.now()
    made = [moved(rows["cluster"], at)] if beat == 0 else []
    for _, _, cluster in made:
        cluster["switches"]["profile"] = True
    kind, _, sample = moved(rows["sample"], at)
    # As from a cluster of many workers.
    sample["workers_each"] = [[os.urandom(16).hex(), 1.0, 1, 1, 1, 1, 1] for _ in range(10)]
    made += [(kind, None, sample), moved(rows["task_group"], at)]
    if beat % 10 == 1:
        kind, _, over = moved(rows["task_group"], at)
        over = over[:1] + ("group-%d" % beat,) + over[2:-1] + (True,)
        made.append((kind, over[1], over))
    if beat % 3 == 1:
        made += [("profile", None, profile(at, prefix)) for prefix in ("inc", None)]
    if beat % 100 == 1:
        kind, _, failure = moved(rows["exception"], at)
        made.append((kind, beat, dict(failure, exception_id="exception-%d" % beat, message="canary %d" % beat)))
    return made


def a_failure(rows, number, **fields):
    """A row of one failure of many."""
    kind, _, record = rows["exception"]
    name = "e%d" % number
    return kind, name, dict(record, exception_id=name, **fields)


def without_text(record):
    return not any((record["message"], record["traceback"], record["details"]))


def taken(outbox):
    """Waits until the thread has taken what was offered."""
    end = time.monotonic() + 60
    while outbox.inbox_rows:
        assert time.monotonic() < end
        time.sleep(0.001)


def test_eight_hours_without_a_receiver_stay_within_bounds_and_every_loss_is_told(tmp_path, monkeypatch, rows):
    """2880 beats of ten virtual seconds; a spool of 700 KB has to do, which is far too little."""
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 128 * 1024)
    data = installed(tmp_path / "data")
    clock = VirtualClock()
    outbox = an_outbox(data, clock=clock)
    outbox.spool.limit = 700_000
    strip, stripped = outbox._strip, []

    def in_order(batch, worth):
        # What is worth less is gone from everywhere but what a receiver may have seen.
        assert all(other.least >= worth for other in outbox.batches if not other.sent)
        stripped.append(batch.least)
        strip(batch, worth)

    outbox._strip = in_order
    offered, most = Counter(), 0
    outbox.thread.start()
    for beat in range(2880):
        now = of_a_beat(rows, clock, beat)
        offered.update(kind for kind, _, _ in now)
        outbox.offer(now)
        clock.micros += 10_000_000
        taken(outbox)
        most = max(most, outbox.spool.bytes)
    until(lambda: outbox.spool.bytes <= 700_000)
    assert 500_000 < most <= 700_000 + 2 * 128 * 1024
    on_disk = sum(path.stat().st_blocks * 512 for path in (data / "spool").rglob("*") if path.is_file())
    assert on_disk <= 700_000 + 2 * 128 * 1024
    assert outbox.plain.bytes + outbox.text.bytes < 2 * 1024 * 1024 and outbox.errors == 0

    assert len(stripped) > 20 and {0, 1, 2} <= set(stripped) <= {0, 1, 2, 4}

    with serving(data) as served:
        outbox.settings.receiver = served.address
        outbox.settings.token = served.token
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": clock.now(), "reason": "closed"})])
        assert outbox.done.wait(60)
        dropped = served.dropped()
        assert {"profile", "sample"} <= set(dropped) <= {"profile", "sample", "dropped", "task_group"}
        assert served.rows("select distinct reason from dropped") == [("spool_full",)]
        # What arrived and what was told to be lost is what there was, and the gaps are what was lost.
        assert served.count("sample") + dropped.get("sample", 0) == offered["sample"]
        assert served.count("profile") + dropped.get("profile", 0) == offered["profile"]
        assert served.missing() == sum(dropped.values()) == outbox.shed_records
        assert served.rows("select count(*) from exception") == [(offered["exception"],)]
        assert served.rows("select count(*) from task_group where group_id like 'group-%'") == [(288,)]
        assert served.rows("select sum(conflicts) from instance") == [(0,)]
        assert not (data / "spool" / outbox.spool.stem).exists()


def test_memory_is_bounded_with_every_queue_full(tmp_path, rows):
    """Nothing is taken away and nothing can be written: the most that the outbox ever holds."""
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 0
    clock = outbox.clock
    tracemalloc.start()
    try:
        kind, _, over = rows["task_group"]
        failure = rows["exception"][2]
        offered = 0
        while outbox.shed_records < 1000:
            # Told once, so that twice the room counts.
            for number in range(500):
                name = "%s-%d" % (over[1], offered)
                outbox._add(kind, name, (clock.now(), name) + over[2:-1] + (True,))
                event = {"kind": "event", "at_micros": clock.now(), "topic": "t", "payload": "x" * 2000, "count": None}
                outbox._add("event", None, event)
                offered += 1
        # As many failures as there ever are, with as much text, on top of it.
        for number in range(bobbin.FAILURES):
            name = "e%d" % number
            outbox._add("exception", name, dict(failure, exception_id=name, traceback="%05d" % number + "t" * 22 * 1024))
        assert len(outbox.text.shelves[bobbin.KEPT]) == bobbin.FAILURES
        before = outbox.shed_records
        for number in range(2 * bobbin.INBOX_ROWS // 500 + 10):
            outbox.offer([(kind, "x-%d" % part, tuple(copy.deepcopy(over[:-1])) + (True,)) for part in range(500)])
        assert outbox.inbox_rows == 2 * bobbin.INBOX_ROWS
        assert outbox.shed_records == before + 10 * 500
        outbox._number(outbox.plain)
        held, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    print("held %.0f MiB, most %.0f MiB" % (held / 2**20, most / 2**20))
    assert most < 128 * 2**20


def test_what_was_shed_is_what_is_missing(tmp_path, monkeypatch, rows):
    """Every record has a number of its own, so that each loss can be looked up."""
    monkeypatch.setattr(bobbin, "QUEUE_BYTES", 60_000)
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 0
    outbox.thread.start()
    offered = Counter()
    for number in range(300):
        at = outbox.clock.now() + number
        event = {"kind": "event", "at_micros": at, "topic": "t", "payload": {"number": number, "filling": "x" * 300}}
        now = [("sample", None, dict(rows["sample"][2], at_micros=at)), ("event", None, event)]
        now.append(("profile", None, profile(at, None)))
        now.append(a_failure(rows, number, traceback="t" * 1000))
        kind, _, over = moved(rows["task_group"], at)
        now.append((kind, number, over[:1] + ("group-%d" % number,) + over[2:-1] + (True,)))
        offered.update(kind for kind, _, _ in now)
        outbox.offer(now)
    taken(outbox)
    listener = Listener()
    with listening(listener) as address:
        outbox.settings.receiver = address
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
        assert outbox.done.wait(20)
    came = Counter(record["kind"] for record in listener.records())
    told = Counter()
    for record in listener.records("dropped"):
        assert record["reason"] == "queue_full"
        told[record["what"]] += record["count"]
    for kind, count in offered.items():
        assert came[kind] + told[kind] == count, kind
    assert sum(told.values()) == outbox.shed_records > 300
    # Least worth first: of those that went before others did, only what the first try of a batch had is left; exceptions never go.
    assert told["event"] and told["task_group"] and not told["exception"]
    for kind in ("profile", "sample"):
        assert sum(any(row["kind"] == kind for row in batch) for _, batch in listener.kept) <= 1
    assert listener.numbers() == list(range(1, len(listener.numbers()) + 1))


class Impatient(bobbin._Outbox):
    """Tries again at once."""

    def _back_off(self, reply):
        super()._back_off(reply)
        self.delay, self.next_try = 0.01, 0.0


def test_whatever_a_receiver_answers_the_numbers_that_are_missing_are_those_that_are_told(tmp_path, monkeypatch, rows):
    """Shed before it had a number, shed from the spool, refused, too large, at fault: all of it in one run, the telling as well."""
    for name, value in (("_Outbox", Impatient), ("BATCH_RECORDS", 20), ("FAULTS", 3), ("QUEUE_BYTES", 40_000), ("DRAFT_BYTES", 10_000)):
        monkeypatch.setattr(bobbin, name, value)
    # Whatever size it is, a single record may be too large for this receiver.
    monkeypatch.setattr(bobbin, "NEVER_TOO_LARGE", 0)
    chance, offered, listener = random.Random(5), Counter(), Listener()
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 40_000
    outbox.thread.start()

    def beats(numbers):
        for number in numbers:
            at = outbox.clock.now() + number
            event = {"kind": "event", "at_micros": at, "topic": "t", "payload": {"number": number, "filling": "x" * 300}}
            now = [("sample", None, dict(rows["sample"][2], at_micros=at)), ("event", None, event), ("profile", None, profile(at, None))]
            now.append(a_failure(rows, number))
            offered.update(kind for kind, _, _ in now)
            outbox.offer(now)
            taken(outbox)

    beats(range(300))
    with listening(listener) as address:
        outbox.settings.receiver = address
        for number in range(300, 600, 20):
            listener.answers = chance.choices([200, 422, 413, 500, 503, "hang up", b"{}"], [6, 3, 2, 2, 1, 1, 1], k=20)
            beats(range(number, number + 20))
            until(lambda: not outbox.waiting(), 60)
        listener.answers = []
        beats([600])
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
        assert outbox.done.wait(60)
    losses, came = Losses(listener.records()), Counter(record["kind"] for record in listener.records())
    assert missing(listener.numbers()) == losses.gap
    for kind, count in offered.items():
        assert came[kind] + losses.by_what[kind] == count, kind
    assert {"queue_full", "spool_full", "refused", "too_large"} == set(losses.by_reason)
    # What the receiver would not have; nothing of it was shed.
    told = {record["reason"] for record in listener.records("dropped") if record["what"] == "exception"}
    assert told == {"refused", "too_large"} and not losses.by_what["exception_text"]
    # What was told in records that were refused was told again.
    assert losses.by_what["dropped"] > 0 and sum(losses.by_what.values()) == outbox.shed_records


@pytest.mark.parametrize("verdict", ["kept", "split", "dropped"])
def test_what_an_earlier_scheduler_left_goes_only_where_it_was_kept(tmp_path, monkeypatch, verdict):
    class Left:
        def next(self):
            return bobbin._Batch("i", 1, [], False, b"plain")

        def done(self, remove):
            removed.append(remove)

    removed, outbox = [], an_outbox(tmp_path / "data")
    monkeypatch.setattr(outbox, "left_over", Left())
    monkeypatch.setattr(outbox, "_post", lambda *_: bobbin._Reply(verdict))
    outbox._adopt()
    assert removed == [verdict == "kept"]


@pytest.mark.parametrize("status, sealed, waits", [(500, False, False), (503, True, False), (503, False, True), (None, True, True)])
def test_what_an_earlier_scheduler_left_waits_for_its_own_trouble_alone(tmp_path, monkeypatch, status, sealed, waits):
    class Left:
        """Two batches: the first is in trouble."""

        def __init__(self):
            self.close()

        def next(self):
            return self.batches[0] if self.batches else None

        def done(self, remove):
            went.append((self.batches.pop(0).first_seq, remove))

        def close(self):
            self.batches = [bobbin._Batch("i", 1, [], sealed, b"one"), bobbin._Batch("i", 2, [], False, b"two")]

    def answer(batch, *_):
        return bobbin._Reply("again", status=status) if batch.first_seq == 1 else bobbin._Reply("kept")

    went, outbox = [], an_outbox(tmp_path / "data")
    monkeypatch.setattr(outbox, "left_over", Left())
    monkeypatch.setattr(outbox, "_post", answer)
    outbox._adopt()
    if waits:
        assert went == [] and outbox.adopt_at > time.monotonic() + 30
        return
    outbox._adopt()
    assert went == [(1, False), (2, True)]
    outbox._adopt()
    # And all over again in a while.
    assert time.monotonic() + 30 < outbox.adopt_at < time.monotonic() + 90


def test_the_sender_lets_the_loop_have_the_interpreter_while_it_sheds_from_the_spool(tmp_path, monkeypatch, rows):
    outbox = an_outbox(tmp_path / "data")
    for number in range(200):
        kind, _, row = rows["sample"]
        outbox._add(kind, None, dict(row, at_micros=outbox.clock.now() + number))
    batch = outbox._number(outbox.plain)
    outbox._write(batch)
    breaths = []
    monkeypatch.setattr(outbox, "_breathe", lambda: breaths.append(1))
    outbox._strip(batch, bobbin.TOLD_ONCE)
    assert len(breaths) == batch.records == 200 and not outbox.batches


def test_what_is_shed_for_and_why_is_described():
    source = PLUGIN.read_text(encoding="utf-8")
    for reason in set(reasons()) - {"switched_off"}:
        assert '"%s"' % reason in source, reason


def test_a_profile_goes_on_without_its_source_where_text_has_no_room(tmp_path, monkeypatch):
    monkeypatch.setattr(bobbin, "QUEUE_BYTES", 30_000)
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 10_000)
    data = tmp_path / "data"
    outbox = an_outbox(data)
    outbox.thread.start()
    event = {"kind": "event", "at_micros": outbox.clock.now(), "topic": "t", "payload": None, "count": 1}
    outbox.offer([("event", None, event)])
    until(lambda: outbox.failing_since)
    for number in range(50):
        record = profile(outbox.clock.now() + number, None)
        record["strings"] += ["canary of %d" % number]
        record["frames"]["text"][7] = 30
        outbox.offer([("profile", None, record)])
        taken(outbox)
        until(lambda: outbox.plain.bytes <= 10_000)
    monkeypatch.setattr(bobbin, "QUEUE_BYTES", 100_000)
    outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
    assert outbox.settled.wait(20)
    kept = [record for _, batch in spooled(data) for record in batch]
    profiles = [record for record in kept if record["kind"] == "profile"]
    assert len(profiles) == 50 and b"canary" not in json.dumps(kept).encode()
    assert all(record["strings"][record["frames"]["name"][29]].startswith("f") for record in profiles)
    told = [record for record in kept if record["kind"] == "dropped"]
    assert {record["what"] for record in told} == {"profile_source"} and sum(record["count"] for record in told) == 50
    outbox.give_up = 0
    outbox.thread.join(10)


def test_the_newest_failures_are_sealed_first_and_what_time_is_too_short_for_is_counted(tmp_path, monkeypatch, rows):
    data = installed(tmp_path / "data")
    monkeypatch.setattr(bobbin, "BATCH_RECORDS", 10)
    seal = bobbin._seal
    sealed = []

    def slowly(public, body):
        sealed.append([json.loads(line.text) for line in bobbin._unpack(body, list)])
        time.sleep(0.2)
        return seal(public, body)

    monkeypatch.setattr(bobbin, "_seal", slowly)
    monkeypatch.setattr(bobbin, "DRAIN_SECONDS", 1.5)
    outbox = an_outbox(data)
    for number in range(200):
        at = outbox.clock.now() + number
        event = {"kind": "event", "at_micros": at, "topic": "t", "payload": {"number": number}}
        outbox.offer([("event", None, event), a_failure(rows, number, at_micros=at)])
    outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
    start = time.monotonic()
    outbox.thread.start()
    assert outbox.settled.wait(10)
    assert time.monotonic() - start < 1.5
    # The first text batch had been tried before; the rest is by worth.
    numbers = [int(record["exception_id"][1:]) for batch in sealed[1:] for record in batch]
    assert numbers[:20] == list(range(199, 179, -1)) and len(sealed) < 10
    outbox.give_up = 0
    outbox.thread.join(10)
    with serving(data) as served:
        until(lambda: not list((data / "spool").iterdir()))
        dropped = served.dropped()
        assert set(dropped) == {"event", "exception_text"}
        assert served.count("event") + dropped["event"] == 200
        # All of them are there, and of those that were not sealed their text is missing.
        assert served.count("exception") == 200
        assert served.rows("select count(*) from exception where message_sealed is null") == [(dropped["exception_text"],)]
        assert served.rows("select distinct reason from dropped") == [("no_time",)]
        assert served.missing() == sum(dropped.values())


def at_its_end(outbox, data):
    """What its spool has when its scheduler is over and nobody answered."""
    outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
    if not outbox.thread.is_alive():
        outbox.thread.start()
    assert outbox.settled.wait(20)
    outbox.give_up = 0
    outbox.thread.join(10)
    return spooled(data)


def test_on_a_disk_that_fills_up_at_the_end_an_exception_goes_on_without_its_text(tmp_path, monkeypatch, rows):
    data = installed(tmp_path / "data")
    outbox = an_outbox(data)
    put = outbox.spool.put

    def full(name, body):
        if name.endswith(".sealed"):
            raise OSError(errno.ENOSPC, "No space left on device")
        put(name, body)

    monkeypatch.setattr(outbox.spool, "put", full)
    offered = [a_failure(rows, number, count=1) for number in range(20)]
    outbox.offer(offered)
    kept = [record for _, batch in at_its_end(outbox, data) for record in batch]
    came = [record for record in kept if record["kind"] == "exception"]
    assert len(came) == 20 and all(without_text(record) for record in came)
    assert Losses(kept).by_what == {"exception_text": 20}


@pytest.mark.parametrize("why", ["not_sealed", "no_time", "spool_full"])
@pytest.mark.parametrize("tried", [True, False], ids=["numbered", "waiting"])
def test_where_its_text_has_no_way_an_exception_goes_on_without(tmp_path, monkeypatch, rows, why, tried):
    data = tmp_path / "data" if why == "not_sealed" else installed(tmp_path / "data")
    outbox = an_outbox(data)
    if why == "no_time":
        monkeypatch.setattr(bobbin, "DRAIN_SECONDS", 0.0)
    if why == "spool_full":
        outbox.spool.limit = 64 * 1024
    offered = [a_failure(rows, number, traceback=os.urandom(20_000).hex()) for number in range(20)]
    if tried:
        outbox.thread.start()
        outbox.offer(offered)
        until(lambda: outbox.batches and outbox.failing_since)
    else:
        # Of those that wait, the first are tried.
        monkeypatch.setattr(bobbin, "BATCH_RECORDS", 5)
    # Each happens once more; the last record of it holds the first.
    again = [(kind, key, dict(record, count=record["count"] + 1)) for kind, key, record in offered]
    outbox.offer(again)
    batches = at_its_end(outbox, data)
    kept = [record for _, batch in batches for record in batch]
    came = [record for record in kept if record["kind"] == "exception"]
    assert {record["exception_id"]: record["count"] for record in came} == {key: record["count"] for _, key, record in again}
    assert len(came) == 20 and all(without_text(record) and record["exception_type"] == "ValueError" for record in came)
    losses = Losses(kept)
    assert losses.by_what == {"exception_text": 20 * (1 + tried)} and set(losses.by_reason) == {why}
    numbers = [header["first_seq"] + place for header, batch in batches for place in range(len(batch))]
    assert missing(numbers) == losses.gap


def test_of_more_than_the_thread_has_room_for_it_gets_the_last_of_each_exception(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(bobbin, "INBOX_ROWS", 50)
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 0
    offered = Counter()
    for number in range(300):
        now = [("sample", None, rows["sample"][2]), a_failure(rows, number % 150, count=number), ("worker", None, rows["worker"][2])]
        offered.update(kind for kind, _, _ in now)
        outbox.offer(now)
    assert outbox.inbox_rows <= 2 * 50 + 150
    listener = Listener()
    with listening(listener) as address:
        outbox.settings.receiver = address
        outbox.thread.start()
        taken(outbox)
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
        assert outbox.done.wait(20)
    losses, came = Losses(listener.records()), Counter(record["kind"] for record in listener.records())
    assert {row["exception_id"]: row["count"] for row in listener.records("exception")} == {"e%d" % n: n + 150 for n in range(150)}
    assert came["exception"] == 150 and set(losses.by_what) == {"sample", "worker"}
    for kind in ("sample", "worker"):
        assert came[kind] + losses.by_what[kind] == offered[kind]


def test_how_a_cluster_ended_has_room_however_many_groups_it_had(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(bobbin, "INBOX_ROWS", 50)
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 0
    kind, _, over = moved(rows["task_group"], outbox.clock.now())
    groups = [(kind, "g%d" % number, over[:1] + ("g%d" % number,) + over[2:-1] + (True,)) for number in range(150)]
    # As the last beat hands over all that it read.
    outbox.offer(groups + [("sample", None, rows["sample"][2])])
    assert outbox.inbox_rows == 2 * 50
    listener = Listener()
    with listening(listener) as address:
        outbox.settings.receiver = address
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
        outbox.thread.start()
        assert outbox.done.wait(20)
    losses, came = Losses(listener.records()), Counter(record["kind"] for record in listener.records())
    assert (came["sample"], came["stop"], came["task_group"]) == (1, 1, 99)
    assert losses.by_what == {"task_group": 51}


def test_what_a_later_record_tells_again_has_the_room_that_is_left(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(bobbin, "INBOX_ROWS", 50)
    outbox = an_outbox(tmp_path / "data")
    computation = {"kind": "computation", "computation_id": "c", "code": [{"code": "x"}]}
    told = [("worker", None, rows["worker"][2])] * 10 + [("computation", ("c", 1), computation)]
    outbox.offer([("metric", number, {"kind": "metric"}) for number in range(60)] + told)
    (kept,) = outbox.inbox
    assert Counter(kind for kind, _, _ in kept) == {"metric": 39, "worker": 10, "computation": 1}
    assert outbox.shed == {("metric", "queue_full"): 21}


def test_a_spool_that_failed_for_long_is_tried_again_soon_once_it_worked(tmp_path, rows):
    outbox = an_outbox(installed(tmp_path / "data"))
    for _ in range(8):
        outbox._spool_failed()
    assert outbox.spool_wait > bobbin.SPOOL_AGAIN_SECONDS
    outbox.spool_again = 0.0
    outbox._add("sample", None, rows["sample"][2])
    outbox._keep()
    assert outbox.spool_wait == bobbin.SPOOL_AGAIN_SECONDS


def test_without_their_texts_exceptions_stay_when_the_spool_is_full_and_take_no_more_of_it(tmp_path, monkeypatch, rows):
    """As where the switch is off: they are no text, and their records are written down with the numbers."""
    monkeypatch.setattr(bobbin, "DRAFT_BYTES", 10_000)
    outbox = an_outbox(tmp_path / "data")
    outbox.spool.limit = 60_000
    outbox.thread.start()
    most = 0
    for number in range(1500):
        kind, _, over = moved(rows["task_group"], outbox.clock.now())
        over = over[:1] + ("group-%d" % number,) + over[2:-1] + (True,)
        # Each of them happens again and again.
        bare = {"message": None, "traceback": None, "details": None}
        outbox.offer([(kind, over[1], over), a_failure(rows, number % 100, count=number, **bare)])
        taken(outbox)
        most = max(most, outbox.spool.bytes)
    until(lambda: outbox.spool.bytes <= 60_000)
    assert most <= 60_000 + 2 * 10_000 + 100 * 600
    kept = [record for _, batch in at_its_end(outbox, tmp_path / "data") for record in batch]
    losses = Losses(kept)
    assert {row["exception_id"]: row["count"] for row in kept if row["kind"] == "exception"} == {"e%d" % n: n + 1400 for n in range(100)}
    assert losses.by_what["task_group"] > 0 and "exception" not in losses.by_what


def test_a_full_disk_leaves_exceptions_in_memory_for_the_receiver(tmp_path, monkeypatch, rows):
    monkeypatch.setattr(bobbin, "QUEUE_BYTES", 20_000)

    def full(spool, name, body):
        raise OSError(errno.ENOSPC, "no space left on device")

    monkeypatch.setattr(bobbin._Spool, "put", full)
    listener, outbox = Listener(), an_outbox(tmp_path / "data")
    outbox.thread.start()
    for number in range(100):
        bare = {"message": None, "traceback": None, "details": None} if number % 2 else {"traceback": "t" * 1000}
        outbox.offer([a_failure(rows, number, **bare), ("sample", None, rows["sample"][2])])
        taken(outbox)
    until(lambda: outbox.errors)
    with listening(listener) as address:
        outbox.settings.receiver = address
        outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
        assert outbox.done.wait(20)
    assert {row["exception_id"] for row in listener.records("exception")} == {"e%d" % number for number in range(100)}
    assert set(Losses(listener.records()).by_what) == {"sample"}
