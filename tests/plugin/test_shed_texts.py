"""Text that has no room or no time: what it belongs to goes on without it, and that is told."""

import errno
import json
import os
import time

import bobbin
import pytest
from listener import Listener, listening
from losses import Losses, missing
from outboxes import a_failure, an_outbox, at_its_end, moved, offered_rows, profile, taken, without_text
from reports import until
from serving import installed, serving
from spools import spooled

rows = offered_rows()


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
