"""However much workers give of their profiles, a bounded amount is kept, and each sample is counted somewhere."""

import threading
import time
import types
import zlib

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster
from profiles import check, checked, innermost, samples
from reports import records, until


def a_pack(prefixes, functions):
    """What a worker gives: one sample of each function, in each of these prefixes."""
    pack = bobbin._ProfilePack(True)
    pack.start = pack.stop = time.time()
    for number in functions:
        pack.frames.number(["f%d" % number, "/folder/file.py", number, None])
    for prefix in prefixes:
        table = pack.tables[prefix] = bobbin._ProfileTable()
        for frame in range(len(functions)):
            table.ended[table.place(-1, frame, 10**6)] = 1
    *_, data = pack.bytes(10000)
    return data


def merged(*packs):
    """Records of one interval in which each worker gave one of these."""
    merge = bobbin._ProfileMerge(bobbin.Settings(), bobbin._Clock())
    for data in packs:
        list(merge.take("pack", data))
    found = [row for _, _, row in merge.take("end", None, merge.clock.now(), True)]
    for record in found:
        check(record)
    return found


def test_prefixes_beyond_the_bound_are_told_together():
    found = merged(*(a_pack(["p%d" % number], range(3)) for number in range(bobbin.PROFILE_PREFIXES + 20)))
    made = samples(found)
    assert len(made) == bobbin.PROFILE_PREFIXES + 1
    assert made.pop(None) == 20 * 3 and set(made.values()) == {3}
    # Where they ended is told of those, too.
    assert sum(innermost([record for record in found if record["prefix"] is None]).values()) == 60


def test_functions_beyond_the_bound_are_counted_and_not_named():
    half = bobbin.FRAMES * 3 // 4
    (record,) = merged(a_pack(["p"], range(half)), a_pack(["p"], range(half, 2 * half)))
    assert len(record["frames"]["name"]) == bobbin.FRAMES
    assert record["samples"] == 2 * half and record["unattributed"] == 2 * half - bobbin.FRAMES


def test_the_next_interval_has_room_for_other_functions():
    merge = bobbin._ProfileMerge(bobbin.Settings(), bobbin._Clock())
    many = bobbin.FRAMES * 3 // 4
    for first in (0, many):
        list(merge.take("pack", a_pack(["p"], range(first, first + many))))
        (record,) = [row for _, _, row in merge.take("end", None, merge.clock.now(), True)]
        assert len(record["frames"]["name"]) == many and record["unattributed"] == 0


def swollen(line):
    """A hundred kilobytes that become more than a hundred megabytes."""
    packer = zlib.compressobj(9)
    head = b'{"from":null,"to":null,"late":false,"sample_micros":10000}\n'
    many = line * (2**20 // len(line))
    return packer.compress(head) + b"".join(packer.compress(many) for _ in range(120)) + packer.flush()


def spin(seconds, number):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        sum(range(1000))


def profiled(**options):
    return LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None, **options)


CHOSEN = {"bobbin.profile.transmit": True, "bobbin.profile.interval": "0.5s"}


@pytest.mark.parametrize("line", [b"[]\n", b"[]" + b" " * 2**18 + b"\n"], ids=["many lines", "long lines"])
def test_what_swells_beyond_all_measure_is_lost_and_said_so(settings, line):
    body = swollen(line)
    assert len(body) < 2**18
    with dask.config.set(CHOSEN), profiled() as cluster, Client(cluster) as client:
        bobbin.register(client)
        (worker,) = cluster.workers.values()
        until(lambda: "bobbin_profile" in worker.handlers)
        own = worker.handlers["bobbin_profile"]
        worker.handlers["bobbin_profile"] = lambda comm=None, serial=None, **_: {"serial": serial + 1, "data": body}
        lost = until(lambda: [row for row in records(settings / "out", "dropped") if row["what"] == "worker_profile"])
        assert {row["reason"] for row in lost} == {"not_writable"}
        worker.handlers["bobbin_profile"] = own
        client.submit(spin, 1.5, 0).result()
    # What took long is followed by a long pause; in the end all who answer as they should are heard.
    assert samples(records(settings / "out", "profile"))["spin"] > 20
    assert records(settings / "out", "stop")


def test_workers_are_not_asked_for_more_than_can_be_merged(settings, monkeypatch):
    monkeypatch.setattr(bobbin, "PROFILE_WAITING_BYTES", 300)
    take, stuck = bobbin._ProfileMerge.take, threading.Event()

    def slow(self, *arguments):
        stuck.wait(30)
        yield from take(self, *arguments)

    monkeypatch.setattr(bobbin._ProfileMerge, "take", slow)
    with dask.config.set(CHOSEN), profiled() as cluster, Client(cluster) as client:
        bobbin.register(client)
        profiles = cluster.scheduler.plugins["bobbin"]._run.profiles
        until(lambda: [known for known in profiles.known.values() if known.windows is not None])
        client.submit(spin, 3.0, 0).result()
        until(lambda: profiles.bytes > 300)
        time.sleep(2.0)
        serials = [known.serial for known in profiles.known.values()]
        client.submit(spin, 2.0, 1).result()
        assert [known.serial for known in profiles.known.values()] == serials
        stuck.set()
        (worker,) = cluster.workers.values()
        # What was not asked for then is there now.
        time.sleep(1.5)
        expected = sum(trees["spin"]["count"] for _, trees in worker.profile_keys_history if "spin" in trees)
    assert samples(checked(settings / "out"))["spin"] >= expected > 300
    assert not records(settings / "out", "dropped")


def test_what_workers_leave_when_they_end_is_bounded_too(monkeypatch):
    monkeypatch.setattr(bobbin, "PROFILE_WAITING_BYTES", 300)
    offered, lost = [], []
    merge = types.SimpleNamespace(bytes=0)
    outbox = types.SimpleNamespace(inbox_rows=1, profiles=merge, offer=offered.append, _lose=lambda *what: lost.append(what))
    profiles = bobbin._Profiles(types.SimpleNamespace(settings=types.SimpleNamespace(profile=True), outbox=outbox))
    message = {"worker": None, "serial": 0, "answer": b"", "data": b"x" * 100}
    for _ in range(10):
        profiles.left(message)
    assert len(offered) == 4 and lost == [("worker_profile", "queue_full")] * 6
    # Once that is merged, more is taken.
    merge.bytes = profiles.bytes
    profiles.left(message)
    assert len(offered) == 5
