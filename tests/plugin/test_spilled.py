"""Workers that really spill: bytes on the disk and the seconds that went into them are Dask's own, in each release."""

import json

import pytest
from processes import PLUGIN, cluster, run
from reports import records
from same import ACTIVITIES

SCRIPT = """
import json, sys, time
from distributed import Client, wait

def block(n):
    return bytes(40_000_000)

def memory(dask_scheduler):
    state = dask_scheduler.memory
    spilled = getattr(state, "spilled", None)
    return {
        "memory_spilled_bytes": state.managed_spilled if spilled is None else spilled,
        "memory_managed_bytes": getattr(state, "managed_in_memory", None) or state.managed,
        "memory_used_bytes": state.process,
        "memory_unmanaged_bytes": state.unmanaged,
    }

def seconds(dask_scheduler):
    return {group.name: dict(group.all_durations) for group in dask_scheduler.task_groups.values()}

with Client(sys.argv[1]) as client:
    blocks = client.map(block, range(8), pure=False)
    wait(blocks)
    lengths = client.map(len, blocks)
    client.gather(lengths)
    # A worker tells of its memory with its heartbeats, and Dask reckons all anew with each.
    told, end = [], time.monotonic() + 6
    while time.monotonic() < end:
        now = client.run_on_scheduler(memory)
        if not told or told[-1][0] != now:
            told.append([now, 0.0])
        time.sleep(0.05)
        told[-1][1] += 0.05
    print(json.dumps([told, client.run_on_scheduler(seconds)]))
"""


@pytest.mark.parametrize("version", ["oldest", "2022", "2023", "2024", "2025", "newest"])
def test_what_was_spilled_is_told_with_the_seconds_it_took(version, tmp_path):
    script = tmp_path / "story.py"
    script.write_text(SCRIPT)
    environment = {"DASK_DISTRIBUTED__WORKER__MEMORY__TARGET": "0.1"}
    for other in ("SPILL", "PAUSE", "TERMINATE"):
        environment["DASK_DISTRIBUTED__WORKER__MEMORY__" + other] = "false"
    with cluster(version, tmp_path / "run", preload=PLUGIN, environment=environment) as started:
        told, seconds = json.loads(run(version, script, started.address).splitlines()[-1])
    out = tmp_path / "run" / "out"
    assert told[-1][0]["memory_spilled_bytes"] > 100_000_000
    ours = [{name: sample[name] for name in told[0][0]} for sample in records(out, "sample")]
    # Longer than a report takes to come.
    stood = [memory for memory, seconds in told[1:-1] if seconds > 0.6] or [memory for memory, _ in told]
    assert [memory for memory in stood if memory in ours]
    assert len([memory for memory in stood if memory in ours]) >= len(stood) / 2
    rows = {row["name"]: row for row in records(out, "task_group") if not row["final"]}
    moved = 0
    for name, durations in seconds.items():
        for dask, ours in ACTIVITIES.items():
            assert rows[name]["seconds"][ours] == pytest.approx(durations.get(dask, 0), abs=2e-6), (name, dask)
        moved += durations.get("disk-read", 0) + durations.get("disk-write", 0)
    assert moved > 0
