"""Workers that come, go, come back, pause and die, and why; and what they say of themselves."""

import os
import signal
import time

import bobbin
import dask
import pytest
from distributed import Client, LocalCluster, Status, wait
from processes import PLUGIN, cluster, run
from reports import latest, records, until


def told(folder, event=None):
    return [row for row in records(folder, "worker") if event in (None, row["event"])]


def one(folder, event, **fields):
    """Waits for a row with these fields and returns it."""

    def found():
        return [row for row in told(folder, event) if all(row[name] == value for name, value in fields.items())]

    return until(found, 30)[0]


@pytest.fixture
def client():
    # A worker that a test pauses is not taken back by its own look at the memory.
    chosen = dask.config.set({"distributed.worker.memory.pause": False})
    with chosen, LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        with Client(cluster) as client:
            yield client


def test_workers_that_were_there_come_and_are_sent_away(client, settings):
    out = settings / "out"
    bobbin.register(client)
    until(lambda: len(told(out, "joined")) == 2)
    assert {row["cause"] for row in told(out)} == {"was there"}
    scheduler = client.cluster.scheduler
    row = told(out)[0]
    held = scheduler.workers[row["address"]]
    assert (row["name"], row["host"], row["threads"]) == (str(held.name), held.host, 1)
    assert (row["memory_limit_bytes"], row["nanny"], row["resources"]) == (held.memory_limit, False, {})
    client.cluster.scale(3)
    new = one(out, "joined", cause=None)
    first = row["address"]
    client.retire_workers([first])
    gone = one(out, "left", address=first)
    assert gone["cause"] == "retired" and gone["expected"] is True
    assert new["worker_id"] != gone["worker_id"] == row["worker_id"]
    client.shutdown()
    assert len(told(out, "left")) == 3
    assert len({row["worker_id"] for row in told(out)}) == 3


def test_workers_without_a_limit_have_none_and_not_zero(settings):
    options = {"n_workers": 2, "processes": False, "dashboard_address": ":0", "memory_limit": 0}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        bobbin.register(client)
        assert one(settings / "out", "joined")["memory_limit_bytes"] is None
        sample = until(lambda: [row for row in records(settings / "out", "sample") if row["workers"] == 2])[-1]
    assert sample["memory_limit_bytes"] is None and sample["memory_used_bytes"] > 0


def test_a_pause_is_told_with_its_end(client, settings):
    out = settings / "out"
    bobbin.register(client)

    def become(status, dask_worker=None):
        dask_worker.status = status

    client.run(become, Status.paused, workers=[next(iter(client.cluster.scheduler.workers))])
    paused = one(out, "paused")
    assert until(lambda: [row for row in records(out, "sample") if row["workers_paused"] == 1])
    client.run(become, Status.running)
    assert one(out, "resumed")["worker_id"] == paused["worker_id"]


def test_resources_and_a_metric_of_any_type(settings):
    async def odd(worker):
        return {"set": {1, 2}, "bytes": b"x"}

    async def not_a_number(worker):
        return "fast"

    options = {"processes": False, "dashboard_address": ":0", "resources": {"GPU": 2, "model": "A100", "none": None}}
    options["metrics"] = {"odd": odd, "gpu_utilization": not_a_number}
    with LocalCluster(n_workers=1, threads_per_worker=1, **options) as cluster, Client(cluster) as client:
        bobbin.register(client)
        assert one(settings / "out", "joined")["resources"] == {"GPU": 2.0}
        sample = until(lambda: records(settings / "out", "sample"))[-1]
    assert sample["gpu_percent"] is None and sample["cpu_percent"] is not None
    assert {row["cost"]["hook_errors"] for row in records(settings / "out", "sample")} == {0}


RESTART = """
import sys, time
from distributed import Client

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.wait_for_workers(1)
        client.submit(abs, -1).result()
        time.sleep(1)
        client.restart()
        client.submit(abs, -2).result()
        time.sleep(1)
        import os
        try:
            client.run(os._exit, 1)
        except Exception:
            pass
        time.sleep(3)
        client.wait_for_workers(1)
        client.submit(abs, -3).result()
        time.sleep(1)
"""


@pytest.mark.parametrize("version", ["newest", "2022", "2024"])
def test_a_nanny_brings_its_worker_back(version, settings):
    script = settings / "restart.py"
    script.write_text(RESTART)
    with cluster(version, settings / "run", preload=PLUGIN) as started:
        run(version, script, started.address)
    rows = told(settings / "run" / "out")
    assert [row["event"] for row in rows][:5] == ["joined", "left", "restarted", "left", "restarted"]
    # Before 2023.7 a connection that just ends is not told apart.
    lost = None if version == "2022" else "connection lost"
    assert [row["cause"] for row in rows][:5] == [None, "client restart", "client restart", lost, lost]
    assert rows[1]["expected"] is True and not rows[3]["expected"]
    assert all(row["nanny"] for row in rows)
    assert rows[0]["worker_id"] == rows[1]["worker_id"] != rows[2]["worker_id"]


