"""Outboxes that belong to no cluster, and what a test puts into them."""

import copy
import os
import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, wait
from ending import canary_in_code
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


def offered_rows():
    """The fixture `rows` of a module: what a real cluster offered in one beat, and at its end."""

    @pytest.fixture(scope="module")
    def rows():
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

    return rows


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


def at_its_end(outbox, data):
    """What its spool has when its scheduler is over and nobody answered."""
    outbox.close([("stop", "stop", {"kind": "stop", "at_micros": outbox.clock.now(), "reason": "closed"})])
    if not outbox.thread.is_alive():
        outbox.thread.start()
    assert outbox.settled.wait(20)
    outbox.give_up = 0
    outbox.thread.join(10)
    return spooled(data)
