"""A cluster whose tasks wait for what no worker has is not idle: after a while it is stalled."""

import json
import subprocess
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


def test_bobbin_calls_one_stalled_and_the_other_idle(tmp_path, monkeypatch):
    monkeypatch.setattr(bobbin, "STALL_MICROS", 1_000_000)

    def clusters():
        command = [str(BINARY), "clusters", "--json", "--data-dir", str(tmp_path / "data")]
        return json.loads(subprocess.run(command, capture_output=True, text=True, timeout=30, check=True).stdout)["rows"]

    def is_(state):
        return [row for row in clusters() if row["state"] == state]

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