HOG = """
import sys, time
from distributed import Client

def hog():
    held = bytearray(900 * 2**20)
    for place in range(0, len(held), 4096):
        held[place] = 1
    time.sleep(60)

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.wait_for_workers(1)
        future = client.submit(hog)
        print(type(future.exception()).__name__)
"""


def test_a_worker_that_its_nanny_kills_for_memory_is_told_as_killed(settings):
    script = settings / "hog.py"
    script.write_text(HOG)
    quick = {"DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE": "0.5", "DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE": "False"}
    options = {"preload": PLUGIN, "allowed_failures": 0, "environment": quick}
    with cluster("newest", settings / "run", **options) as started:
        assert run("newest", script, started.address).strip() == "KilledWorker"
        out = settings / "run" / "out"
        killed = one(out, "killed")
        assert killed["cause"] == "memory limit"
        left = one(out, "left", worker_id=killed["worker_id"])
        assert left["cause"] == "memory limit" and not left["expected"]
        assert one(out, "restarted")["cause"] == "memory limit"


def test_a_worker_that_falls_silent_left_for_its_heartbeat(settings):
    chosen = {"DASK_DISTRIBUTED__SCHEDULER__WORKER_TTL": "1s"}
    with cluster("newest", settings / "run", preload=PLUGIN, environment=chosen) as started:
        with Client(started.address) as client:
            client.wait_for_workers(1)
            pid = client.run(os.getpid)
            os.kill(*pid.values(), signal.SIGSTOP)
            try:
                left = one(settings / "run" / "out", "left")
            finally:
                try:
                    os.kill(*pid.values(), signal.SIGCONT)
                except ProcessLookupError:
                    pass
    assert (left["cause"], left["expected"]) == ("heartbeat timeout", False)


def test_the_sums_of_a_sample_are_those_of_the_workers(client, settings):
    bobbin.register(client)
    wait(client.map(abs, range(-20, 0)))

    async def nothing_new():
        for worker in client.cluster.workers.values():
            worker.periodic_callbacks["heartbeat"].stop()

    client.sync(nothing_new)

    def said():
        scheduler = client.cluster.scheduler
        metrics = [worker.metrics for worker in scheduler.workers.values()]
        return {
            "cpu_percent": sum(metric["cpu"] for metric in metrics),
            "worker_lag_micros": max(round(metric["event_loop_interval"] * 1e6) for metric in metrics),
            "memory_used_bytes": sum(metric["memory"] for metric in metrics),
            # Both are on one machine, which has one network.
            "network_read_bytes_per_s": metrics[0]["host_net_io"]["read_bps"],
        }

    def equal():
        expected = said()
        sample = records(settings / "out", "sample")[-1]
        return sample if {name: sample[name] for name in expected} == expected else None

    sample = until(equal)
    ids = {row["worker_id"] for row in latest(settings / "out", "worker", "worker_id").values()}
    assert {row[0] for row in sample["workers_each"]} == ids and sample["workers_bands"] is None
    assert sum(row[2] for row in sample["workers_each"]) == sample["memory_used_bytes"]
    # What a report costs is told with the next one.
    cost = until(lambda: next((row["cost"] for row in records(settings / "out", "sample") if row["cost"]["beat_micros"]), None))
    assert 0 < cost["loop_share"] < 0.5


def test_when_the_last_task_ended_and_when_work_becomes_a_stall(client, settings):
    out = settings / "out"
    bobbin.register(client)
    client.submit(abs, -1).result()
    ended = time.time()
    first = until(lambda: [row for row in records(out, "sample") if row["last_completed_micros"]])[-1]
    assert first["last_completed_micros"] == pytest.approx(ended * 1e6, abs=2e6)
    assert first["stall"] is None
    running = client.submit(time.sleep, 1.5, key="napping")
    # Nobody knows how long such a task takes, and nobody looks at stacks.
    sample = until(lambda: [row for row in records(out, "sample") if row["tasks"].get("processing")])[-1]
    assert sample["stall"] is None
    run_ = client.cluster.scheduler.plugins["bobbin"]._run
    group = next(group for group in run_.groups.known.values() if group.held.name == "napping")
    running.result()
    with pytest.raises(ZeroDivisionError):
        client.submit(divmod, 1, 0).result()
    later = until(lambda: [row for row in records(out, "sample") if row["totals"]["tasks_erred"]])[-1]
    assert later["last_completed_micros"] > first["last_completed_micros"]
    # As if tasks of that group had taken a minute.
    group.times.waiting.extend([60.0] * 20)
    again = client.submit(time.sleep, 1.5, key="napping-" + "0" * 32)
    slow = until(lambda: [row for row in records(out, "sample") if row["stall"] and row["stall"]["group_id"]])[-1]
    assert slow["stall"]["limit_micros"] == pytest.approx(300e6, rel=0.02)
    assert slow["stall"]["group_id"] == group.id
    again.result()


