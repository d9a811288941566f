"""A cluster whose tasks wait for what no worker has is not idle: after a while it is stalled."""

import json
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

import bobbin
import pytest
from processes import PLUGIN, cluster, run
from reports import records, until
from serving import BINARY, serving
from spools import Reporting

SCRIPT = """
import os, sys, time
from distributed import Client, Worker

def told(name):
    while not os.path.exists(os.path.join(sys.argv[2], name)):
        time.sleep(0.05)

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.wait_for_workers(1)
        client.submit(abs, -1).result()
        told("submit")
        waiting = client.submit(abs, -2, resources={"GPU": 1})
        told("help")

        async def start():
            return await Worker(sys.argv[1], nthreads=1, resources={"GPU": 1}, name="with-gpu")

        worker = client.sync(start)
        assert waiting.result() == 2
        told("end")
        # It lives on the client's loop.
        client.sync(worker.close)
"""


@pytest.mark.parametrize("version", ["newest", "oldest"])
def test_what_waits_for_a_resource_that_nobody_has_is_work_and_stands_still(version, settings):
    script, out = settings / "script.py", settings / "run" / "out"
    script.write_text(SCRIPT)
    with cluster(version, settings / "run", preload=PLUGIN) as started, ThreadPoolExecutor(1) as pool:
        done = pool.submit(run, version, script, started.address, settings)

        def last(condition):
            return until(lambda: condition(records(out, "sample")[-1]) and records(out, "sample")[-1], 60)

        before = last(lambda sample: sample["idle_since_micros"] and sample["last_completed_micros"])
        (settings / "submit").touch()
        last(lambda sample: sample["tasks"].get("no-worker"))
        (settings / "help").touch()
        after = last(lambda sample: sample["totals"]["tasks_completed"] == 2 and sample["idle_since_micros"])
        (settings / "end").touch()
        done.result()
    samples = records(out, "sample")
    barred = [sample for sample in samples if sample["tasks"].get("no-worker")]
    for sample in barred:
        assert (sample["tasks"]["no-worker"], sample["tasks"].get("processing", 0)) == (1, 0)
        assert sample["idle_since_micros"] is None
        assert sample["stall"] == {"limit_micros": 60_000_000, "same_stacks": None, "group_id": None}
    # Meanwhile nothing ended, and then it did.
    assert {sample["last_completed_micros"] for sample in barred} == {before["last_completed_micros"]}
    assert after["last_completed_micros"] > before["last_completed_micros"]
    assert {sample["stall"] for sample in samples if sample["idle_since_micros"]} == {None}


def in_state(data, state):
    """The clusters that Bobbin says are in a state."""
    command = [str(BINARY), "clusters", "--json", "--data-dir", str(data)]
    rows = json.loads(subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout)["rows"]
    return [row for row in rows if row["state"] == state]


def test_bobbin_calls_one_stalled_and_the_other_idle(tmp_path, monkeypatch):
    monkeypatch.setattr(bobbin, "STALL_MICROS", 1_000_000)

    def is_(state):
        return in_state(tmp_path / "data", state)

    with serving(tmp_path / "data"), Reporting(tmp_path / "data") as here:
        assert here.client.submit(abs, -1).result() == 1
        until(lambda: is_("idle"), 30)
        waiting = here.client.submit(abs, -2, resources={"GPU": 1})
        (row,) = until(lambda: is_("stalled"), 30)
        assert row["state_evidence"].endswith("; 1 is waiting, and no worker can run it")
        waiting.cancel()
        until(lambda: is_("idle"), 30)
        # Where there is no worker at all, more may be on their way.
        here.cluster.scale(0)
        waiting = here.client.submit(abs, -3)
        until(lambda: is_("running") and here.run.cluster_sent, 30)
        assert not is_("stalled")
        waiting.cancel()


def wait_at(depth):
    return wait_at(depth - 1) if depth else time.sleep(0.25)


def deeper():
    """Never where it was at the last look."""
    for depth in range(40):
        wait_at(depth)


def stand_still():
    time.sleep(20)


def test_a_task_whose_stacks_stay_the_same_is_stalled_and_a_long_one_is_not(tmp_path, monkeypatch):
    monkeypatch.setattr(bobbin, "STALL_MICROS", 1_000_000)
    data = tmp_path / "data"
    with serving(data), Reporting(data, profile__transmit=True, profile__interval="2s") as here:
        assert here.client.submit(abs, -1).result() == 1
        moving, looks = here.client.submit(deeper), 0
        until(lambda: here.run.profiles.same_stacks() is False, 30)
        while not moving.done():
            assert not in_state(data, "stalled")
            looks += 1
        assert looks > 3
        held = here.client.submit(stand_still)
        (row,) = until(lambda: in_state(data, "stalled"), 30)
        assert row["state_evidence"].endswith("; the workers' stacks have not changed")
        held.result()
        until(lambda: in_state(data, "idle"), 30)
