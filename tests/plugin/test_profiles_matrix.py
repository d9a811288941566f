"""Profiles on every release: each sample that a worker counted is told once, and most are told where they ended."""

import inspect
import json
import os
import signal
import subprocess

import pytest
from processes import PLUGIN, cluster, python, run
from profiles import by_line, checked, innermost, paths, samples, totals

VERSIONS = ("oldest", "2022", "2023", "2024", "2025", "newest", "newest-python", "python-3.14")

WORK = """
import json, os, sys, time
from distributed import Client, LocalCluster, wait

def seven_parts(steps):
    for _ in range(7 * steps):
        pass

def three_parts(steps):
    for _ in range(3 * steps):
        pass

def busy(seconds, number):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        seven_parts(20_000)
        three_parts(20_000)

def nested(seconds, depth):
    return nested(seconds, depth - 1) if depth else busy(seconds, 0)

def work(client):
    client.wait_for_workers(2)
    # Until each has its helper: what was before is not told as exactly.
    helper = lambda dask_worker: "bobbin-profile" in dask_worker.plugins
    while not all(client.run(helper).values()):
        time.sleep(0.1)
    wait([client.submit(busy, 1.0, number) for number in range(6)] + [client.submit(nested, 1.0, 60)])
    print(json.dumps(list(client.run(totals).values())), flush=True)

""" + inspect.getsource(totals)

REMOTE = WORK + """
with Client(sys.argv[1]) as client:
    work(client)
"""

# A script that ends and closes nothing.
LOCAL = """
import sys
sys.path.insert(0, sys.argv[1])
import bobbin
""" + WORK + """
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    client = Client(cluster)
    bobbin.register(client)
    work(client)
"""


def on(interval):
    return {"DASK_BOBBIN__PROFILE__TRANSMIT": "true", "DASK_BOBBIN__PROFILE__INTERVAL": interval}


def expected(printed):
    made = {}
    for found in json.loads(printed.splitlines()[-1]):
        for prefix, count in found.items():
            made[prefix] = made.get(prefix, 0) + count
    return made


def shares(found):
    """What is told of the innermost functions, and that it is their share of the time."""
    ended = innermost(found)
    inner = ended["seven_parts"] + ended["three_parts"]
    assert inner > 0.8 * sum(samples(found).values())
    assert ended["seven_parts"] / inner == pytest.approx(0.7, abs=0.15)
    assert not sum(record["unattributed"] for record in found)
    # Each line of `busy` has the share of what it calls, and what that says.
    lines = {text: count for (name, _, text), (_, count) in by_line(found).items() if name == "busy"}
    seven, three = lines["seven_parts(20_000)"], lines["three_parts(20_000)"]
    assert seven / (seven + three) == pytest.approx(0.7, abs=0.15)
    assert seven + three > 0.8 * sum(samples(found).values())
    assert 61 in {path.count("nested") for path in paths(found)}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_scheduler_that_is_stopped_has_asked_its_workers(version, settings):
    script = settings / "work.py"
    script.write_text(REMOTE)
    with cluster(version, settings / "run", workers=2, threads=1, preload=PLUGIN, environment=on("1s")) as started:
        known = expected(run(version, script, started.address))
        # Its workers are still there then; the fixture stops all at once.
        started.scheduler.send_signal(signal.SIGTERM)
        started.scheduler.wait(30)
    found = checked(settings / "run" / "out")
    assert samples(found) == known and set(known) == {"busy", "nested"}
    assert len(found) > 2
    shares(found)


@pytest.mark.parametrize("version", ["oldest", "2023", "newest", "newest-python", "python-3.14"])
def test_a_script_that_ends_has_asked_its_workers(version, settings):
    script = settings / "work.py"
    script.write_text(LOCAL)
    chosen = {"DASK_BOBBIN__DESTINATION": "file", "DASK_BOBBIN__FOLDER": str(settings / "out"), **on("1h")}
    done = subprocess.run(
        [python(version), "-W", "ignore", str(script), str(PLUGIN.parent)],
        env=dict(os.environ, **chosen),
        # Where Dask of 2022 leaves its folder.
        cwd=settings,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    found = checked(settings / "out")
    assert samples(found) == expected(done.stdout)
    shares(found)
