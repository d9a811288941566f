"""Dask of 2022: the same numbers from another scheduler."""

import json

import pytest
from processes import PLUGIN, cluster, run
from reports import latest, records

SCRIPT = """
import json, sys, time
import dask.array as da
from distributed import Client

def increment(x):
    time.sleep(0.01)
    return x + 1

def refuse(x):
    raise ValueError("no %d" % x)

def groups(dask_scheduler):
    return {
        group.name: {
            "states": {state: count for state, count in group.states.items() if count},
            "seconds": dict(group.all_durations),
            "result_bytes": group.nbytes_total,
            "types": sorted(group.types),
        }
        for group in dask_scheduler.task_groups.values()
    }

def cluster(dask_scheduler):
    workers = dask_scheduler.workers.values()
    return {
        "workers": len(workers),
        "threads": dask_scheduler.total_nthreads,
        "memory_limit_bytes": sum(worker.memory_limit for worker in workers),
        "memory_managed_bytes": dask_scheduler.memory.managed_in_memory,
    }

with Client(sys.argv[1]) as client:
    client.wait_for_workers(2)
    numbers = client.map(increment, range(20))
    total = client.submit(sum, numbers)
    kept = client.persist(da.ones((100, 100), chunks=(50, 50)).sum(axis=0))
    failed = client.map(refuse, range(3))
    total.result()
    time.sleep(1.5)
    print(json.dumps([client.run_on_scheduler(groups), client.run_on_scheduler(cluster)]))
    time.sleep(1)
"""


@pytest.fixture(scope="module")
def story(tmp_path_factory):
    folder = tmp_path_factory.mktemp("story")
    script = folder / "story.py"
    script.write_text(SCRIPT)
    with cluster("2022", folder / "run", workers=2, threads=2, preload=PLUGIN) as started:
        groups, numbers = json.loads(run("2022", script, started.address).splitlines()[-1])
    return folder / "run" / "out", groups, numbers


def test_each_group_has_the_schedulers_numbers(story):
    out, groups, _ = story
    # The last row before the client left, and Dask forgot.
    rows = {row["name"]: row for row in records(out, "task_group") if not row["final"]}
    for name, dask in groups.items():
        row = rows[name]
        assert {state: count for state, count in row["states"].items() if count} == dask["states"]
        assert row["seconds"]["compute"] == pytest.approx(dask["seconds"].get("compute", 0), abs=2e-6)
        assert row["seconds"]["transfer"] == pytest.approx(dask["seconds"].get("transfer", 0), abs=2e-6)
        assert row["result_bytes"] == dask["result_bytes"]
        assert row["types"] == dask["types"]


def test_a_sample_has_the_schedulers_numbers(story):
    out, _, numbers = story
    samples = [sample for sample in records(out, "sample") if sample["workers"]]
    assert numbers in [{name: sample[name] for name in numbers} for sample in samples]
    assert samples[-1]["cost"]["hook_errors"] == 0
    assert samples[-1]["totals"]["thread_seconds"] > 4


def test_code_is_captured_without_asking(story):
    codes = [row["code"] for row in records(story[0], "computation") if "code" in row]
    assert codes
    for frames in codes:
        assert "def increment" in frames[0]["code"]
        assert frames[0]["line"] is None and frames[0]["filename"] is None


def test_failures_computations_and_the_end_are_there(story):
    out = story[0]
    (failure,) = latest(out, "exception", "exception_id").values()
    assert (failure["exception_type"], failure["count"]) == ("ValueError", 3)
    assert failure["message"] in ("no 0", "no 1", "no 2")
    assert all(row["stop_micros"] for row in latest(out, "computation", "computation_id").values())
    assert records(out, "stop")[0]["reason"] == "closed"
    assert records(out, "cluster")[0]["versions"]["distributed"].startswith("2022.")
