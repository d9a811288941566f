"""A script that ends well ends well: workers that a local cluster closes, all or some, are not lost, whatever Dask calls them."""

import json
import re

import pytest
from processes import PLUGIN, REPOSITORY, run
from reports import records, until
from serving import serving

MANUAL = (REPOSITORY / "docs" / "README.md").read_text()
SCRIPT = re.search(r"```python fractals\.py\n(.*?)```", MANUAL, re.DOTALL).group(1)
SMALLER = """
import time
from distributed import Client, LocalCluster

if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        assert client.submit(abs, -1).result() == 1
        cluster.scale(1)
        while len(client.scheduler_info()["workers"]) > 1:
            time.sleep(0.05)
        assert client.submit(abs, -2).result() == 2
"""


@pytest.mark.parametrize("version", ["oldest", "2023", "2024", "2025", "newest"])
def test_the_script_of_the_manual_finished_without_a_fault(version, settings):
    (settings / "fractals.py").write_text(SCRIPT)
    with serving(settings / "bobbin") as served:
        environment = {
            "DASK_DISTRIBUTED__SCHEDULER__PRELOAD": str([str(PLUGIN)]),
            "DASK_BOBBIN__RECEIVER": served.address,
            "DASK_BOBBIN__TOKEN": served.token,
        }
        assert int(run(version, settings / "fractals.py", environment=environment)) > 0
        left = until(lambda: served.rows("select cause, expected from worker_event where event = 'left'"))
        told = json.loads(served.show("--json"))
    assert left == [("closed", 1)] * 2
    assert (told["cluster"]["row"]["state"], told["workers"]["lost"], told["exceptions"]["rows"]) == ("finished", 0, [])


@pytest.mark.parametrize("version", ["oldest", "2025", "newest"])
def test_who_goes_when_a_cluster_is_made_smaller_was_asked_to(version, settings):
    (settings / "smaller.py").write_text(SMALLER)
    environment = {
        "DASK_DISTRIBUTED__SCHEDULER__PRELOAD": str([str(PLUGIN)]),
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": str(settings / "out"),
    }
    run(version, settings / "smaller.py", environment=environment)
    left = [row["expected"] for row in records(settings / "out", "worker") if row["event"] == "left"]
    assert left == [True, True]
