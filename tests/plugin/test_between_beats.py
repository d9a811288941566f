"""What comes and is forgotten between two reports is told as whole as all else, on every release."""

import json

import bobbin
import pytest
from processes import PLUGIN, cluster, run
from reports import latest, records
from same import LACKING

SCRIPT = """
import json, sys, time
from distributed import Client

def increment(x):
    return x + 1

def refuse(x):
    raise ValueError(x)

def is_empty(dask_scheduler):
    return not dask_scheduler.tasks and not dask_scheduler.task_groups

def reports(dask_scheduler):
    # One that is sent is remembered by the plugin's clock.
    return dask_scheduler.plugins["bobbin"]._run.last_beat

with Client(sys.argv[1]) as client:
    client.wait_for_workers(1)
    # Right after a report: that of the worker's coming is over, and the next is far.
    before = client.run_on_scheduler(reports)
    while client.run_on_scheduler(reports) == before:
        time.sleep(0.01)
    begun = time.time()
    assert client.gather(client.map(increment, range(30), pure=False)) == list(range(1, 31))
    client.gather(client.scatter([1, 2, 3], hash=False))
    failed = client.submit(refuse, 1, pure=False)
    assert failed.exception()
    del failed
    while not client.run_on_scheduler(is_empty):
        time.sleep(0.005)
    print(json.dumps([begun, time.time()]), flush=True)
"""


@pytest.mark.parametrize("version", LACKING)
def test_what_lived_between_two_reports_is_told(version, tmp_path):
    script = tmp_path / "story.py"
    script.write_text(SCRIPT)
    environment = {"DASK_BOBBIN__INTERVAL": "3s", "DASK_BOBBIN__EVENTS__ALLOW": "[]"}
    with cluster(version, tmp_path / "run", preload=PLUGIN, environment=environment) as started:
        begun, forgotten = json.loads(run(version, script, started.address).splitlines()[-1])
    out = tmp_path / "run" / "out"
    inside = [row for row in records(out, "sample") if begun < row["at_micros"] / 1e6 < forgotten]
    assert not inside, "a report fell in between: nothing is shown by that"
    rows = {row["prefix"]: row for row in latest(out, "task_group", "group_id").values()}
    states = {prefix: {state: count for state, count in row["states"].items() if count} for prefix, row in rows.items()}
    assert states == {"increment": {"forgotten": 30}, "int": {"forgotten": 3}, "refuse": {"forgotten": 1}}
    assert all(row["final"] for row in rows.values())
    assert rows["increment"]["durations"]["count"] == 30 and rows["increment"]["result_bytes"] > 0
    (failure,) = records(out, "exception")
    assert (failure["exception_type"], failure["count"]) == ("ValueError", 1)
    assert records(out, "sample")[-1]["totals"]["tasks_completed"] == 31


def test_the_code_of_a_computation_whose_report_is_cut_short_is_in_the_next(monkeypatch):
    class Held:
        id, code, groups, start, stop = "one", ["x = 1"], (), 1e9, 2e9

    computations = bobbin._Computations(bobbin._Groups(), True)
    assert computations.note(Held)
    whole = computations._record

    def paused(*arguments):
        yield None
        return (yield from whole(*arguments))

    monkeypatch.setattr(computations, "_record", paused)
    cut = computations.rows(Held, lambda: 1, False)
    assert next(cut) is None
    cut.close()
    ((kind, _, row),) = [row for row in computations.rows(Held, lambda: 1, False) if row is not None]
    assert kind == "computation" and [frame["code"] for frame in row["code"]] == ["x = 1"]
