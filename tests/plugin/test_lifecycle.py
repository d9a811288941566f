"""Every way in which a worker goes, with real workers of six releases of Dask: the cause is as Dask tells it, or null."""

from pathlib import Path

import pytest
from processes import PLUGIN, cluster, command_line, run
from reports import records, until

STORY = Path(__file__).with_name("lifecycle.py")
MEMORY = {"TERMINATE": "0.7", "PAUSE": "False", "SPILL": "False"}
# By release, why each worker left and whether that was expected; of the one with a nanny, the three times.
LEFT = {
    "newest": {
        "retired": [("retired", True)],
        "closed": [("closed by the scheduler", False)],
        "removed": [("closed by the scheduler", False)],
        "plain": [("connection lost", False)],
        "lifetime": [("lifetime reached", True)],
        "nannied": [("restart by request", True), ("memory limit", False), ("connection lost", False)],
    },
    # Its hooks are not told the stimulus: what has no event of its own is not known.
    "oldest": {
        "retired": [("retired", True)],
        # That has an event.
        "closed": [("closed by the scheduler", None)],
        "removed": [(None, None)],
        "plain": [(None, None)],
        # That is how it says so.
        "lifetime": [("retired", True)],
        "nannied": [("client restart", True), (None, None), (None, None)],
    },
}
LEFT["2025"] = LEFT["newest"]
LEFT["2022"] = LEFT["oldest"]
# The request goes to the nanny: the scheduler sees a worker that closes in order.
LEFT["2023"] = dict(LEFT["2022"], nannied=[("closed", True), (None, None), (None, None)])
# Before 2024.6 it does not say whether it expected that.
LEFT["2024"] = dict(
    LEFT["newest"],
    closed=[("closed by the scheduler", None)],
    removed=[("closed by the scheduler", None)],
    plain=[("connection lost", None)],
    nannied=[("restart by request", True), ("memory limit", False), ("connection lost", None)],
)


@pytest.mark.parametrize("version", LEFT)
def test_a_worker_left_for_the_cause_that_dask_tells(version, settings):
    environment = {"DASK_DISTRIBUTED__WORKER__MEMORY__" + name: value for name, value in MEMORY.items()}
    options = ["--name", "nannied", "--memory-limit", "600MB"]
    with cluster(version, settings / "run", preload=PLUGIN, environment=environment, worker_options=options) as started:
        plain = [*command_line(version, "worker"), "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        run(version, STORY, started.address, *plain, environment=environment)
        out = settings / "run" / "out"
        until(lambda: sum(row["event"] == "restarted" for row in records(out, "worker")) == 3)
    rows = records(out, "worker")
    left = {name: [] for name in LEFT[version]}
    for row in rows:
        if row["event"] == "left":
            left[row["name"]].append((row["cause"], row["expected"]))
    # It asks to be retired first, and why it goes may come after it has left.
    if left["lifetime"] == [("closed gracefully", True)] and version != "oldest":
        left["lifetime"] = LEFT[version]["lifetime"]
    assert {name: told[:3] for name, told in left.items()} == LEFT[version]
    # The next one in its place came for the same.
    restarted = [row["cause"] for row in rows if row["event"] == "restarted"]
    assert restarted == [cause for cause, _ in LEFT[version]["nannied"]]
    killed = [(row["name"], row["cause"]) for row in rows if row["event"] == "killed"]
    assert killed == ([("nannied", "memory limit")] if version in ("2024", "2025", "newest") else [])
    assert {row["cost"]["hook_errors"] for row in records(out, "sample")} == {0}
