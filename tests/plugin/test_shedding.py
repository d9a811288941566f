"""What is shed when there is more than the bounds allow: least worth first, and every record of it told."""

import copy
import os
import random
import tracemalloc
from collections import Counter

import bobbin
from listener import Listener, listening
from losses import Losses, missing, reasons
from outboxes import VirtualClock, a_failure, an_outbox, moved, offered_rows, profile, taken
from processes import PLUGIN
from reports import until
from serving import installed, serving

rows = offered_rows()


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
