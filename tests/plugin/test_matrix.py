"""Every release of Dask that Bobbin reads: what the plugin wrote is what that Dask's own scheduler says, for every group."""

import time
from contextlib import contextmanager

import pytest
from processes import PLUGIN, cluster
from reports import latest, records
from same import LACKING, same, same_events, same_groups
from story import settle, workload

# LocalCluster of 2022 does not start on the Python that the published client of that year needs.
WAYS = [(version, way) for version in LACKING for way in ("local", "register") if (version, way) != ("2022", "local")]
WAYS.append(("2022", "preload"))


@contextmanager
def story(version, way, tmp_path):
    """The workload: in one process with its cluster and the plugin from the configuration, or as a client of another."""
    environment = {
        "DASK_BOBBIN__DESTINATION": "file",
        "DASK_BOBBIN__FOLDER": str(tmp_path / "run" / "out"),
        "DASK_BOBBIN__INTERVAL": "0.3s",
        "DASK_BOBBIN__EVENTS__ALLOW": "*",
        "PYTHONPATH": str(PLUGIN.parent),
    }
    if way != "register":
        environment["DASK_DISTRIBUTED__SCHEDULER__PRELOAD"] = str(PLUGIN)
    log = tmp_path / "story.log"
    if way == "local":
        with workload(version, log, "local", environment=environment) as told:
            yield told
        return
    words = [way] if way == "register" else []
    with cluster(version, tmp_path / "run", workers=2, environment=environment) as started:
        with workload(version, log, started.address, *words, environment=environment) as told:
            yield told


@pytest.mark.parametrize("version, way", WAYS)
def test_the_numbers_are_those_of_dask(version, way, tmp_path):
    lacking = LACKING[version]
    out = tmp_path / "run" / "out"

    with story(version, way, tmp_path) as told:
        said = told.hear()
        settle(lambda: same(said, out, lacking))
        if way != "register":
            settle(lambda: same_events(said, out))
        told.go_on()
        said = told.hear()
        # Dask has forgotten all of them; what they were stands.
        settle(lambda: same_groups(said, out, lacking))
        assert all(row["final"] for row in latest(out, "task_group", "group_id").values())
        ended = time.time()
        told.go_on()
    (stop,) = records(out, "stop")
    assert stop["reason"] == "closed"
    # After it was asked to end, and before it had.
    assert ended - 0.1 <= stop["at_micros"] / 1e6 <= time.time() + 0.1
    assert sum(row["count"] for row in records(out, "dropped")) == 0
    assert not records(out, "sample")[-1]["cost"]["hook_errors"]
    code = "".join(frame["code"] for row in records(out, "computation") for frame in row.get("code") or ())
    assert "def arrays" in code