def a_worker(number, address=None):
    """Dask's own state of a worker."""
    import distributed

    fields = {"address": address or "tcp://10.0.0.%d:%d" % (number % 250, 1000 + number), "pid": 1, "name": number}
    fields.update(nthreads=1, memory_limit=0, local_directory="/", nanny="", server_id="w%d" % number)
    made = distributed.scheduler.WorkerState(status=Status.running, scheduler=None, **fields)
    made.metrics = {"cpu": float(number), "memory": number * 1000, "event_loop_interval": 0.02}
    return made


def test_a_thousand_workers_that_come_and_go_take_bounded_room(monkeypatch):
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    for number in range(10_000):
        held = a_worker(number)
        workers.came(held.address, held)
        workers.went(held.address, "connection lost")
    assert (len(workers.known), len(workers.rows), len(workers.left)) == (0, bobbin.WORKERS_PER_BEAT, 4000)
    assert workers.lost == 20_000 - bobbin.WORKERS_PER_BEAT
    assert len(workers.take()) == bobbin.WORKERS_PER_BEAT and not workers.rows


def test_a_heartbeat_after_its_removal_does_not_change_why_a_worker_left():
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    held = a_worker(1)
    workers.came(held.address, held)
    workers.went(held.address, bobbin._cause("retire-workers-1.5"))
    # It hears that the scheduler does not know it before it hears that it has to close.
    workers.why(held.address, bobbin._cause("worker-heartbeat-missing"))
    left = workers.take()[-1][2]
    assert (left["event"], left["cause"], left["expected"]) == ("left", "retired", True)


def closed_gracefully(workers, numbers):
    """Workers that come and go; gives the address of the last one."""
    for number in numbers:
        held = a_worker(number)
        workers.came(held.address, held)
        workers.changed(held.address, "closing_gracefully")
        workers.went(held.address)
    return held.address


def taken(rows):
    return [(row["event"], row["cause"], row["expected"], row["at_micros"]) for _, _, row in rows]


def test_who_asked_a_worker_to_close_may_be_told_a_second_behind_its_going():
    now = [0]
    workers = bobbin._Workers(lambda: now[0], bobbin._Mismatches())
    retired = closed_gracefully(workers, [1])
    assert taken(workers.take()) == [("joined", None, None, 0)]
    now[0] = 900_000
    workers.why(retired, "retired", True)
    # It is told as of when it went, and once.
    assert taken(workers.take()) == [("left", "retired", True, 0)]
    assert taken(workers.take()) == [] and not workers.leaving


def test_of_several_that_are_retired_the_first_to_go_wait_for_the_word():
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    addresses = []
    for number in range(3):
        held = a_worker(number)
        addresses.append(held.address)
        workers.came(held.address, held)
        # As older releases tell it, which say that they were retired when all of them are gone.
        workers.why(held.address, "closed by the scheduler")
        workers.went(held.address)
        assert [event for event, *_ in taken(workers.take())] == ["joined"]
    for address in addresses:
        workers.why(address, "retired", True)
    assert taken(workers.take()) == [("left", "retired", True, 0)] * 3


def test_a_worker_that_nobody_says_was_asked_to_close_is_told_a_second_later():
    now = [0]
    workers = bobbin._Workers(lambda: now[0], bobbin._Mismatches())
    closed_gracefully(workers, [1])
    workers.take()
    now[0] = bobbin.ASKED_LATER_MICROS
    assert taken(workers.take()) == [("left", "closed gracefully", True, 0)]
    # Where nothing is told later, none waits.
    closed_gracefully(workers, [2])
    assert [event for event, *_ in taken(workers.take(last=True))] == ["joined", "left"]


def test_of_many_workers_that_close_at_once_not_all_wait():
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    many = bobbin.WORKERS_PER_SLICE + 7
    closed_gracefully(workers, range(many))
    assert len([event for event, *_ in taken(workers.take()) if event == "left"]) == 7
    assert len(workers.take(last=True)) == bobbin.WORKERS_PER_SLICE


def test_a_worker_whose_own_heartbeat_raises_failed_hard():
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    held = a_worker(1)
    workers.came(held.address, held)
    workers.why(held.address, bobbin._cause("worker-heartbeat-error"))
    workers.changed(held.address, "closing")
    workers.went(held.address, None)
    left = workers.take()[-1][2]
    assert (left["cause"], left["expected"]) == ("failed hard", False)


def test_many_workers_are_told_as_bands():
    workers = bobbin._Workers(lambda: 0, bobbin._Mismatches())
    load = bobbin._Load(workers)
    for number in range(101):
        held = a_worker(number)
        workers.came(held.address, held)
        load.add(held.address, held)
    fields = load.fields(101)
    assert fields["workers_each"] is None
    assert fields["workers_bands"]["cpu_percent"] == [0, 25, 50, 75, 100]
    assert fields["workers_bands"]["processing"] == [0] * 5
    assert fields["memory_used_bytes"] == sum(range(101)) * 1000
    assert fields["network_read_bytes_per_s"] is None
