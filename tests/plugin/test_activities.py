"""Seconds that the small tasks of the matrix hardly have: data that travels, and a function that is slow to unpack."""

import json

import pytest
from processes import PLUGIN, cluster, run
from reports import records
from same import ACTIVITIES

# Later ones do not tell how long that took.
UNPACKING_TOLD = ("oldest", "2022", "2023")
SCRIPT = """
import json, sys, time
from distributed import Client, wait

class Slow:
    def __call__(self, x):
        return x

    def __reduce__(self):
        return made_slowly, ()

def made_slowly():
    time.sleep(0.05)
    return Slow()

def block(n):
    return bytes(n)

def seconds(dask_scheduler):
    return {group.name: dict(group.all_durations) for group in dask_scheduler.task_groups.values()}

if __name__ == "__main__":
    with Client(sys.argv[1]) as client:
        client.wait_for_workers(2)
        here, there = client.run(lambda: None)
        big = client.submit(block, 20_000_000, workers=[here])
        size = client.submit(len, big, workers=[there])
        slow = client.submit(Slow(), 1, key="slow-1")
        wait([size, slow])
        print(json.dumps(client.run_on_scheduler(seconds)))
        time.sleep(1.5)
"""


@pytest.mark.parametrize("version", ["oldest", "2022", "2023", "2024", "2025", "newest"])
def test_what_travels_and_what_is_slow_to_unpack_takes_the_seconds_that_dask_says(version, tmp_path):
    script = tmp_path / "story.py"
    script.write_text(SCRIPT)
    with cluster(version, tmp_path / "run", workers=2, threads=1, preload=PLUGIN) as started:
        seconds = json.loads(run(version, script, started.address).splitlines()[-1])
    rows = {row["name"]: row for row in records(tmp_path / "run" / "out", "task_group")}
    for name, durations in seconds.items():
        for dask, ours in ACTIVITIES.items():
            assert rows[name]["seconds"][ours] == pytest.approx(durations.get(dask, 0), abs=2e-6), (name, dask)
    assert seconds["len"]["transfer"] > 0
    assert (seconds["slow"].get("deserialize", 0) > 0.04) == (version in UNPACKING_TOLD)
